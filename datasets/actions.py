"""Steps that bring a page to the state in which it is looked at, as `manifest.toml` has them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from perception.errors import BadInputError


class ActionVerb(StrEnum):
    """What is done, and what its argument is."""

    CLICK = "click"
    """A click on the first element of a CSS selector."""
    TYPE = "type"
    """Text, typed into what has the focus."""
    PRESS = "press"
    """A key by its name (`Enter`), pressed on what has the focus."""
    WAIT = "wait"
    """Milliseconds."""
    EVAL = "eval"
    """JavaScript, run in the page's own world; what it gives is dropped."""


@dataclass(frozen=True, slots=True)
class Action:
    """One step. `argument` is a number of ms for `WAIT`, else a text that is not empty."""

    verb: ActionVerb
    argument: str | int

    def __post_init__(self) -> None:
        is_number = isinstance(self.argument, int) and not isinstance(self.argument, bool) and self.argument > 0
        is_text = isinstance(self.argument, str) and bool(self.argument)
        if not (is_number if self.verb is ActionVerb.WAIT else is_text):
            wanted = "milliseconds above 0" if self.verb is ActionVerb.WAIT else "a text"
            raise BadInputError(f"action {self.verb} takes {wanted}, not {self.argument!r}")


def parse_actions(rows: object) -> tuple[Action, ...]:
    """Actions from rows of [verb, argument]; none from none.

    Raises:
        BadInputError: a row is no such pair, there is no such verb, or its argument does not fit.
    """
    if not isinstance(rows, list | tuple):
        raise BadInputError(f"actions are a list of [verb, argument], not {rows!r}")
    return tuple(map(_parse_action, rows))


def _parse_action(row: object) -> Action:
    match row:
        case [str(verb), str() | int() as argument] if verb in set(ActionVerb):
            return Action(ActionVerb(verb), argument)
    raise BadInputError(f"{row!r} is no [verb, argument] with a verb of {', '.join(ActionVerb)}")
