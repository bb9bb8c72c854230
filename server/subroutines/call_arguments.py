"""Arguments of a script's calls."""

from __future__ import annotations

from typing import Any

from perception.errors import SubroutineBrokenError


def texts_at(args: tuple[Any, ...], index: int) -> list[str]:
    """An argument that is a text or a list of them."""
    given = args[index] if len(args) > index else []
    return [as_typed(each) for each in (given if isinstance(given, list) else [given])]


def tab_number(value: Any) -> int:
    """Number of a tab."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise SubroutineBrokenError("a call of the script names no tab: give 0, or the number of a pop-up from 1")
    return value


def part_of(args: tuple[Any, ...]) -> tuple[float, float] | None:
    """Where in an element a drag ends, as parts of its width and height."""
    given = args[2] if len(args) > 2 else None
    return (float(given[0]), float(given[1])) if isinstance(given, list) and len(given) == 2 else None


def as_typed(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
