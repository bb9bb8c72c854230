"""Names of icons by their pixels: a small network over the ink alone, whatever its colors are.

`perception bench run train_icons` trains the network on the drawings of icon sets and writes its file; `icon_names.md`
beside it says of which, and how often it is right.

Rule 1: a name says what a picture shows (`search`, `left arrow`), not what a click on it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perception.detectors.icon_views import View, icon_views
from perception.detectors.onnx_model import open_model
from perception.geometry import Boxes
from perception.types import Pixels

MODEL = Path(__file__).with_name("icon_names.onnx")

CLASSES = "classes"
"""Metadata entry that holds the names of the classes, with commas between them."""
OTHER = "other"
"""The class of what has no name here: letters, logos, photographs, other icons."""


ALIKE = {"justify": "menu"}
"""Classes that are drawn alike, by equal bars: such a picture gets the name that it has far more often on pages."""


@dataclass(frozen=True, slots=True)
class IconName:
    """What a picture shows.

    Attributes:
        name: as `search` or `left arrow`.
        confidence: 0 to 1.
    """

    name: str
    confidence: float


class IconNamer:
    """Names icons. Keeps nothing between calls.

    Args:
        path: the network's file.

    Raises:
        DetectorMissingError: not a model that ONNX Runtime reads.
    """

    def __init__(self, path: Path = MODEL) -> None:
        self._session = open_model(path, optimized=True)
        self.classes = tuple(self._session.get_modelmeta().custom_metadata_map[CLASSES].split(","))

    def name(self, pixels: Pixels, boxes: Boxes) -> list[IconName | None]:
        """The likeliest name of what is in each box.

        Args:
            pixels: (H, W, 3) BGR.
            boxes: (N, 4) xyxy, px of the image: around icons, or buttons with nothing but an icon on them. They may be
                a few px off.

        Returns:
            N names; None for a box without a picture, or whose picture is likeliest none of the icons that have a
            name here.
        """
        views = [icon_views(pixels, box) for box in boxes]
        odds = self._odds([view for each in views for view in each])
        ends = np.cumsum([len(each) for each in views])
        return [self._choose(odds[end - len(each) : end]) for each, end in zip(views, ends.tolist(), strict=True)]

    def _odds(self, views: Sequence[View]) -> NDArray[np.float32]:
        """(N, classes) probabilities."""
        if not views:
            return np.zeros((0, len(self.classes)), np.float32)
        (odds,) = self._session.run(None, {"views": np.stack(views)[:, None].astype(np.float32) / 255})
        return join_alike(np.array(odds, np.float32), self.classes)

    def _choose(self, odds: NDArray[np.float32]) -> IconName | None:
        """The likeliest name in any view of a picture."""
        best: IconName | None = None
        for row in odds:
            at = int(row.argmax())
            if self.classes[at] != OTHER and (best is None or row[at] > best.confidence):
                best = IconName(self.classes[at], float(row[at]))
        return best


def join_alike(odds: NDArray[np.float32], classes: Sequence[str]) -> NDArray[np.float32]:
    """(N, classes) odds in which those of a class of ALIKE are added to the class that it stands for."""
    for rare, common in ALIKE.items():
        odds[:, classes.index(common)] += odds[:, classes.index(rare)]
        odds[:, classes.index(rare)] = 0
    return odds
