"""The `scripts` suite: which lines count as read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from perception.bench.suites.scripts.run import READABLE, judge, script_of
from perception.datasets.sample import TextLine
from perception.engine.detect import Detected
from perception.fusion.regions import SeenRegion
from perception.fusion.residual import whole_viewport
from perception.geometry import Box
from perception.types import UNREAD, Detections, Viewport

TRUTH = [TextLine("Отмена", Box(0, 0, 60, 20)), TextLine("Save", Box(0, 40, 60, 60))]


def look(first: str, label: str) -> Detected:
    """What was found: `first` in the first line, and the second line."""
    texts: Sequence[str] = (first, "Save")
    boxes = np.asarray([[0, 0, 60, 20], [0, 40, 60, 60]], np.float32)
    found = Detections("a", boxes, np.ones(2, np.float32), ("text",) * 2, tuple(texts), (label, ""))
    return Detected((SeenRegion(whole_viewport(Viewport(100, 100)), 1.0, (found,)),), ())


def test_an_unread_line_is_not_found_and_counts_for_its_script() -> None:
    cyrillic, readable = judge("p", TRUTH, look("unread (Cyrillic)", UNREAD), look("Отмена", ""))
    assert (cyrillic.script, readable.script) == ("Cyrillic", READABLE)
    assert (cyrillic.without.found, cyrillic.read.found, cyrillic.read.exact) == (0, 1, 1)
    assert (cyrillic.unread_without, cyrillic.unread, readable.unread) == (1, 0, 0)
    assert readable.read.exact == readable.without.exact == 1


def test_a_lines_script_is_that_of_its_letters() -> None:
    assert [script_of(text) for text in ("Save", "保存", "Сохранить 12", "")] == [
        READABLE,
        READABLE,
        "Cyrillic",
        READABLE,
    ]
