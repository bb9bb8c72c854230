"""A download as a stream of parts.

Rule 1: one part is in memory for each reader, however slow that one is: the next is read when the last was taken.
Rule 2: the file is opened once, and read by its descriptor; what is not as long as it was has been changed, and is
an error.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from perception import host_os
from perception.browser.opening import await_opened, run_in_thread
from perception.browser.page.download import Download, DownloadState
from perception.browser.page.downloads import Downloads
from perception.deadline import Deadline
from perception.errors import BadInputError, DownloadFailedError, DownloadGoneError, UnknownDownloadError
from perception.page_words import page_words

PART_BYTES = 256 * 1024
"""Size of a part; each reader holds one. Chosen by hand: `perception bench run transfers` reads 470 MiB a second with
it."""

PREFIX_BYTES = 4 * 2**20
"""How much is hashed again at once before a read continues. Chosen by hand."""

SHOWN_IDS = 10
"""How many downloads an error lists."""


@dataclass(frozen=True, slots=True)
class FilePart:
    """A part of a file.

    Attributes:
        data: its bytes; empty only for an empty rest.
        offset: where they begin in the file.
        sha256: of the whole file, hexadecimal; empty for all parts but the last.
    """

    data: bytes
    offset: int
    sha256: str = ""


async def find_complete(downloads: Downloads, download_id: str, deadline: Deadline) -> Download:
    """A complete download that has a file; waits for one that is in progress.

    Raises:
        UnknownDownloadError: there is none; lists those that there are.
        DownloadFailedError: it was cancelled, or exceeded a limit.
        DownloadGoneError: its file is not on this machine.
        DeadlineError, SessionLostError
    """
    found = await downloads.wait_for(download_id, deadline)
    if found is None:
        raise _unknown(downloads, download_id)
    named = f"download {found.download_id} ({page_words(found.name)})"
    if found.state is DownloadState.FAILED:
        raise DownloadFailedError(f"{named} failed: {found.failure}", download=found.download_id)
    if found.path is None:
        raise DownloadGoneError(
            f"{named} is on the machine of its browser, which was found running: the service has no file of it",
            download=found.download_id,
        )
    return found


async def read_parts(download: Download, offset: int, deadline: Deadline) -> AsyncGenerator[FilePart, None]:
    """The parts of a complete download from an offset to its end; at least one.

    Raises:
        BadInputError: the offset is not in the file.
        DownloadGoneError: the file was removed or changed.
        DeadlineError
    """
    assert download.path is not None
    if not 0 <= offset <= download.size_bytes:
        raise BadInputError(
            f"offset {offset} is not in download {download.download_id}, which has {download.size_bytes} bytes: "
            "give less",
            field="offset",
        )
    digest = hashlib.sha256()
    try:
        descriptor = await await_opened(
            asyncio.to_thread(host_os.open_file, download.path), lambda late: asyncio.to_thread(os.close, late)
        )
    except OSError as exc:
        raise _gone(download) from exc
    try:
        at = 0
        while at < offset:
            at += len(await _next(descriptor, at, min(PREFIX_BYTES, offset - at), digest, download, deadline))
        while True:
            data = await _next(descriptor, at, min(PART_BYTES, download.size_bytes - at), digest, download, deadline)
            ends = at + len(data) == download.size_bytes
            if ends and os.fstat(descriptor).st_size != download.size_bytes:
                raise _gone(download)
            yield FilePart(data, at, digest.hexdigest() if ends else "")
            if ends:
                return
            at += len(data)
    finally:
        os.close(descriptor)


async def _next(
    descriptor: int, offset: int, size: int, digest: hashlib._Hash, download: Download, deadline: Deadline
) -> bytes:
    """The next bytes of the file, which are added to the digest. Raises DownloadGoneError where it has no more."""
    deadline.check(f"reading download {download.download_id} ({offset} of {download.size_bytes} bytes were sent)")

    def read() -> bytes:
        data = _read_at(descriptor, offset, size)
        digest.update(data)
        return data

    data = await run_in_thread(read)
    if not data and size:
        raise _gone(download)
    return data


def _read_at(descriptor: int, offset: int, size: int) -> bytes:
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, size)


def _gone(download: Download) -> DownloadGoneError:
    return DownloadGoneError(
        f"the file of download {download.download_id} ({page_words(download.name)}) was removed or changed on the "
        "service's disk: download it again",
        download=download.download_id,
    )


def _unknown(downloads: Downloads, download_id: str) -> UnknownDownloadError:
    there = [each.download_id for each in downloads.since(0)]
    listed = ", ".join(there[-SHOWN_IDS:])
    if not there:
        return UnknownDownloadError("this session has no download: click what starts one first")
    return UnknownDownloadError(
        f"no download {download_id[:40]!r}: this session has {'… ' if len(there) > SHOWN_IDS else ''}{listed}",
        download=download_id[:40],
    )
