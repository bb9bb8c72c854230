"""Texts that share a line: short ones that a person reads as one group, side by side or below each other.

    - text "Total users" "2,500" "12%" "342 new this week"

Rule 1: only texts without a ref and without marks are joined, and only where no line stands between them.
Rule 2: a term of a description list begins a group, and what describes it follows.

Thresholds are chosen by hand; guarded by `tests/unit/render/test_redundancy.py` and the `tokens` suite.
"""

from __future__ import annotations

from collections.abc import Sequence

from perception.types import Element

MAX_JOINED = 60
"""Greatest length of a text that shares a line, characters: a caption, not a sentence."""

MAX_LINE = 120
"""Greatest length of all texts of a line, characters."""

LINE_GAP = 1.0
"""Greatest distance between a text and the one below it in a group, in heights of a text."""


def joins(texts: Sequence[Element], following: Element) -> bool:
    """Whether a text goes onto the line of the texts before it."""
    last = texts[-1]
    if not (_is_short(last) and _is_short(following)) or last.in_viewport != following.in_viewport:
        return False
    if sum(len(text.name) for text in texts) + len(following.name) > MAX_LINE:
        return False
    if following.is_term:
        return False
    return _is_beside(last, following) or _is_below(last, following, indented=texts[0].is_term)


def _is_short(text: Element) -> bool:
    marked = text.ref or text.value or text.states or text.scrollable or text.text
    return text.role == "text" and not marked and not text.interactive and len(text.name) <= MAX_JOINED


def _is_beside(before: Element, after: Element) -> bool:
    """Whether two texts stand in one row, in reading order of either direction."""
    one, two = before.box, after.box
    shared = min(one.bottom, two.bottom) - max(one.top, two.top)
    return shared > 0.5 * min(one.height, two.height)


def _is_below(before: Element, after: Element, *, indented: bool) -> bool:
    one, two = before.box, after.box
    gap = two.top - one.bottom
    is_near = -0.5 * one.height <= gap <= LINE_GAP * min(one.height, two.height)
    return is_near and (indented or min(one.right, two.right) > max(one.left, two.left))
