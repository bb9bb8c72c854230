"""Downloads of one session: into a folder of its own, limited in size, reported one by one.

Rule 1: the page does not choose the folder, and of the file's name only its safe part.
Rule 2: a file has a path only when it is complete.
Rule 3: a running download is never forgotten: without supervision it could grow without limit.
Rule 4: Chromium reports the downloads of all its contexts to each (156). Those of other contexts are ignored here.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog

from perception.browser.cdp.cdp_link import CdpLink, CdpSession, consume
from perception.browser.opening import await_opened, detach_from_target, run_in_thread
from perception.browser.page.download import FOLDER_REMOVED, Download, DownloadState
from perception.browser.page.file_transfer import NewFile, keep_file, safe_name, write_new_file
from perception.browser.page.unclaimed_downloads import UnclaimedDownloads
from perception.deadline import Deadline
from perception.errors import SessionLostError

log = structlog.get_logger(__name__)

KEPT_DOWNLOADS = 100
"""Downloads of a session that are remembered. Chosen by hand."""

MAX_RUNNING = 10
"""Downloads of a session that run at once: as many as Chromium lets a page start without asking its user."""

NO_FOLDER = "the browser runs elsewhere and the service has no --download-dir: there is no folder to save to"

MAX_COUNT = 1000
"""Downloads that a session may start in all: more would fill the disk with names. Chosen by hand."""


class Downloads:
    """The downloads of one browser context. Made by `attach`.

    Attributes:
        count: downloads that were started so far.
        changed: set when a download ends, and when the session does.
        is_closed: the session has ended.
    """

    def __init__(
        self,
        session: CdpSession,
        context_id: str,
        inbox: Path | None,
        kept_in: Path | None,
        max_bytes: int,
        max_total_bytes: int,
        owns_frame: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self._session = session
        self._context_id = context_id
        self._inbox = inbox
        self._kept_in = kept_in
        self._max_bytes = max_bytes
        self._max_total_bytes = max_total_bytes
        self._owns_frame = owns_frame
        self._unclaimed = UnclaimedDownloads(session, inbox, lambda context: context == self._context_id, self._claim)
        self._done_bytes = 0
        self._by_guid: dict[str, Download] = {}
        self.count = 0
        self.changed = asyncio.Event()
        self.is_closed = False
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
        owns_frame: Callable[[str], bool],
        deadline: Deadline,
    ) -> Downloads:
        """Takes over the downloads of a browser context.

        Args:
            inbox: folder that the browser writes to; None for a browser that runs elsewhere, whose downloads are only
                reported.
            kept_in: folder that complete files are moved to; None keeps them in `inbox`.
            max_bytes: limit of one file.
            max_total_bytes: limit of all files together.
            owns_frame: whether a frame, by its id, is known to be in a tab of the context.

        Raises:
            CdpCallError, DeadlineError, SessionLostError
        """
        phase = "preparing downloads"
        attaching = link.session().start("Target.attachToBrowserTarget")
        async with deadline.phase(phase):
            reply = await await_opened(attaching, lambda reply: detach_from_target(link.session(reply["sessionId"])))
        session = link.session(reply["sessionId"])
        downloads = cls(session, context_id, inbox, kept_in, max_bytes, max_total_bytes, owns_frame)
        try:
            await downloads.follow(context_id, deadline)
        except BaseException:
            detach_from_target(session)
            raise
        return downloads

    @property
    def context_id(self) -> str:
        """The browser context whose downloads these are."""
        return self._context_id

    async def follow(self, context_id: str, deadline: Deadline) -> None:
        """Takes over the downloads of another browser context, in place of one that is closed. Those that there are
        stay; what was in progress has failed.

        Raises:
            CdpCallError, DeadlineError, SessionLostError
        """
        for guid, each in list(self._by_guid.items()):
            if each.state is DownloadState.IN_PROGRESS and context_id != self._context_id:
                self._update(
                    guid, replace(each, state=DownloadState.FAILED, failure="a page hung, and was ended with it")
                )
        inbox = self._inbox
        behavior = {"behavior": "allowAndName", "downloadPath": str(inbox)} if inbox else {"behavior": "default"}
        await self._session.call(
            "Browser.setDownloadBehavior",
            deadline,
            "preparing downloads",
            browserContextId=context_id,
            eventsEnabled=True,
            **behavior,
        )
        self._context_id = context_id

    def since(self, count: int) -> tuple[Download, ...]:
        """The downloads after the first `count`, as they are now."""
        known = list(self._by_guid.values())
        return tuple(known[max(0, len(known) - (self.count - count)) :])

    def find(self, download_id: str) -> Download | None:
        """A download as it is now; the newest one for an empty id. None where there is none, or none any more."""
        known = list(self._by_guid.values())
        if not download_id:
            return known[-1] if known else None
        return next((each for each in known if each.download_id == download_id), None)

    async def wait_for(self, download_id: str, deadline: Deadline) -> Download | None:
        """A download once it has ended, as by `find`.

        Raises:
            DeadlineError: it was still in progress at the deadline.
            SessionLostError: the session ended meanwhile.
        """
        known = self.find(download_id)
        while known is not None and known.state is DownloadState.IN_PROGRESS:
            if self.is_closed:
                raise SessionLostError("the session ended while the download was in progress: create a new session")
            self.changed.clear()
            async with deadline.phase(f"waiting for download {known.download_id} to end"):
                await self.changed.wait()
            known = self.find(known.download_id)
        return known

    async def wait_begun(self, count: int, deadline: Deadline) -> None:
        """Waits until there are more than `count`, or the deadline is spent."""
        await self._wait_while(lambda: self.count <= count, deadline)

    async def wait(self, count: int, deadline: Deadline) -> None:
        """Waits until the downloads after the first `count` have ended, or the deadline is spent."""
        await self._wait_while(
            lambda: any(each.state is DownloadState.IN_PROGRESS for each in self.since(count)), deadline
        )

    async def _wait_while(self, is_so: Callable[[], bool], deadline: Deadline) -> None:
        while is_so() and not deadline.spent():
            self.changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), deadline.remaining())

    async def save(self, url: str, name: str, data: bytes) -> Download:
        """Writes a file of our own as a complete download, within the limits of downloads; a failed one says why."""
        self.count += 1
        guid = f"saved-{self.count}"
        known = Download(url, safe_name(name), len(data), download_id=f"d{self.count}")
        self._by_guid[guid] = await self._saved(guid, known, data)
        self._forget_ended()
        self.changed.set()
        return self._by_guid[guid]

    async def _saved(self, guid: str, known: Download, data: bytes) -> Download:
        folder = self._folder
        failure = self._excess(guid, len(data)) or self._missing_folder()
        if folder is None:
            failure = NO_FOLDER
        elif self.count > MAX_COUNT:
            failure = f"more than {MAX_COUNT} in one session"
        if failure or folder is None:
            return replace(known, state=DownloadState.FAILED, failure=failure)
        self._done_bytes += len(data)  # before it is written: another file must not use the same room
        try:
            writing = asyncio.to_thread(write_new_file, folder, known.name, data)
            path = await await_opened(writing, lambda path: asyncio.to_thread(path.unlink))
        except BaseException as exc:
            self._done_bytes -= len(data)
            if not isinstance(exc, OSError):
                raise
            return replace(known, state=DownloadState.FAILED, failure=f"could not be kept: {exc.strerror or exc}")
        return replace(known, state=DownloadState.COMPLETED, path=path)

    def adopt(self, name: str, path: Path, size_bytes: int) -> Download:
        """Lists a complete file of our own that is kept elsewhere. It counts for no limit, and stays at the end."""
        self.count += 1
        known = Download("", safe_name(name), size_bytes, DownloadState.COMPLETED, path, download_id=f"d{self.count}")
        self._by_guid[f"saved-{self.count}"] = known
        self._forget_ended()
        self.changed.set()
        return known

    async def receive(self, url: str, name: str, parts: AsyncIterator[bytes]) -> Download:
        """Writes a file of our own as it comes, within the limits of downloads; a failed one says why."""
        self.count += 1
        guid = f"saved-{self.count}"
        self._by_guid[guid] = known = Download(url, safe_name(name), download_id=f"d{self.count}")
        folder = self._folder
        failure = NO_FOLDER if folder is None else self._missing_folder()
        if folder is not None and self.count > MAX_COUNT:
            failure = f"more than {MAX_COUNT} in one session"
        try:
            if folder is not None and not failure:
                known = await self._received(guid, known, folder, parts)
            else:
                known = replace(known, state=DownloadState.FAILED, failure=failure)
        except BaseException:
            known = replace(known, state=DownloadState.FAILED, failure="cancelled")
            raise
        finally:
            self._update(guid, known)
            self._forget_ended()
        return known

    async def _received(self, guid: str, known: Download, folder: Path, parts: AsyncIterator[bytes]) -> Download:
        try:
            with closing(NewFile(folder, known.name)) as writing:
                async for part in parts:
                    size = known.size_bytes + len(part)
                    if failure := self._excess(guid, size):
                        return replace(known, state=DownloadState.FAILED, failure=failure)
                    known = replace(known, size_bytes=size)
                    self._by_guid[guid] = known
                    await run_in_thread(writing.write, part)
                known = replace(known, state=DownloadState.COMPLETED, path=writing.keep())
                self._done_bytes += known.size_bytes
                return known
        except OSError as exc:
            return replace(known, state=DownloadState.FAILED, failure=f"could not be kept: {exc.strerror or exc}")

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

    def _missing_folder(self) -> str:
        """Why no file of our own can be kept; empty where one can."""
        return self._removed_inbox() if self._kept_in is None else ""

    def _removed_inbox(self) -> str:
        """Why the browser can write no file any more; empty where it can."""
        if self._inbox is None or self._inbox.is_dir():
            return ""
        log.warning("the browser's folder was removed: downloads of its sessions fail")
        return f"{FOLDER_REMOVED}: create a new session"

    def _forget_ended(self) -> None:
        """Drops the oldest downloads that have ended, beyond those that are remembered."""
        ended = [key for key, each in self._by_guid.items() if each.state is not DownloadState.IN_PROGRESS]
        for key in ended[: max(0, len(self._by_guid) - KEPT_DOWNLOADS)]:
            del self._by_guid[key]

    async def close(self) -> None:
        """Ends all downloads, and removes the inbox."""
        self.is_closed = True
        self.changed.set()
        detach_from_target(self._session)
        if self._inbox is not None:
            await asyncio.to_thread(shutil.rmtree, self._inbox, ignore_errors=True)

    def _on_begin(self, params: dict[str, Any]) -> None:
        if self._owns_frame(params.get("frameId", "")):
            self._begin(params)
        else:
            self._unclaimed.add(params)

    def _claim(self, begun: dict[str, Any], moved: dict[str, Any] | None) -> None:
        """Takes a download that turned out to be ours, with the last report of its progress."""
        self._begin(begun)
        if moved is not None:
            self._on_progress(moved)

    def _begin(self, params: dict[str, Any]) -> None:
        self.count += 1
        name = safe_name(params.get("suggestedFilename", ""))
        guid = params["guid"]
        self._by_guid[guid] = Download(params["url"], name, download_id=f"d{self.count}")
        running = sum(each.state is DownloadState.IN_PROGRESS for each in self._by_guid.values())
        if running > MAX_RUNNING:
            self._update(guid, self._refuse(guid, self._by_guid[guid], f"more than {MAX_RUNNING} at once"))
        elif self.count > MAX_COUNT:
            self._update(guid, self._refuse(guid, self._by_guid[guid], f"more than {MAX_COUNT} in one session"))
        self._forget_ended()

    def _on_progress(self, params: dict[str, Any]) -> None:
        guid, state = params["guid"], params["state"]
        if guid in self._unclaimed:
            self._unclaimed.note_progress(params)
            return
        known = self._by_guid.get(guid)
        if known is None or known.state is not DownloadState.IN_PROGRESS:
            return
        known = replace(known, size_bytes=int(params["receivedBytes"]))
        self._by_guid[guid] = known
        size = max(known.size_bytes, int(params.get("totalBytes", 0)))
        if excess := self._excess(guid, size):
            known = self._refuse(guid, known, excess)
        elif state == "canceled":
            failure = self._removed_inbox() or "cancelled by the page or the network"
            known = replace(known, state=DownloadState.FAILED, failure=failure)
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
            failure = self._removed_inbox() or f"could not be kept: {exc.strerror or exc}"
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
