"""Makes elements of detections that no element of the page explains: the role comes from shape and text.

| detection | role |
|---|---|
| one line of text in the middle of a compact box | `button` |
| a wide low box, empty or with a line at its left end | `textbox` |
| a line of text, or some words of it, with a box on it; a low frame with text | `link` |
| a higher frame, or one whose texts are links themselves | `generic` |
| a small square mark with a label to its right | `checkbox`, and the label as `text` |
| a box of an icon's or a picture's size without text | `img` |
| text alone, with a less likely mark to its left if there is one | `text` |

A detector's score says how likely a box is a control. This module only drops boxes that cannot be controls: bars of a
chart, cells of a table, letters. Every role but `text` is interactive.

Sizes are CSS px. Thresholds that name no source are chosen by hand; guarded by `tests/fusion/test_fuse.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from perception.fusion.box_shapes import (
    DetectedBox,
    assign_texts,
    is_button_size,
    is_centered,
    is_field_shape,
    is_left_aligned,
)
from perception.fusion.detector_classes import role_of
from perception.fusion.line_links import find_line_links
from perception.fusion.mark_labels import join_marks
from perception.fusion.regions import PlacedDetection
from perception.fusion.text_match import fold
from perception.fusion.vision_elements import OCR_AND_DETECTOR, has_meaning, sort_in_reading_order, vision_element
from perception.types import Element, Opaque, Source

MAX_ROW_HEIGHT = 64
"""Largest height of a frame that stands for all the text in it."""
DRAWN_BOX_SCORE = 0.25
"""Least score of a box in a page's own picture: a chart is more usual there than a button. Of a painted toolbar above
a chart, light and dark, at one and two device pixels, buttons and fields have 0.34 and more."""
HOLDER_SCORE = 0.5
"""The same for a frame without text of its own that holds other boxes."""
WHOLE_REGION = 0.9
"""Share of a region's area from which a box is the region itself."""


def classify_detections(texts: Sequence[PlacedDetection], boxes: Sequence[PlacedDetection]) -> tuple[Element, ...]:
    """Makes elements of the detections of one region.

    Args:
        texts: lines read in the region that no element of the page explains.
        boxes: boxes found in the region that no element of the page explains.

    Returns:
        Elements without parents, in reading order, each within its region; empty if nothing is worth a line.
    """
    boxes = [box for box in boxes if not _is_whole_region(box) and (_is_vision_only(box) or _is_likely_drawn(box))]
    links, used, boxes = find_line_links(texts, boxes)
    framed = []
    for shape in assign_texts(texts, boxes):
        element = _classify_box(shape, texts, used)
        if element is not None:
            framed.append(element)
            used.update(shape.texts if _contains_its_text(element) else ())
    alone = [text for row, text in enumerate(texts) if row not in used and fold(text.text)]
    return tuple(sort_in_reading_order(join_marks([*framed, *_drop_labels(links, framed)], alone)))


def _drop_labels(links: Sequence[Element], framed: Sequence[Element]) -> list[Element]:
    """The links without those that only repeat the name of the frame around them."""
    named = [element for element in framed if element.name]
    return [
        link
        for link in links
        if not any(each.name == link.name and each.box.contains(link.box.center) for each in named)
    ]


def _contains_its_text(element: Element) -> bool:
    """Whether the text in an element's box needs no lines of its own."""
    return element.role in ("button", "textbox") or (element.role == "link" and element.box.height <= MAX_ROW_HEIGHT)


def _is_vision_only(detection: PlacedDetection) -> bool:
    """Whether the region is the whole viewport, looked at with pixels alone."""
    return detection.region.owner < 0


def _is_likely_drawn(detection: PlacedDetection) -> bool:
    return detection.score >= DRAWN_BOX_SCORE


def _is_whole_region(detection: PlacedDetection) -> bool:
    return detection.box.area >= WHOLE_REGION * detection.region.box.area


def _classify_box(shape: DetectedBox, texts: Sequence[PlacedDetection], linked: set[int]) -> Element | None:
    """The element of a box; None for a box that is no control.

    Args:
        linked: indices of the texts that are links already.
    """
    words = " ".join(texts[row].text for row in shape.texts)
    box, detection = shape.box, shape.detection
    if role := role_of(detection.label):
        return vision_element(role, words, box, detection.score, *(OCR_AND_DETECTOR if words else (Source.DETECTOR,)))
    if not has_meaning(words):
        return _classify_empty_box(shape)
    score = min(detection.score, *(texts[row].score for row in shape.texts))
    if len(shape.texts) == 1:
        text = texts[shape.texts[0]]
        if is_button_size(box) and is_centered(text.box, box):
            return vision_element("button", words, box, score, *OCR_AND_DETECTOR)
        free = not (shape.touches_beside or shape.touches_above)
        if is_field_shape(box) and is_left_aligned(text.box, box) and free:
            return vision_element("textbox", words, box, score, *OCR_AND_DETECTOR) if fold(words) else None
    if box.height > MAX_ROW_HEIGHT or (len(shape.texts) > 1 and not linked.isdisjoint(shape.texts)):
        # Its texts are elements of their own, so that no text is listed twice.
        return vision_element("generic", "", box, detection.score, Source.DETECTOR)
    return vision_element("link", words, box, score, *OCR_AND_DETECTOR)


def _classify_empty_box(shape: DetectedBox) -> Element | None:
    """The element of a box without text: only in regions where drawings show controls rather than photographs."""
    region = shape.detection.region
    drawn = region.owner < 0 or region.why in (Opaque.CANVAS, Opaque.FRAME)
    if not drawn or (shape.holds_boxes and shape.detection.score < HOLDER_SCORE):
        return None
    free = not (shape.touches_beside or shape.touches_above or shape.holds_boxes)
    role = "textbox" if free and is_field_shape(shape.box) else "generic" if shape.holds_boxes else "img"
    return vision_element(role, "", shape.box, shape.detection.score, Source.DETECTOR)
