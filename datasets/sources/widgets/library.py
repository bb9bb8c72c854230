"""The libraries whose widgets are shown, from `libraries.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from perception.datasets.sample import WIDGETS

FOLDER = Path(__file__).parent

SCRIPTS = FOLDER / "scripts"


def folder_of(dataset: str) -> Path:
    """The folder with `libraries.toml` and `packages.toml` of a data set."""
    return FOLDER.with_name(dataset)


@dataclass(frozen=True, slots=True)
class Library:
    """A library of widgets, or a package with demo pages.

    Attributes:
        id: its name: the group of its samples.
        needs: the packages that are served.
        pages: patterns of the demo pages, below the folder of the first package; empty for a library whose widgets
            `scripts/ID.js` mounts.
        overlays: files that its demo pages look for: paths below the first package, and what is served there, below the
            folder of the packages.
        styles: groups of style sheets; one of each group is taken. Paths start at the folder of the packages.
        dark_styles: the groups in the dark theme; empty where they are the same.
        scripts: the scripts to load before our own, in order.
        imports: names of modules and what they stand for: then our script is a module.
        frames: CSS selector of what a person sees as one field around a text box, a list or a slider.
        marks: CSS selector of what is drawn for a checkbox or radio.
        switches: CSS selector of what is drawn for a switch, which has the role of a checkbox in many libraries.
        shows: CSS selector of pictures that show no controls but those that are listed: charts, the ground of maps.
        openers: CSS selector of what a click opens: lists, menus, calendars.
        right_to_left: whether it can be laid out from right to left.
        wait_ms: milliseconds until it is drawn.
    """

    id: str
    needs: tuple[str, ...]
    pages: tuple[str, ...] = ()
    styles: tuple[tuple[str, ...], ...] = ()
    dark_styles: tuple[tuple[str, ...], ...] = ()
    scripts: tuple[str, ...] = ()
    imports: Mapping[str, str] = field(default_factory=dict)
    overlays: Mapping[str, str] = field(default_factory=dict)
    frames: str = ""
    marks: str = ""
    switches: str = ""
    shows: str = ""
    openers: str = ""
    right_to_left: bool = True
    wait_ms: int = 300

    @property
    def script(self) -> Path:
        """The script that mounts its widgets."""
        return SCRIPTS / f"{self.id.removeprefix('@').replace('/', '-')}.js"


@cache
def load_libraries(dataset: str = WIDGETS) -> dict[str, Library]:
    """All libraries of a data set by name."""
    tables = tomllib.loads((folder_of(dataset) / "libraries.toml").read_text("utf-8"))
    return {
        name: Library(id=name, **{key: _frozen(value) for key, value in row.items()}) for name, row in tables.items()
    }


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
