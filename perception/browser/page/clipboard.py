"""The clipboard of a session, apart from the browser's, which is one for all sessions.

Rule 1: no page reads the browser's clipboard. Chromium refuses `navigator.clipboard` to every page of a session's
context, never lets a page paste by script, and is started so that the middle button pastes nothing; and the keys that
paste are sent without the browser's own command for them (`input/clipboard_keys`). So it does not matter what is in it.
Rule 2: what a page copies by itself waits in the page (`clipboard.js`) until it is collected.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import msgspec

from perception.browser.cdp.cdp_link import CdpCallError, CdpLink
from perception.browser.page.emulation import Emulation
from perception.browser.page.worlds import IsolatedWorlds
from perception.deadline import Deadline
from perception.errors import BrowserUnavailableError, DeadlineError, PageCrashedError, SessionLostError

MAX_CLIPBOARD = 2_000_000
"""Characters, plain text and HTML together."""

COLLECT_SECONDS = 1.0
"""How long one frame may take to say what it has copied. Chosen by hand."""


class Copied(msgspec.Struct, frozen=True):
    """What was copied.

    Attributes:
        text: plain text.
        html: the same as HTML; empty where there is none.
        at: when, ms since 1970; only to compare pages.
    """

    text: str = ""
    html: str = ""
    at: float = 0.0


class _Waiting(msgspec.Struct, frozen=True):
    """What waited in a page: what it copied last, and the permissions that it asked for."""

    copied: Copied | None = None
    asked: list[str] = []


ASKED = ("geolocation", "notifications", "camera", "microphone", "clipboard-read")
"""Permissions that the script sees a page ask for."""


@dataclass(slots=True, eq=False)
class SessionClipboard:
    """The clipboard of one session.

    Attributes:
        content: what was copied last.
        asked: permissions that pages have asked for since they were last taken.
        secret: name of the event that asks pages for what they have copied; they cannot guess it.
    """

    content: Copied = field(default_factory=Copied)
    asked: set[str] = field(default_factory=set)
    secret: str = field(default_factory=lambda: f"c{secrets.token_hex(12)}")

    async def serve(self, emulation: Emulation, deadline: Deadline) -> None:
        """Gives the pages of a tab their clipboard functions, now and in each new document."""
        await emulation.set_everywhere(
            "Page.addScriptToEvaluateOnNewDocument",
            deadline,
            source=f"({_source()})({self.secret!r}, {MAX_CLIPBOARD});",
            runImmediately=True,
        )

    async def collect(self, pages: Iterable[tuple[IsolatedWorlds, Iterable[str]]], deadline: Deadline) -> None:
        """Takes what pages have copied by themselves since they were last asked.

        Args:
            pages: the worlds of tabs, each with ids of frames.
        """
        share = deadline.share(COLLECT_SECONDS)
        asked = [self._take(worlds, frame, share) for worlds, frames in pages for frame in frames]
        self.receive(await asyncio.gather(*asked))

    def receive(self, answers: Iterable[str]) -> None:
        """Takes the answers of walkers that were asked what their pages have copied (`takeCopied`)."""
        found = [each for text in answers if (each := _decode(text)) is not None]
        copied = [each.copied for each in found if each.copied is not None]
        if copied:
            self.content = max(copied, key=lambda each: each.at)
        self.asked.update(name for each in found for name in each.asked if name in ASKED)

    def take_asked(self) -> list[str]:
        """The permissions that pages have asked for since the last call, in alphabetical order."""
        asked, self.asked = sorted(self.asked), set()
        return asked

    async def _take(self, worlds: IsolatedWorlds, frame: str, deadline: Deadline) -> str:
        """A frame that is gone, or hangs, has copied nothing."""
        with contextlib.suppress(CdpCallError, DeadlineError, PageCrashedError, SessionLostError):
            return await worlds.ask_text(frame, "takeCopied", deadline, "reading what was copied", self.secret)
        return "null"


def _decode(text: str) -> _Waiting | None:
    """A walker's answer; None for nothing, and for what a page has bent or made too long."""
    with contextlib.suppress(msgspec.DecodeError):
        taken = msgspec.json.decode(text, type=_Waiting | None)
        if taken is None or taken.copied is None or _fits(taken.copied):
            return taken
    return None


def _fits(copied: Copied) -> bool:
    return len(copied.text) + len(copied.html) <= MAX_CLIPBOARD


async def deny_clipboard(link: CdpLink, context_id: str, deadline: Deadline) -> None:
    """Has Chromium refuse its clipboard to the pages of a browser context.

    Raises:
        BrowserUnavailableError: it does not.
    """
    for name in ("clipboard-read", "clipboard-write"):
        for unsanitized in (False, True):
            permission = {"name": name} | ({"allowWithoutSanitization": True} if unsanitized else {})
            try:
                await link.session().call(
                    "Browser.setPermission",
                    deadline,
                    "closing the clipboard",
                    permission=permission,
                    setting="denied",
                    browserContextId=context_id,
                )
            except CdpCallError as exc:
                raise BrowserUnavailableError(
                    f"the browser does not keep its clipboard from pages: use Chromium 120 on, and try again ({exc})"
                ) from exc


@cache
def _source() -> str:
    text = files(__package__).joinpath("clipboard.js").read_text("utf-8")
    return text[text.index("(secret") :].rstrip().rstrip(";")
