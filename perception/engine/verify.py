"""A look that checks itself: the pixels at the place of each text are read, and lines that they contradict are marked.

Rule 1: masked places are not read, nor texts that touch them.
Rule 2: a difference is said only after a second reading, of an enlarged picture, agrees with the first, and no reading
of the line with what stands right beside it says what the page says.
Rule 3: what is not checked, also for lack of time, is counted as unchecked, with the reason. Numbers come first.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from perception.deadline import Deadline
from perception.detectors.pool import CropCache, DetectorPool
from perception.engine.detect import ANSWER_SHARE
from perception.fusion.pixel_text import Agreement, PixelReading, compare_reading, has_digit, is_comparable
from perception.fusion.text_rows import cut_box, cut_rows, cut_wider_rows
from perception.geometry import intersections, stack
from perception.instrumentation.stages import Stages
from perception.render.element_lines import MISLABELLED, PIXELS_SHOW
from perception.types import UNREAD, Capture, Detections, Element, Pixels, Screenshot, Source, replace_fields

LINE_HINT = "Latin"
"""What a reader of lines is told of the script."""

BATCH = 48
"""Texts that are read at a time: between two batches, what remains may be left unchecked. About 0.3 s on two cores."""

ENLARGED = 1.5
"""Size of the second reading's picture, in sizes of the first."""

BESIDE = (0.3, 0.6)
"""Gaps at which a line ends that is read with what stands beside it, heights of the line: less than between words of
Latin text, and more."""

MAX_SHOWN = 80
"""Greatest length of what is said to be in the pixels, characters: as of other texts in brackets."""

CUT_PX = 2.0
"""A scroller that leaves out no more of a box than this leaves out no letter, CSS px: borders and rounding."""

_PAINTED = frozenset(
    "text heading link button cell gridcell row columnheader rowheader tab menuitem menuitemcheckbox menuitemradio "
    "option treeitem paragraph listitem generic term definition caption code time status alert summary label".split()
)
"""Roles whose name is painted at their place. Those of pictures, and of fields and groups with a label, are not."""

_FIELDS = frozenset({"textbox", "searchbox", "spinbutton", "combobox"})
"""Roles whose value is painted in them, and whose name is not."""


@dataclass(frozen=True, slots=True)
class Verified:
    """Elements, some of them marked, and a sentence on how much was checked."""

    elements: tuple[Element, ...]
    note: str


async def verify(
    elements: tuple[Element, ...],
    capture: Capture,
    detectors: Sequence[str],
    pool: DetectorPool,
    crops: CropCache,
    stages: Stages,
    deadline: Deadline,
) -> Verified:
    """Checks the texts in view against the pixels.

    Args:
        elements: to be listed, parents before children.
        capture: with a screenshot of the same moment.
        detectors: of the request; the first that reads text is used.
    """
    wanted = {at: said for at, each in enumerate(elements) if (said := _said(each))}
    _drop_parents(wanted, elements)
    unchecked = dict.fromkeys(wanted, "") | _excluded(wanted, elements, capture)
    with stages.stage("verify"):
        reader = await asyncio.to_thread(_reader, detectors, pool)
        shot = capture.screenshot
        if shot is None or not reader:
            return Verified(elements, "verified no text: no picture or no detector that reads text")
        todo = [at for at, why in unchecked.items() if not why]
        todo.sort(key=lambda at: not has_digit(wanted[at]))
        reading = _Reading(reader, pool, crops, shot, deadline)
        differing: dict[int, str] = {}
        for start in range(0, len(todo), BATCH):
            batch = todo[start : start + BATCH]
            verdicts = await reading.judge({at: (elements[at], wanted[at]) for at in batch})
            for at in batch:
                verdict = verdicts.get(at)
                unchecked[at] = "no time left" if verdict is None else verdict.why
                if verdict is not None and verdict.differs:
                    differing[at] = verdict.seen
    marked = tuple(_mark(each, differing.get(at)) for at, each in enumerate(elements))
    return Verified(marked, verification_note(len(differing), list(unchecked.values())))


def verification_note(differing: int, unchecked: Sequence[str]) -> str:
    """How much was checked: `verified 41 of 43 texts in view: 2 differ, 2 not checked (1 masked, 1 covered)`.

    Args:
        differing: number of texts that the pixels show otherwise.
        unchecked: for each text in view why it was not checked; "" for one that was.
    """
    reasons = Counter(why for why in unchecked if why)
    left = sum(reasons.values())
    parts = [f"{differing} {'differs' if differing == 1 else 'differ'}"]
    if left:
        whys = ", ".join(f"{count} {why}" for why, count in reasons.most_common())
        parts.append(f"{left} not checked ({whys})")
    return f"verified {len(unchecked) - left} of {len(unchecked)} texts in view: {', '.join(parts)}"


@dataclass(frozen=True, slots=True)
class _Verdict:
    differs: bool = False
    seen: str = ""
    why: str = ""


class _Reading:
    """Reads texts of one screenshot with one detector, until the deadline."""

    def __init__(self, reader: str, pool: DetectorPool, crops: CropCache, shot: Screenshot, deadline: Deadline) -> None:
        self._reader = reader
        self._pool = pool
        self._crops = crops
        self._shot = shot
        self._deadline = deadline
        self._reserve_s = deadline.remaining() * ANSWER_SHARE

    async def judge(self, texts: Mapping[int, tuple[Element, str]]) -> dict[int, _Verdict]:
        """The verdict on each text that there was time for."""
        rows = await asyncio.to_thread(self._cut, [element for element, _ in texts.values()])
        pictures = dict(zip(texts, rows, strict=True))
        first = await self._read(pictures)
        verdicts: dict[int, _Verdict] = {}
        doubted: dict[int, list[Pixels]] = {}
        for at, (_, said) in texts.items():
            if not pictures[at]:
                verdicts[at] = _Verdict(why="too small to read")
            elif at in first:
                verdicts[at] = _verdict(said, first[at])
                if verdicts[at].differs:
                    doubted[at] = [_enlarge(each) for each in pictures[at]]
        second = await self._read(doubted) if doubted else {}
        for at in doubted:
            again = second.get(at)
            if again is None:
                del verdicts[at]
            elif not _verdict(texts[at][1], again).differs or not _agree(first[at], again):
                verdicts[at] = _Verdict(why="hard to read")
        differing = {at: texts[at] for at, verdict in verdicts.items() if verdict.differs}
        return verdicts | await self._judge_wider(differing) if differing else verdicts

    async def _judge_wider(self, texts: Mapping[int, tuple[Element, str]]) -> dict[int, _Verdict]:
        """The verdict on texts that differ: their boxes may lack what a style sheet writes before or after them."""
        found: dict[int, _Verdict] = {}
        for gap in BESIDE:
            left = {at: text for at, text in texts.items() if at not in found}
            rows = await asyncio.to_thread(self._cut_wider, [element for element, _ in left.values()], gap)
            read = await self._read(dict(zip(left, rows, strict=True)))
            for at, reading in read.items():
                if reading.text and compare_reading(left[at][1], reading) is Agreement.SAME:
                    found[at] = _Verdict()
        return found

    def _cut(self, elements: Sequence[Element]) -> list[list[Pixels]]:
        return [cut_rows(cut_box(self._shot.pixels, each.box, self._shot.scale)) for each in elements]

    def _cut_wider(self, elements: Sequence[Element], gap: float) -> list[list[Pixels]]:
        return [cut_wider_rows(self._shot.pixels, each.box, self._shot.scale, gap) for each in elements]

    async def _read(self, pictures: Mapping[int, Sequence[Pixels]]) -> dict[int, PixelReading]:
        """What stands in the rows of each text; texts that were not read in time are absent."""
        images = [row for rows in pictures.values() for row in rows]
        if not images or self._deadline.remaining() <= self._reserve_s:
            return {}
        hints = [LINE_HINT] * len(images)
        run = await self._pool.detect(
            [self._reader], images, self._deadline, self._crops, reserve_s=self._reserve_s, hints=hints
        )
        answers = iter(run.detections)
        found: dict[int, PixelReading] = {}
        for at, rows in pictures.items():
            read = [next(answers) for _ in rows]
            if not rows or not all(read):
                continue
            lines = [(text, float(score)) for each in read for text, score in _lines(each[0])]
            found[at] = PixelReading(" ".join(text for text, _ in lines), min((score for _, score in lines), default=0))
        return found


def _lines(found: Detections) -> list[tuple[str, float]]:
    rows = zip(found.text, found.score.tolist(), found.label, found.kind, strict=True)
    return [(text, score) for text, score, label, kind in rows if label != UNREAD and kind == "text"]


def _verdict(said: str, reading: PixelReading) -> _Verdict:
    if not reading.text:
        return _Verdict(why="without text in the pixels")
    agreement = compare_reading(said, reading)
    if agreement is Agreement.DIFFERS:
        return _Verdict(differs=True, seen=reading.text[:MAX_SHOWN])
    return _Verdict(why="hard to read" if agreement is Agreement.UNSURE else "")


def _agree(one: PixelReading, other: PixelReading) -> bool:
    """Whether two readings of the same pixels have the same letters and digits."""
    first, second = ("".join(filter(str.isalnum, each.text)).casefold() for each in (one, other))
    return first == second


def _enlarge(pixels: Pixels) -> Pixels:
    height, width = pixels.shape[:2]
    size = (max(1, round(width * ENLARGED)), max(1, round(height * ENLARGED)))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_CUBIC), np.uint8)


def _reader(names: Sequence[str], pool: DetectorPool) -> str:
    return next((name for name in names if pool.reads(name)), "")


def _said(element: Element) -> str:
    """What an element says that its pixels are to show; "" for one without such a text in view."""
    if not (element.visible and element.in_viewport) or element.structure or Source.OCR in element.sources:
        return ""
    if element.role not in _PAINTED | _FIELDS or element.box.area <= 0:
        return ""
    if element.role in _FIELDS:
        text = element.value
    elif MISLABELLED in element.states or element.role == "row":
        text = element.text or element.name
    else:
        text = element.name
    return text if is_comparable(text) else ""


def _drop_parents(wanted: dict[int, str], elements: Sequence[Element]) -> None:
    """Leaves the innermost texts: what an element's name repeats is checked at its own place."""
    for at in [*wanted]:
        parent = elements[at].parent
        while parent >= 0:
            wanted.pop(parent, None)
            parent = elements[parent].parent


def _excluded(wanted: Mapping[int, str], elements: Sequence[Element], capture: Capture) -> dict[int, str]:
    """Why texts cannot be checked, by index."""
    if not wanted:
        return {}
    if capture.torn or "animations" in capture.pending:
        return dict.fromkeys(wanted, "on a moving page")
    masks = stack(each.box for each in elements if each.sensitive)
    why: dict[int, str] = {}
    for at in wanted:
        element, box = elements[at], elements[at].box
        inside = box.left >= -1 and box.top >= -1
        inside = inside and box.right <= capture.viewport.width + 1 and box.bottom <= capture.viewport.height + 1
        masked = element.sensitive or (len(masks) and intersections(stack([box]), masks).max() > 0)
        if masked:
            why[at] = "masked"
        elif not inside or _is_cut(elements, at):
            why[at] = "partly out of view"
        elif element.covered_by is not None:
            why[at] = "covered"
    return why


def _is_cut(elements: Sequence[Element], at: int) -> bool:
    """Whether a scroller shows only a part of an element's box, beside which the pixels are another element's."""
    box, parent = elements[at].box, elements[at].parent
    while parent >= 0:
        around = elements[parent]
        if around.scrollable is not None:
            shown = box.intersect(around.box)
            if shown is None or box.width - shown.width > CUT_PX or box.height - shown.height > CUT_PX:
                return True
        parent = around.parent
    return False


def _mark(element: Element, seen: str | None) -> Element:
    if seen is None:
        return element
    return replace_fields(element, states=(*element.states, f"{PIXELS_SHOW}{seen}"))
