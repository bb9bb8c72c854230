"""Downloads of one session: into a folder of its own, up to a size, told one by one.

Rule 1: the page chooses neither where a file goes nor, but for its safe part, what it is called.
Rule 2: a file has a path only when it is complete.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from perception.browser.cdp import CdpLink, CdpSession, consume
from perception.budget import Budget

MAX_NAME = 120
"""Characters of a file's name: with a number in front it stays under the 255 bytes that file systems take."""

KEPT = 100
"""Downloads of a session that are remembered."""

_UNSAFE = re.compile(r"[^\w.\- ()\[\]]+")


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
        self, session: CdpSession, context_id: str, inbox: Path | None, kept_in: Path | None, max_bytes: int
    ) -> None:
        self._session = session
        self._context_id = context_id
        self._inbox = inbox
        self._kept_in = kept_in
        self._max_bytes = max_bytes
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
        budget: Budget,
    ) -> Downloads:
        """Takes a context's downloads over.

        Args:
            inbox: where the browser may write; None for a browser that runs elsewhere: then they are only told.
            kept_in: where a complete file is moved to; None: it stays in `inbox`.
        """
        phase = "preparing downloads"
        reply = await link.session().call("Target.attachToBrowserTarget", budget, phase)
        session = link.session(reply["sessionId"])
        downloads = cls(session, context_id, inbox, kept_in, max_bytes)
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
        self._by_guid[params["guid"]] = Download(params["url"], name)
        while len(self._by_guid) > KEPT:
            del self._by_guid[next(iter(self._by_guid))]

    def _moved(self, params: dict[str, Any]) -> None:
        guid, state = params["guid"], params["state"]
        known = self._by_guid.get(guid)
        if known is None or known.state is not DownloadState.IN_PROGRESS:
            return
        known = replace(known, size_bytes=int(params["receivedBytes"]))
        if max(known.size_bytes, int(params.get("totalBytes", 0))) > self._max_bytes:
            known = self._refuse(guid, known)
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
            path = await asyncio.to_thread(_keep_file, self._inbox / guid, self._kept_in or self._inbox, known.name)
            size = path.stat().st_size
        except OSError as exc:
            failure = f"could not be kept: {exc.strerror or type(exc).__name__}"
            self._tell(guid, replace(known, state=DownloadState.FAILED, failure=failure))
            return
        self._tell(guid, replace(known, state=DownloadState.COMPLETED, path=path, size_bytes=size))

    def _refuse(self, guid: str, known: Download) -> Download:
        cancel = self._session.start("Browser.cancelDownload", guid=guid, browserContextId=self._context_id)
        cancel.add_done_callback(consume)
        if self._inbox is not None:
            with suppress(OSError):
                (self._inbox / guid).unlink()
        limit = f"{self._max_bytes / 2**20:g} MiB"
        return replace(known, state=DownloadState.FAILED, failure=f"larger than the limit of {limit}")


def safe_name(suggested: str) -> str:
    """A file name from what a page suggests: no folders, no leading dots, not too long."""
    name = _UNSAFE.sub("_", suggested.replace("\\", "/").rsplit("/", 1)[-1]).strip(" .")
    stem, dot, ending = name.rpartition(".")
    if len(name) > MAX_NAME and dot and len(ending) < 16:
        name = stem[: MAX_NAME - len(ending) - 1] + dot + ending
    return name[:MAX_NAME] or "download"


def _free_path(folder: Path, name: str) -> Path:
    """A path that nothing has yet: the name, or with a number before its ending."""
    stem, suffix = os.path.splitext(name)
    path, count = folder / name, 1
    while path.exists():
        count += 1
        path = folder / f"{stem} ({count}){suffix}"
    return path


def _keep_file(source: Path, folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = _free_path(folder, name)
    shutil.move(source, path)
    return path
