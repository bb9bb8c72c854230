"""SessionService: sessions, navigation, tabs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from perception.browser.browser_session import Tab
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.network.upstream import UpstreamProxy
from perception.browser.page import navigation as nav
from perception.browser.page.file_choosers import FileChooser
from perception.browser.page.recovery import MOST_SLOWDOWN, PATIENT_SECONDS
from perception.browser.page.thread_load import CrowdMeter
from perception.deadline import Deadline
from perception.engine.request import SnapshotOptions
from perception.errors import (
    DeadlineError,
    DialogOpenError,
    PageCrashedError,
    SessionLostError,
    UnknownSessionError,
)
from perception.page_words import plain_words
from perception.server.actions.effects import AFTERMATH_SECONDS
from perception.server.actions.idempotency import run_once
from perception.server.auth.upstream_proxies import session_upstream
from perception.server.convert.request_keys import request_key
from perception.server.convert.sessions import (
    decode_wait,
    dialog_message,
    download_message,
    file_chooser_message,
    lifetime_of,
    place_session,
    session_message,
    session_options,
    tab_message,
    tab_name,
    user_tab_of,
)
from perception.server.convert.snapshots import check_defaults, settle_message, snapshot_options
from perception.server.convert.states import logins_of, marked_notes
from perception.server.convert.video_options import decode_video_options
from perception.server.rpc_call import name_session, principal
from perception.server.services.devices import DeviceRpcs
from perception.server.services.session_state import SessionStateRpcs
from perception.server.sessions.kept_snapshots import KeptSnapshots
from perception.server.sessions.open_prompts import answer_prompt
from perception.server.sessions.session import Session
from perception.server.sessions.tabs import TabSummary, read_tab
from perception.v1 import session_service_pb2 as pb
from perception.v1.perception_service_pb2 import SnapshotOptions as SnapshotOptionsMessage
from perception.video import VideoOptions, require_encoder

BUSY_SECONDS = 5.0
"""How long a page that has arrived may take to say its title: large applications are busy for a second or two as they
begin. One that is busy for longer hangs, and has as much longer as it gets less of a crowded machine."""


class SessionRpcs(DeviceRpcs, SessionStateRpcs):
    """See session_service.proto."""

    async def CreateSession(self, request: pb.CreateSessionRequest, context: Any) -> pb.CreateSessionResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        options = replace(session_options(request.options), conceal=self._service.secret_store.concealer(principal()))
        options = replace(options, user_tab=user_tab_of(request))
        options = replace(options, upstream=await self._upstream(request.options))
        lifetime = lifetime_of(request.options, self._service.settings)
        defaults = self._snapshot_defaults(request.options.snapshot_defaults)
        logins = logins_of(request.options, options.allowed_origins)
        video = await self._video(request.options)
        if request.url:
            await self._service.sessions.policy.within(options.allowed_origins).check(request.url, deadline)
        session = await self._service.sessions.create(
            options, lifetime, request.cdp_endpoint, request_key(request), deadline, logins
        )
        name_session(session.session_id)
        if defaults is not None:
            session.shown.snapshots.defaults = defaults
        try:
            with session.lifetime.using():
                if video is not None and session.videos.whole is None:
                    session.videos.whole = video
                    await session.videos.start("", video)
                if request.url and session.browser.tab().link.commits == 0:
                    with contextlib.suppress(DialogOpenError):  # the page is there, behind its dialog, which is listed
                        await self._go(session, "", request.url, nav.WaitUntil.SETTLED, deadline)
                return pb.CreateSessionResponse(
                    session=await self._describe(session, deadline),
                    state_omitted=marked_notes(session.state_omitted),
                )
        except BaseException:  # a caller that went away, too: nobody would know of the session
            if not request.request_id:
                with contextlib.suppress(UnknownSessionError, SessionLostError):  # it is gone already
                    await self._service.sessions.close(session.session_id)
            raise

    async def _upstream(self, given: pb.SessionOptions) -> tuple[UpstreamProxy, ...]:
        """The proxy that the client names. Raises as `session_upstream`, and OriginBlockedError for a private one."""
        if not given.HasField("upstream_proxy"):
            return ()
        asked = given.upstream_proxy
        proxy = session_upstream(asked.url, asked.secret, self._service.secret_store, principal())
        blocked, _ = await proxy.lead(self._service.sessions.policy)
        if blocked is not None:
            raise blocked.error()
        return (proxy,)

    async def _video(self, given: pb.SessionOptions) -> VideoOptions | None:
        """How the whole session is filmed; None for not at all. Raises BadInputError and VideoUnavailableError."""
        if not given.HasField("video"):
            return None
        options = decode_video_options(given.video, "options.video")
        await asyncio.to_thread(require_encoder, options.format)
        return options

    def _snapshot_defaults(self, given: SnapshotOptionsMessage) -> SnapshotOptions | None:
        """How the session looks by default; None where its client does not say. Raises as `snapshot_options`."""
        if not given.ListFields():
            return None
        check_defaults(given)
        for name in given.detectors:
            self._service.registry.get(name)
        return snapshot_options(given, KeptSnapshots(), tuple(given.detectors))

    async def GetSession(self, request: pb.GetSessionRequest, context: Any) -> pb.GetSessionResponse:  # noqa: N802
        session = self._service.sessions.get(request.session_id)
        return pb.GetSessionResponse(session=await self._describe(session, self._service.deadline(context)))

    async def ListSessions(self, request: pb.ListSessionsRequest, context: Any) -> pb.ListSessionsResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        alive = [session for session in self._service.sessions.mine if session.browser.alive]
        sessions = []
        for session in alive:
            with contextlib.suppress(SessionLostError):  # its browser has gone meanwhile
                sessions.append(await self._describe(session, deadline))
        return pb.ListSessionsResponse(sessions=sessions)

    async def CloseSession(self, request: pb.CloseSessionRequest, context: Any) -> pb.CloseSessionResponse:  # noqa: N802
        kept = await self._service.sessions.close(request.session_id)
        return pb.CloseSessionResponse(
            profile_error=plain_words(kept.error), profile_omitted=marked_notes(kept.omitted)
        )

    async def Navigate(self, request: pb.NavigateRequest, context: Any) -> pb.NavigateResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        if self._service.settings.trust_named_hosts:
            session.allow_host_of(request.url)
        await session.policy.check(request.url, deadline)
        result = await self._go(session, request.tab_id, request.url, decode_wait(request.wait_until), deadline)
        return pb.NavigateResponse(result=result)

    async def GoBack(self, request: pb.GoBackRequest, context: Any) -> pb.GoBackResponse:  # noqa: N802
        wait = decode_wait(request.wait_until)
        return pb.GoBackResponse(
            result=await self._move(
                request, context, lambda tab, deadline: nav.go_history(tab.link, -1, wait, deadline)
            )
        )

    async def GoForward(self, request: pb.GoForwardRequest, context: Any) -> pb.GoForwardResponse:  # noqa: N802
        wait = decode_wait(request.wait_until)
        return pb.GoForwardResponse(
            result=await self._move(request, context, lambda tab, deadline: nav.go_history(tab.link, 1, wait, deadline))
        )

    async def Reload(self, request: pb.ReloadRequest, context: Any) -> pb.ReloadResponse:  # noqa: N802
        wait, ignore_cache = decode_wait(request.wait_until), request.ignore_cache

        async def reload(tab: Tab, deadline: Deadline) -> nav.Settled:
            if not tab.link.crashed:
                return await nav.reload(tab.link, ignore_cache=ignore_cache, wait=wait, deadline=deadline)
            session = self._service.sessions.get(request.session_id)
            return await _open(session, tab, tab.link.url, wait, deadline)

        return pb.ReloadResponse(result=await self._move(request, context, reload))

    async def ListTabs(self, request: pb.ListTabsRequest, context: Any) -> pb.ListTabsResponse:  # noqa: N802
        session = self._service.sessions.get(request.session_id)
        return pb.ListTabsResponse(
            tabs=[tab_message(each) for each in await _read_tabs(session, self._service.deadline(context))]
        )

    async def SelectTab(self, request: pb.SelectTabRequest, context: Any) -> pb.SelectTabResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        tab = await session.browser.select(request.tab_id, deadline)
        return pb.SelectTabResponse(tab=tab_message(await read_tab(tab, session.browser.selected, deadline)))

    async def CloseTab(self, request: pb.CloseTabRequest, context: Any) -> pb.CloseTabResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        await session.browser.close_tab(request.tab_id, deadline)
        return pb.CloseTabResponse(tabs=[tab_message(each) for each in await _read_tabs(session, deadline)])

    async def NewTab(self, request: pb.NewTabRequest, context: Any) -> pb.NewTabResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        wait, name = decode_wait(request.wait_until), tab_name(request.name)
        if request.url:
            if self._service.settings.trust_named_hosts:
                session.allow_host_of(request.url)
            await session.policy.check(request.url, deadline)

        async def open_tab() -> pb.NewTabResponse:
            session.browser.check_room(name)
            tab = await session.browser.new_tab(deadline, name=name, select=not request.background)
            try:
                result = await self._go(session, tab.tab_id, request.url, wait, deadline) if request.url else None
                summary = await read_tab(tab, session.browser.selected, deadline)
            except BaseException:  # nobody would know of the tab
                session.browser.close_soon(tab)
                raise
            return pb.NewTabResponse(tab=tab_message(summary), result=result)

        return await run_once(session.results, request_key(request), deadline, open_tab)

    async def NameTab(self, request: pb.NameTabRequest, context: Any) -> pb.NameTabResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        name, tab = tab_name(request.name), session.browser.tab(request.tab_id)
        session.browser.tab_list.name(tab, name)
        return pb.NameTabResponse(tab=tab_message(await read_tab(tab, session.browser.selected, deadline)))

    async def MoveTab(self, request: pb.MoveTabRequest, context: Any) -> pb.MoveTabResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        session.browser.tab_list.move(session.browser.tab(request.tab_id), request.index)
        return pb.MoveTabResponse(tabs=[tab_message(each) for each in await _read_tabs(session, deadline)])

    async def HandleDialog(self, request: pb.HandleDialogRequest, context: Any) -> pb.HandleDialogResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        text = request.prompt_text or ("" if request.prompt_empty else None)
        tab_id, answered = await answer_prompt(
            session, request.dialog_id, accept=request.accept, text=text, deadline=deadline
        )
        if isinstance(answered, FileChooser):
            return pb.HandleDialogResponse(file_chooser=file_chooser_message(tab_id, answered))
        return pb.HandleDialogResponse(dialog=dialog_message(tab_id, answered))

    async def _go(
        self, session: Session, tab_id: str, url: str, wait: nav.WaitUntil, deadline: Deadline
    ) -> pb.NavigationResult:
        async with session.use_tab(tab_id, deadline, leaving=True) as tab:
            before, downloads, known = tab.link.commits, session.browser.downloads, session.browser.downloads.count
            try:
                settled = await _open(session, tab, url, wait, deadline)
            except (PageCrashedError, SessionLostError, CdpCallError):
                if tab.link.commits != before or not tab.link.crashed:  # the new page did, or none
                    raise
                settled = await _open(session, tab, url, wait, deadline)
            if settled.is_download:
                await downloads.wait_begun(known, deadline.share(AFTERMATH_SECONDS))
                await downloads.wait(known, deadline.share(AFTERMATH_SECONDS))
            result = await self._arrived(session, tab, settled, deadline)
            result.downloads.extend(map(download_message, downloads.since(known) if settled.is_download else ()))
            return result

    async def _move(
        self, request: Any, context: Any, move: Callable[[Tab, Deadline], Awaitable[nav.Settled]]
    ) -> pb.NavigationResult:
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        async with session.use_tab(request.tab_id, deadline, leaving=True) as tab:
            return await self._arrived(session, tab, await move(tab, deadline), deadline)

    async def _arrived(
        self, session: Session, tab: Tab, settled: nav.Settled, deadline: Deadline
    ) -> pb.NavigationResult:
        """Where the tab is now."""
        where = await read_tab(tab, session.browser.selected, deadline)
        title, status = where.title, 0
        share, crowd = deadline.share(BUSY_SECONDS), CrowdMeter()
        patient = share.remaining() > BUSY_SECONDS - 0.1
        try:
            title = (await tab.capturer.place(share)).title
            status = await nav.http_status(tab.link, share)
        except DeadlineError:  # it came, and is too busy to say more: what the browser knows must do
            if patient:  # a caller in a hurry is not a reason to end what a page is doing
                slowdown = min(MOST_SLOWDOWN, crowd.slowdown)
                tab.link.watchdog.terminate_script(PATIENT_SECONDS + BUSY_SECONDS * (slowdown - 1))
        except CdpCallError:  # it is on to another one already: `url` says where it was last
            pass
        return pb.NavigationResult(
            url=where.url,
            title=title,
            http_status=status,
            settle=settle_message(settled),
            tab_id=tab.tab_id,
        )

    async def _describe(self, session: Session, deadline: Deadline) -> pb.Session:
        message = session_message(session, await _read_tabs(session, deadline))
        if self._service.settings.worker:
            place_session(message, self._service.sessions.placement)
        return message


async def _read_tabs(session: Session, deadline: Deadline) -> list[TabSummary]:
    """All tabs of a session; those that are closing are left out."""
    await session.browser.wait_for_tabs(0, deadline)
    tabs = []
    for tab in session.browser.tabs:
        with contextlib.suppress(CdpCallError):  # it is closing
            tabs.append(await read_tab(tab, session.browser.selected, deadline))
    return tabs


async def _open(session: Session, tab: Tab, url: str, wait: nav.WaitUntil, deadline: Deadline) -> nav.Settled:
    """Goes to a URL, in a new page where the tab's crashed."""
    if tab.link.crashed:
        await session.browser.revive(tab, deadline)
    return await nav.navigate(tab.link, url, wait, deadline)
