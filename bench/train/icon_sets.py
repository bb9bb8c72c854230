"""Icon sets in Iconify's JSON form, as drawings with the name of what they stand for.

    npm install --prefix ICONS @iconify-json/tabler @iconify-json/lucide …

Rule 1: an icon whose name is like that of a class, and is none of its names, is used for nothing.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from perception.errors import BadInputError

OTHER = "other"
"""The class of what has no name here."""

_STYLE = re.compile(
    r"-(?:outline|outlined|filled|fill|solid|line|linear|bold|broken|duotone|thin|light|regular|rounded|round|sharp"
    r"|twotone|two-tone|baseline|bulk|mini|micro|\d+|o)$"
)
_STYLE_FIRST = re.compile(r"^(?:baseline|outline|round|sharp|twotone|regular|solid)-")
"""Words of an icon's name that say how it is drawn."""

_VAGUE = frozenset(
    {"alt", "circle", "square", "simple", "2", "3", "4", "off", "on", "open", "none", "left", "right", "up", "down"}
)
"""Words that do not make two names alike."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """An icon of a set.

    Attributes:
        set: the set's id.
        name: in the set.
        label: what it stands for; OTHER for nothing that has a name here.
        svg: its markup, in the color of the text around it.
    """

    set: str
    name: str
    label: str
    svg: str


@cache
def icon_classes() -> Mapping[str, Sequence[str]]:
    """The names that sets use, by class."""
    return _table()["classes"]


def read_set(folder: Path) -> Iterator[Drawing]:
    """The icons of one set that are used.

    Args:
        folder: of an `@iconify-json` package.

    Raises:
        BadInputError: it holds no icon set.
    """
    try:
        data = json.loads((folder / "icons.json").read_text("utf-8"))
    except (OSError, ValueError) as exc:
        raise BadInputError(f"no icon set in {folder}: name the folder of an @iconify-json package") from exc
    width, height = data.get("width", 16), data.get("height", 16)
    for name, icon in data["icons"].items():
        label = None if icon.get("hidden") else label_of(data["prefix"], name)
        if label is not None:
            size = f"{icon.get('left', 0)} {icon.get('top', 0)} {icon.get('width', width)} {icon.get('height', height)}"
            yield Drawing(
                data["prefix"], name, label, f'<svg viewBox="{size}" width="100%" height="100%">{icon["body"]}</svg>'
            )


def licence_of(folder: Path) -> str:
    """SPDX identifier of a set's licence, as its package says."""
    return str(json.loads((folder / "info.json").read_text("utf-8"))["license"].get("spdx", ""))


def label_of(prefix: str, name: str) -> str | None:
    """The class of an icon by its name; None if it may be one, and it is not known which."""
    plain = plain_name(name)
    if plain in _table()["exceptions"].get(prefix, ()):
        return None
    for each in dict.fromkeys((name, plain)):
        if each in _labels():
            return _labels()[each]
    return None if _words(plain) & _known_words() else OTHER


def plain_name(name: str) -> str:
    """A name without the words that say how the icon is drawn."""
    name = _STYLE_FIRST.sub("", name)
    while (shorter := _STYLE.sub("", name)) != name:
        name = shorter
    return name


def _words(name: str) -> set[str]:
    return {word.rstrip("s") for word in name.split("-")} - _VAGUE


@cache
def _table() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return tomllib.loads(Path(__file__).with_name("icon_classes.toml").read_text("utf-8"))


@cache
def _labels() -> Mapping[str, str]:
    return {name: label for label, names in icon_classes().items() for name in names}


@cache
def _known_words() -> frozenset[str]:
    return frozenset(word for name in _labels() for word in _words(name))
