"""Small marks (checkboxes, radio buttons, swatches, icons) and the label to their right.

Sizes are CSS px. Thresholds that name no source are chosen by hand; guarded by `tests/fusion/test_fuse.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perception.fusion.line_links import MARK_SCORE
from perception.fusion.regions import PlacedDetection
from perception.fusion.vision_elements import OCR_AND_DETECTOR, vision_element
from perception.geometry import Box, Point
from perception.types import Element, Source

MARK_MAX_SIDE, MARK_LABEL_GAP = 24, 6
"""Largest side of a mark, and largest gap between it and its label's box: that of a line read by PP-OCR begins about
6 px before its first letter. With a gap of 12 the icon of the next table column was taken."""
CHECKBOX_ASPECT = 1.25
"""Checkboxes and radio buttons are square to within a pixel."""
MARK_CHARACTERS = "□■☐☑☒○●◯◉◻◼"
"""Characters that OCR reads at the start of a line where a checkbox, radio button or swatch stands."""


def join_marks(found: Sequence[Element], texts: Sequence[PlacedDetection]) -> list[Element]:
    """Joins marks with the labels to their right.

    A likely mark (score from MARK_SCORE) stays an element of its own and is named by its label if it is square. A less
    likely mark and its label become one `text` whose click point is the mark.

    Args:
        found: elements that are made of boxes.
        texts: lines that no element contains.

    Returns:
        All of `found` that did not become part of a label, and one `text` for each of `texts`.
    """
    labels = [_label(text) for text in texts]
    kept = []
    for element in sorted(found, key=lambda element: (-element.box.left, element.box.top, element.box.right)):
        place = _find_label(element, labels)
        if place < 0:
            kept.append(element)
        elif element.confidence >= MARK_SCORE:
            kept.append(_name_mark(element, labels[place]))
        else:
            labels[place] = _join(element, labels[place])
    return [*kept, *labels]


def _label(text: PlacedDetection) -> Element:
    label = vision_element("text", text.text, text.box, text.score, Source.OCR)
    if text.text[0] not in MARK_CHARACTERS:
        return label
    side = min(text.box.width, text.box.height) / 2
    return replace(label, click_point=Point(text.box.left + side, text.box.center.y))


def _name_mark(mark: Element, label: Element) -> Element:
    short, long = sorted((mark.box.width, mark.box.height))
    return replace(mark, role="checkbox", name=label.name) if long <= CHECKBOX_ASPECT * short else mark


def _find_label(mark: Element, labels: Sequence[Element]) -> int:
    """Index of the nearest label to the right of a mark; -1 for none."""
    if mark.role != "img" or max(mark.box.width, mark.box.height) > MARK_MAX_SIDE:
        return -1
    fits = [
        (label.box.left - mark.box.right, label.name, place)
        for place, label in enumerate(labels)
        if label.sources == (Source.OCR,)
        and -MARK_LABEL_GAP <= label.box.left - mark.box.right <= MARK_LABEL_GAP
        and label.box.left > mark.box.left - MARK_LABEL_GAP
        and label.box.top <= mark.box.center.y < label.box.bottom
    ]
    return min(fits)[2] if fits else -1


def _join(mark: Element, label: Element) -> Element:
    first, second = mark.box, label.box
    box = Box(
        min(first.left, second.left),
        min(first.top, second.top),
        max(first.right, second.right),
        max(first.bottom, second.bottom),
    )
    confidence = min(label.confidence, mark.confidence)
    return replace(label, box=box, click_point=first.center, sources=OCR_AND_DETECTOR, confidence=confidence)
