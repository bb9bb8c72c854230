"""Options of `perception serve` and `perception worker` that set a setting.

Rule 1: only the standard library, so that `perception --help` need not load what checks settings.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any


class Commands(Enum):
    """Which commands have an option."""

    BOTH = "both"
    SERVE = "serve"
    """Edges have what it sets: they authenticate callers, and place sessions."""
    WORKER = "worker"
    NEITHER = "neither"
    """Hidden: one command calls the other with it."""


@dataclass(frozen=True, slots=True)
class Flag:
    """The option of a setting, where it is declared.

    Attributes:
        name: `--max-sessions`.
        of: the commands that have it.
        least: the smallest number, where it is not the setting's own.
    """

    name: str
    of: Commands = Commands.BOTH
    least: float | None = None


@dataclass(frozen=True, slots=True)
class ServeOption:
    """The option of a setting, with all that the command line needs of it.

    Attributes:
        setting: its name.
        flag: `--max-sessions`.
        kind: what it takes; `bool` for an option without a value.
        sets: what an option without a value sets.
        help: for people.
        of: the commands that have it.
        least: the smallest number; None for any.
    """

    setting: str
    flag: str
    kind: Any
    help: str
    of: Commands = Commands.BOTH
    least: float | None = None
    sets: bool = True
