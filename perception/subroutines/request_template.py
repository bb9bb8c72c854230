"""The recipe of a request: a template with parameters, and with what is read from the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from perception.subroutines.form_recipe import FormRecipe, PageField
from perception.subroutines.request_values import json_leaves


@dataclass(frozen=True, slots=True)
class Given:
    """A parameter's value in a request.

    Attributes:
        parameter: name of the parameter.
        form: `text`, `lines` (with the line ends of forms), `number`, `boolean`, `choice`, or `address`, an address
            with it in it.
        values: for a choice, label and form value of each option.
        code: JavaScript in place of the parameter, such as `at.ticket_id`; "" for the parameter itself.
    """

    parameter: str
    form: str = "text"
    values: tuple[tuple[str, str], ...] = ()
    code: str = ""


@dataclass(frozen=True, slots=True)
class PageToken:
    """A token that is read from the page before the request is sent.

    Attributes:
        kind: kind of the place, such as `cookie` or `meta`.
        name: name of the place.
    """

    kind: str
    name: str


Template = Any
"""JSON with `Given` and `PageToken` leaves."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Template of a request.

    Attributes:
        method: HTTP method.
        path: templates of the path segments.
        kind: kind of the body.
        query: name and template of query parameters.
        headers: name and template of headers.
        json: template of a JSON body; None for another body.
        fields: name and template of form fields; None for a file field without a file.
        style: how a form body is written, as in `write_urlencoded`.
        form: the form that is read from the page; None for fields that are written as they are.
        text: text of another body.
        status: recorded status.
        location: where the recorded redirects led, a path with `*` for variable segments; "" for none.
        page: path, query and fragment of the page that sent the request.
        page_code: JavaScript of that address, if it has objects that are given; else "".
    """

    method: str
    path: tuple[Template, ...]
    kind: str
    query: tuple[tuple[str, Template], ...] = ()
    headers: tuple[tuple[str, Template], ...] = ()
    json: Template = None
    fields: tuple[tuple[str, Template], ...] = ()
    style: str = ""
    form: FormRecipe | None = None
    text: Template = ""
    status: int = 200
    location: str = ""
    page: str = ""
    page_code: str = ""

    @property
    def page_fields(self) -> tuple[PageField, ...]:
        """All fields that have to be read from the page, without duplicates."""
        parts = (self.json, [each for _, each in self.fields] if self.form is None else [])
        return tuple(dict.fromkeys(each for part in parts for each in _leaves(part) if isinstance(each, PageField)))

    @property
    def read_names(self) -> frozenset[str]:
        """Names of fields, and places of JSON leaves, that are read from the page."""
        leaves = {".".join(map(str, path)) for path, each in json_leaves(self.json) if isinstance(each, PageField)}
        return frozenset(leaves | {key for key, each in self.fields if isinstance(each, PageField)})

    @property
    def needs_page(self) -> bool:
        """Whether something has to be read from the page."""
        return bool(self.tokens or self.form or self.page_fields)

    @property
    def tokens(self) -> tuple[PageToken, ...]:
        """All tokens that have to be read from the page, without duplicates."""
        fields = [each for index, (_, each) in enumerate(self.fields) if not self.form or index in self.form.entered]
        parts = (self.path, dict(self.query), dict(self.headers), self.json, fields)
        return tuple(dict.fromkeys(each for part in parts for each in _leaves(part) if isinstance(each, PageToken)))


def _leaves(value: Template) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in _leaves(each)]
    if isinstance(value, list | tuple):
        return [leaf for each in value for leaf in _leaves(each)]
    return [value]
