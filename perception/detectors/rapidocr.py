"""RapidOCR exactly as its package ships it: another reader to choose, and the peer that `ppocr` is measured against.

Its defaults are its own in all but one thing: it logs errors only, where it would log each model that it loads and each
image without text.

Rule 1: importing this module loads neither model nor runtime.
Rule 2: no options go with a call: the package keeps those of one call for the next.
"""

from __future__ import annotations

import importlib.metadata

import cv2
import numpy as np

from perception.budget import Budget
from perception.detectors.bundled import missing_models, size_of
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.types import Detections, Pixels

NAME = "rapidocr"
MODELS = ("PP-OCRv6_det_small.onnx", "ch_ppocr_mobile_v2.0_cls_mobile.onnx", "PP-OCRv6_rec_small.onnx")
"""Of the package; one that were not there would be fetched from the network."""


class RapidOcr:
    """Reads lines of text. Loads its models when made; ONNX Runtime takes as many threads as there are cores."""

    def __init__(self) -> None:
        from rapidocr import RapidOCR

        self._engine = RapidOCR(params={"Global.log_level": "error"})
        # The package loads each model when it first needs it, two of them only once there is text to read.
        self._engine(_page_with_a_word())

    def detect(self, pixels: Pixels, budget: Budget) -> Detections:
        """See `Detector.detect`. Looks at the budget once: the package cannot be stopped."""
        from rapidocr.utils.output import RapidOCROutput

        budget.check("ocr")
        read = self._engine(pixels)
        # Other kinds of output say that nothing was read: boxes only, or directions only.
        if not isinstance(read, RapidOCROutput) or read.boxes is None or read.txts is None or read.scores is None:
            return Detections.empty(NAME)
        corners = np.asarray(read.boxes, np.float32).reshape(-1, 4, 2)
        return Detections(
            detector=NAME,
            xyxy=np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1),
            score=np.asarray(read.scores, np.float32),
            kind=("text",) * len(corners),
            text=tuple(read.txts),
        )


def _page_with_a_word() -> Pixels:
    page = np.full((736, 736, 3), 255, np.uint8)
    cv2.putText(page, "Word", (100, 200), cv2.FONT_HERSHEY_SIMPLEX, 2, (0, 0, 0), 4)
    return page


def _describe() -> DetectorInfo:
    return DetectorInfo(
        name=NAME,
        description="Lines of text, read by the rapidocr package's own RapidOCR class with its defaults: a peer to "
        "measure against.",
        licence="Apache-2.0",
        kinds=("text",),
        version="" if missing_models(MODELS) else importlib.metadata.version("rapidocr"),
        limits=(
            "cannot be stopped before it is done",
            "takes all cores, and keeps them busy while it waits",
            "images with a side over 2000 pixels are read at reduced size",
            "turns tall crops by 90 degrees, so that a lone 1 is misread",
            "enlarges strips without bound: 3x200 pixels took 107 s and 4.7 GB (rapidocr 3.10, 2 cores)",
            "refuses strips that it cannot enlarge, such as 2x3000 pixels",
        ),
        model_bytes=size_of(MODELS),
    )


PLUGIN = Plugin(describe=_describe, missing=lambda: missing_models(MODELS), make=RapidOcr)
