"""What a thing that only vision sees may be: guesses from shape and text, kept simple.

| seen | guess |
|---|---|
| one line of text in the middle of a compact box | `button` |
| a wide low box, empty or with a line at its left end | `textbox` |
| a box of an icon's size without text | `img` |
| text alone, with the small mark to its left if there is one | `text` |

Everything else that has a frame is a container, a chart's bar or a table's cell: not worth a line of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from perception.fusion.frames import Sight
from perception.fusion.match import holds
from perception.fusion.words import fold
from perception.geometry import Box, Point, areas, coverage, iou, stack
from perception.types import Element, Opaque, Source

# All sizes are CSS px.
ICON_MIN, ICON_MAX = 10, 64
"""From the marks of a small checkbox to a large toolbar button."""
ICON_ASPECT = 1.6
"""Icons are about square; a short chart bar is not."""
BUTTON_MIN, BUTTON_MAX = 12, 64
"""Height of a button: from a badge to a large call to action."""
BUTTON_WIDEST = 320
BUTTON_TEXT = 0.3
"""Least share of a button's width that its text takes, unless the button is about square."""
CENTERED = 0.12
"""How far the text's middle may lie from the box's, as a share of the box's side; at least 4 px."""
FIELD_MIN, FIELD_MAX, FIELD_NARROWEST = 16, 60, 80
"""Height and least width of a text field."""
FIELD_ASPECT = 2.5
FIELD_TEXT = 0.7
"""Largest share of a text field's width that its text takes: it is made for more than that."""
MARK_MAX, MARK_GAP = 24, 6
"""A checkbox, radio button, legend swatch or small icon, and how far to its right the label's box begins: that of a
line read by PP-OCR begins about 6 px before its first letter. At 12 the icon of the next table column was taken."""
MARKS = "□■☐☑☒○●◯◉◻◼"
"""Signs that recognition reads into a line where a checkbox, radio button or swatch stands before it."""
TOUCHING = 3
"""Gap up to which two frames share a line: one pixel of line plus one of blur on either side."""
SYMBOLS = frozenset("+-\u2212\u2013×✕✖÷=?!<>\u2039\u203a«»←→↑↓▲▼◀▶►◄△▽☰≡⋮⋯…*#@&$€£%/\\|~^")
"""Signs that say something on a button though they are neither letter nor digit."""
_INK = 0.7
"""Share of a box that a line of text covers when the box is but some of its letters."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """A box and what lies in it: the places of `texts` in the list of texts, and whether it holds boxes."""

    sight: Sight
    texts: tuple[int, ...]
    holds_boxes: bool
    touches_beside: bool
    touches_above: bool

    @property
    def box(self) -> Box:
        return self.sight.box


def guess_elements(texts: Sequence[Sight], boxes: Sequence[Sight]) -> tuple[Element, ...]:
    """Makes elements of what one region shows and the page does not say.

    Returns:
        Elements without parents, in reading order; empty for nothing worth a line. Each lies in its region.
    """
    shapes = _shape(texts, [box for box in boxes if not _is_region(box)])
    used: set[int] = set()
    found = []
    for shape in shapes:
        element = _guess(shape, texts)
        if element is not None:
            found.append(element)
            used.update(shape.texts if element.role in ("button", "textbox") else ())
    alone = [sight for row, sight in enumerate(texts) if row not in used and fold(sight.text)]
    return tuple(sort_as_read(_join_marks(found, alone)))


def sort_as_read(elements: Sequence[Element]) -> list[Element]:
    """Rows from top to bottom, each from left to right. A row is what begins above the middle of its first one."""
    rest = sorted(elements, key=lambda element: (element.box.top, element.box.left, element.box.bottom, element.name))
    rows: list[list[Element]] = []
    for element in rest:
        if rows and element.box.top < rows[-1][0].box.center.y and element.box.center.y < rows[-1][0].box.bottom:
            rows[-1].append(element)
        else:
            rows.append([element])
    return [element for row in rows for element in sorted(row, key=lambda element: element.box.left)]


def vision_element(role: str, name: str, box: Box, confidence: float, *sources: Source) -> Element:
    """An element that only vision sees: on top, since it was seen, and clicked in its middle."""
    return Element(
        role=role,
        name=name,
        box=box,
        sources=sources,
        confidence=confidence,
        reachable=True,
        click_point=box.center,
        interactive=True,
    )


def _is_region(sight: Sight) -> bool:
    return sight.box.area >= 0.9 * sight.region.box.area


def _shape(texts: Sequence[Sight], boxes: Sequence[Sight]) -> list[_Shape]:
    """Gives each text to the smallest box around it, and leaves out boxes that are letters."""
    box_columns, text_columns = stack(box.box for box in boxes), stack(text.box for text in texts)
    ink = (coverage(box_columns, text_columns) >= _INK) & (iou(box_columns, text_columns) < 0.5)
    boxes = [box for box, letters in zip(boxes, ink.max(axis=1, initial=False).tolist(), strict=True) if not letters]
    columns = stack(box.box for box in boxes)
    size = areas(columns)
    owner = [-1] * len(texts)
    if boxes:
        around = holds(columns, text_columns)
        smallest = np.where(around, size[None, :], np.inf).argmin(axis=1)
        owner = [int(column) if around[row, column] else -1 for row, column in enumerate(smallest)]
    nested = holds(columns, columns) & (size[None, :] > size[:, None])
    beside, above = _touching(columns)
    return [
        _Shape(
            sight=box,
            texts=tuple(row for row, column in enumerate(owner) if column == place),
            holds_boxes=bool(nested[:, place].max(initial=False)),
            touches_beside=bool(beside[place]),
            touches_above=bool(above[place]),
        )
        for place, box in enumerate(boxes)
    ]


def _touching(columns: NDArray[np.float32]) -> tuple[NDArray[np.bool_], ...]:
    """For each box: does another share most of a side with it, to its left or right; above or below it."""
    low = np.maximum(columns[:, None, :2], columns[None, :, :2])
    high = np.minimum(columns[:, None, 2:], columns[None, :, 2:])
    sides = columns[:, 2:] - columns[:, :2]
    shared = (high - low) / np.maximum(np.minimum(sides[:, None], sides[None, :]), 1)
    gap = np.abs(low - high) <= TOUCHING
    beside, above = gap[..., 0] & (shared[..., 1] >= 0.5), gap[..., 1] & (shared[..., 0] >= 0.5)
    return beside.max(axis=1, initial=False), above.max(axis=1, initial=False)


def _guess(shape: _Shape, texts: Sequence[Sight]) -> Element | None:
    if shape.holds_boxes and not _is_compact(shape.box):
        return None
    if not shape.texts:
        return _guess_empty(shape)
    if len(shape.texts) > 1:
        return None
    text = texts[shape.texts[0]]
    score = min(text.score, shape.sight.score)
    both = (Source.OCR, Source.DETECTOR)
    if _is_compact(shape.box) and _is_centered(text.box, shape.box):
        return vision_element("button", text.text, shape.box, score, *both) if _says_something(text.text) else None
    if _is_field(shape.box) and _is_left(text.box, shape.box) and not (shape.touches_beside or shape.touches_above):
        return vision_element("textbox", text.text, shape.box, score, *both) if fold(text.text) else None
    return None


def _guess_empty(shape: _Shape) -> Element | None:
    """Nothing is said of it, so it must look like something, where drawings are of controls and not of the world."""
    drawn = shape.sight.region.owner < 0 or shape.sight.region.why in (Opaque.CANVAS, Opaque.FRAME)
    if not drawn or (shape.touches_beside and shape.touches_above):
        return None
    if _is_icon(shape.box):
        return vision_element("img", "", shape.box, shape.sight.score, Source.DETECTOR)
    if _is_field(shape.box) and not (shape.touches_beside or shape.touches_above or shape.holds_boxes):
        return vision_element("textbox", "", shape.box, shape.sight.score, Source.DETECTOR)
    return None


def _says_something(text: str) -> bool:
    return bool(fold(text)) or any(char in SYMBOLS for char in text)


def _is_icon(box: Box) -> bool:
    short, long = sorted((box.width, box.height))
    return short >= ICON_MIN and long <= ICON_MAX and long <= ICON_ASPECT * short


def _is_compact(box: Box) -> bool:
    return BUTTON_MIN <= box.height <= BUTTON_MAX and box.width <= BUTTON_WIDEST


def _is_centered(text: Box, box: Box) -> bool:
    dx, dy = abs(text.center.x - box.center.x), abs(text.center.y - box.center.y)
    middle = dx <= max(4, CENTERED * box.width) and dy <= max(4, CENTERED * box.height)
    return middle and (text.width >= BUTTON_TEXT * box.width or box.width <= 2 * box.height)


def _is_field(box: Box) -> bool:
    return (
        FIELD_MIN <= box.height <= FIELD_MAX and box.width >= FIELD_NARROWEST and box.width >= FIELD_ASPECT * box.height
    )


def _is_left(text: Box, box: Box) -> bool:
    return text.left - box.left <= box.height and text.width <= FIELD_TEXT * box.width


def _join_marks(found: Sequence[Element], texts: Sequence[Sight]) -> list[Element]:
    """Puts each small mark and the label to its right into one `text` whose click goes to the mark."""
    labels = [_label(text) for text in texts]
    kept = []
    for element in sorted(found, key=lambda element: (-element.box.left, element.box.top, element.box.right)):
        place = _find_label(element, labels)
        if place < 0:
            kept.append(element)
        else:
            labels[place] = _join(element, labels[place])
    return [*kept, *labels]


def _label(text: Sight) -> Element:
    label = vision_element("text", text.text, text.box, text.score, Source.OCR)
    if text.text[0] not in MARKS:
        return label
    side = min(text.box.width, text.box.height) / 2
    return replace(label, click_point=Point(text.box.left + side, text.box.center.y))


def _find_label(mark: Element, labels: Sequence[Element]) -> int:
    if mark.role != "img" or max(mark.box.width, mark.box.height) > MARK_MAX:
        return -1
    fits = [
        (label.box.left - mark.box.right, label.name, place)
        for place, label in enumerate(labels)
        if label.sources == (Source.OCR,)
        and -MARK_GAP <= label.box.left - mark.box.right <= MARK_GAP
        and label.box.left > mark.box.left - MARK_GAP
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
    return replace(
        label, box=box, click_point=first.center, sources=(Source.OCR, Source.DETECTOR), confidence=confidence
    )
