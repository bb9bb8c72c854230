"""Saves a page's HTML into the session's downloads. The HTML itself is in no answer."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from perception.browser.capture.raw_html import RawHtml
from perception.browser.page.download import Download
from perception.browser.page.downloads import Downloads
from perception.secrets import Masker


async def save_raw_html(raw: RawHtml, downloads: Downloads, masker: Masker | None) -> Download:
    """Writes a document as a complete download, with secrets by name masked; a failed one says why.

    Args:
        masker: of the session's principal; None where it has no secrets.
    """
    data = await asyncio.to_thread(_encode, raw.html, masker)
    return await downloads.save(raw.url, f"{_stem(raw.url)}.html", data)


def _encode(html: str, masker: Masker | None) -> bytes:
    return (html if masker is None else masker.text(html)).encode(errors="replace")


def _stem(url: str) -> str:
    """The host of an address, which a person recognizes among other downloads."""
    return urlsplit(url).hostname or "page"
