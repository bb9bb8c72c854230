"""The main content of a page: what a reader view keeps.

A page's own word counts first: its `main` landmark, or its only article. Else the smallest part of the page that still
holds most of its running text, without what is around it: navigation, footers, lists of links.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml.html import HtmlElement

from perception.extract.tree import parse, serialize

BULK = 0.4
"""Share of a page's text, what is around it apart, that makes a landmark its content: some pages mark a part of it."""

MOST = 0.8
"""Share of the running text that the main content holds; the rest is in teasers, comments and notes."""

AROUND = ("nav", "header", "footer", "aside", "search", "dialog")
"""Landmarks that are not content."""

LEAST = 0.4
"""Share of a page's letters that is running text in a page to be read. A dashboard or a table of contents has less, and
no part of it is the content: at 0.25 a chat box was that of AdminLTE's first page."""

LINKED = 0.6
"""Share of a block's letters in links that makes it a menu."""

RUNNING = 40
"""Letters of a line of running text; labels, buttons and dates are shorter."""

MUCH = 0.25
"""Share of the text that is not taken out, whatever it looks like: a table of contents is a page of links."""

LINES = frozenset(("p", "li", "td", "pre"))
MENUS = frozenset(("div", "ul", "ol"))
BLOCKS = frozenset(("div", "article", "main"))

NOT_CONTENT = re.compile(
    r"\b(nav|navbar|menu|sidebar|side-?nav|footer|breadcrumbs?|toc|pagination|pager|related|share|social|cookie|consent|banner|"
    r"advert\w*|promo|newsletter|subscribe|toolbar)\b",
    re.I,
)
"""Words in class names and ids of what is around content (those that Readability and its ports look for)."""


@dataclass(frozen=True, slots=True)
class _Counts:
    """Letters in an element, white space apart: all, those in links, and those of running text."""

    all: int
    linked: int
    running: int


def main_content(html: str) -> str:
    """The main content of clean HTML with outline; all of it where nothing in it is more than the rest."""
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
    """Counts of every element. Text runs in lines that are long enough, outside of links."""
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
    """The page's own main content, if it marks some that holds the bulk of its text."""
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
    """Elements of these tags that are in no other of them."""
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
    """Takes out what is around content, unless most of the text is in it."""
    for element in _outermost(root, AROUND):
        if counts[element].all < counts[root].all / 2:
            element.drop_tree()


def _densest(root: HtmlElement, counts: dict[HtmlElement, _Counts]) -> HtmlElement:
    """The smallest element that holds most of the running text; all where there is little of that."""
    whole = counts[root]
    best = root
    while whole.running >= LEAST * whole.all:
        inner = max((each for each in best if each.tag in BLOCKS), key=lambda each: counts[each].running, default=None)
        if inner is None or counts[inner].running == 0 or counts[inner].running < MOST * whole.running:
            break
        best = inner
    return best


def _drop_menus(root: HtmlElement, counts: dict[HtmlElement, _Counts]) -> None:
    """Takes out blocks of links, and what is called as such by its class, unless much of the text is in it."""
    stack = list(root)
    while stack:
        element = stack.pop()
        count = counts[element]
        is_called = NOT_CONTENT.search(element.get("class", "")) is not None
        if element.tag not in MENUS or not (is_called or count.linked > LINKED * count.all):
            stack.extend(element)
        elif count.all < MUCH * counts[root].all:
            element.drop_tree()
