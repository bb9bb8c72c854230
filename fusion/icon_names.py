"""Names for controls whose only content is an icon.

Rule 1: the page's words win: a name, a value, a tooltip, an icon's class or a link target is never replaced.
Rule 2: in doubt a control stays without a name: a wrong one costs an agent more than none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from perception.fusion.text_match import is_short_reading
from perception.geometry import Box
from perception.types import Element, NameSource, Opaque, Reach, Source, replace_fields

LEAST_CONFIDENCE = 0.8
"""From which an icon's name is used: of icon sets that were not trained on, 98 % of the names are right then. See
`perception/detectors/icon_names.md`."""

ICON_ROLES = frozenset({"button", "link", "img", "generic", "menuitem", "tab"})
"""Roles of controls that an icon alone may stand on."""
SMALLEST, LARGEST = 8.0, 72.0
"""Sides of an icon or of the button around it, CSS px: those of common style sheets are from 12 to 56."""
WIDEST = 2.5
"""Longer side over shorter one: the dots of a menu are wider than their button is."""

_VISION = {Source.OCR, Source.DETECTOR}


@dataclass(frozen=True, slots=True)
class IconReading:
    """What a detector says that an element's pixels show: a name, and its confidence, 0 to 1."""

    name: str
    confidence: float


def find_icons(elements: Sequence[Element]) -> tuple[int, ...]:
    """Indices of the elements that an icon may name.

    These are controls of the page without a name and a hint, whose pixels were looked at, and elements that only vision
    sees, without text. A letter or two that vision reads on them may be the icon misread.
    """
    return tuple(index for index, element in enumerate(elements) if _is_icon(element))


def add_icon_names(elements: Sequence[Element], readings: Mapping[int, IconReading]) -> tuple[Element, ...]:
    """The elements, named by their icons.

    Args:
        elements: of a fused list.
        readings: by index of an element of `find_icons`.
    """
    named = list(elements)
    for index, reading in readings.items():
        if reading.confidence >= LEAST_CONFIDENCE:
            element = named[index]
            sources = tuple(each for each in Source if each in element.sources or each is Source.DETECTOR)
            named[index] = replace_fields(element, name=reading.name, name_source=NameSource.ICON, sources=sources)
    return tuple(named)


def _is_icon(element: Element) -> bool:
    if element.role not in ICON_ROLES or not _is_icon_size(element.box) or not _is_shown(element):
        return False
    if element.hint or element.value or element.sensitive:
        return False
    if element.node is None and set(element.sources) <= _VISION:
        return not element.name or is_short_reading(element.name)
    if element.opaque not in (Opaque.NAMELESS, Opaque.GLYPH) or not element.interactive:
        return False
    return not element.name or (Source.OCR in element.sources and is_short_reading(element.name))


def _is_shown(element: Element) -> bool:
    return element.visible and element.in_viewport and element.reach is not Reach.COVERED


def _is_icon_size(box: Box) -> bool:
    short, long = sorted((box.width, box.height))
    return short >= SMALLEST and long <= LARGEST and long <= WIDEST * short
