"""Downloads of one session: into a folder of its own, limited in size, reported one by one.

Rule 1: the page does not choose the folder, and of the file's name only its safe part.
Rule 2: a file has a path only when it is complete.
Rule 3: a running download is never forgotten: without supervision it could grow without limit.
"""

from __future__ import annotations

import asyncio
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from perception.browser.cdp.cdp_link import CdpLink, CdpSession, consume
from perception.browser.page.file_transfer import keep_file, safe_name, write_new_file
from perception.deadline import Deadline

KEPT_DOWNLOADS = 100
"""Downloads of a session that are remembered. Chosen by hand."""

MAX_RUNNING = 10
"""Downloads of a session that run at once: as many as Chromium lets a page start without asking its user."""

MAX_COUNT = 1000
"""Downloads that a session may start in all: more would fill the disk with names. Chosen by hand."""


class DownloadState(Enum):
    IN_PROGRESS = "in progress"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Download:
    """One download.

    Attributes:
        url: where it comes from.
        name: a safe file name, from the page's suggestion.
        size_bytes: received so far.
        state: whether it runs, is complete or failed.
        path: the complete file; None until then, and for a browser that is not ours.
        failure: why it failed; empty otherwise.
    """

    url: str
    name: str
    size_bytes: int = 0
    state: DownloadState = DownloadState.IN_PROGRESS
    path: Path | None = None
    failure: str = ""


class Downloads:
    """The downloads of one browser context. Made by `attach`.

    Attributes:
        count: downloads that were started so far.
        changed: set when a download ends.
    """

    def __init__(
        self,
        session: CdpSession,
        context_id: str,
        inbox: Path | None,
        kept_in: Path | None,
        max_bytes: int,
        max_total_bytes: int,
    ) -> None:
        self._session = session
        self._context_id = context_id
        self._inbox = inbox
        self._kept_in = kept_in
        self._max_bytes = max_bytes
        self._max_total_bytes = max_total_bytes
        self._done_bytes = 0
        self._by_guid: dict[str, Download] = {}
        self.count = 0
        self.changed = asyncio.Event()
        self._keeping: set[asyncio.Task[None]] = set()
        session.on("Browser.downloadWillBegin", self._on_begin)
        session.on("Browser.downloadProgress", self._on_progress)

    @classmethod
    async def attach(
        cls,
        link: CdpLink,
        context_id: str,
        inbox: Path | None,
        kept_in: Path | None,
        max_bytes: int,
        max_total_bytes: int,
        deadline: Deadline,
    ) -> Downloads:
        """Takes over the downloads of a browser context.

        Args:
            inbox: folder that the browser writes to; None for a browser that runs elsewhere, whose downloads are only
                reported.
            kept_in: folder that complete files are moved to; None keeps them in `inbox`.
            max_bytes: limit of one file.
            max_total_bytes: limit of all files together.

        Raises:
            CdpCallError, DeadlineError, SessionLostError
        """
        phase = "preparing downloads"
        reply = await link.session().call("Target.attachToBrowserTarget", deadline, phase)
        session = link.session(reply["sessionId"])
        downloads = cls(session, context_id, inbox, kept_in, max_bytes, max_total_bytes)
        behavior = {"behavior": "allowAndName", "downloadPath": str(inbox)} if inbox else {"behavior": "default"}
        await session.call(
            "Browser.setDownloadBehavior", deadline, phase, browserContextId=context_id, eventsEnabled=True, **behavior
        )
        return downloads

    def since(self, count: int) -> tuple[Download, ...]:
        """The downloads after the first `count`, as they are now."""
        known = list(self._by_guid.values())
        return tuple(known[max(0, len(known) - (self.count - count)) :])

    async def wait(self, count: int, deadline: Deadline) -> None:
        """Waits until the downloads after the first `count` have ended, or the deadline is spent."""
        while any(each.state is DownloadState.IN_PROGRESS for each in self.since(count)) and not deadline.spent():
            self.changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), deadline.remaining())

    async def save(self, url: str, name: str, data: bytes) -> Download:
        """Writes a file of our own as a complete download, within the limits of downloads; a failed one says why."""
        self.count += 1
        guid = f"saved-{self.count}"
        self._by_guid[guid] = await self._saved(guid, Download(url, safe_name(name), len(data)), data)
        self._forget_ended()
        self.changed.set()
        return self._by_guid[guid]

    async def _saved(self, guid: str, known: Download, data: bytes) -> Download:
        folder = self._folder
        failure = self._excess(guid, len(data))
        if folder is None:
            failure = "the browser runs elsewhere and the service has no --download-dir: there is no folder to save to"
        elif self.count > MAX_COUNT:
            failure = f"more than {MAX_COUNT} in one session"
        if failure or folder is None:
            return replace(known, state=DownloadState.FAILED, failure=failure)
        self._done_bytes += len(data)  # before it is written: another file must not use the same room
        try:
            path = await asyncio.to_thread(write_new_file, folder, known.name, data)
        except OSError as exc:
            self._done_bytes -= len(data)
            return replace(known, state=DownloadState.FAILED, failure=f"could not be kept: {exc.strerror or exc}")
        return replace(known, state=DownloadState.COMPLETED, path=path)

    @property
    def _folder(self) -> Path | None:
        """Where complete files are; None for a browser that runs elsewhere, without a folder of ours."""
        return self._kept_in or (self._inbox / "kept" if self._inbox is not None else None)

    def _excess(self, guid: str, size: int) -> str:
        """Which limit a file of this size exceeds; empty for none."""
        if size > self._max_bytes:
            return f"larger than the limit of {self._max_bytes / 2**20:g} MiB (PERCEPTION_MAX_DOWNLOAD_MIB)"
        if self._total(guid) + size > self._max_total_bytes:
            return (
                f"with it the session would exceed its limit of {self._max_total_bytes / 2**20:g} MiB "
                "(PERCEPTION_MAX_SESSION_DOWNLOADS_MIB)"
            )
        return ""

    def _forget_ended(self) -> None:
        """Drops the oldest downloads that have ended, beyond those that are remembered."""
        ended = [key for key, each in self._by_guid.items() if each.state is not DownloadState.IN_PROGRESS]
        for key in ended[: max(0, len(self._by_guid) - KEPT_DOWNLOADS)]:
            del self._by_guid[key]

    async def close(self) -> None:
        """Ends all downloads, and removes the inbox."""
        detached = self._session.link.session().start("Target.detachFromTarget", sessionId=self._session.session_id)
        detached.add_done_callback(consume)
        if self._inbox is not None:
            await asyncio.to_thread(shutil.rmtree, self._inbox, ignore_errors=True)

    def _on_begin(self, params: dict[str, Any]) -> None:
        self.count += 1
        name = safe_name(params.get("suggestedFilename", ""))
        guid = params["guid"]
        self._by_guid[guid] = Download(params["url"], name)
        running = sum(each.state is DownloadState.IN_PROGRESS for each in self._by_guid.values())
        if running > MAX_RUNNING:
            self._update(guid, self._refuse(guid, self._by_guid[guid], f"more than {MAX_RUNNING} at once"))
        elif self.count > MAX_COUNT:
            self._update(guid, self._refuse(guid, self._by_guid[guid], f"more than {MAX_COUNT} in one session"))
        self._forget_ended()

    def _on_progress(self, params: dict[str, Any]) -> None:
        guid, state = params["guid"], params["state"]
        known = self._by_guid.get(guid)
        if known is None or known.state is not DownloadState.IN_PROGRESS:
            return
        known = replace(known, size_bytes=int(params["receivedBytes"]))
        self._by_guid[guid] = known
        size = max(known.size_bytes, int(params.get("totalBytes", 0)))
        if excess := self._excess(guid, size):
            known = self._refuse(guid, known, excess)
        elif state == "canceled":
            known = replace(known, state=DownloadState.FAILED, failure="cancelled by the page or the network")
        elif state == "completed":
            task = asyncio.create_task(self._keep(guid, known), name="keep-download")
            self._keeping.add(task)
            task.add_done_callback(self._keeping.discard)
        self._update(guid, known)

    def _update(self, guid: str, known: Download) -> None:
        self._by_guid[guid] = known
        if known.state is not DownloadState.IN_PROGRESS:
            self.changed.set()

    async def _keep(self, guid: str, known: Download) -> None:
        if self._inbox is None:
            self._update(guid, replace(known, state=DownloadState.COMPLETED))
            return
        try:
            folder = self._kept_in or self._inbox / "kept"
            path, size = await asyncio.to_thread(keep_file, self._inbox / guid, folder, known.name)
        except OSError as exc:
            failure = f"could not be kept: {exc.strerror or exc}"
            self._update(guid, replace(known, state=DownloadState.FAILED, failure=failure))
            return
        self._done_bytes += size
        self._update(guid, replace(known, state=DownloadState.COMPLETED, path=path, size_bytes=size))

    def _total(self, but: str) -> int:
        """Bytes of all other downloads, of running ones what was received so far."""
        running = (
            each.size_bytes
            for guid, each in self._by_guid.items()
            if guid != but and each.state is DownloadState.IN_PROGRESS
        )
        return self._done_bytes + sum(running)

    def _refuse(self, guid: str, known: Download, failure: str) -> Download:
        cancel = self._session.start("Browser.cancelDownload", guid=guid, browserContextId=self._context_id)
        cancel.add_done_callback(consume)
        if self._inbox is not None:
            with suppress(OSError):
                (self._inbox / guid).unlink()
        return replace(known, state=DownloadState.FAILED, failure=failure)
