"""Elements that only vision sees: how one is made, and the order in which they are listed."""

from __future__ import annotations

from collections.abc import Sequence

from perception.fusion.text_match import fold
from perception.geometry import Box
from perception.types import Element, Source

OCR_AND_DETECTOR = (Source.OCR, Source.DETECTOR)
"""Sources of an element made of a box and the text in it."""
SYMBOLS = frozenset("+-\u2212\u2013×✕✖÷=?!<>\u2039\u203a«»←→↑↓▲▼◀▶►◄△▽☰≡⋮⋯…*#@&$€£%/\\|~^")
"""Signs that have a meaning on a button although they are neither letters nor digits."""


def vision_element(role: str, name: str, box: Box, confidence: float, *sources: Source) -> Element:
    """An element that only vision sees.

    It is reachable, since its pixels are on top, and its click point is the center of its box. Everything but `text`
    is interactive.

    Args:
        box: CSS px of the viewport.
        confidence: 0 to 1.
    """
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


def has_meaning(text: str) -> bool:
    """Whether a text has a letter, a digit or one of SYMBOLS."""
    return bool(fold(text)) or any(char in SYMBOLS for char in text)


def sort_in_reading_order(elements: Sequence[Element]) -> list[Element]:
    """Rows from top to bottom, and each row from left to right.

    An element belongs to a row if its top is above the center of the row's first element.
    """
    rest = sorted(elements, key=lambda element: (element.box.top, element.box.left, element.box.bottom, element.name))
    rows: list[list[Element]] = []
    for element in rest:
        if rows and element.box.top < rows[-1][0].box.center.y and element.box.center.y < rows[-1][0].box.bottom:
            rows[-1].append(element)
        else:
            rows.append([element])
    return [element for row in rows for element in sorted(row, key=lambda element: element.box.left)]
