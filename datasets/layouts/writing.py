"""Writes data sets to files that other tools read.

Rule 1: samples are processed one at a time; a file gets its name only when it is complete.
Rule 2: boxes are written in image px, which are the sample's CSS px times its device scale.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from types import TracebackType
from typing import TextIO

from perception.datasets.layouts.dataset_files import open_image
from perception.datasets.sample import Item, TruthElement
from perception.geometry import Box
from perception.types import Viewport

JSON_DIGITS = 2
"""Decimals of pixels: each edge is exact to 0.01 px of the image after reading it back."""

Edges = tuple[float, float, float, float]
"""Left, top, right, bottom."""


class ArrayFile:
    """A JSON list of records that is written record by record; `count` is their number so far."""

    def __init__(self, path: Path) -> None:
        self.count = 0
        self._path = path
        self._part = path.with_name(f".{path.name}.part")
        self._file: TextIO

    def __enter__(self) -> ArrayFile:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._part.open("w", encoding="utf-8")
        self._file.write("[")
        return self

    def add(self, record: object) -> None:
        self._file.write(",\n" if self.count else "\n")
        json.dump(record, self._file, ensure_ascii=False, allow_nan=False)
        self.count += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._file:
            self._file.write("\n]\n")
        if kind is None:
            self._part.replace(self._path)
        else:
            self._part.unlink()


def pixel_box(box: Box, viewport: Viewport) -> Edges | None:
    """Left, top, right, bottom in image px, clipped to the image; None if nothing is left."""
    inside = box.intersect(viewport.box)
    if inside is None:
        return None
    left, top, right, bottom = (
        round(edge * viewport.scale, JSON_DIGITS) for edge in (inside.left, inside.top, inside.right, inside.bottom)
    )
    return (left, top, right, bottom) if left < right and top < bottom else None


def is_shown(element: TruthElement) -> bool:
    """Whether a detector should find an element: it is interactive and not known to be covered."""
    return element.interactive and element.reachable is not False


def file_name(name: str, item: Item | None = None) -> str:
    """A file name for a sample's name; with an item, its id makes the name unique, and its image gives the suffix."""
    stem = re.sub(r"\.(png|jpe?g|webp)$", "", name, flags=re.IGNORECASE) if item else name
    plain = re.sub(r"[^\w@.-]+", "_", stem).lstrip(".")[:80] or "_"
    return f"{plain}-{item.id[:8]}{item.image.suffix}" if item else plain


def copy_image(item: Item, path: Path) -> tuple[int, int]:
    """Copies a sample's image and returns its width and height, px."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(item.image, path)
    return open_image(path).size
