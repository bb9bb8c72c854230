"""Pages that show the screenshot of another page as one picture, and react to clicks as that page's controls would.

Chromium lists nothing of the picture: its controls have to be found in pixels. `takeHits()` returns, for each click
since the last call, the number of the smallest control that it hit (-1 for none) and its position, CSS px of the
viewport. A canvas shows a rim around the control that was hit, until then.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from perception.datasets.sample import Item
from perception.geometry import Box

_PAGE = Path(__file__).with_suffix(".html").read_text("utf-8")

READY = "async () => await window.painted"


class Medium(StrEnum):
    """What the picture is. A video shows a still frame; it is a stream of a canvas."""

    CANVAS = "canvas"
    IMAGE = "image"
    SVG = "svg"
    VIDEO = "video"


def write_painted(item: Item, controls: Sequence[Box], medium: Medium, folder: Path) -> str:
    """Writes the page into a served folder and returns its file name.

    Args:
        controls: what reacts to clicks, CSS px of the viewport.
    """
    image = item.id[:24] + item.image.suffix
    if not (folder / image).exists():
        shutil.copyfile(item.image, folder / image)
    viewport = item.sample.viewport
    boxes = [[each.left, each.top, each.right, each.bottom] for each in controls]
    values = {
        "MEDIUM": medium.value,
        "IMAGE": image,
        "BOXES": json.dumps(boxes),
        "WIDTH": str(viewport.width),
        "HEIGHT": str(viewport.height),
    }
    text = _PAGE
    for name, value in values.items():
        text = text.replace(name, value)
    file = f"{item.id[:24]}-{medium}.html"
    (folder / file).write_text(text, "utf-8")
    return file
