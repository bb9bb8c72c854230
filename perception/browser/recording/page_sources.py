"""The scripts and the data of the recorded pages: what says where the values of a request come from.

They are read when something is first done in a document, and again when a script sends something, as more scripts may
have come by then. What cannot be read in time is left out: a value that nothing explains is left to the page.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urldefrag

from perception.browser.cdp.cdp_link import CdpCallError, CdpSession, consume
from perception.browser.page.page_link import PageLink
from perception.browser.recording.injection import RECORDER_WORLD
from perception.browser.recording.network_log import Exchange
from perception.deadline import Deadline
from perception.errors import PerceptionError
from perception.subroutines.answers import parse_json
from perception.subroutines.ranking import MUTATING
from perception.subroutines.received import Received
from perception.subroutines.written_objects import Script

SOURCES_SECONDS = 3.0
"""How long one reading may take, beside the recorded task. Chosen by hand."""

MAX_SCRIPT = 2**22
"""Characters of a script that is read; a larger one is left out. Chosen by hand."""

MAX_SCRIPTS = 2**24
"""Characters of all scripts of a recording. Chosen by hand."""

MAX_DATA = 2**18
"""Characters of data that are read from one document. Chosen by hand."""

READINGS = 2
"""Requests after an action at which all scripts are read: further ones where another script sends. Chosen by hand."""

MAX_ANSWERS = 200
"""JSON answers that are kept, the first ones. Chosen by hand."""

PHASE = "reading the page's scripts"


class PageSources:
    """Scripts and data of the pages of one recording.

    Attributes:
        data: what stood in the documents.
        answers: when each JSON answer had come, seconds since 1970, and the answer.
    """

    def __init__(self, link: PageLink, own: str) -> None:
        """Begins without any.

        Args:
            link: the tab.
            own: a text of the scripts that the recording itself puts into the page.
        """
        self.data = Received()
        self.answers: list[tuple[float, Any]] = []
        self._link = link
        self._own = own
        self._scripts: dict[str, Script] = {}
        self._size = 0
        self._looked_at: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked: dict[str, int] = {}
        self._known: set[tuple[str, str]] = set()
        self._left = READINGS

    @property
    def scripts(self) -> tuple[Script, ...]:
        """Those that were read, each once."""
        return tuple(self._scripts.values())

    def note_input(self, session: CdpSession) -> None:
        """Something was done: the first time in a document, what it has is read."""
        self._left = READINGS
        loader = self._link.loader
        if loader not in self._looked_at:
            self._looked_at.add(loader)
            self._start(self._read_data(session))
            self._ask(session)

    def note_sent(self, exchange: Exchange) -> None:
        """A request was sent: what a script sent is explained by the scripts at that moment.

        Polls of known scripts are not followed: reading takes the page some milliseconds.
        """
        if exchange.method not in MUTATING or exchange.kind not in ("XHR", "Fetch", "Ping"):
            return
        is_known = {(exchange.session.session_id, each) for each in exchange.scripts} <= self._known
        if self._left > 0 or not is_known:
            self._left -= 1
            self._ask(exchange.session)

    def note_answer(self, exchange: Exchange, answer: Any) -> None:
        """A request was answered with JSON."""
        if len(self.answers) < MAX_ANSWERS:
            self.answers.append((exchange.ended_s, answer))

    async def finish(self, deadline: Deadline) -> None:
        """Waits for what is being read."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=deadline.share(SOURCES_SECONDS).remaining())

    def cancel(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="page-sources")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _ask(self, session: CdpSession) -> None:
        """Has the scripts of a session read: one reading at a time, and one more if it was asked for meanwhile."""
        waiting = self._asked.get(session.session_id, 0)
        self._asked[session.session_id] = min(waiting + 1, 2)
        if not waiting:
            self._start(self._read_asked(session))

    async def _read_asked(self, session: CdpSession) -> None:
        while self._asked[session.session_id]:
            with contextlib.suppress(PerceptionError, CdpCallError):  # the document is gone, or busy
                await self._read_scripts(session, Deadline.of(SOURCES_SECONDS))
            self._asked[session.session_id] -= 1

    async def _read_scripts(self, session: CdpSession, deadline: Deadline) -> None:
        """Reads the scripts that are not known yet. The debugger is on for that moment only, and never pauses."""
        parsed: list[dict[str, Any]] = []
        session.on("Debugger.scriptParsed", parsed.append)
        try:
            session.start("Debugger.setSkipAllPauses", skip=True).add_done_callback(consume)
            enabled = session.start("Debugger.enable")
            async with deadline.phase(PHASE):
                await enabled  # its answer comes after the events of the scripts that there are
            self._known |= {(session.session_id, str(each["scriptId"])) for each in parsed}
            new = [each for each in parsed if self._is_new(each)]
            async with deadline.phase(PHASE):
                replies = await asyncio.gather(
                    *(session.start("Debugger.getScriptSource", scriptId=each["scriptId"]) for each in new),
                    return_exceptions=True,
                )
        finally:
            with contextlib.suppress(ValueError):  # the session is gone
                session.off("Debugger.scriptParsed", parsed.append)
            session.start("Debugger.disable").add_done_callback(consume)
        for each, reply in zip(new, replies, strict=True):
            if isinstance(reply, dict):
                self._keep(each, str(reply["scriptSource"]))

    def _is_new(self, parsed: dict[str, Any]) -> bool:
        """Whether a script of the page's own world is not known yet, and may be read."""
        length = int(parsed.get("length", 0))
        is_page = parsed.get("executionContextAuxData", {}).get("isDefault", True)
        is_known = parsed.get("hash", "") in self._scripts
        if is_known or not is_page or length > MAX_SCRIPT or self._size + length > MAX_SCRIPTS:
            return False
        self._size += length
        return True

    def _keep(self, parsed: dict[str, Any], source: str) -> None:
        if self._own in source:
            return
        url = str(parsed.get("url", ""))
        is_placed = bool(parsed.get("startLine") or parsed.get("startColumn"))
        inline = is_placed or urldefrag(url).url == urldefrag(self._link.url).url
        self._scripts[str(parsed.get("hash", parsed["scriptId"]))] = Script(source, inline)

    async def _read_data(self, session: CdpSession) -> None:
        """Reads what stands in the top document as data."""
        deadline, frame = Deadline.of(SOURCES_SECONDS), self._link.main_frame
        try:
            world = await session.call(
                "Page.createIsolatedWorld", deadline, PHASE, frameId=frame, worldName=RECORDER_WORLD
            )
            reply = await session.call(
                "Runtime.evaluate",
                deadline,
                PHASE,
                expression=f"({_data_source()})({MAX_DATA})",
                contextId=world["executionContextId"],
                returnByValue=True,
            )
        except (PerceptionError, CdpCallError):
            return  # the document is gone, or busy
        found = reply["result"].get("value") or {}
        for key, value in found.get("pairs", ()):
            self.data.add(key, value)
        for text in found.get("json", ()):
            self.data.add_json(parse_json(text))


@cache
def _data_source() -> str:
    text = files(__package__).joinpath("page_data.js").read_text("utf-8")
    return text[text.index("(limit)") :].rstrip().rstrip(";")
