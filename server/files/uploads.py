"""Files that a client streams to the service, and that UploadFiles then gives to a page.

Rule 1: one message of each upload is in memory: the next is taken when the last was written.
Rule 2: an upload counts while it comes; one that fails leaves neither a file nor a count.
Rule 3: a file is where the browser can read it, and stays until the session closes, as pages read files at any time.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from perception.browser.browser_session import BrowserSession
from perception.browser.opening import run_in_thread
from perception.browser.page.file_transfer import MAX_NAME_BYTES, is_plain_name
from perception.deadline import Deadline
from perception.errors import BadInputError, SessionBusyError, UnknownUploadError, UploadLimitError
from perception.server.environment import how_to_set, variable_of

MAX_UPLOADS = 200
"""Streamed files of a session, so that small ones do not fill the disk with names. Chosen by hand."""

MAX_RUNNING = 8
"""Uploads of a session at once. Chosen by hand."""

SHOWN_IDS = 10
"""How many uploads an error lists."""


@dataclass(frozen=True, slots=True)
class StreamedUpload:
    """A file that was received.

    Attributes:
        upload_id: u1, u2, …
        path: where the browser reads it.
        size_bytes, sha256: of what was received.
    """

    upload_id: str
    path: Path
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class UploadHead:
    """What a client says of a file before it comes.

    Attributes:
        name: that the page will see.
        size_bytes: of the whole file; None where it is not known.
        sha256: hexadecimal; empty where it is not known.
    """

    name: str
    size_bytes: int | None
    sha256: str


class StreamedUploads:
    """The files that the client of one session has streamed."""

    def __init__(self, browser: BrowserSession) -> None:
        self._browser = browser
        self._by_id: dict[str, StreamedUpload] = {}
        self._last = 0
        self._running = 0

    def find(self, upload_id: str) -> StreamedUpload:
        """Raises UnknownUploadError: no upload has this id, or its file is gone."""
        found = self._by_id.get(upload_id)
        if found is None:
            listed = ", ".join(list(self._by_id)[-SHOWN_IDS:]) or "none"
            raise UnknownUploadError(
                f"no upload {upload_id[:40]!r}: this session has {listed}; StreamUpload receives a file",
                upload=upload_id[:40],
            )
        if not found.path.is_file():
            raise UnknownUploadError(
                f"the file of upload {upload_id} was removed on the service's disk: send it again", upload=upload_id
            )
        return found

    async def receive(self, head: UploadHead, parts: AsyncIterator[bytes], deadline: Deadline) -> StreamedUpload:
        """Takes a file to its end.

        Raises:
            BadInputError: its name is not plain, or it has another size or hash than its head says.
            UploadLimitError: the session takes no more.
            SessionBusyError: too many are under way.
            DeadlineError, SessionLostError
        """
        self._check(head)
        folder = self._browser.uploads.make_folder()
        if folder is None:
            raise BadInputError(
                "contents cannot be sent to a browser that was found running: use files of the upload directory"
            )
        self._running += 1
        receiving = _Receiving(self._browser, folder, head)
        try:
            await receiving.take_all(parts, deadline)
            self._last += 1
            done = receiving.finish(f"u{self._last}")
        except BaseException:
            receiving.remove()
            raise
        finally:
            self._running -= 1
        self._by_id[done.upload_id] = done
        return done

    def drop(self, upload: StreamedUpload) -> None:
        """Removes a file whose client never heard of its id."""
        if self._by_id.pop(upload.upload_id, None) is not None:
            self._browser.uploads.used_bytes -= upload.size_bytes
            shutil.rmtree(upload.path.parent.parent, ignore_errors=True)

    def _check(self, head: UploadHead) -> None:
        if not is_plain_name(head.name):
            raise BadInputError(
                f"{head.name[:60]!r} is not a plain file name: leave out folders and control characters, and use 1 to "
                f"{MAX_NAME_BYTES} bytes",
                field="name",
            )
        if head.size_bytes is not None and head.size_bytes < 0:
            raise BadInputError(f"size_bytes is {head.size_bytes}: give the file's size, or none", field="size_bytes")
        if (head.size_bytes or 0) > self._browser.uploads.left_bytes:
            raise limit_error(self._browser.uploads.max_bytes)
        if self._running >= MAX_RUNNING:
            raise SessionBusyError(
                f"{MAX_RUNNING} uploads of this session are under way: wait for one to end", limit=str(MAX_RUNNING)
            )
        if len(self._by_id) + self._running >= MAX_UPLOADS:
            raise UploadLimitError(
                f"this session has {MAX_UPLOADS} streamed files, which is as many as may be: open a new one",
                limit=str(MAX_UPLOADS),
            )


class _Receiving:
    """One file on its way, in a folder of its own."""

    def __init__(self, browser: BrowserSession, folder: Path, head: UploadHead) -> None:
        self._browser = browser
        self._folder = folder
        self._head = head
        place = folder / "0"  # ours: the browser's user reads in it, and does not write
        place.mkdir()
        place.chmod(0o755)
        self._path = place / head.name
        self._file = self._path.open("xb", buffering=0)
        self._digest = hashlib.sha256()
        self._size = 0

    async def take_all(self, parts: AsyncIterator[bytes], deadline: Deadline) -> None:
        while True:
            async with deadline.phase(f"receiving the file ({self._size} bytes came)"):
                part = await anext(parts, None)
            if part is None:
                break
            async with self._browser.uploads.counting:
                if len(part) > self._browser.uploads.left_bytes:
                    raise limit_error(self._browser.uploads.max_bytes)
                self._browser.uploads.used_bytes += len(part)
            self._size += len(part)
            if self._head.size_bytes is not None and self._size > self._head.size_bytes:
                raise self._other_size("at least ")
            await run_in_thread(self._write, part)
        if self._head.size_bytes not in (None, self._size):
            raise self._other_size("")

    def finish(self, upload_id: str) -> StreamedUpload:
        """Raises BadInputError where the file is another one than its client meant."""
        sha256 = self._digest.hexdigest()
        if self._head.sha256 and self._head.sha256.lower() != sha256:
            raise BadInputError(
                f"the file's SHA-256 is {sha256}, not {self._head.sha256[:80]!r}: send it again", field="sha256"
            )
        self._file.close()
        self._path.chmod(0o644)
        return StreamedUpload(upload_id, self._path, self._size, sha256)

    def remove(self) -> None:
        self._file.close()
        self._browser.uploads.used_bytes -= self._size
        shutil.rmtree(self._folder, ignore_errors=True)

    def _write(self, part: bytes) -> None:
        left = memoryview(part)
        while left:
            left = left[self._file.write(left) :]
        self._digest.update(part)

    def _other_size(self, least: str) -> BadInputError:
        return BadInputError(
            f"the file has {least}{self._size} bytes, not the {self._head.size_bytes} of size_bytes: send it again",
            field="size_bytes",
        )


def limit_error(max_bytes: int) -> UploadLimitError:
    """The error of a session that takes no more uploads."""
    setting, limit = "max_session_uploads_mib", f"{max_bytes / 2**20:g}"
    return UploadLimitError(
        f"the files are more than this session may upload, {limit} MiB in all: open a new one, or start the service "
        f"with more ({how_to_set(setting)})",
        limit=limit,
        setting=variable_of(setting),
    )
