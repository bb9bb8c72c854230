"""Layouts of public data sets: reads folders of the user's, and writes such folders.

Rule 1: a layout is the published format, with its fields and its form of boxes. If a copy has another form of boxes,
the user declares it (`screenspot@xyxy-px:FOLDER`); a contradiction is an error, never a guess.
Rule 2: nothing is dropped: each record becomes a part of a sample, or `Broken` with its reason.
"""

from collections.abc import Mapping

from perception.datasets.layouts.boxes import BoxForm
from perception.datasets.layouts.coco import COCO
from perception.datasets.layouts.images import IMAGES
from perception.datasets.layouts.layout_base import DatasetLayout
from perception.datasets.layouts.mind2web import MIND2WEB
from perception.datasets.layouts.screenspot import SCREENSPOT, SCREENSPOT_HF, SCREENSPOT_PRO, SCREENSPOT_V2
from perception.datasets.layouts.seeclick import SEECLICK

LAYOUTS: Mapping[str, DatasetLayout] = {
    "screenspot": SCREENSPOT,
    "screenspot-v2": SCREENSPOT_V2,
    "screenspot-hf": SCREENSPOT_HF,
    "screenspot-pro": SCREENSPOT_PRO,
    "seeclick": SEECLICK,
    "mind2web": MIND2WEB,
    "coco": COCO,
    "images": IMAGES,
}
"""Layouts by their names on the command line."""

__all__ = ["LAYOUTS", "BoxForm", "DatasetLayout"]
