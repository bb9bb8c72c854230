"""A snapshot as text: one element a line, in the page's words, within a token budget.

    - textbox "Email" [ref=e2]: "a@b.co" [required]
    - canvas "Sales chart" [ref=e9]
      - button "Zoom in" [ref=v2] [at=640,300]

Rule 1: a line is whole or not there. Rule 2: text that no person can see is not shown.
Rule 3: `max_tokens` is never exceeded; what ranks lower is left for the next page.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from perception.render.select import depths
from perception.render.tokens import count_tokens
from perception.types import Element

MAX_NAME = 500
"""Characters of a name or value on a line; JSON carries all of it. Longer ones are running text."""


@dataclass(frozen=True, slots=True)
class TextPage:
    """One page of text. `shown` are indices of the elements on it, `rest` how many come after it."""

    text: str
    token_count: int
    shown: tuple[int, ...]
    rest: int


def render_page(elements: Sequence[Element], max_tokens: int = 0, page: int = 0) -> TextPage:
    """The given page (from 0) of the text, each page within `max_tokens` (0: everything on one).

    An element whose line alone is over the budget is on no page, but counts as shown on none and in no `rest`.
    """
    lines = [_line(element, depth) for element, depth in zip(elements, depths(elements), strict=True)]
    listed = [index for index, line in enumerate(lines) if line]
    if not max_tokens:
        text = "".join(lines[index] for index in listed) if page == 0 else ""
        return TextPage(text, count_tokens(text), tuple(range(len(elements))) if page == 0 else (), 0)
    ranked = sorted(listed, key=lambda index: (_rank(elements[index]), index))
    costs = {index: count_tokens(lines[index]) for index in ranked}
    waiting = [index for index in ranked if costs[index] <= max_tokens]
    for _ in range(page):
        waiting = waiting[len(_fill(waiting, costs, max_tokens)) :]
    shown = sorted(_fill(waiting, costs, max_tokens))
    text = "".join(lines[index] for index in shown)
    return TextPage(text, count_tokens(text), tuple(shown), len(waiting) - len(shown))


def _fill(waiting: list[int], costs: dict[int, int], max_tokens: int) -> list[int]:
    """As many of the waiting, from the first on, as fit. Lines end where the encoding splits anyway, so their costs
    add up (o200k_base never joins tokens across a line break that follows a bracket or quote)."""
    total, taken = 0, 0
    for index in waiting:
        total += costs[index]
        if total > max_tokens:
            break
        taken += 1
    return waiting[:taken]


def _rank(element: Element) -> int:
    """What is served first: what can be acted on now, then what says where one is, then the rest."""
    if element.interactive and element.in_viewport and (element.reachable or not element.blocker):
        return 0 if "disabled" not in element.states else 1
    if element.role in ("heading", "dialog", "alertdialog", "alert", "status") and element.in_viewport:
        return 1
    return 2 if element.in_viewport else (3 if element.interactive else 4)


def _line(element: Element, depth: int) -> str:
    """The element's line, empty for what no person can see."""
    if not element.visible and not element.interactive:
        return ""
    parts = [f"{'  ' * depth}- {element.role}"]
    if element.name:
        parts.append(_quote(element.name))
    if element.ref:
        parts.append(f"[ref={element.ref}]")
    line = " ".join(parts)
    if element.value:
        line += f": {_quote(element.value)}"
    return line + "".join(f" [{mark}]" for mark in _marks(element)) + "\n"


def _marks(element: Element) -> list[str]:
    marks = list(element.states)
    if element.ref.startswith("v") and element.click_point is not None:
        marks.append(f"at={element.click_point.x:.0f},{element.click_point.y:.0f}")
    if element.interactive and element.in_viewport and not element.reachable and element.blocker:
        marks.append(f"covered by {element.blocker}")
    if element.hint and not element.name:
        marks.append(f"hint={element.hint}")
    if element.text and not element.ref.startswith("v") and element.role != "combobox":
        marks.append(f"reads {_quote(element.text)}")
    return marks


def _quote(text: str) -> str:
    """On one line and unambiguous, whatever the page says: JSON's escapes."""
    return json.dumps(text if len(text) <= MAX_NAME else text[: MAX_NAME - 1] + "…", ensure_ascii=False)
