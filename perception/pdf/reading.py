"""The text and links of a PDF, read in another process that ends with the deadline at the latest.

Rule 1: a file that crashes PDFium, hangs it or makes it grow costs its own reading, not the service.
Rule 2: what was read before the deadline is returned; what was not is said.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from perception.deadline import Deadline
from perception.errors import PdfUnreadableError

MAX_CHARACTERS = 5_000_000
"""Limit of the text that is read: about 1,500 full pages. Chosen by hand."""

MAX_MEMORY_BYTES = 2 * 2**30
"""Address space of the process. PDFium took 0.3 GiB for 1,000 pages of text. Chosen by hand."""

LINE_BYTES = 16 * 2**20
"""Limit of one page's answer; a longer one ends the reading."""


@dataclass(frozen=True, slots=True)
class PdfPage:
    """One page.

    Attributes:
        number: from 1.
        text: with its line ends.
        links: text and address of each.
    """

    number: int
    text: str
    links: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PdfText:
    """What was read of a PDF.

    Attributes:
        title: of its own; may be empty.
        page_count: of all.
        pages: those that were read, in order.
        unread: why pages after these were not read; empty where all were.
    """

    title: str
    page_count: int
    pages: tuple[PdfPage, ...]
    unread: str = ""


async def read_pdf(file: IO[bytes], deadline: Deadline) -> PdfText:
    """Reads a PDF from its beginning.

    Raises:
        PdfUnreadableError: it is encrypted, broken, or no PDF.
        DeadlineError: not even its first page was read in time.
    """
    file.seek(0)
    command = [sys.executable, "-I", str(Path(__file__).with_name("reader.py")), str(MAX_CHARACTERS)]
    process = await asyncio.create_subprocess_exec(
        *(*command, str(MAX_MEMORY_BYTES)),
        stdin=file,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=LINE_BYTES,
    )
    assert process.stdout is not None
    try:
        async with deadline.phase("reading the PDF"):
            head = await _line(process.stdout)
        if "pages" not in head:
            raise _unreadable(head.get("error", ""))
        pages: list[PdfPage] = []
        unread = ""
        try:
            async with asyncio.timeout(deadline.part(0.7).remaining()):
                while read := await _line(process.stdout):
                    links = tuple((text, address) for text, address in read["links"])
                    pages.append(PdfPage(read["page"], read["text"], links))
        except TimeoutError:
            unread = "the deadline was near: allow more time"
        if not pages and unread:
            raise deadline.error("reading the PDF")
        if len(pages) < head["pages"] and not unread:
            unread = _why_not_all(sum(len(page.text) for page in pages))
        return PdfText(head["title"], head["pages"], tuple(pages), unread)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _line(stream: asyncio.StreamReader) -> dict[str, Any]:
    """The next value; empty at the end, and after what is not a value."""
    try:
        return dict(json.loads(await stream.readuntil(b"\n")))
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
        return {}


def _why_not_all(characters: int) -> str:
    if characters >= MAX_CHARACTERS:
        return f"{MAX_CHARACTERS} characters were read, which is as many as may be"
    return "PDFium ended early: a page is broken, or needs more memory than it may have"


def _unreadable(error: str) -> PdfUnreadableError:
    if error == "encrypted":
        return PdfUnreadableError(
            "the PDF is encrypted and opens with a password only: its viewer asks for it, and screenshots show that"
        )
    return PdfUnreadableError("the PDF is broken, or no PDF: screenshots show what its viewer makes of it")
