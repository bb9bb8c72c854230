"""Downloads that began in a window that is not attached yet. Chromium is asked which browser context they belong to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from perception.browser.cdp.cdp_link import CdpSession

CLAIM_SECONDS = 5.0
"""After its end a download may still turn out to be ours. Chosen by hand."""

MAX_UNCLAIMED = 100
"""Downloads whose context is not known yet. Each is for about a millisecond. Chosen by hand."""


class UnclaimedDownloads:
    """What is reported of downloads until it is known whose they are."""

    def __init__(
        self,
        session: CdpSession,
        inbox: Path | None,
        is_ours: Callable[[str], bool],
        claim: Callable[[dict[str, Any], dict[str, Any] | None], None],
    ) -> None:
        """
        Args:
            inbox: folder that the browser writes our files to; None for a browser that runs elsewhere.
            is_ours: whether a browser context, by its id, is the one whose downloads are followed.
            claim: called with the events of each download that is ours: its beginning, and its last progress or None.
        """
        self._session = session
        self._inbox = inbox
        self._is_ours = is_ours
        self._claim = claim
        self._by_guid: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {}

    def __contains__(self, guid: str) -> bool:
        return guid in self._by_guid

    def add(self, begun: dict[str, Any]) -> None:
        """Takes a `Browser.downloadWillBegin`, and asks for the context of its frame. The oldest is dropped where there
        are too many."""
        if len(self._by_guid) >= MAX_UNCLAIMED:
            del self._by_guid[next(iter(self._by_guid))]
        guid = begun["guid"]
        self._by_guid[guid] = begun, None
        asked = self._session.start("Target.getTargetInfo", targetId=begun.get("frameId", ""))  # a top frame's id
        asked.add_done_callback(lambda done: self._take_answer(guid, done))

    def note_progress(self, moved: dict[str, Any]) -> None:
        """Takes a `Browser.downloadProgress`. A download whose file comes to our folder is ours."""
        guid = moved["guid"]
        self._by_guid[guid] = self._by_guid[guid][0], moved
        if moved["state"] == "completed" and self._inbox is not None and (self._inbox / guid).exists():
            self._hand_over(guid)
        elif moved["state"] != "inProgress":
            asyncio.get_running_loop().call_later(CLAIM_SECONDS, self._by_guid.pop, guid, None)

    def _take_answer(self, guid: str, asked: asyncio.Future[dict[str, Any]]) -> None:
        """A download of another context is dropped. One of a frame inside a window that is not attached has no answer:
        it is ours if its file comes to our folder."""
        if asked.cancelled() or asked.exception() is not None:
            return
        if self._is_ours(asked.result()["targetInfo"].get("browserContextId", "")):
            self._hand_over(guid)
        else:
            self._by_guid.pop(guid, None)

    def _hand_over(self, guid: str) -> None:
        if (known := self._by_guid.pop(guid, None)) is not None:
            self._claim(*known)
