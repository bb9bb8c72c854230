"""SessionService: sessions, navigation, tabs."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from perception.browser import navigate as nav
from perception.browser.cdp import CdpCallError
from perception.browser.session import Tab
from perception.budget import Budget
from perception.errors import (
    BadInputError,
    DeadlineError,
    NoDialogError,
    PageCrashedError,
    SessionLostError,
    UnknownSessionError,
)
from perception.server.calls import name_session, principal
from perception.server.convert import (
    WAITS,
    dialog_message,
    dialog_messages,
    known,
    lifetime_of,
    session_message,
    session_options,
    settle_message,
)
from perception.server.services.base import Rooms, tab_message
from perception.server.sessions import Session
from perception.v1 import session_service_pb2 as pb
from perception.v1 import types_pb2
from perception.v1.session_service_pb2_grpc import SessionServiceServicer

BUSY_SECONDS = 5.0
"""How long a page that has arrived may take to say its title: large applications are busy for a second or two as they
begin, longer where many programs want each core. One that is busy for longer hangs."""


class SessionRpcs(SessionServiceServicer):
    """See session_service.proto."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    async def CreateSession(self, request: pb.CreateSessionRequest, context: Any) -> pb.CreateSessionResponse:  # noqa: N802
        budget = self._rooms.budget(context)
        options = replace(session_options(request.options), conceal=self._rooms.vault.concealer(principal()))
        lifetime = lifetime_of(request.options, self._rooms.settings)
        if request.url:
            await self._rooms.sessions.policy.within(options.allowed_origins).check(request.url, budget)
        session = await self._rooms.sessions.create(options, lifetime, request.cdp_endpoint, request.request_id, budget)
        name_session(session.session_id)
        try:
            with session.lifetime.using():
                if request.url and session.browser.tab().link.commits == 0:
                    await self._go(session, "", request.url, nav.WaitUntil.SETTLED, budget)
                return pb.CreateSessionResponse(session=await self._describe(session, budget))
        except BaseException:  # a caller that went away, too: nobody would know of the session
            if not request.request_id:
                with contextlib.suppress(UnknownSessionError, SessionLostError):  # it is gone already
                    await self._rooms.sessions.close(session.session_id)
            raise

    async def GetSession(self, request: pb.GetSessionRequest, context: Any) -> pb.GetSessionResponse:  # noqa: N802
        session = self._rooms.sessions.get(request.session_id)
        return pb.GetSessionResponse(session=await self._describe(session, self._rooms.budget(context)))

    async def ListSessions(self, request: pb.ListSessionsRequest, context: Any) -> pb.ListSessionsResponse:  # noqa: N802
        budget = self._rooms.budget(context)
        alive = [session for session in self._rooms.sessions.mine if session.browser.alive]
        sessions = []
        for session in alive:
            with contextlib.suppress(SessionLostError):  # its browser has gone meanwhile
                sessions.append(await self._describe(session, budget))
        return pb.ListSessionsResponse(sessions=sessions)

    async def CloseSession(self, request: pb.CloseSessionRequest, context: Any) -> pb.CloseSessionResponse:  # noqa: N802
        await self._rooms.sessions.close(request.session_id)
        return pb.CloseSessionResponse()

    async def Navigate(self, request: pb.NavigateRequest, context: Any) -> pb.NavigateResponse:  # noqa: N802
        budget = self._rooms.budget(context)
        session = self._rooms.sessions.get(request.session_id)
        await session.policy.check(request.url, budget)
        result = await self._go(
            session, request.tab_id, request.url, known(WAITS, request.wait_until, "wait_until"), budget
        )
        return pb.NavigateResponse(result=result)

    async def GoBack(self, request: pb.GoBackRequest, context: Any) -> pb.GoBackResponse:  # noqa: N802
        wait = known(WAITS, request.wait_until, "wait_until")
        return pb.GoBackResponse(
            result=await self._move(request, context, lambda tab, budget: nav.go_history(tab.link, -1, wait, budget))
        )

    async def GoForward(self, request: pb.GoForwardRequest, context: Any) -> pb.GoForwardResponse:  # noqa: N802
        wait = known(WAITS, request.wait_until, "wait_until")
        return pb.GoForwardResponse(
            result=await self._move(request, context, lambda tab, budget: nav.go_history(tab.link, 1, wait, budget))
        )

    async def Reload(self, request: pb.ReloadRequest, context: Any) -> pb.ReloadResponse:  # noqa: N802
        wait, ignore_cache = known(WAITS, request.wait_until, "wait_until"), request.ignore_cache

        async def reload(tab: Tab, budget: Budget) -> nav.Settled:
            if not tab.link.crashed:
                return await nav.reload(tab.link, ignore_cache=ignore_cache, wait=wait, budget=budget)
            session = self._rooms.sessions.get(request.session_id)
            return await _open(session, tab, tab.link.url, wait, budget)

        return pb.ReloadResponse(result=await self._move(request, context, reload))

    async def ListTabs(self, request: pb.ListTabsRequest, context: Any) -> pb.ListTabsResponse:  # noqa: N802
        session = self._rooms.sessions.get(request.session_id)
        return pb.ListTabsResponse(tabs=await self._tabs(session, self._rooms.budget(context)))

    async def SelectTab(self, request: pb.SelectTabRequest, context: Any) -> pb.SelectTabResponse:  # noqa: N802
        budget = self._rooms.budget(context)
        session = self._rooms.sessions.get(request.session_id)
        tab = await session.browser.select(request.tab_id, budget)
        return pb.SelectTabResponse(tab=await tab_message(tab, session.browser.selected, budget))

    async def CloseTab(self, request: pb.CloseTabRequest, context: Any) -> pb.CloseTabResponse:  # noqa: N802
        budget = self._rooms.budget(context)
        session = self._rooms.sessions.get(request.session_id)
        await session.browser.close_tab(request.tab_id, budget)
        return pb.CloseTabResponse(tabs=await self._tabs(session, budget))

    async def HandleDialog(self, request: pb.HandleDialogRequest, context: Any) -> pb.HandleDialogResponse:  # noqa: N802
        budget = self._rooms.budget(context)
        session = self._rooms.sessions.get(request.session_id)
        open_ones = {each.dialog_id: each.tab_id for each in dialog_messages(session.browser.tabs)}
        told = f"open: {', '.join(open_ones) or 'none'}"
        wanted = request.dialog_id or next(iter(open_ones), "")
        if not wanted:
            raise NoDialogError("no dialog is open in this session: there is nothing to answer")
        if wanted not in open_ones:
            raise NoDialogError(
                f"dialog {request.dialog_id[:40]!r} is not open ({told}): name one that is, or none for the only one"
            )
        if not request.dialog_id and len(open_ones) > 1:
            raise BadInputError(f"several dialogs are open ({told}): name one in dialog_id", field="dialog_id")
        tab = session.browser.tab(open_ones[wanted])
        dialog = await tab.link.dialogs.answer(accept=request.accept, text=request.prompt_text, budget=budget)
        return pb.HandleDialogResponse(dialog=dialog_message(tab.tab_id, dialog))

    async def _go(
        self, session: Session, tab_id: str, url: str, wait: nav.WaitUntil, budget: Budget
    ) -> pb.NavigationResult:
        async with session.use_tab(tab_id, budget, leaving=True) as tab:
            before = tab.link.commits
            try:
                settled = await _open(session, tab, url, wait, budget)
            except PageCrashedError:
                if tab.link.commits != before:  # the new page did
                    raise
                settled = await _open(session, tab, url, wait, budget)
            return await self._arrived(session, tab, settled, budget)

    async def _move(
        self, request: Any, context: Any, move: Callable[[Tab, Budget], Awaitable[nav.Settled]]
    ) -> pb.NavigationResult:
        budget = self._rooms.budget(context)
        session = self._rooms.sessions.get(request.session_id)
        async with session.use_tab(request.tab_id, budget, leaving=True) as tab:
            return await self._arrived(session, tab, await move(tab, budget), budget)

    async def _arrived(self, session: Session, tab: Tab, settled: nav.Settled, budget: Budget) -> pb.NavigationResult:
        """Where the tab is now."""
        where = await tab_message(tab, session.browser.selected, budget)
        title, status = where.title, 0
        share = budget.share(BUSY_SECONDS)
        patient = share.remaining() > BUSY_SECONDS - 0.1
        try:
            title = (await tab.looker.place(share)).title
            status = await nav.http_status(tab.link, share)
        except DeadlineError:  # it came, and is too busy to say more: what the browser knows must do
            if patient:  # a caller in a hurry is no reason to end what a page is doing
                tab.link.rescue.unhang()
        except CdpCallError:  # it is on to another one already: `url` says where it was last
            pass
        return pb.NavigationResult(
            url=where.url,
            title=title,
            http_status=status,
            settle=settle_message(settled),
            tab_id=tab.tab_id,
        )

    async def _describe(self, session: Session, budget: Budget) -> pb.Session:
        return session_message(session, await self._tabs(session, budget))

    async def _tabs(self, session: Session, budget: Budget) -> list[types_pb2.Tab]:
        await session.browser.wait_for_tabs(0, budget)
        tabs = []
        for tab in session.browser.tabs:
            with contextlib.suppress(CdpCallError):  # it is closing
                tabs.append(await tab_message(tab, session.browser.selected, budget))
        return tabs


async def _open(session: Session, tab: Tab, url: str, wait: nav.WaitUntil, budget: Budget) -> nav.Settled:
    """Goes to a URL, in a new page where the tab's crashed."""
    if tab.link.crashed:
        await session.browser.revive(tab, budget)
    return await nav.navigate(tab.link, url, wait, budget)
