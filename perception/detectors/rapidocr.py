"""RapidOCR as its package ships it: an alternative text detector, and the peer that `ppocr` is measured against.

It runs with the package's defaults, except that it logs errors only; the default also logs every loaded model and every
image without text.

Rule 1: importing this module loads neither model nor runtime.
Rule 2: calls pass no options: the package keeps the options of one call for the next.
"""

from __future__ import annotations

import importlib.metadata

import cv2
import numpy as np

from perception.deadline import Deadline
from perception.detectors.bundled_models import missing_models, size_of
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.types import Detections, Pixels

NAME = "rapidocr"
RAPIDOCR_MODELS = ("PP-OCRv6_det_small.onnx", "ch_ppocr_mobile_v2.0_cls_mobile.onnx", "PP-OCRv6_rec_small.onnx")
"""Files of the package; it would fetch a missing one from the network."""


class RapidOcr:
    """Reads lines of text. The constructor loads the models; ONNX Runtime uses as many threads as there are cores."""

    def __init__(self) -> None:
        from rapidocr import RapidOCR

        self._engine = RapidOCR(params={"Global.log_level": "error"})
        # The package loads each model on first use, two of them only when there is text to read.
        self._engine(_page_with_a_word())

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        """See `Detector.detect`. Checks the deadline once: the package cannot be stopped."""
        from rapidocr.utils.output import RapidOCROutput

        deadline.check("ocr")
        read = self._engine(pixels)
        # Other types of output mean that nothing was read: they hold boxes only, or directions only.
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
        version="" if missing_models(RAPIDOCR_MODELS) else importlib.metadata.version("rapidocr"),
        limits=(
            "cannot be stopped before it is done",
            "takes all cores, and keeps them busy while it waits",
            "images with a side over 2000 pixels are read at reduced size",
            "turns tall crops by 90 degrees, so that a lone 1 is misread",
            "enlarges strips without bound: 3x200 pixels took 107 s and 4.7 GB (rapidocr 3.10, 2 cores)",
            "refuses strips that it cannot enlarge, such as 2x3000 pixels",
        ),
        model_bytes=size_of(RAPIDOCR_MODELS),
    )


PLUGIN = Plugin(describe=_describe, missing=lambda: missing_models(RAPIDOCR_MODELS), make=RapidOcr)
