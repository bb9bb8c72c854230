"""Links on lines of text: a detected box on a line, or on some of its words, is a link.

Sizes are CSS px. Thresholds that name no source are chosen by hand; guarded by `tests/fusion/test_fuse.py`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from perception.fusion.regions import PlacedDetection
from perception.fusion.text_match import fold
from perception.fusion.vision_elements import OCR_AND_DETECTOR, has_meaning, vision_element
from perception.geometry import Box, Boxes, coverage, stack
from perception.types import Element, Source

MIN_ON_LINE = 0.7
"""Least share of a line's letters that a box covers when it is the whole line, and least share of a box's width that
is on the line."""
MIN_WHOLE_LINE = 0.8
"""Least share of a line's width for a box that is the whole line, not some of its words."""
LINE_END_MARGIN = 0.27
"""Of a line's height: PP-OCR's box of a line begins about 6 px before its first letter where the box is 22 px high."""
MIN_WORD = 0.6
"""Least share of a word that a box covers when the word belongs to the box."""
MIN_LETTER_SPACING = 0.8
"""Width of a letter, in heights of its line, from which each letter may be a control of its own. Letters of running
text are less than half as wide."""
MIN_SEPARATE_PARTS = 0.6
"""Least share of a line's width that its parts take together when the line is these parts and not one link."""
MAX_BOX_LINES = 3
"""Largest height of a box on a line, in heights of the line."""
MIN_FRAME_HEIGHT = 0.9
"""Least height of a frame around a line, in heights of the line's box. That box is about twice as high as the
letters, and a frame is at least that high."""
DRAWN_LINK_SCORE = 0.5
"""Least score of a box on a line of text in a page's own picture: a chart is more usual there than a link. Of a
painted toolbar above a chart, light and dark, at one and two device pixels, labels of the chart's axis had up to
0.46."""
MARK_SCORE = 0.3
"""Least score of a small mark that is a control of its own beside its label, not a legend's swatch or a bullet."""
MIN_LABEL_LETTERS = 2
"""Least letters on either side of a sign that separates two links; shorter is a date, a unit or `n/a`."""
MAX_LABEL_WORDS = 4
"""Most words on either side of a sign that separates two links: a slash within a sentence separates none."""
_BETWEEN_SIGNS = re.compile(r"[^\s/|\u00b7\u2022\u203a\u00bb][^/|\u00b7\u2022\u203a\u00bb]*")
"""Text between slashes, bars, middle dots, bullets and pointing quotes."""


def find_line_links(
    texts: Sequence[PlacedDetection], boxes: Sequence[PlacedDetection]
) -> tuple[list[Element], set[int], list[PlacedDetection]]:
    """Makes links of the boxes that are on a line of text.

    A line is one link, unless the boxes on it divide it into several.

    Returns:
        The links, the indices of the lines whose whole text they contain, and the boxes that are on no line.
    """
    lines, columns = stack(_letters_box(text) for text in texts), stack(box.box for box in boxes)
    wide = np.maximum(columns[:, 2] - columns[:, 0], 1)[None, :] / np.maximum(lines[:, 2] - lines[:, 0], 1)[:, None]
    sure = np.asarray([box.region.owner < 0 or box.score >= DRAWN_LINK_SCORE for box in boxes], bool)
    along = _lies_on_line(columns, lines)
    whole = along & (coverage(columns, lines).T >= MIN_ON_LINE) & (wide >= MIN_WHOLE_LINE)
    part = along & (wide < MIN_WHOLE_LINE)
    linked = whole & sure[None, :]
    found: list[Element] = []
    used: set[int] = set()
    for row, text in enumerate(texts):
        parts = _links_of_words(text, [boxes[place] for place in np.flatnonzero(part[row] & sure).tolist()])
        over_line = [boxes[place] for place in np.flatnonzero(linked[row]).tolist()]
        if over_line and not _are_separate(parts, text):
            parts = _links_of_line(text, over_line)
        if parts and fold("".join(link.name for link in parts)) == fold(text.text):
            used.add(row)
        found += parts
    on_line = (whole | part).any(axis=0).tolist()
    return found, used, [box for box, taken in zip(boxes, on_line, strict=True) if not taken]


def _are_separate(parts: Sequence[Element], text: PlacedDetection) -> bool:
    """Whether a line is its parts, not one link."""
    width = sum(part.box.width for part in parts)
    return len(parts) > 1 and width >= MIN_SEPARATE_PARTS * _letters_box(text).width


def _links_of_line(text: PlacedDetection, boxes: Sequence[PlacedDetection]) -> list[Element]:
    """The links of a line that boxes cover as a whole; a button if one of the boxes is a frame around the line."""
    score = min(text.score, max(box.score for box in boxes))
    parts = _split_at_signs(replace(text, score=score))
    frames = [box for box in boxes if _is_frame(box, text)]
    if frames and len(parts) == 1 and parts[0].role == "link":
        outer = max(frames, key=lambda frame: frame.box.area)
        return [vision_element("button", text.text, outer.box, score, *OCR_AND_DETECTOR)]
    return parts


def _is_frame(box: PlacedDetection, text: PlacedDetection) -> bool:
    letters = _letters_box(text)
    high = box.box.height >= MIN_FRAME_HEIGHT * text.box.height
    return high and box.box.left < letters.left and letters.right < box.box.right


def _lies_on_line(columns: Boxes, lines: Boxes) -> NDArray[np.bool_]:
    """(lines, boxes): whether a box is on a line, among its words."""
    shared = np.minimum(columns[None, :, 2], lines[:, None, 2]) - np.maximum(columns[None, :, 0], lines[:, None, 0])
    middle = (lines[:, 1] + lines[:, 3])[:, None] / 2
    low = (columns[:, 3] - columns[:, 1])[None, :] <= MAX_BOX_LINES * (lines[:, 3] - lines[:, 1])[:, None]
    return np.asarray(
        (shared >= MIN_ON_LINE * (columns[:, 2] - columns[:, 0])[None, :])
        & (columns[None, :, 1] < middle)
        & (middle < columns[None, :, 3])
        & low
    )


def _split_at_signs(text: PlacedDetection) -> list[Element]:
    """The links of one line: several where signs separate them, as in `Home / Library / Data`, else one."""
    pieces = [(match.start(), match[0].strip()) for match in _BETWEEN_SIGNS.finditer(text.text)]
    if len(pieces) < 2 or not all(_is_link_label(piece) for _, piece in pieces):
        role = "link" if has_meaning(text.text) else "img"
        return [vision_element(role, text.text, text.box, text.score, *OCR_AND_DETECTOR)]
    line = _letters_box(text)
    letter = line.width / len(text.text)
    return [
        vision_element(
            "link",
            piece,
            replace(line, left=line.left + letter * at, right=line.left + letter * (at + len(piece))),
            text.score,
            *OCR_AND_DETECTOR,
        )
        for at, piece in pieces
    ]


def _is_link_label(piece: str) -> bool:
    return sum(char.isalpha() for char in piece) >= MIN_LABEL_LETTERS and len(piece.split()) <= MAX_LABEL_WORDS


def _letters_box(text: PlacedDetection) -> Box:
    """The box of a line without the margins that OCR models leave at its ends."""
    margin = min(LINE_END_MARGIN * text.box.height, 0.25 * text.box.width)
    return Box(text.box.left + margin, text.box.top, text.box.right - margin, text.box.bottom)


def _links_of_words(text: PlacedDetection, boxes: Sequence[PlacedDetection]) -> list[Element]:
    """Links of the boxes that cover words of a line, and likely icons among them, from left to right."""
    parts = []
    for box in boxes:
        words = _covered_words(text, box.box)
        if words:
            parts.append(
                vision_element(
                    "link", words, _extend_to_line(box.box, text.box), min(box.score, text.score), *OCR_AND_DETECTOR
                )
            )
        elif box.score >= MARK_SCORE and " " in text.text:
            # On a single word such a box is some of its letters.
            parts.append(vision_element("img", "", box.box, box.score, Source.DETECTOR))
    return sorted(parts, key=lambda part: (part.box.left, part.box.top, part.box.right))


def _extend_to_line(box: Box, line: Box) -> Box:
    """A word's box is as high as its line, not only as its letters."""
    return replace(box, top=min(box.top, line.top), bottom=max(box.bottom, line.bottom))


def _covered_words(text: PlacedDetection, box: Box) -> str:
    """The words of a line that a box covers, with all letters taken as equally wide; empty for a letter's outline."""
    line = _letters_box(text)
    letter = line.width / max(len(text.text), 1)
    # Where letters stand far apart, each may be a control: the pages `1 2 3 4`, read without their spaces.
    pieces = list(text.text) if letter >= MIN_LETTER_SPACING * line.height else text.text.split(" ")
    covered, at = [], line.left
    for piece in pieces:
        end = at + letter * len(piece)
        if min(end, box.right) - max(at, box.left) >= MIN_WORD * (end - at):
            covered.append(piece)
        at = end if len(pieces) == len(text.text) else end + letter
    return " ".join(covered).strip()
