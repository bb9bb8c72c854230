"""A PDF that is open in a tab: fetched again with the page's cookies, and read as HTML of headings, text and links."""

from __future__ import annotations

import base64
import tempfile
import time
from html import escape
from typing import IO
from urllib.parse import urldefrag

from perception.browser.browser_session import Tab
from perception.browser.capture.page_content import PageContent
from perception.browser.cdp.cdp_link import CdpCallError, consume
from perception.deadline import Deadline
from perception.errors import BadInputError, PdfUnreadableError
from perception.page_words import page_words
from perception.pdf import PdfText, read_pdf
from perception.types import Skipped

PART_BYTES = 2**20
"""Read at once; it comes in base64. Chosen by hand."""

_PHASE = "fetching the PDF"


async def read_pdf_tab(tab: Tab, scope_selector: str, max_bytes: int, deadline: Deadline) -> PageContent:
    """What a tab's PDF says.

    Args:
        scope_selector: must be empty: a PDF has no elements.
        max_bytes: limit of the file.

    Raises:
        BadInputError: there is a scope.
        PdfUnreadableError: it cannot be fetched again, is too large, encrypted or broken.
        DeadlineError
    """
    if scope_selector:
        raise BadInputError(
            "the tab shows a PDF, which has no elements: leave scope_selector out", field="scope_selector"
        )
    url = tab.link.url
    with tempfile.TemporaryFile() as file:
        await _fetch(tab, urldefrag(url).url, file, max_bytes, deadline)
        read = await read_pdf(file, deadline)
    first_unread = len(read.pages) + 1
    skipped = (Skipped(f"pages {first_unread} to {read.page_count}", read.unread),) if read.unread else ()
    return PageContent(_html(read), url, read.title, "text/html", time.time(), skipped)


async def _fetch(tab: Tab, url: str, file: IO[bytes], max_bytes: int, deadline: Deadline) -> None:
    """Fetches the document again as its page would: with its cookies, through the browser's cache and the same rules
    of what pages may reach."""
    session = tab.link.session
    options = {"disableCache": False, "includeCredentials": True}
    try:
        found = await session.call(
            "Network.loadNetworkResource", deadline, _PHASE, frameId=tab.link.main_frame, url=url, options=options
        )
    except CdpCallError as exc:
        raise PdfUnreadableError(f"the PDF at {page_words(url)} cannot be fetched again to be read") from exc
    resource = found["resource"]
    handle = resource.get("stream")
    if handle is None:
        why = resource.get("netErrorName") or f"HTTP {resource.get('httpStatusCode', 0)}"
        raise PdfUnreadableError(f"the PDF at {page_words(url)} cannot be fetched again to be read: {page_words(why)}")
    size = 0
    try:
        while True:
            part = await session.call("IO.read", deadline, _PHASE, handle=handle, size=PART_BYTES)
            data = base64.b64decode(part["data"]) if part.get("base64Encoded") else part["data"].encode()
            size += len(data)
            if size > max_bytes:
                raise PdfUnreadableError(
                    f"the PDF is larger than a download may be, {max_bytes / 2**20:g} MiB: it is not read"
                )
            file.write(data)
            if part.get("eof"):
                break
    finally:
        session.start("IO.close", handle=handle).add_done_callback(consume)
    file.flush()


def _html(read: PdfText) -> str:
    return "".join(
        f"<h2>Page {page.number} of {read.page_count}</h2>{_paragraphs(page.text)}{_list(page.links)}"
        for page in read.pages
    )


def _paragraphs(text: str) -> str:
    """Lines as they are; an empty one ends a paragraph."""
    blocks = "\n".join(line.strip() for line in text.splitlines()).split("\n\n")
    return "".join(f"<p>{escape(block.strip()).replace(chr(10), '<br>')}</p>" for block in blocks if block.strip())


def _list(links: tuple[tuple[str, str], ...]) -> str:
    """Links as a list below the text: where they stand in it PDFium does not say."""
    items = "".join(f'<li><a href="{escape(address)}">{escape(text or address)}</a></li>' for text, address in links)
    return f"<p>Links:</p><ul>{items}</ul>" if items else ""
