"""A stream of a person's input: each event goes to the page in order, and is acknowledged when the page has it.

Rule 1: events do not wait for each other's acknowledgements; at most MAX_ON_THEIR_WAY are without one.
Rule 2: an event that fails is acknowledged with its error, and the next one goes on. Only the end of the lease, of the
session, or of the tab's browser ends the stream.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from typing import Any

from perception.browser.browser_session import Tab
from perception.browser.cdp.cdp_link import CdpCallError, consume
from perception.deadline import Deadline
from perception.errors import BadInputError, DialogOpenError, LeaseExpiredError, PerceptionError
from perception.server.control.turn import Turn, TurnEnd
from perception.server.convert.control import decode_input
from perception.server.convert.sessions import dialog_message, file_chooser_message
from perception.server.sessions.session import Session
from perception.v1 import control_service_pb2 as pb

MAX_ON_THEIR_WAY = 64

EVENT_SECONDS = 5.0
"""How long a page may take for an event: one that takes longer hangs, or works hard. Chosen by hand."""

BREAK_SECONDS = 0.1
"""How much later than the end of its requests a call may be cancelled that breaks off: gRPC (1.7x) tells of both, in
this order, a few ms apart. Waited for only while something is down. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class _Sent:
    """An event that was sent: what is done when the page has it, or why it was not sent."""

    number: int
    tab: Tab | None
    taken: asyncio.Future[dict[str, Any]] | None = None
    error: str = ""


class InputStream:
    """One stream of the person who has control."""

    def __init__(self, session: Session, turn: Turn) -> None:
        self._session = session
        self._turn = turn
        self._sent: asyncio.Queue[_Sent | None] = asyncio.Queue(MAX_ON_THEIR_WAY)
        self._over = asyncio.create_task(turn.over.wait(), name="turn-over")

    async def run(
        self, first: pb.SendInputRequest, rest: AsyncIterator[pb.SendInputRequest]
    ) -> AsyncGenerator[pb.SendInputResponse, None]:
        """Sends the events, and yields their acknowledgements.

        Raises:
            LeaseExpiredError: the lease has ended, or an event shows another one.
            BadInputError: an event names another session.
            PerceptionError: the session has ended.
        """
        reading = asyncio.create_task(self._read(first, rest), name="read-input")
        is_whole = False
        try:
            while (sent := await self._next(reading)) is not None:
                yield await self._acknowledge(sent)
            if self._session.person.is_holding:
                await asyncio.sleep(BREAK_SECONDS)
            is_whole = True
        finally:
            reading.cancel()
            self._over.cancel()
            try:
                await asyncio.gather(reading, self._over, return_exceptions=True)
            finally:  # its caller leaves, and the service stops
                if not is_whole and self._turn.summary is None:
                    await self._session.person.lift_all()

    async def _read(self, first: pb.SendInputRequest, rest: AsyncIterator[pb.SendInputRequest]) -> None:
        await self._sent.put(await self._send(first))
        async for request in rest:
            if request.session_id not in ("", self._session.session_id):
                raise BadInputError("one stream is for one session: open another one", field="session_id")
            if request.lease_id and not self._turn.is_proved_by(request.lease_id):
                raise LeaseExpiredError("this lease has ended, or is not of this session: take control again")
            await self._sent.put(await self._send(request))
        await self._sent.put(None)

    async def _send(self, request: pb.SendInputRequest) -> _Sent:
        tab = None
        try:
            tab = self._session.browser.tab(request.tab_id)
            event = decode_input(request)
            if event is None:
                return _Sent(request.number, tab)
            self._turn.acts += 1
            self._session.person.note(event)
            taken = await self._session.person.of_tab(tab).send(event, Deadline.of(EVENT_SECONDS))
            taken.add_done_callback(consume)
            return _Sent(request.number, tab, taken)
        except PerceptionError as exc:
            return _Sent(request.number, tab, error=str(exc))

    async def _next(self, reading: asyncio.Task[None]) -> _Sent | None:
        """The next event; None where there are no more."""
        getting = asyncio.ensure_future(self._sent.get())
        try:
            waiting: set[asyncio.Future[Any]] = {getting, reading, self._over}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if self._over.done():
                self._check_turn()
                return None
            if not getting.done():
                reading.result()  # it has failed
            return await getting
        finally:
            getting.cancel()

    def _check_turn(self) -> None:
        """Raises where the turn did not end by its holder's own release."""
        if self._turn.summary is None:
            return
        self._session.control.check_open()
        if self._turn.summary.end is TurnEnd.EXPIRED:
            raise LeaseExpiredError("the lease has ended: take control again, and renew it in time (RenewControl)")

    async def _acknowledge(self, sent: _Sent) -> pb.SendInputResponse:
        error, tab = sent.error, sent.tab
        if sent.taken is not None and tab is not None:
            error = await self._wait(sent.taken, tab)
        response = pb.SendInputResponse(number=sent.number, error=error)
        if tab is not None and (dialog := tab.link.dialogs.open) is not None:
            response.dialog.CopyFrom(dialog_message(tab.tab_id, dialog))
        if tab is not None and (chooser := tab.link.file_choosers.open) is not None:
            response.file_chooser.CopyFrom(file_chooser_message(tab.tab_id, chooser))
        return response

    async def _wait(self, taken: asyncio.Future[dict[str, Any]], tab: Tab) -> str:
        """Until the page has an event, or the event has opened a dialog. Returns what went wrong; empty for nothing."""
        try:
            async with tab.link.dialogs.interrupting():
                if tab.link.dialogs.open is None:
                    waiting: set[asyncio.Future[Any]] = {taken, self._over}
                    await asyncio.wait(waiting, timeout=EVENT_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        except DialogOpenError:
            return ""
        if not taken.done():
            is_told = self._over.done() or tab.link.dialogs.open is not None
            return "" if is_told else f"the page did not take the event within {EVENT_SECONDS:g} s: it is busy or hangs"
        error = taken.exception()
        if error is None:
            return ""
        return (
            str(error)
            if isinstance(error, PerceptionError) and not isinstance(error, CdpCallError)
            else ("the browser refused the event, or its tab was closed")
        )
