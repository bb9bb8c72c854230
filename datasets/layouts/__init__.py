"""Public data sets as they lie in a folder that the user has, and how to write such folders.

Rule 1: a layout is the published form, fields and box convention; where copies differ in their boxes, the user says so
(`screenspot@xyxy-px:FOLDER`), and what contradicts it is an error, never a guess.
Rule 2: nothing is dropped: each record becomes a part of a sample, or `Broken` with its reason.
"""

from collections.abc import Mapping

from perception.datasets.layouts.boxes import BoxForm
from perception.datasets.layouts.coco import COCO
from perception.datasets.layouts.common import Layout
from perception.datasets.layouts.images import IMAGES
from perception.datasets.layouts.mind2web import MIND2WEB
from perception.datasets.layouts.screenspot import SCREENSPOT, SCREENSPOT_HF, SCREENSPOT_PRO, SCREENSPOT_V2
from perception.datasets.layouts.seeclick import SEECLICK

LAYOUTS: Mapping[str, Layout] = {
    "screenspot": SCREENSPOT,
    "screenspot-v2": SCREENSPOT_V2,
    "screenspot-hf": SCREENSPOT_HF,
    "screenspot-pro": SCREENSPOT_PRO,
    "seeclick": SEECLICK,
    "mind2web": MIND2WEB,
    "coco": COCO,
    "images": IMAGES,
}
"""By the names that the command line knows them by."""

__all__ = ["LAYOUTS", "BoxForm", "Layout"]
