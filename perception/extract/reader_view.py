"""Finds the main content of a page, as a reader view does.

The page's own markup counts first: its `main` landmark, or its only article. Otherwise it is the smallest element with
most of the page's running text, without navigation, footers and lists of links.

Thresholds that name no source are chosen by hand; guarded by `tests/unit/extract`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml.html import HtmlElement

from perception.extract.tree import parse, serialize

BULK = 0.4
"""Least share of a page's text, without AROUND, for a landmark to be the main content: some pages mark a part of it."""

MAIN_MOST = 0.8
"""Least share of the running text in the main content; the rest is in teasers, comments and notes."""

AROUND = ("nav", "header", "footer", "aside", "search", "dialog")
"""Landmarks that are not content."""

MAIN_LEAST = 0.4
"""Least share of running text in the letters of a page with a main content. Dashboards and tables of contents have
less: at 0.25 a chat box was the main content of AdminLTE's first page."""

LINKED = 0.6
"""Least share of a menu's letters that are in links."""

RUNNING = 40
"""Least letters of a line of running text; labels, buttons and dates are shorter."""

MUCH = 0.25
"""Share of the text from which an element is never dropped: a table of contents is a page of links."""

LINES = frozenset(("p", "li", "td", "pre"))
MENUS = frozenset(("div", "ul", "ol"))
MAIN_CONTAINERS = frozenset(("div", "article", "main"))

NOT_CONTENT = re.compile(
    r"\b(nav|navbar|menu|sidebar|side-?nav|footer|breadcrumbs?|toc|pagination|pager|related|share|social|cookie|consent|banner|"
    r"advert\w*|promo|newsletter|subscribe|toolbar)\b",
    re.I,
)
"""Words in class names and ids of elements around the content (from Readability and its ports)."""


@dataclass(frozen=True, slots=True)
class _Counts:
    """Numbers of characters in an element without white space.

    Attributes:
        all: all characters.
        linked: those in links.
        running: those of running text.
    """

    all: int
    linked: int
    running: int


def main_content(html: str) -> str:
    """The main content of clean HTML; all of it if no part is the main content."""
    root = parse(html)
    counts = _count(root)
    found = _landmark(root, counts)
    _drop_around(root if found is None else found, counts)
    if found is None:
        counts = _count(root)
        found = _densest(root, counts)
        _drop_menus(found, counts)
    return serialize(found)


def _count(root: HtmlElement) -> dict[HtmlElement, _Counts]:
    """Counts of every element. Running text is text outside links in lines of RUNNING letters or more."""
    counts: dict[HtmlElement, _Counts] = {}
    for element in reversed(list(root.iter())):
        inner = [counts[child] for child in element]
        every = _letters(element.text) + sum(
            each.all + _letters(child.tail) for each, child in zip(inner, element, strict=True)
        )
        linked = every if element.tag == "a" else sum(each.linked for each in inner)
        running = sum(each.running for each in inner)
        if element.tag in LINES and not running and every - linked >= RUNNING:
            running = every - linked
        counts[element] = _Counts(every, linked, running)
    return counts


def _letters(text: str | None) -> int:
    return len("".join(text.split())) if text else 0


def _landmark(root: HtmlElement, counts: dict[HtmlElement, _Counts]) -> HtmlElement | None:
    """The landmark of the main content, if it has enough of the page's text; else None."""
    own = counts[root].all - sum(counts[each].all for each in _outermost(root, AROUND))
    for tag in ("main", "article"):
        marked = _outermost(root, (tag,))
        if tag == "article" and len(marked) > 1:
            return None
        best = max(marked, key=lambda each: counts[each].all, default=None)
        if best is not None and counts[best].all and counts[best].all >= BULK * own:
            return best
    return None


def _outermost(root: HtmlElement, tags: tuple[str, ...]) -> list[HtmlElement]:
    """Elements with these tags that are in no other such element."""
    found: list[HtmlElement] = []
    stack = list(root)[::-1]
    while stack:
        element = stack.pop()
        if element.tag in tags:
            found.append(element)
        else:
            stack.extend(list(element)[::-1])
    return found


def _drop_around(root: HtmlElement, counts: dict[HtmlElement, _Counts]) -> None:
    """Drops landmarks around the content, unless they have most of the text."""
    for element in _outermost(root, AROUND):
        if counts[element].all < counts[root].all / 2:
            element.drop_tree()


def _densest(root: HtmlElement, counts: dict[HtmlElement, _Counts]) -> HtmlElement:
    """The smallest element with most of the running text; `root` if there is little running text."""
    whole = counts[root]
    best = root
    while whole.running >= MAIN_LEAST * whole.all:
        inner = max(
            (each for each in best if each.tag in MAIN_CONTAINERS), key=lambda each: counts[each].running, default=None
        )
        if inner is None or counts[inner].running == 0 or counts[inner].running < MAIN_MOST * whole.running:
            break
        best = inner
    return best


def _drop_menus(root: HtmlElement, counts: dict[HtmlElement, _Counts]) -> None:
    """Drops blocks of links, and blocks with the class of one, unless they have much of the text."""
    stack = list(root)
    while stack:
        element = stack.pop()
        count = counts[element]
        is_called = NOT_CONTENT.search(element.get("class", "")) is not None
        if element.tag not in MENUS or not (is_called or count.linked > LINKED * count.all):
            stack.extend(element)
        elif count.all < MUCH * counts[root].all:
            element.drop_tree()
