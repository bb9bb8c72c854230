"""What a page shows before and after the recorded task: the evidence that it was done.

A look is taken when the recording starts, when a first value is entered into a document, and at the end. What is shown
at the end counts as new only where no look before showed it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine
from typing import Any

import msgspec

from perception.browser.capture.page_content import ContentOptions, read_content
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.recording.network_log import Exchange, NetworkLog
from perception.browser.tab import Tab
from perception.deadline import Deadline
from perception.errors import PerceptionError
from perception.subroutines.answer_shape import AnswerShape, shape_of
from perception.subroutines.answers import parse_json
from perception.subroutines.looks import Look, Seen, difference, look_of, widest
from perception.subroutines.result_rows import ResultPlace, learn_place
from perception.types import Engine, Scope

MAX_CHANGES = 200
"""Elements that appeared, or disappeared, that a recording keeps. Chosen by hand."""

LOOK_SECONDS = 3.0
"""How long a look beside the recorded task may take. Chosen by hand."""

MAX_CONTENT = 2**20
"""Characters of a page in which results are looked for. Chosen by hand."""

READING_SECONDS = 1.0
"""How long the end of a recording waits for answers that are being read. Chosen by hand."""

MAX_ANSWER_BYTES = 2**18
"""Largest answer whose shape is kept: longer ones are data."""


class PageChanges:
    """The looks of one recording.

    Attributes:
        results: where the page shows rows that came; known after `stop`.
    """

    def __init__(self, tab: Tab, on_answer: Callable[[Exchange, Any], None] = lambda exchange, answer: None) -> None:
        """Begins without a look; `on_answer` is called with each JSON answer that was read."""
        self._tab = tab
        self._on_answer = on_answer
        self._before: Look = Look()
        self._after: Look = Look()
        self.results = ResultPlace()
        self._content_before = ""
        self._looked_at: set[str] = set()
        self._answers: dict[Exchange, AnswerShape] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, deadline: Deadline) -> None:
        self._before = await self._look(deadline)
        self._content_before = await self._content(deadline)

    async def stop(self, deadline: Deadline, *, is_asked: bool) -> None:
        """Takes the last look, once what is being read has been read.

        Args:
            is_asked: something was requested since the first action; else rows that are new are not results.
        """
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=deadline.share(READING_SECONDS).remaining())
        self._after = await self._look(deadline)
        after = await self._content(deadline)
        if after:
            self.results = await asyncio.to_thread(learn_place, self._content_before, after, may_be_new=is_asked)

    def note_input(self, kind: str) -> None:
        """A value was entered: the first one into a document is a moment before the effect of the task."""
        loader = self._tab.link.loader
        if kind in ("type", "select") and loader not in self._looked_at:
            self._looked_at.add(loader)
            self._start(self._look_again())

    def note_rows(self, texts: Collection[str]) -> None:
        """Texts of rows that something was done in: they were shown then, also those that were scrolled to."""
        self._before = widest(self._before, Look({each: 1 for each in self._after if each.name in texts}))

    def note_answer(self, log: NetworkLog, exchange: Exchange) -> None:
        """Reads the shape of a JSON answer before its document goes."""
        is_data = exchange.kind in ("XHR", "Fetch", "Document", "WebSocket") and "json" in exchange.mime
        if is_data and not exchange.failed and exchange.size <= MAX_ANSWER_BYTES:
            self._start(self._read(log, exchange))

    def shape_of(self, exchange: Exchange) -> AnswerShape:
        return self._answers.get(exchange, AnswerShape())

    def appeared(self, mask: Callable[[str], str]) -> tuple[Seen, ...]:
        return _masked(difference(self._before, self._after), mask)

    def gone(self, mask: Callable[[str], str]) -> tuple[Seen, ...]:
        return _masked(difference(self._after, self._before), mask)

    def kept(self, entered: Collection[str]) -> tuple[Seen, ...]:
        """Fields that hold one of these values at the end."""
        found = (Seen(each.role, each.name, value=each.value) for each in self._after if each.value in entered)
        return tuple(dict.fromkeys(found))[:MAX_CHANGES]

    def results_masked(self, mask: Callable[[str], str]) -> ResultPlace:
        """Where the results are; none where its words are masked."""
        place = self.results
        texts = (*place.columns, place.heading)
        return place if all(mask(text) == text for text in texts) else ResultPlace()

    def shown(self, names: Collection[str]) -> tuple[tuple[str, str], ...]:
        """Role and name of the elements that appeared and have one of these names."""
        return tuple(
            sorted({(each.role, each.name) for each in difference(self._before, self._after) if each.name in names})
        )

    async def _look(self, deadline: Deadline) -> Look:
        capture = await self._tab.capturer.capture(
            engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, deadline=deadline
        )
        return look_of(capture.elements)

    async def _content(self, deadline: Deadline) -> str:
        """The page as clean HTML; empty where it cannot be read now, or is too long."""
        try:
            share = deadline.share(LOOK_SECONDS)
            content = await read_content(self._tab.link, None, ContentOptions(), share)
        except (PerceptionError, CdpCallError):
            return ""
        return content.html if len(content.html) <= MAX_CONTENT else ""

    async def _look_again(self) -> None:
        try:
            self._before = widest(self._before, await self._look(Deadline.of(LOOK_SECONDS)))
        except (PerceptionError, CdpCallError):
            return  # the page goes to another document, or is busy

    async def _read(self, log: NetworkLog, exchange: Exchange) -> None:
        try:
            answer = parse_json(await log.body_of(exchange, Deadline.of(LOOK_SECONDS)))
        except PerceptionError:
            return  # its document is gone
        self._answers[exchange] = shape_of(answer)
        self._on_answer(exchange, answer)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="page-changes")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _masked(seen: Collection[Seen], mask: Callable[[str], str]) -> tuple[Seen, ...]:
    return tuple(msgspec.structs.replace(each, name=mask(each.name)) for each in list(seen)[:MAX_CHANGES])
