"""What a page received as data: in the answers of its requests, and in its documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from perception.subroutines.request_objects import snake_case
from perception.subroutines.request_values import as_text, json_leaves, key_of_path

MIN_TELLING = 3
"""Characters: a shorter value, or a word like `true`, is in data by chance, so that its key has to be the same, too."""

_PLAIN = frozenset("true false null none yes off new".split())


@dataclass(slots=True)
class Received:
    """Leaves of data.

    Attributes:
        pairs: key, in snake case, and value.
        values: values that tell something without their key.
    """

    pairs: set[tuple[str, str]] = field(default_factory=set)
    values: set[str] = field(default_factory=set)

    def add(self, key: str, value: Any) -> None:
        """Adds a leaf: an empty object or list is one, too."""
        text = _text(value)
        self.pairs.add((snake_case(key), text))
        if len(text) >= MIN_TELLING and text.lower() not in _PLAIN:
            self.values.add(text)

    def add_json(self, value: Any) -> None:
        """Adds the leaves of a JSON value."""
        for path, leaf in json_leaves(value):
            self.add(key_of_path(path), leaf)

    def has(self, key: str, value: Any) -> bool:
        """Whether a value was received: at this key, or anywhere if it tells something by itself."""
        text = _text(value)
        return (snake_case(key), text) in self.pairs or text in self.values


def joined(parts: Iterable[Received]) -> Received:
    """All of them as one."""
    whole = Received()
    for each in parts:
        whole.pairs |= each.pairs
        whole.values |= each.values
    return whole


def _text(value: Any) -> str:
    return "[]" if isinstance(value, list) else "{}" if isinstance(value, dict) else as_text(value)
