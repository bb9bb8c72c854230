"""Which entered values only the page can send: what it makes of them, or checks, is not in the recording."""

from __future__ import annotations

from collections.abc import Sequence

from perception.subroutines.parameter import Parameter
from perception.subroutines.recording import Event
from perception.subroutines.request_values import Path

_RULES = ("pattern", "min", "max")
"""Attributes by which the browser refuses to send a form. `maxlength` is in the parameters' schema; a value that is
empty, or not of the field's type, is not like the recorded one (see `alike`)."""

_FIELDS = frozenset(
    "text search url tel email password number range date month week time datetime-local color textarea select checkbox"
    " radio file".split()
)
"""Types of fields, whose value is one text."""


def entered_obstacle(where: str, parameter: Parameter, events: Sequence[Event], path: Path | None) -> str:
    """Why a value of a request cannot be sent as it is given; "" if it can.

    Args:
        where: what the request calls it.
        parameter: the parameter that it has the value of.
        events: of the recording.
        path: where it stands in a JSON body; None for elsewhere.
    """
    if path and isinstance(path[-1], int):
        return f"{where} is one of a list, which the page's script makes of what is entered"
    for event in (events[step] for step in parameter.steps):
        if event.kind == "write" or (event.kind == "type" and event.field.type and event.field.type not in _FIELDS):
            return f"{where} is the text of an editor, of which the page's script says what is sent"
        rule = next((each for each in _RULES if getattr(event.field, each)), "")
        if rule and event.kind == "type":
            return f"{where} is checked by the browser ({rule}) before the page sends it"
    return ""
