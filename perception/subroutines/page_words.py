"""The words of a page that was answered to a request: its texts, and what it complains about."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from lxml.html import HtmlElement

from perception.extract.tree import parse
from perception.subroutines.phrases import is_complaint

MAX_TEXTS = 4000
MAX_TEXT = 300
"""Characters of one text. Chosen by hand, as MAX_TEXTS."""

_HIDDEN = frozenset("script style template head noscript title option".split())
_LISTED = frozenset("li td th tr table ul ol dl a option select textarea".split())
_INLINE = frozenset(
    "a abbr b bdi bdo cite code em i kbd label mark q s samp small span strong sub sup time u var".split()
)
_TITLES = frozenset(("h1", "h2", "title"))

_STRICT = frozenset("error errorlist errornote invalid danger".split())
"""Classes of error messages in Django, Rails, Bootstrap, Laravel and WTForms."""


def html_texts(html: str) -> list[str]:
    """The text of every element with words, in document order; that of a row or an item as a whole, too."""
    return [text for element in _visible(parse(html)) if (text := _text(element)) and len(text) <= MAX_TEXT][:MAX_TEXTS]


def complaints_in(html: str, known: Collection[str], values: Sequence[str] = ()) -> list[str]:
    """Words of a refusal that were not on the page before; those in elements that are marked as errors first.

    Args:
        html: the answer.
        known: texts of the page before.
        values: what was entered, whose words do not count.
    """
    marked, plain = [], []
    for element in _visible(parse(html)):
        text = _text(element)
        if not text or len(text) > MAX_TEXT or text in known:
            continue
        words = set(re.split(r"[\s_-]+", (element.get("class") or "").lower()))
        is_message = element.get("role") in ("alert", "alertdialog", "status") or "alert" in words
        if (_STRICT & words and element.tag not in _FORM) or (is_message and is_complaint(text, values)):
            marked.append(text)
        elif _is_block(element) and is_complaint(text, values):
            plain.append(text)
    return list(dict.fromkeys(marked or plain))


def readable_words(html: str, *, is_html: bool) -> str:
    """What a short page says, such as an error page: its headings and paragraphs in one line; "" for none."""
    if not is_html:
        return " ".join(html.split())
    root = parse(html)
    title = " ".join("".join(each.itertext()) for each in root.iter("title"))
    blocks = [_text(each) for each in _visible(root) if _is_block(each)]
    said = [each for each in blocks if each]
    return "; ".join(dict.fromkeys(said)) or " ".join(title.split())


_FORM = frozenset("form fieldset section tr table body input select textarea button a".split())
"""Elements whose class may say `danger` or `error` and that are not messages: a button that deletes has it, too."""


def _visible(root: HtmlElement) -> list[HtmlElement]:
    """Elements that are not hidden by their tag or attributes."""
    found: list[HtmlElement] = []
    waiting = [root]
    while waiting:
        element = waiting.pop()
        style = (element.get("style") or "").replace(" ", "").lower()
        if not isinstance(element.tag, str) or element.tag in _HIDDEN or element.get("hidden") is not None:
            continue
        if "display:none" in style or "visibility:hidden" in style or element.get("aria-hidden") == "true":
            continue
        found.append(element)
        waiting.extend(reversed(element))
    return found


def _text(element: HtmlElement) -> str:
    parts = [str(part) for part in element.itertext()]
    return " ".join(" ".join(parts).split()) if element.tag in ("tr", "dl") else " ".join("".join(parts).split())


def _is_block(element: HtmlElement) -> bool:
    """Whether an element is one block of running text, outside lists, tables and links."""
    if element.tag in _INLINE or any(
        child.tag not in _INLINE | {"br", "wbr"} for child in element if isinstance(child.tag, str)
    ):
        return False
    return element.tag not in _LISTED and not any(
        each.tag in _LISTED - {"table", "tr"} for each in element.iterancestors()
    )
