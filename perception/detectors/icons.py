"""The `icons` detector: names the icon that an image shows. The engine gives it the pixels of single controls."""

from __future__ import annotations

import importlib.util

import numpy as np

from perception.deadline import Deadline
from perception.detectors.icon_names import MODEL, IconName, IconNamer
from perception.detectors.protocol import ICON_KIND, ICON_MARGIN, DetectorInfo, Plugin
from perception.types import Detections, Pixels

NAME = "icons"


class Icons:
    """Names one icon in an image."""

    def __init__(self) -> None:
        self._namer = IconNamer()

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        """See `Detector.detect`. The image is a control with its surroundings; there is one detection, the
        whole image with the icon's name as its label, or none."""
        deadline.check("detect")
        (height, width), margin = pixels.shape[:2], ICON_MARGIN
        (found,) = self._namer.name(pixels, np.asarray([[margin, margin, width - margin, height - margin]], np.float32))
        return _detections(found, width, height)


def _detections(found: IconName | None, width: int, height: int) -> Detections:
    rows = [found] if found is not None else []
    return Detections(
        detector=NAME,
        xyxy=np.asarray([(0, 0, width, height) for _ in rows], np.float32).reshape(-1, 4),
        score=np.asarray([each.confidence for each in rows], np.float32),
        kind=(ICON_KIND,) * len(rows),
        text=("",) * len(rows),
        label=tuple(each.name for each in rows),
    )


def _describe() -> DetectorInfo:
    return DetectorInfo(
        name=NAME,
        description="Names of icons on controls without a name, by a small network trained on icon sets.",
        licence="Apache-2.0",
        kinds=(ICON_KIND,),
        limits=(
            "says what an icon shows, not what a click on it does",
            "knows about 180 icons of user interfaces; logos, emoji and pictures have no name",
            "small or decorated icons may stay without a name",
        ),
        model_bytes=MODEL.stat().st_size,
        default_enabled=True,
    )


def _missing() -> str:
    if importlib.util.find_spec("onnxruntime") is None:
        return "the package onnxruntime is not installed: pip install onnxruntime"
    return ""


PLUGIN = Plugin(describe=_describe, missing=_missing, make=Icons)
