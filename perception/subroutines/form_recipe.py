"""Where the fields of a form in a request come from: entered, or read from the form that the page shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from perception.subroutines.form_fields import entered_names, last_forms, match_form, page_field
from perception.subroutines.recording import FormEntry, RecordedRequest, Recording
from perception.subroutines.request_objects import is_bookkeeping, names_object


@dataclass(frozen=True, slots=True)
class PageField:
    """A field that is read from the page before the request is sent.

    Attributes:
        name: name or id of the control.
        number: whether it is sent as a number.
    """

    name: str
    number: bool = False


@dataclass(frozen=True, slots=True)
class FormRecipe:
    """A form that is read from the page, with what is entered.

    Attributes:
        names: names of controls that the form has.
        entered: indices of the body's fields that are entered.
        checks: name, own value, state and step of checkboxes and radio buttons that were set.
        submit: name and value of the button that sent it; empty for none.
        lines: whether line ends are written as forms send them.
    """

    names: tuple[str, ...]
    entered: tuple[int, ...]
    checks: tuple[tuple[str, str, bool, int], ...] = ()
    submit: tuple[str, ...] = ()
    lines: bool = False


def form_recipe(request: RecordedRequest, recording: Recording) -> tuple[FormRecipe | None, tuple[str, ...]]:
    """The form that a request sends, and the obstacles to reading it; None where it is not the body of a form."""
    if request.body.kind not in ("urlencoded", "formdata") or not recording.forms:
        return None, ()
    matched = match_form(request, last_forms(request, recording))
    if matched is None:
        is_form = request.kind == "document"
        return None, ("the form that it sends is not as the page showed it",) if is_form else ()
    form, entries = matched
    touched = entered_names(recording.events)
    obstacles = [f"{entry.name} is set by the page's scripts" for entry in entries if _is_scripted(entry, touched)]
    obstacles += ["its form is shown only after something is done"] if any(each.late for each in entries) else []
    plain = [entry.name for entry in entries if entry.kind in ("text", "option")]
    entered = [
        index for index, entry in enumerate(entries) if entry.name in touched and entry.kind in ("text", "option")
    ]
    twice = {entries[index].name for index in entered if plain.count(entries[index].name) > 1}
    obstacles += [f"several fields are called {name}" for name in sorted(twice)]
    submit = next(((each.name, each.value) for each in entries if each.kind == "submit"), ())
    checks = tuple(
        (event.field.name, event.values[0], bool(event.value), step)
        for step, event in enumerate(recording.events)
        if event.kind == "check" and event.values and event.field.name in form.names
    )
    names = tuple(dict.fromkeys(entry.name for entry in form.entries if entry.kind != "submit"))
    return FormRecipe(names, tuple(entered), checks, submit, request.kind == "document"), tuple(obstacles)


def _is_scripted(entry: FormEntry, touched: frozenset[str]) -> bool:
    return entry.changed and entry.kind != "submit" and entry.name not in touched


def live_leaf(
    request: RecordedRequest, recording: Recording, name: str, value: Any, touched: frozenset[str]
) -> tuple[PageField | None, str]:
    """The page's field that holds a leaf of a script's body, and the obstacle to reading it.

    Args:
        request: the request.
        recording: its recording.
        name: key of the leaf.
        value: the leaf.
        touched: names of fields that something was entered in.
    """
    entry = page_field(name, value, last_forms(request, recording)) if name not in touched else None
    if entry is None:
        return None, ""
    if entry.changed:
        return None, f"{name} is set by the page's scripts"
    if entry.late:
        return None, f"the field {name} is shown only after something is done"
    return PageField(name, isinstance(value, int | float) and not isinstance(value, bool)), ""


def constant_obstacle(name: str, value: Any) -> str:
    """Why a leaf of a body is not a constant by its name, wherever it comes from; "" if it may be one."""
    if value is None or isinstance(value, bool) or value == "":
        return ""
    if is_bookkeeping(name):
        return f"{name} is what the page has of the thing's state"
    if names_object(name) and re.search(r"\d", str(value)):
        return f"{name} says which thing it is, and nothing that is given does"
    return ""
