"""A parameter of a subroutine, and the names of parameters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from perception.errors import BadInputError

MAX_PARAMETER_NAME = 40


@dataclass(frozen=True, slots=True)
class Parameter:
    """One value that a caller can choose.

    Attributes:
        name: name of the parameter.
        type: JSON Schema type.
        description: label of the field.
        steps: indices of the events that use it.
        example: recorded value, which is the default if it is not required; None for a secret.
        required: whether a caller must give it.
        secret: whether it is a secret.
        format: JSON Schema format; "" for none.
        enum: allowed values; empty for any.
        max_length: maximum length, characters; 0 for none.
        values: for a choice, label and form value of each option.
        place: "" for a value that is entered or a name that differs; `start` for the address of the start, `address`
            for a part of an address, `name` for a link's name, `row` for the cell of a row.
        others: recorded values in the other recordings.
        pattern: regular expression of the allowed values; "" for any.
        part: for `address`, index of the part.
        column: for `row`, the column.
        renamed: the name inferred from its field, column or route, if it is called otherwise.
    """

    name: str
    type: str
    description: str
    steps: tuple[int, ...]
    example: Any = None
    required: bool = True
    secret: bool = False
    format: str = ""
    enum: tuple[str, ...] = ()
    max_length: int = 0
    values: tuple[tuple[str, str], ...] = ()
    place: str = ""
    others: tuple[Any, ...] = ()
    pattern: str = ""
    part: int = 0
    column: str = ""
    renamed: str = ""

    @property
    def field_name(self) -> str:
        """The name that was inferred from its field, column or route."""
        return self.renamed or self.name

    @property
    def recorded(self) -> tuple[str, ...]:
        """The value in each recording, as text."""
        return tuple(str(each) for each in (self.example, *self.others))


def slug(text: str) -> str:
    """An identifier in snake case; "" if the text has no Latin letter.

    >>> slug("First name *"), slug("userName"), slug("Größe"), slug("123")
    ('first_name', 'user_name', 'grosse', '')
    """
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text).replace("ß", "ss")
    plain = unicodedata.normalize("NFKD", apart).encode("ascii", "ignore").decode().lower()
    joined = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:MAX_PARAMETER_NAME].strip("_")
    return joined if re.search(r"[a-z]", joined) and not joined[0].isdigit() else ""


def rename_parameters(parameters: Sequence[Parameter], names: Mapping[str, str]) -> tuple[Parameter, ...]:
    """The parameters with other names.

    Args:
        parameters: all parameters.
        names: new names by the old ones.

    Raises:
        BadInputError: there is no such parameter, or a new name is not an identifier or another parameter's.
    """
    check_renames([each.name for each in parameters], names)
    renamed = [names.get(each.name, each.name) for each in parameters]
    return tuple(
        replace(each, name=name, renamed=each.field_name) for each, name in zip(parameters, renamed, strict=True)
    )


def check_renames(known: Sequence[str], names: Mapping[str, str]) -> None:
    """Raises BadInputError where there is no such parameter, or a new name is not an identifier or another parameter's.

    Args:
        known: names of all parameters.
        names: new names by the old ones.
    """
    for old, new in names.items():
        if old not in known:
            raise BadInputError(
                f"there is no parameter {old[:60]!r} to rename: there is {', '.join(known) or 'none'}", field="rename"
            )
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", new) or len(new) > MAX_PARAMETER_NAME:
            raise BadInputError(
                f"{new[:60]!r} is not a parameter name: give up to {MAX_PARAMETER_NAME} letters, digits and `_`, "
                "beginning with a letter",
                field="rename",
            )
    renamed = [names.get(each, each) for each in known]
    twice = next((each for each in renamed if renamed.count(each) > 1), None)
    if twice is not None:
        raise BadInputError(f"two parameters would be called {twice!r}: give each another name", field="rename")
