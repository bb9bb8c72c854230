"""What is said of lines that no detector read."""

from __future__ import annotations

import numpy as np

from perception.engine.unread import unread_notes
from perception.fusion.regions import SeenRegion
from perception.fusion.residual import whole_viewport
from perception.types import UNREAD, Detections, Viewport


def test_a_note_names_the_script_the_lines_and_the_model_that_reads_it() -> None:
    texts = ("unread (Arabic)", "Save", "unread (Arabic)")
    found = Detections(
        "ppocr", np.zeros((3, 4), np.float32), np.ones(3, np.float32), ("text",) * 3, texts, (UNREAD, "", UNREAD)
    )
    (note,) = unread_notes([SeenRegion(whole_viewport(Viewport(100, 100)), 1.0, (found,))])
    assert note.name == "ppocr"
    assert note.reason.startswith("2 lines in Arabic not read")
    assert "PERCEPTION_PADDLE_REC=arabic_PP-OCRv5_mobile_rec" in note.reason


def test_nothing_is_said_where_all_was_read() -> None:
    assert unread_notes([SeenRegion(whole_viewport(Viewport(100, 100)), 1.0, (Detections.empty("ppocr"),))]) == ()
