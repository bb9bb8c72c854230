"""The main content of a page: what a reader view keeps.

A page's own word counts first: its `main` landmark, or its only article. Else the smallest part of the page that still
holds most of its running text, without what is around it: navigation, footers, lists of links.
"""

from __future__ import annotations

import re

from lxml.html import HtmlElement

from perception.extract.tree import drop, letters, parse, serialize

BULK = 0.4
"""Share of a page's text, what is around it apart, that makes a landmark its content: some pages mark a part of it."""

MOST = 0.8
"""Share of the running text that the main content holds; the rest is in teasers, comments and notes."""

AROUND = ("nav", "header", "footer", "aside", "search", "dialog")
"""Landmarks that are not content."""

LEAST = 0.25
"""Share of a page's letters, links apart, that is running text in a page to be read; a dashboard has less, and no part of it
is the content."""

LINKED = 0.6
"""Share of a block's letters in links that makes it a menu."""

RUNNING = 40
"""Letters of a line of running text; labels, buttons and dates are shorter."""

NOT_CONTENT = re.compile(
    r"\b(nav|navbar|menu|sidebar|side-?nav|footer|breadcrumbs?|toc|pagination|pager|related|share|social|cookie|consent|banner|"
    r"advert\w*|promo|newsletter|subscribe|toolbar)\b",
    re.I,
)
"""Words in class names and ids of what is around content (those that Readability and its ports look for)."""


def main_content(html: str) -> str:
    """The main content of clean HTML with outline; all of it where nothing in it is more than the rest."""
    root = parse(html)
    found = _landmark(root)
    if found is None:
        _drop_around(root)
        found = _densest(root)
        _drop_menus(found)
    else:
        _drop_around(found)
    return serialize(found)


def _landmark(root: HtmlElement) -> HtmlElement | None:
    """The page's own main content, if it marks some that holds the bulk of its text."""
    all_letters = letters(root) - sum(letters(each) for each in _outermost(root, AROUND))
    for tag in ("main", "article"):
        marked = _outermost(root, (tag,))
        if tag == "article" and len(marked) > 1:
            return None
        best = max(marked, key=letters, default=None)
        if best is not None and letters(best) >= BULK * all_letters:
            return best
    return None


def _outermost(root: HtmlElement, tags: tuple[str, ...]) -> list[HtmlElement]:
    found: list[HtmlElement] = []
    inside: set[HtmlElement] = set()
    for element in root.iter(*tags):
        if element is root:
            continue
        if not any(above in inside for above in element.iterancestors()):
            found.append(element)
        inside.add(element)
    return found


def _drop_around(root: HtmlElement) -> None:
    """Takes out what is around content, unless most of the text is in it."""
    for element in _outermost(root, AROUND):
        if letters(element) < letters(root) / 2:
            drop(element)


def _densest(root: HtmlElement) -> HtmlElement:
    """The smallest element that holds most of the running text."""
    weights = _running(root)
    best = root
    plain = letters(root) - sum(letters(link) for link in root.iter("a"))
    while weights[root] >= LEAST * plain:
        inner = max(
            (each for each in best if each.tag in ("div", "article", "main", "section")),
            key=weights.__getitem__,
            default=None,
        )
        if inner is None or weights[inner] == 0 or weights[inner] < MOST * weights[root]:
            break
        best = inner
    return best


def _running(root: HtmlElement) -> dict[HtmlElement, int]:
    """Letters of running text in each element: in lines that are long enough, and not in links."""
    weights: dict[HtmlElement, int] = {}
    for element in _leaves_first(root):
        own = sum(weights[child] for child in element)
        if element.tag in ("p", "li", "td", "pre", "blockquote") and not own:
            plain = letters(element) - sum(letters(link) for link in element.iter("a"))
            own = plain if plain >= RUNNING else 0
        weights[element] = own
    return weights


def _leaves_first(root: HtmlElement) -> list[HtmlElement]:
    return list(reversed(list(root.iter())))


def _drop_menus(root: HtmlElement) -> None:
    """Takes out blocks of links, and what is called as such by its class."""
    for element in [each for each in root.iter("div", "ul", "ol") if each is not root]:
        count = letters(element)
        linked = sum(letters(link) for link in element.iter("a"))
        is_called = NOT_CONTENT.search(element.get("class", "")) is not None
        if count and (linked > LINKED * count or (is_called and count < letters(root) / 4)):
            drop(element)
