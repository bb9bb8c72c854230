"""Downloads of one session: into a folder of its own, up to a size, told one by one.

Rule 1: the page chooses neither where a file goes nor, but for its safe part, what it is called.
Rule 2: a file has a path only when it is complete.
Rule 3: one that is not over is never forgotten: what nobody watches could grow without end.
"""

from __future__ import annotations

import asyncio
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from perception.browser.cdp import CdpLink, CdpSession, consume
from perception.browser.files import keep_file, safe_name
from perception.budget import Budget

KEPT = 100
"""Downloads of a session that are remembered."""

MAX_RUNNING = 10
"""Downloads of a session that run at once: as many as Chromium lets a page begin without asking, where it asks."""

MAX_COUNT = 1000
"""Downloads that a session may begin in all: a page that wants more fills the disk with names."""


class DownloadState(Enum):
    IN_PROGRESS = "in progress"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Download:
    """One file. `path` is None until it is complete, and for a browser that is not ours."""

    url: str
    name: str
    size_bytes: int = 0
    state: DownloadState = DownloadState.IN_PROGRESS
    path: Path | None = None
    failure: str = ""


class Downloads:
    """Made by `attach`."""

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
        session.on("Browser.downloadWillBegin", self._begun)
        session.on("Browser.downloadProgress", self._moved)

    @classmethod
    async def attach(
        cls,
        link: CdpLink,
        context_id: str,
        inbox: Path | None,
        kept_in: Path | None,
        max_bytes: int,
        max_total_bytes: int,
        budget: Budget,
    ) -> Downloads:
        """Takes a context's downloads over.

        Args:
            inbox: where the browser may write; None for a browser that runs elsewhere: then they are only told.
            kept_in: where a complete file is moved to; None: it stays in `inbox`.
            max_bytes: of one file; `max_total_bytes`: of all that the session loads.
        """
        phase = "preparing downloads"
        reply = await link.session().call("Target.attachToBrowserTarget", budget, phase)
        session = link.session(reply["sessionId"])
        downloads = cls(session, context_id, inbox, kept_in, max_bytes, max_total_bytes)
        behavior = {"behavior": "allowAndName", "downloadPath": str(inbox)} if inbox else {"behavior": "default"}
        await session.call(
            "Browser.setDownloadBehavior", budget, phase, browserContextId=context_id, eventsEnabled=True, **behavior
        )
        return downloads

    def since(self, count: int) -> tuple[Download, ...]:
        """Those that were begun after so many, as they are now."""
        begun = list(self._by_guid.values())
        return tuple(begun[max(0, len(begun) - (self.count - count)) :])

    async def wait(self, count: int, budget: Budget) -> None:
        """Until those that were begun after so many are done, or the budget is spent."""
        while any(each.state is DownloadState.IN_PROGRESS for each in self.since(count)) and not budget.spent():
            self.changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), budget.remaining())

    async def close(self) -> None:
        """Ends them, and removes what stayed in the inbox."""
        detached = self._session.link.session().start("Target.detachFromTarget", sessionId=self._session.session_id)
        detached.add_done_callback(consume)
        if self._inbox is not None:
            await asyncio.to_thread(shutil.rmtree, self._inbox, ignore_errors=True)

    def _begun(self, params: dict[str, Any]) -> None:
        self.count += 1
        name = safe_name(params.get("suggestedFilename", ""))
        guid = params["guid"]
        self._by_guid[guid] = Download(params["url"], name)
        running = sum(each.state is DownloadState.IN_PROGRESS for each in self._by_guid.values())
        if running > MAX_RUNNING:
            self._tell(guid, self._refuse(guid, self._by_guid[guid], f"more than {MAX_RUNNING} at once"))
        elif self.count > MAX_COUNT:
            self._tell(guid, self._refuse(guid, self._by_guid[guid], f"more than {MAX_COUNT} in one session"))
        over = [key for key, each in self._by_guid.items() if each.state is not DownloadState.IN_PROGRESS]
        for key in over[: max(0, len(self._by_guid) - KEPT)]:
            del self._by_guid[key]

    def _moved(self, params: dict[str, Any]) -> None:
        guid, state = params["guid"], params["state"]
        known = self._by_guid.get(guid)
        if known is None or known.state is not DownloadState.IN_PROGRESS:
            return
        known = replace(known, size_bytes=int(params["receivedBytes"]))
        self._by_guid[guid] = known
        size = max(known.size_bytes, int(params.get("totalBytes", 0)))
        if size > self._max_bytes:
            known = self._refuse(guid, known, f"larger than the limit of {self._max_bytes / 2**20:g} MiB")
        elif self._total(guid) + size > self._max_total_bytes:
            limit = f"{self._max_total_bytes / 2**20:g} MiB"
            known = self._refuse(guid, known, f"with it the session would go over its limit of {limit}")
        elif state == "canceled":
            known = replace(known, state=DownloadState.FAILED, failure="called off by the page or the network")
        elif state == "completed":
            task = asyncio.create_task(self._keep(guid, known), name="keep-download")
            self._keeping.add(task)
            task.add_done_callback(self._keeping.discard)
        self._tell(guid, known)

    def _tell(self, guid: str, known: Download) -> None:
        self._by_guid[guid] = known
        if known.state is not DownloadState.IN_PROGRESS:
            self.changed.set()

    async def _keep(self, guid: str, known: Download) -> None:
        if self._inbox is None:
            self._tell(guid, replace(known, state=DownloadState.COMPLETED))
            return
        try:
            folder = self._kept_in or self._inbox / "kept"
            path, size = await asyncio.to_thread(keep_file, self._inbox / guid, folder, known.name)
        except OSError as exc:
            failure = f"could not be kept: {exc.strerror or exc}"
            self._tell(guid, replace(known, state=DownloadState.FAILED, failure=failure))
            return
        self._done_bytes += size
        self._tell(guid, replace(known, state=DownloadState.COMPLETED, path=path, size_bytes=size))

    def _total(self, but: str) -> int:
        """Bytes of all others, as far as they have come."""
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
