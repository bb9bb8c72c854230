"""A page as a PDF: Chromium prints it, and hands it over in parts."""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from perception.browser.cdp.cdp_link import CdpCallError, consume
from perception.browser.opening import await_opened
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.errors import BadInputError, PageChangingError, PerceptionError

MM_PER_INCH = 25.4
"""Chromium counts in inches."""

PART_BYTES = 2**20
"""Read of the finished PDF at once; it comes in base64. Chosen by hand."""

AGAIN_SECONDS = 0.05
"""Until a page that is being printed is tried again. Chosen by hand."""

MAX_RANGES = 2000
"""Characters of the page ranges."""

_RANGES = re.compile(r"\s*(\d*\s*-\s*\d+|\d+\s*-|\d+)\s*(,\s*(\d*\s*-\s*\d+|\d+\s*-|\d+)\s*)*")

_PHASE = "printing the page"


@dataclass(frozen=True, slots=True)
class PdfOptions:
    """How a page is printed.

    Attributes:
        width_mm, height_mm: of the sheet, upright.
        landscape: turns the sheet.
        margins_mm: top, right, bottom, left.
        page_ranges: `1-3, 5`; empty for all.
        background: prints backgrounds.
        scale: of the content.
        prefer_css_page_size: the page's own size decides, where it has one.
    """

    width_mm: float
    height_mm: float
    landscape: bool
    margins_mm: tuple[float, float, float, float]
    page_ranges: str
    background: bool
    scale: float
    prefer_css_page_size: bool


def check_ranges(ranges: str) -> None:
    """Raises BadInputError for what names no pages."""
    if ranges and (len(ranges) > MAX_RANGES or not _RANGES.fullmatch(ranges)):
        raise BadInputError(
            f"page_ranges {ranges[:60]!r} names no pages: write them as in 1-3, 5, 8-", field="options.page_ranges"
        )


async def print_pdf(page: PageLink, options: PdfOptions, deadline: Deadline) -> AsyncGenerator[bytes, None]:
    """The PDF of the page that a tab shows, in parts.

    Raises:
        BadInputError: the page has no such pages, or no room is left between the margins.
        PageChangingError: Chromium cannot print the page now.
        DeadlineError, PageCrashedError, SessionLostError
    """
    handle = await _print(page, options, deadline)
    try:
        while True:
            part = await page.session.call("IO.read", deadline, _PHASE, handle=handle, size=PART_BYTES)
            yield base64.b64decode(part["data"]) if part.get("base64Encoded") else part["data"].encode("latin-1")
            if part.get("eof"):
                break
    finally:
        _close_stream(page, handle)


async def take_prints(page: PageLink, deadline: Deadline) -> int:
    """How often the top document has begun to print since this was last asked: by `window.print()`, or by `print_pdf`.
    0 for a page that is going."""
    with suppress(CdpCallError):
        return await page.ask(page.main_frame, "takePrints", deadline, "asking what the page prints") or 0
    return 0


async def _print(page: PageLink, options: PdfOptions, deadline: Deadline) -> str:
    """The handle of a stream of the PDF. Where something prints the page already, such as the page itself, its end is
    waited for."""
    top, right, bottom, left = (each / MM_PER_INCH for each in options.margins_mm)
    while True:
        try:
            printing = page.session.start(
                "Page.printToPDF",
                transferMode="ReturnAsStream",
                paperWidth=options.width_mm / MM_PER_INCH,
                paperHeight=options.height_mm / MM_PER_INCH,
                landscape=options.landscape,
                marginTop=top,
                marginRight=right,
                marginBottom=bottom,
                marginLeft=left,
                pageRanges=options.page_ranges,
                printBackground=options.background,
                scale=options.scale,
                preferCSSPageSize=options.prefer_css_page_size,
            )
            async with deadline.phase(_PHASE):
                printed = await await_opened(printing, lambda printed: _close_stream(page, printed["stream"]))
        except CdpCallError as exc:
            if "already being printed" not in str(exc):
                raise _refusal(exc, options) from exc
            async with deadline.phase(_PHASE):
                await asyncio.sleep(AGAIN_SECONDS)
        else:
            return str(printed["stream"])


def _close_stream(page: PageLink, handle: str) -> asyncio.Future[dict[str, Any]]:
    closing = page.session.start("IO.close", handle=handle)
    closing.add_done_callback(consume)
    return closing


def _refusal(error: CdpCallError, options: PdfOptions) -> PerceptionError:
    said = str(error).lower()
    if "range" in said:
        return BadInputError(
            f"the page has no pages {options.page_ranges[:60]!r}: leave page_ranges out to print all",
            field="options.page_ranges",
        )
    if "margin" in said or "paper" in said or "content area" in said:
        return BadInputError(
            "no room for the page is left between the margins: use smaller ones, or a larger paper",
            field="options.margins",
        )
    return PageChangingError(
        "Chromium cannot print this page: it is empty, being replaced, closing, or no document. Wait for it, and print "
        f"again ({error})"
    )
