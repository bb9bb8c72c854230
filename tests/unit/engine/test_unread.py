"""Lines that a detector could not read: who reads them, and what is said of the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from perception.deadline import Deadline
from perception.detectors.frame_cache import FrameCache
from perception.detectors.pool import CropCache, DetectorPool
from perception.detectors.protocol import Detector, DetectorInfo, Plugin
from perception.detectors.registry import Registry
from perception.engine.detect import Detected, detect
from perception.engine.detect_context import DetectContext
from perception.fusion.residual import whole_viewport
from perception.geometry import Box
from perception.instrumentation.stages import Stages
from perception.types import DOUBTFUL, UNREAD, Detections, Element, Pixels, Screenshot, Viewport

pytestmark = pytest.mark.real_time  # real processes

HINT = "apt install tesseract-ocr-script-arab"


@dataclass(slots=True)
class Finder:
    """Finds lines, one below the other: (kind, text, label, score)."""

    lines: Sequence[tuple[str, str, str, float]]

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        tops = np.arange(len(self.lines), dtype=np.float32) * 20
        boxes = np.stack([0 * tops, tops, 0 * tops + 60, tops + 18], axis=1)
        kinds, texts, labels, scores = zip(*self.lines, strict=True)
        return Detections("finder", boxes.astype(np.float32), np.asarray(scores, np.float32), kinds, texts, labels)


@dataclass(slots=True)
class Reader:
    """Reads every line as the script of its hint; a line darker than 10 is not read."""

    hints: list[str] = field(default_factory=list)

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        raise AssertionError("it was to read lines")

    def read_lines(
        self, images: Sequence[Pixels], hints: Sequence[str], deadlines: Sequence[Deadline]
    ) -> Iterator[Detections | None]:
        for pixels, hint in zip(images, hints, strict=True):
            self.hints.append(hint)
            box = np.asarray([[0, 0, *pixels.shape[1::-1]]], np.float32)
            text = f"read {hint.split()[0]}"
            dark = int(pixels.max()) < 10
            read = Detections("reader", box, np.full(1, 0.8, np.float32), ("text",), (text,))
            yield Detections.empty("reader") if dark else read


def plugin(detector: Detector, missing: dict[str, str] | None = None) -> Plugin:
    info = DetectorInfo("", "", "", ("text",))
    missing_script = None if missing is None else lambda script: missing.get(script, "")
    return Plugin(lambda: info, lambda: "", lambda: detector, missing_script)


async def look(
    finder: Finder, reader: Plugin, words: Sequence[str] = (), shade: int = 200, language: str = ""
) -> Detected:
    pool = DetectorPool(Registry.of(finder=plugin(finder), reader=reader))
    viewport = Viewport(100, 400)
    shot = Screenshot(np.full((400, 100, 3), shade, np.uint8), 1.0)
    elements = tuple(Element(role="text", name=word, box=Box(0, 0, 1, 1)) for word in words)
    region = whole_viewport(viewport)
    try:
        context = DetectContext(["finder"], pool, CropCache(), FrameCache(), Stages(), Deadline.of(60))
        return await detect(context, shot, [region], elements, language)
    finally:
        pool.close()


def texts(found: Detected) -> list[tuple[str, str]]:
    """The text of each line with the name of its detector."""
    return sorted((each.detector, text) for seen in found.regions for each in seen.detections for text in each.text)


def unread(script: str) -> tuple[str, str, str, float]:
    return "text", f"unread ({script})", UNREAD, 1.0


def doubtful(script: str, score: float = 0.95) -> tuple[str, str, str, float]:
    return DOUBTFUL, f"unread ({script})", "", score


SAVE = ("text", "Save", "", 1.0)


async def test_an_unread_line_is_read_by_the_detector_that_knows_its_script() -> None:
    reader = Reader()
    found = await look(Finder([unread("Arabic"), SAVE]), plugin(reader, {}), ["کیک", "پچ"])
    assert texts(found) == [("finder", "Save"), ("reader", "read Arabic")]
    assert reader.hints == ["Arabic fa ur ar"]
    assert found.skipped == ()


async def test_a_line_that_nothing_reads_stays_unread_and_the_command_that_helps_is_said_once() -> None:
    found = await look(Finder([unread("Arabic"), SAVE, unread("Arabic")]), plugin(Reader(), {"Arabic": HINT}))
    assert texts(found) == [("finder", "Save"), ("finder", "unread (Arabic)"), ("finder", "unread (Arabic)")]
    (note,) = found.skipped
    assert (note.name, note.reason) == ("finder", f"2 lines in Arabic not read: {HINT}")


async def test_a_line_that_is_not_read_reliably_stays_unread() -> None:
    found = await look(Finder([unread("Thai")]), plugin(Reader(), {}), shade=0)
    assert texts(found) == [("finder", "unread (Thai)")]
    assert [note.reason for note in found.skipped] == ["1 line in Thai not read: what was read there is not reliable"]


async def test_a_page_without_words_names_its_language() -> None:
    reader = Reader()
    found = await look(Finder([doubtful("Hebrew"), SAVE]), plugin(reader, {}), language="fa-IR")
    assert texts(found) == [("finder", "Save"), ("reader", "read Arabic")]
    assert reader.hints == ["Arabic fa ar ur"]


async def test_nothing_is_asked_and_said_where_all_was_read() -> None:
    reader = Reader()
    found = await look(Finder([SAVE]), plugin(reader, {}))
    assert (texts(found), reader.hints, found.skipped) == ([("finder", "Save")], [], ())


ARABIC = [unread("Arabic"), unread("Arabic")]


@pytest.mark.parametrize(
    ("lines", "words", "expected"),
    [
        pytest.param([doubtful("Arabic"), SAVE], [], ["Save"], id="a page of Latin letters"),
        pytest.param([doubtful("Arabic"), *ARABIC], [], ["read Arabic"] * 3, id="other lines are Arabic"),
        pytest.param([doubtful("Hebrew"), *ARABIC], [], ["read Arabic"] * 3, id="other lines are of another script"),
        pytest.param(
            [doubtful("Arabic"), SAVE], ["إعدادات الحساب"], ["Save", "read Arabic"], id="the page's words are"
        ),
        pytest.param([doubtful("Arabic")], ["Settings " * 20 + "العربية والفارسية"], [], id="few of its words are"),
        pytest.param([unread("Thai"), *ARABIC * 4], [], ["read Arabic"] * 9, id="one line of a script among many"),
    ],
)
async def test_the_page_decides_where_the_detector_is_not_certain(
    lines: list[tuple[str, str, str, float]], words: list[str], expected: list[str]
) -> None:
    found = await look(Finder(lines), plugin(Reader(), {}), words)
    assert sorted(text for _, text in texts(found)) == expected


async def test_what_was_read_in_a_doubtful_line_gives_way_to_it_only_where_the_page_is_in_that_script() -> None:
    class Overlapping(Finder):
        def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
            found = Finder.detect(self, pixels, deadline)
            found.xyxy[1] = found.xyxy[0]
            return found

    misread = [doubtful("Arabic"), ("text", "pui", "", 0.6)]
    missing = plugin(Reader(), {"Arabic": HINT})
    assert texts(await look(Overlapping(misread), missing)) == [("finder", "pui")]
    assert texts(await look(Overlapping([*misread, *ARABIC]), missing)) == [("finder", "unread (Arabic)")] * 3
    unsure = [doubtful("Arabic", 0.6), misread[1], *ARABIC]
    assert ("finder", "pui") in texts(await look(Overlapping(unsure), missing))
