"""The dialogs of one recorded tab, and how each was answered."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from perception.browser.cdp.cdp_link import CdpSession
from perception.browser.page.dialogs import BEFOREUNLOAD
from perception.subroutines.masking import RecordingMasker, sounds_secret
from perception.subroutines.recording import Event, Target

STAYED = "the answer that the page is not left: a replay leaves it"


class DialogLog:
    """Makes an event of each answered dialog. The question before a page is left makes none: replays accept it."""

    def __init__(
        self,
        session: CdpSession,
        vault: RecordingMasker,
        url: Callable[[], str],
        take: Callable[[Event], None],
        leave_out: Callable[[str], None],
    ) -> None:
        self._vault = vault
        self._url = url
        self._take = take
        self._leave_out = leave_out
        self._open: tuple[float, dict[str, Any]] | None = None
        session.on("Page.javascriptDialogOpening", self._on_opening)
        session.on("Page.javascriptDialogClosed", self._on_closed)

    def _on_opening(self, params: dict[str, Any]) -> None:
        self._open = (time.time() * 1000, params)

    def _on_closed(self, params: dict[str, Any]) -> None:
        if self._open is None:
            return
        (at_ms, opened), self._open = self._open, None
        kind, accepted = opened["type"], bool(params["result"])
        if kind == BEFOREUNLOAD:
            if not accepted:
                self._leave_out(STAYED)
            return
        target = Target(kind, self._vault.mask_text(opened["message"]))
        url = self._vault.mask_url(self._url())
        if kind == "prompt" and accepted:
            text = str(params.get("userInput", ""))
            is_secret = sounds_secret(target.name)
            value = self._vault.give(target.name, text, "secret") if is_secret else self._vault.mask_text(text)
            self._take(Event("prompt", at_ms, url, target, value, secret="password" if is_secret else ""))
        else:
            self._take(Event("dialog", at_ms, url, target, accepted))
