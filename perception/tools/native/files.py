"""The tool for what a session downloaded, and for printing its page."""

from __future__ import annotations

from contextlib import aclosing
from typing import Annotated

from pydantic import Field

from perception.errors import BadInputError
from perception.interaction.answers import Answer, lines
from perception.interaction.report import download_line, file_chooser_line
from perception.interaction.session_state import SessionState
from perception.invisible import without_invisible
from perception.tools.arguments import InSession, Text
from perception.tools.tool import STEERS, Call, Tool


class FilesArguments(InSession):
    read: Text | None = None
    """id of a download: its text"""
    offset: Annotated[int | None, Field(ge=0)] = None
    """bytes to skip"""
    print: bool | None = None
    """the page, to a PDF"""
    pages: Text | None = None
    """such as 1-3"""


READ_BYTES = 40_000
"""Bytes of a text file that one answer shows: about 10,000 tokens. Chosen by hand."""


async def files(call: Call, given: FilesArguments) -> Answer:
    """Prints the page, reads a download, or lists what there is."""
    state = call.connection.session(given.session)
    if given.read is not None and given.print:
        raise BadInputError("files: read a download or print the page, not both", field="read")
    if given.offset is not None and given.read is None:
        raise BadInputError("files: offset is for read: name the download", field="offset")
    if given.pages is not None and not given.print:
        raise BadInputError("files: pages is for print: set print", field="pages")
    if given.read is not None:
        return Answer(await _read(state, given.read, given.offset or 0, call.timeout_s))
    if given.print:
        await state.page.pdf(page_ranges=given.pages or "", timeout_s=call.timeout_s)
    now = await state.page.state(timeout_s=call.timeout_s)
    return Answer(
        lines(
            *(download_line(state, each) for each in now.downloads),
            *(file_chooser_line(state, each) for each in now.file_choosers),
        )
        or "this session has no download and no open file chooser"
    )


async def _read(state: SessionState, download_id: str, offset: int, timeout_s: float) -> str:
    """A part of a text file, marked as the page's words."""
    data, size = b"", 0
    async with aclosing(state.page.read_download(download_id, offset, timeout_s=timeout_s)) as parts:
        async for part in parts:
            size = part.download.size_bytes or size
            data += part.data[: READ_BYTES - len(data)]
            if len(data) >= READ_BYTES:
                break
    if b"\0" in data:
        return f"download {download_id} is not text: {size} bytes"
    end = offset + len(data)
    more = f"{size - end} more bytes: read it with offset {end}" if end < size else ""
    return lines(
        state.fence.around(without_invisible(data.decode("utf-8", "replace"))) if data else "it is empty", more
    )


TOOLS = (
    Tool(
        "files",
        "Lists downloads, reads one that is text, or prints the page to a PDF.",
        FilesArguments,
        files,
        STEERS,
        is_default=False,
    ),
)
