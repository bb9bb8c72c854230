"""Actions that bring a page to the state in which it is captured, from `manifest.toml`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from perception.errors import BadInputError


class ActionVerb(StrEnum):
    """Kind of an action; each member documents its argument."""

    CLICK = "click"
    """CSS selector; the first match is clicked."""
    HOVER = "hover"
    """Playwright selector; the pointer is moved over the first match, if it has one."""
    TYPE = "type"
    """Text to type into the focused element."""
    PRESS = "press"
    """Name of a key (`Enter`) to press on the focused element."""
    WAIT = "wait"
    """Milliseconds."""
    EVAL = "eval"
    """JavaScript to run in the page's own world; its result is ignored."""


@dataclass(frozen=True, slots=True)
class Action:
    """One action.

    Attributes:
        verb: kind of the action.
        argument: milliseconds for WAIT, else a non-empty text.
    """

    verb: ActionVerb
    argument: str | int

    def __post_init__(self) -> None:
        is_number = isinstance(self.argument, int) and not isinstance(self.argument, bool) and self.argument > 0
        is_text = isinstance(self.argument, str) and bool(self.argument)
        if not (is_number if self.verb is ActionVerb.WAIT else is_text):
            wanted = "milliseconds above 0" if self.verb is ActionVerb.WAIT else "a text"
            raise BadInputError(f"action {self.verb} takes {wanted}, not {self.argument!r}")


def parse_actions(rows: object) -> tuple[Action, ...]:
    """Parses actions from rows of [verb, argument].

    Raises:
        BadInputError: a row is not such a pair, its verb is unknown, or its argument does not fit.
    """
    if not isinstance(rows, list | tuple):
        raise BadInputError(f"actions are a list of [verb, argument], not {rows!r}")
    return tuple(map(_parse_action, rows))


def _parse_action(row: object) -> Action:
    match row:
        case [str(verb), str() | int() as argument] if verb in set(ActionVerb):
            return Action(ActionVerb(verb), argument)
    raise BadInputError(f"{row!r} is no [verb, argument] with a verb of {', '.join(ActionVerb)}")
