"""What a thing that only vision sees may be: guesses from shape and text, kept simple.

| seen | guess |
|---|---|
| one line of text in the middle of a compact box | `button` |
| a wide low box, empty or with a line at its left end | `textbox` |
| a line of text, or some words of it, that a box lies on; a low frame with text | `link` |
| a higher frame, or one whose texts are links themselves | `generic` |
| a small square mark with a label to its right | `checkbox`, and the label as `text` |
| a box of an icon's or a picture's size without text | `img` |
| text alone, with a less likely mark to its left if there is one | `text` |

Whether a box is a control at all its detector says by its score; here only what cannot be one is left out: a chart's
bars, a table's cells, letters. All but `text` is interactive.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from perception.fusion.frames import Sight
from perception.fusion.match import holds
from perception.fusion.words import fold
from perception.geometry import Box, Boxes, Point, areas, coverage, stack
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
CHECKBOX_ASPECT = 1.25
"""Checkboxes and radio buttons are square but for a pixel."""
MARKS = "□■☐☑☒○●◯◉◻◼"
"""Signs that recognition reads into a line where a checkbox, radio button or swatch stands before it."""
TOUCHING = 3
"""Gap up to which two frames share a line: one pixel of line plus one of blur on either side."""
SYMBOLS = frozenset("+-\u2212\u2013×✕✖÷=?!<>\u2039\u203a«»←→↑↓▲▼◀▶►◄△▽☰≡⋮⋯…*#@&$€£%/\\|~^")
"""Signs that say something on a button though they are neither letter nor digit."""
_INK = 0.7
"""Share of a box that a line of text covers when the box lies on the line."""
WHOLE_LINE = 0.8
"""Share of a line's width from which a box on it is the line."""
END_MARGIN = 0.27
"""Of a line's height: PP-OCR's box of a line begins about 6 px before its first letter where the box is 22 px high."""
MOST = 0.6
"""Share of a word that a box covers when it is the word's."""
SPREAD = 0.8
"""Width of a letter, in heights of its line, from which letters stand apart: those of a text take less than half."""
APART = 0.6
"""Share of a line's width that its parts take together when it is they, and not one thing."""
BUTTON_LINES = 3
"""Height of a button in heights of the line of its label."""
FRAME = 0.9
"""Height of a frame around a line, in heights of the line's box."""
ROW_MAX = 64
"""Height up to which a frame says all that is written in it."""
DRAWN_BOX, DRAWN_LINK = 0.25, 0.5
"""Scores from which a box in a page's own picture is listed, and from which one on a line of text there makes it a
link: a chart is more usual there than a button. Of a painted toolbar above a chart, light and dark, at one and two
device pixels, buttons and fields have 0.34 and more, labels of the chart's axis up to 0.46."""
LIKELY_HOLDER = 0.5
"""The same for a frame without words of its own that holds other boxes."""
LIKELY = 0.3
"""Score from which a small mark is a control of its own beside its label, rather than a legend's swatch or a bullet."""


SHORTEST_WORD = 2
"""Letters of a piece of a line from which a sign beside it parts two links; less is a date, a unit or `n/a`."""
ROLES = {
    **dict.fromkeys(("button", "btn", "textbutton", "iconbutton", "submit", "fab"), "button"),
    **dict.fromkeys(("link", "hyperlink", "anchor"), "link"),
    **dict.fromkeys(("textbox", "textfield", "textinput", "input", "inputfield", "edittext", "field"), "textbox"),
    **dict.fromkeys(("searchbox", "searchbar", "searchfield"), "searchbox"),
    **dict.fromkeys(("checkbox", "checkedtextview", "tickbox"), "checkbox"),
    **dict.fromkeys(("radio", "radiobutton"), "radio"),
    **dict.fromkeys(("switch", "toggle", "onoffswitch"), "switch"),
    **dict.fromkeys(("combobox", "select", "dropdown", "dropdownmenu", "spinner"), "combobox"),
    **dict.fromkeys(("slider", "seekbar", "rangeslider"), "slider"),
    **dict.fromkeys(("tab",), "tab"),
    **dict.fromkeys(("menuitem",), "menuitem"),
    **dict.fromkeys(("icon", "image", "imageview", "picture", "img"), "img"),
}
"""Classes of the Rico, VINS, CLAY and UIED data sets and of HTML, without case, spaces and hyphens."""
LABEL_WORDS = 4
"""Words of such a piece up to which it is a label: a slash within a sentence parts no links."""
_PIECE = re.compile(r"[^\s/|\u00b7\u2022\u203a\u00bb][^/|\u00b7\u2022\u203a\u00bb]*")
"""What stands between slashes, bars, middle dots, bullets and pointing quotes."""
_BOTH = (Source.OCR, Source.DETECTOR)


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
    boxes = [box for box in boxes if not _is_region(box) and (_is_alone(box) or box.score >= DRAWN_BOX)]
    links, used, boxes = _split_links(texts, boxes)
    framed = []
    for shape in _shape(texts, boxes):
        element = _guess(shape, texts, used)
        if element is not None:
            framed.append(element)
            used.update(shape.texts if _says_all(element) else ())
    alone = [sight for row, sight in enumerate(texts) if row not in used and fold(sight.text)]
    return tuple(sort_as_read(_join_marks([*framed, *_drop_labels(links, framed)], alone)))


def _drop_labels(links: Sequence[Element], framed: Sequence[Element]) -> list[Element]:
    """Without those that only say what the frame around them is called."""
    whole = [element for element in framed if element.name]
    return [
        link
        for link in links
        if not any(each.name == link.name and each.box.contains(link.box.center) for each in whole)
    ]


def _says_all(element: Element) -> bool:
    """What is written in its box need not be listed again."""
    return element.role in ("button", "textbox") or (element.role == "link" and element.box.height <= ROW_MAX)


def _split_links(texts: Sequence[Sight], boxes: Sequence[Sight]) -> tuple[list[Element], set[int], list[Sight]]:
    """Boxes that lie on a line of text, as links.

    A line is a link as a whole, unless the boxes on it take it apart.

    Returns:
        The links, the places of the lines that they say, and the boxes that lie on no line.
    """
    lines, columns = stack(_ink_of(text) for text in texts), stack(box.box for box in boxes)
    wide = np.maximum(columns[:, 2] - columns[:, 0], 1)[None, :] / np.maximum(lines[:, 2] - lines[:, 0], 1)[:, None]
    sure = np.asarray([_is_alone(box) or box.score >= DRAWN_LINK for box in boxes], bool)
    along = _lies_along(columns, lines)
    whole, part = along & (coverage(columns, lines).T >= _INK) & (wide >= WHOLE_LINE), along & (wide < WHOLE_LINE)
    linked = whole & sure[None, :]
    found: list[Element] = []
    used: set[int] = set()
    for row, text in enumerate(texts):
        parts = _name_parts(text, [boxes[place] for place in np.flatnonzero(part[row] & sure).tolist()])
        apart = len(parts) > 1 and sum(part.box.width for part in parts) >= APART * _ink_of(text).width
        if linked[row].any() and not apart:
            score = min(text.score, max(boxes[place].score for place in np.flatnonzero(linked[row]).tolist()))
            parts = _split_at_signs(replace(text, score=score))
            frames = [boxes[place] for place in np.flatnonzero(linked[row]).tolist() if _frames(boxes[place], text)]
            if frames and len(parts) == 1 and parts[0].role == "link":
                parts = [vision_element("button", text.text, max(frames, key=_area).box, score, *_BOTH)]
        if parts and fold("".join(link.name for link in parts)) == fold(text.text):
            used.add(row)
        found += parts
    on_line = (whole | part).any(axis=0).tolist()
    return found, used, [box for box, taken in zip(boxes, on_line, strict=True) if not taken]


def _area(sight: Sight) -> float:
    return sight.box.area


def _frames(box: Sight, text: Sight) -> bool:
    """It is drawn around the line: a line's own box is about twice as high as its ink, and a frame at least that."""
    ink = _ink_of(text)
    return box.box.height >= FRAME * text.box.height and box.box.left < ink.left and ink.right < box.box.right


def _lies_along(columns: Boxes, lines: Boxes) -> NDArray[np.bool_]:
    """(lines, boxes): the box stands on the line, among its words."""
    shared = np.minimum(columns[None, :, 2], lines[:, None, 2]) - np.maximum(columns[None, :, 0], lines[:, None, 0])
    middle = (lines[:, 1] + lines[:, 3])[:, None] / 2
    low = (columns[:, 3] - columns[:, 1])[None, :] <= BUTTON_LINES * (lines[:, 3] - lines[:, 1])[:, None]
    return np.asarray(
        (shared >= _INK * (columns[:, 2] - columns[:, 0])[None, :])
        & (columns[None, :, 1] < middle)
        & (middle < columns[None, :, 3])
        & low
    )


def _split_at_signs(text: Sight) -> list[Element]:
    """The links of a line that is one, and several where signs stand between them: `Home / Library / Data`."""
    pieces = [(match.start(), match[0].strip()) for match in _PIECE.finditer(text.text)]
    if len(pieces) < 2 or not all(_is_label(piece) for _, piece in pieces):
        role = "link" if _says_something(text.text) else "img"
        return [vision_element(role, text.text, text.box, text.score, *_BOTH)]
    line = _ink_of(text)
    letter = line.width / len(text.text)
    return [
        vision_element(
            "link",
            piece,
            replace(line, left=line.left + letter * at, right=line.left + letter * (at + len(piece))),
            text.score,
            *_BOTH,
        )
        for at, piece in pieces
    ]


def _is_label(piece: str) -> bool:
    return sum(char.isalpha() for char in piece) >= SHORTEST_WORD and len(piece.split()) <= LABEL_WORDS


def _ink_of(text: Sight) -> Box:
    """A line without the margin that readers leave at its ends."""
    margin = min(END_MARGIN * text.box.height, 0.25 * text.box.width)
    return Box(text.box.left + margin, text.box.top, text.box.right - margin, text.box.bottom)


def _name_parts(text: Sight, boxes: Sequence[Sight]) -> list[Element]:
    """Links of the boxes on a line that are words of it, and likely icons among them, from left to right."""
    parts = []
    for box in boxes:
        said = _words_at(text, box.box)
        if said:
            parts.append(
                vision_element("link", said, _as_high_as(box.box, text.box), min(box.score, text.score), *_BOTH)
            )
        elif box.score >= LIKELY and " " in text.text:
            # On a single word it is some of its letters.
            parts.append(vision_element("img", "", box.box, box.score, Source.DETECTOR))
    return sorted(parts, key=lambda part: (part.box.left, part.box.top, part.box.right))


def _as_high_as(box: Box, line: Box) -> Box:
    """Words are as high as their line, not as their ink."""
    return replace(box, top=min(box.top, line.top), bottom=max(box.bottom, line.bottom))


def _words_at(text: Sight, box: Box) -> str:
    """The words of a line that a box covers, taking its letters for equally wide; empty for a letter's outline."""
    line = _ink_of(text)
    letter = line.width / max(len(text.text), 1)
    # Where letters stand far apart, each may be a control: the pages `1 2 3 4`, read without their spaces.
    pieces = list(text.text) if letter >= SPREAD * line.height else text.text.split(" ")
    said, at = [], line.left
    for piece in pieces:
        end = at + letter * len(piece)
        if min(end, box.right) - max(at, box.left) >= MOST * (end - at):
            said.append(piece)
        at = end if len(pieces) == len(text.text) else end + letter
    return " ".join(said).strip()


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
        interactive=role != "text",
    )


def _is_alone(sight: Sight) -> bool:
    """Seen in a look with pixels alone."""
    return sight.region.owner < 0


def _is_region(sight: Sight) -> bool:
    return sight.box.area >= 0.9 * sight.region.box.area


def _shape(texts: Sequence[Sight], boxes: Sequence[Sight]) -> list[_Shape]:
    """Gives each text to the smallest box around it."""
    text_columns, columns = stack(text.box for text in texts), stack(box.box for box in boxes)
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


def role_of(label: str) -> str:
    """The role that a detector's class stands for, in the words of common data sets; empty for one that says none."""
    return ROLES.get(re.sub(r"[^a-z]", "", label.casefold()), "")


def _guess(shape: _Shape, texts: Sequence[Sight], linked: set[int]) -> Element | None:
    if role := role_of(shape.sight.label):
        said = " ".join(texts[row].text for row in shape.texts)
        return vision_element(role, said, shape.box, shape.sight.score, *(_BOTH if said else (Source.DETECTOR,)))
    if not shape.texts:
        return _guess_empty(shape)
    box = shape.box
    score = min(shape.sight.score, *(texts[row].score for row in shape.texts))
    said = " ".join(texts[row].text for row in shape.texts)
    if not _says_something(said):
        return _guess_empty(shape)
    if len(shape.texts) == 1:
        text = texts[shape.texts[0]]
        if _is_compact(box) and _is_centered(text.box, box):
            return vision_element("button", said, box, score, *_BOTH)
        if _is_field(box) and _is_left(text.box, box) and not (shape.touches_beside or shape.touches_above):
            return vision_element("textbox", said, box, score, *_BOTH) if fold(said) else None
    if box.height > ROW_MAX or (len(shape.texts) > 1 and not linked.isdisjoint(shape.texts)):
        # Its texts are listed by themselves, and nothing is said twice.
        return vision_element("generic", "", box, shape.sight.score, Source.DETECTOR)
    return vision_element("link", said, box, score, *_BOTH)


def _guess_empty(shape: _Shape) -> Element | None:
    """Nothing is said of it, so it must look like something, where drawings are of controls and not of the world."""
    drawn = shape.sight.region.owner < 0 or shape.sight.region.why in (Opaque.CANVAS, Opaque.FRAME)
    if not drawn or (shape.holds_boxes and shape.sight.score < LIKELY_HOLDER):
        return None
    free = not (shape.touches_beside or shape.touches_above or shape.holds_boxes)
    role = "textbox" if free and _is_field(shape.box) else "generic" if shape.holds_boxes else "img"
    return vision_element(role, "", shape.box, shape.sight.score, Source.DETECTOR)


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
    """A likely mark is named by the label to its right; of a less likely one and its label one `text` is made whose
    click goes to the mark."""
    labels = [_label(text) for text in texts]
    kept = []
    for element in sorted(found, key=lambda element: (-element.box.left, element.box.top, element.box.right)):
        place = _find_label(element, labels)
        if place < 0:
            kept.append(element)
        elif element.confidence >= LIKELY:
            kept.append(_name_mark(element, labels[place]))
        else:
            labels[place] = _join(element, labels[place])
    return [*kept, *labels]


def _label(text: Sight) -> Element:
    label = vision_element("text", text.text, text.box, text.score, Source.OCR)
    if text.text[0] not in MARKS:
        return label
    side = min(text.box.width, text.box.height) / 2
    return replace(label, click_point=Point(text.box.left + side, text.box.center.y))


def _name_mark(mark: Element, label: Element) -> Element:
    short, long = sorted((mark.box.width, mark.box.height))
    return replace(mark, role="checkbox", name=label.name) if long <= CHECKBOX_ASPECT * short else mark


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
