"""Words of composed pages: labels, titles, sentences, numbers, in nine languages."""

from __future__ import annotations

import html
import random
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_WEIGHTS = {"en": 10, "de": 2, "fr": 2, "es": 2, "ru": 1, "zh": 2, "ja": 1, "ar": 1, "he": 1}
"""How often a page is in a language."""


@cache
def _languages() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Words:
    """Words of one page. All texts are escaped for HTML.

    Attributes:
        language: its code.
        rng: the page's own source of chance.
    """

    language: str
    rng: random.Random

    @classmethod
    def pick(cls, rng: random.Random) -> Words:
        """Words of a language chosen at random."""
        return cls(rng.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0], rng)

    @property
    def is_rtl(self) -> bool:
        """Whether the language is written from right to left."""
        return bool(_languages()[self.language].get("rtl", False))

    def all(self, kind: str) -> list[str]:
        """All words of a kind (`labels`, `nouns`, `sentence`, `names`), not escaped."""
        return list(_languages()[self.language][kind])

    def label(self) -> str:
        """What stands on a control."""
        return self._one("labels")

    def noun(self) -> str:
        """A title, a column, an item."""
        return self._one("nouns")

    def name(self) -> str:
        """A person."""
        return self._one("names")

    def sentence(self, least: int = 3, most: int = 14) -> str:
        """Some words."""
        text = " ".join(self.rng.choices(_languages()[self.language]["sentence"], k=self.rng.randint(least, most)))
        return html.escape(text[:1].upper() + text[1:] + self.rng.choice(["", ".", "."]))

    def paragraph(self) -> str:
        """A few sentences."""
        return " ".join(self.sentence() for _ in range(self.rng.randint(1, 5)))

    def value(self) -> str:
        """What stands in a cell: a number, a date, an amount, a word."""
        rng = self.rng
        made: list[Callable[[], str]] = [
            lambda: str(rng.randint(0, 9999)),
            lambda: f"{rng.uniform(0, 100):.1f}%",
            lambda: f"{rng.choice('$€£¥')}{rng.randint(1, 99999):,}.{rng.randint(0, 99):02}",
            lambda: f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}",
            lambda: f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}",
            lambda: f"#{rng.randint(1000, 99999)}",
            lambda: f"{rng.choice('ABCDEFGH')}{rng.randint(1, 99)}",
            self.noun,
            self.name,
            lambda: "–",
        ]
        return rng.choice(made)()

    def _one(self, kind: str) -> str:
        return html.escape(self.rng.choice(_languages()[self.language][kind]))
