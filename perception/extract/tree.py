"""Parses and serializes clean HTML."""

from __future__ import annotations

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, fromstring

ILLEGAL = dict.fromkeys([*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F, 0xFFFE, 0xFFFF])
"""Characters that XML, and therefore lxml, does not allow (XML 1.0 §2.2)."""


def parse(html: str) -> HtmlElement:
    """Parses HTML without a body element, at any depth; returns a `div` around all of it."""
    parser = HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True)
    text = f"<html><body><div>{html.translate(ILLEGAL)}</div></body></html>"
    root = fromstring(text.encode("utf-8", "replace"), parser=parser)
    body = root.find("body")
    assert body is not None
    holder = body[0]
    assert isinstance(holder, HtmlElement)
    return holder


def serialize(root: HtmlElement) -> str:
    """The element as HTML, without the text after it."""
    return str(etree.tostring(root, encoding="unicode", method="html", with_tail=False))
