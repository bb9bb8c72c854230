"""Style sheets that composed pages are made with."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Kit:
    """A style sheet and the classes of its parts.

    Attributes:
        id: its name.
        packages: the npm packages that it needs.
        css: paths of style sheets below those packages' folders.
        buttons: classes of the kinds of buttons.
        classes: the class of each other part.
    """

    id: str
    packages: tuple[str, ...]
    css: tuple[str, ...]
    buttons: tuple[str, ...]
    classes: Mapping[str, str] = field(default_factory=dict)

    def of(self, part: str) -> str:
        """A class attribute for a part, with a space before it; empty where the kit has none."""
        name = self.classes.get(part, "")
        return f' class="{name}"' if name else ""

    def button(self, rng: random.Random) -> str:
        """A class attribute for a button of any kind."""
        name = rng.choice(self.buttons)
        return f' class="{name}"' if name else ""


@cache
def load_kits() -> tuple[Kit, ...]:
    """All kits; the first is the one whose theme is made at random."""
    tables = tomllib.loads(Path(__file__).with_name("kits.toml").read_text("utf-8"))
    known = ("packages", "css", "button")
    return tuple(
        Kit(
            id=name,
            packages=tuple(table.get("packages", ())),
            css=tuple(table["css"]),
            buttons=tuple(table["button"]),
            classes={part: str(value) for part, value in table.items() if part not in known},
        )
        for name, table in tables.items()
    )
