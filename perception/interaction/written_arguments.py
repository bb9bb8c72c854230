"""What people write for a command or a step: an argument, its kind, and words about it. Data alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What an argument takes, beside the words of `choices`."""

    TEXT = "text"
    TARGET = "target"
    FLAG = "flag"
    WHOLE = "whole number"
    NUMBER = "number"
    SIZE = "size"


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument.

    Attributes:
        name: of the value. An option where it has dashes in front, such as `--max-tokens`.
        help: for people.
        kind: what it takes.
        choices: the words that it takes; empty for any.
        optional: a positional argument that may be left out; options always may.
        many: may be repeated.
        bare: value of an option that stands without one; None where it needs one.
        least: the smallest number.
        env: environment variable for what is not given.
        gives: the field of a step that it is; its key when empty.
    """

    name: str
    help: str
    kind: Kind = Kind.TEXT
    choices: Sequence[str] = ()
    optional: bool = False
    many: bool = False
    bare: str | None = None
    least: float | None = None
    env: str = ""
    gives: str = ""

    @property
    def is_option(self) -> bool:
        return self.name.startswith("--")

    @property
    def key(self) -> str:
        """Its name among the values: `max_tokens`."""
        return self.name.lstrip("-").replace("-", "_").lower()

    @property
    def field(self) -> str:
        """The field of a step that it is."""
        return self.gives or self.key
