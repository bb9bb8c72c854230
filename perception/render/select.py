"""Selects elements by scope and by view. The children of omitted parents move up to the nearest listed ancestor."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from perception.types import Element, Opaque, Reach, Scope, View, replace_fields

HEADINGS_AND_REGIONS = frozenset({"heading", "dialog", "alertdialog", "alert", "status", "iframe"})
"""Roles that an INTERACTIVE view keeps besides controls: what they belong to, and messages of the page."""


class Moved:
    """Elements that got another parent, as they were made in the last round: the same object with the same parent gives
    the same object again."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[Element, Element]] = {}
        self._now: dict[int, tuple[Element, Element]] = {}

    def moved(self, element: Element, parent: int) -> Element:
        """The element with this parent."""
        known = self._last.get(id(element))
        if known is None or known[1].parent != parent:
            known = element, replace_fields(element, parent=parent)
        self._now[id(element)] = known
        return known[1]

    def end_round(self) -> None:
        """Forgets what was not asked for in this round."""
        self._last, self._now = self._now, {}


def in_scope(
    elements: Sequence[Element], scope: Scope, *, structures: bool = True, moved: Moved | None = None
) -> tuple[Element, ...]:
    """The elements of a scope. `structures=False` drops containers that only a digest lists."""
    wide = scope is Scope.PAGE
    if wide and structures:
        return tuple(elements)
    wanted = [(wide or element.in_viewport) and (structures or not element.structure) for element in elements]
    return keep_indexed(elements, lambda index, _: wanted[index], moved)


def in_view(elements: Sequence[Element], view: View) -> tuple[Element, ...]:
    """The elements of a view. Pictures without information are in neither view."""
    return take(elements, indices_in_view(elements, view))


def indices_in_view(elements: Sequence[Element], view: View) -> list[int]:
    """Indices of the elements of the FULL or INTERACTIVE view, ascending.

    INTERACTIVE omits elements that can never be clicked, unless they contain vision elements. What covers others is in
    both, as they name it.
    """
    holders = {element.parent for element in elements if _is_from_pixels(element)}
    holders = {index for index in holders if not elements[index].structure}
    if covers := {element.blocker for element in elements if element.blocker}:
        holders |= {index for index, element in enumerate(elements) if element.ref in covers}
    if view is View.FULL:
        return [index for index, element in enumerate(elements) if index in holders or not _is_mute(element)]
    return [
        index
        for index, element in enumerate(elements)
        if index in holders
        or (element.interactive and element.reach is not Reach.NEVER)
        or element.scrollable is not None
        or _is_from_pixels(element)
        or element.role in HEADINGS_AND_REGIONS
    ]


def take(elements: Sequence[Element], indices: Sequence[int], moved: Moved | None = None) -> tuple[Element, ...]:
    """The elements at these indices (ascending), each with its nearest taken ancestor as parent."""
    if len(indices) == len(elements):
        return tuple(elements)
    wanted = set(indices)
    return keep_indexed(elements, lambda index, _: index in wanted, moved)


def keep_indexed(
    elements: Sequence[Element], wanted: Callable[[int, Element], bool], moved: Moved | None = None
) -> tuple[Element, ...]:
    """The wanted elements, each with its nearest wanted ancestor as parent.

    Args:
        moved: what was made in the last round of the same; None where it is not known.
    """
    moved = moved or Moved()
    place: dict[int, int] = {-1: -1}
    kept: list[Element] = []
    for index, element in enumerate(elements):
        parent = place[element.parent]
        if wanted(index, element):
            place[index] = len(kept)
            kept.append(element if element.parent == parent else moved.moved(element, parent))
        else:
            place[index] = parent
    moved.end_round()
    return tuple(kept)


def depths(elements: Sequence[Element]) -> list[int]:
    """Nesting depth of each element, from 0."""
    found: list[int] = []
    for element in elements:
        found.append(found[element.parent] + 1 if element.parent >= 0 else 0)
    return found


def _is_from_pixels(element: Element) -> bool:
    return element.ref.startswith("v")


def _is_mute(element: Element) -> bool:
    """Whether an element carries no information: a picture without name, text and controls, or a structure."""
    return element.structure or (
        not element.interactive
        and not element.name
        and not element.text
        and not element.scrollable
        and element.role in ("img", "generic")
        and element.opaque in (None, Opaque.IMAGE, Opaque.SVG, Opaque.BACKGROUND)
    )
