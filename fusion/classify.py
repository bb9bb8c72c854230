"""Makes elements of detections that no element of the page explains: boxes with the words in them, and the other text.

A detector's class is the role; a box of a detector without classes is a button. The words in a box are its name, and
belong to the smallest box that holds them. A checkbox, a radio button or a switch without words is named by the text
beside it. All other text is `text`, which is the only role that is not interactive.

Sizes are CSS px. Thresholds that name no source are chosen by hand; guarded by `tests/unit/fusion/test_fuse.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from perception.fusion.detector_classes import is_wordless, role_of, states_of
from perception.fusion.grids import tell_grid
from perception.fusion.label_hints import TICKS, hint_by_labels, label_beside
from perception.fusion.line_words import take_apart, without_doubtful_cuts
from perception.fusion.regions import PlacedDetection
from perception.fusion.repeats import join_links, without_repeats
from perception.fusion.text_match import fold, has_brackets, is_short_reading
from perception.fusion.vision_elements import OCR_AND_DETECTOR, has_meaning, sort_in_reading_order, vision_element
from perception.geometry import Grid
from perception.types import UNREAD, Element, Opaque, Source

CALIBRATED, WORDLESS_SCORE = frozenset({"controls"}), 0.5
"""Detectors whose scores say how likely a box is a control, and the least score of a control without words that they
find where there are only pixels. With it 74.5 % of what is served for 33 screenshots of `packages#train` are
controls in place of 63.8 %, and 90.1 % of the controls are found in place of 90.3 %; on 40 of packages that nothing was
trained on 69.4 % in place of 61.6 %, and 79.1 % in place of 79.3 %."""
OFTEN_BLANK = frozenset({"button", "link", "textbox", "combobox", "slider"})
"""Roles to which that applies. Of 68 fields and sliders with less, on `packages#dev` and on pages of 23 packages that
nothing was trained on, two are controls."""
DRAWN_BOX_SCORE = 0.58
"""Least score of a box in a page's own picture: a chart is more usual there than a button."""
SCROLL_BAR, LARGEST_ARROW = 20.0, 22.0
"""Greatest width of a scroll bar and side of the arrow at its end, CSS px: on 175 demo pages and 29 of `packages#dev`
none of 75 boxes without words that are so small, at an edge of the picture, is a control of the page."""
WHOLE_REGION = 0.9
"""Share of a region's area from which a box is the region itself."""


def classify_detections(
    texts: Sequence[PlacedDetection], boxes: Sequence[PlacedDetection], grids: Sequence[Grid] = ()
) -> tuple[Element, ...]:
    """Makes elements of the detections of one region.

    Args:
        texts: lines read in the region that no element of the page explains.
        boxes: boxes found in the region that no element of the page explains.
        grids: grids that are drawn in the region.

    Returns:
        Elements in reading order, each within its region; empty if nothing is worth a line. A parent is an index in
        this list, -1 for none.
    """
    boxes = [box for box in boxes if not _is_whole_region(box) and (_is_vision_only(box) or _is_likely_drawn(box))]
    boxes = without_doubtful_cuts(join_links(without_repeats(boxes, texts)), texts)
    held: dict[int, list[PlacedDetection]] = defaultdict(list)
    for piece in take_apart(texts, boxes):
        held[piece.owner].append(piece.text)
    labels = [
        vision_element("text", text.text, text.box, text.score, Source.OCR)
        for text in held[-1]
        if fold(text.text) or has_brackets(text.text)
    ]
    controls = [element for place, box in enumerate(boxes) if (element := _control(box, held[place])) is not None]
    controls, labels = _name_by_labels(controls, labels)
    rows, labels = _take_grids(labels, grids)
    listed: list[Element] = []
    for element in sort_in_reading_order(hint_by_labels((*controls, *labels, *rows), ())):
        place = len(listed)
        listed += [element, *(replace(row, parent=place) for row in rows.get(element, ()))]
    return tuple(listed)


def _take_grids(
    labels: Sequence[Element], grids: Sequence[Grid]
) -> tuple[dict[Element, tuple[Element, ...]], list[Element]]:
    """The rows of each grid, by the grid's element, and the texts that are in none."""
    rows, left = {}, list(labels)
    for grid in grids:
        inside = [text for text in left if grid.cell_at(text.box.center) is not None]
        if inside and (told := tell_grid(grid, inside)) is not None:
            rows[told[0]] = told[1:]
            left = [text for text in left if text not in inside]
    return rows, left


def _is_vision_only(detection: PlacedDetection) -> bool:
    """Whether the region is the whole viewport, looked at with pixels alone."""
    return detection.region.owner < 0


def _is_likely_drawn(detection: PlacedDetection) -> bool:
    return detection.score >= DRAWN_BOX_SCORE


def _is_whole_region(detection: PlacedDetection) -> bool:
    return detection.box.area >= WHOLE_REGION * detection.region.box.area


def _control(box: PlacedDetection, lines: Sequence[PlacedDetection]) -> Element | None:
    """The element of a box; None where a picture shows a box without words, which is rarely a control."""
    read = [line for line in lines if line.label != UNREAD]
    words = " ".join(line.text for line in read)
    is_drawing = is_wordless(box.label) and is_short_reading(words) and not any(map(str.isdigit, words))
    if is_drawing or not has_meaning(words):
        words, read = "", []
    unread = " ".join(line.text for line in lines if line.label == UNREAD)
    if not words and (not _shows_controls(box) or (not unread and (_is_doubtful(box) or _is_scroll_arrow(box)))):
        return None
    sources = OCR_AND_DETECTOR if words else (Source.DETECTOR,)
    score = min([box.score, *(line.score for line in read)])
    made = vision_element(role_of(box.label) or "button", words, box.box, score, *sources)
    return replace(made, states=states_of(box.label), text=unread)


def _is_doubtful(box: PlacedDetection) -> bool:
    """Whether a box of pixels alone that has no words is too unlikely a control."""
    is_judged = _is_vision_only(box) and box.detector in CALIBRATED and role_of(box.label) in OFTEN_BLANK
    return is_judged and box.score < WORDLESS_SCORE


def _is_scroll_arrow(box: PlacedDetection) -> bool:
    """Whether a box without words in pixels alone is at an end of the scroll bar on their right or at their bottom."""
    arrow, whole = box.box, box.region.box
    if not _is_vision_only(box) or role_of(box.label) != "button" or max(arrow.width, arrow.height) > LARGEST_ARROW:
        return False
    right, bottom = whole.right - SCROLL_BAR, whole.bottom - SCROLL_BAR
    is_at_end = arrow.top < whole.top + SCROLL_BAR or arrow.bottom > bottom - SCROLL_BAR
    is_at_side = arrow.left < whole.left + SCROLL_BAR or arrow.right > right - SCROLL_BAR
    return (arrow.left >= right and is_at_end) or (arrow.top >= bottom and is_at_side)


def _shows_controls(box: PlacedDetection) -> bool:
    """Whether the region shows drawings, as a canvas does, rather than a photograph."""
    return _is_vision_only(box) or box.region.why in (Opaque.CANVAS, Opaque.FRAME)


def _name_by_labels(controls: Sequence[Element], labels: Sequence[Element]) -> tuple[list[Element], list[Element]]:
    """Names checkboxes and the like by the text beside them, and drops that text, since it is the control's."""
    left = list(labels)
    named = []
    for control in controls:
        place = label_beside(control, left) if control.role in TICKS and not control.name else -1
        if place >= 0:
            label = left.pop(place)
            control = replace(control, name=label.name, sources=OCR_AND_DETECTOR)
        named.append(control)
    return named, left
