"""Browser contexts that a service uses for one session after the other.

Opening a session costs three times what a page costs, nearly all of it in Chromium. Here the service opens, numbers and
closes sessions as always, each with refs, snapshots and a lifetime of its own; only the browser context, with its one
tab, may be that of an earlier session, whose cookies, storage and history are gone. A new session without a URL shows
the page of the last one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any
from unittest.mock import patch

from perception.browser.browser_session import BrowserSession, PopupListener, SessionOptions
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.page.clipboard import Copied
from perception.browser.storage.session_storage import SessionStorage
from perception.deadline import Deadline
from tests.paths import ROOT

MOST_SESSIONS = 50
"""After which a context is closed: what Chromium keeps of its pages adds up."""

KEEPING = f"""
if words[0] == "serve":
    sys.path.append({str(ROOT)!r})
    from tests.support.kept_contexts import keep_contexts
    keep_contexts()
"""
"""For `prepared`: a forked service keeps its contexts until it ends."""

_open, _close = BrowserHost.new_session, BrowserSession.close


@dataclass
class KeptContexts:
    """Contexts that no session has at the moment.

    Attributes:
        made: the options that each context was made with.
        sessions: how many sessions it has had.
    """

    idle: list[BrowserSession] = field(default_factory=list)
    made: dict[BrowserSession, SessionOptions] = field(default_factory=dict)
    sessions: Counter[BrowserSession] = field(default_factory=Counter)

    async def open(
        self,
        host: BrowserHost,
        options: SessionOptions,
        on_tab_closed: Callable[[str], None],
        deadline: Deadline,
        on_popup: PopupListener | None = None,
    ) -> BrowserSession:
        """In place of `BrowserHost.new_session`."""
        form = _form_of(options)
        for kept in self.idle:
            if kept._host is host and self.made[kept] == form and (kept.egress is None) == (options.policy is None):
                self.idle.remove(kept)
                if _is_plain(kept):  # its page may have done something since
                    _begin(kept, options, on_tab_closed, on_popup)
                    self.sessions[kept] += 1
                    return kept
                await self._end(kept)
                break
        session = await _open(host, options, on_tab_closed, deadline, on_popup)
        self.made[session], self.sessions[session] = form, 1
        return session

    async def close(self, session: BrowserSession) -> None:
        """In place of `BrowserSession.close`."""
        is_same = self.made.get(session) == _form_of(session._options)
        if is_same and self.sessions[session] < MOST_SESSIONS and _is_plain(session):
            with suppress(CdpCallError):  # its page is just being replaced, as by that of an error
                await forget(session)
                self.idle.append(session)
                return
        await self._end(session)

    async def close_all(self) -> None:
        """Closes those that no session has."""
        for session in self.idle:
            await self._end(session)

    async def _end(self, session: BrowserSession) -> None:
        self.made.pop(session, None)
        await _close(session)


@asynccontextmanager
async def keeping_contexts() -> AsyncIterator[KeptContexts]:
    """Contexts are kept inside."""
    kept, patches = keep_contexts()
    try:
        yield kept
    finally:
        for each in patches:
            each.stop()
    await kept.close_all()


def keep_contexts() -> tuple[KeptContexts, list[Any]]:
    """Contexts are kept until the patches stop; those that no session has then are to be closed."""
    kept = KeptContexts()

    async def open_session(host: BrowserHost, *given: object) -> BrowserSession:
        return await kept.open(host, *given)  # type: ignore[arg-type]

    async def close_session(session: BrowserSession) -> None:
        await kept.close(session)

    patches = [
        patch.object(BrowserHost, "new_session", open_session),
        patch.object(BrowserSession, "close", close_session),
    ]
    for each in patches:
        each.start()
    return kept, patches


@contextmanager
def ending_contexts() -> Iterator[None]:
    """Inside, the contexts of sessions end with them, also within `keeping_contexts`."""
    with patch.object(BrowserSession, "close", _close):
        yield


def _form_of(options: SessionOptions) -> SessionOptions:
    """What a context is made with: not what its session alone knows."""
    return replace(options, policy=None, conceal=None, allow_evaluate=False, look_ahead=True, refuses_agent=False)


def _begin(
    session: BrowserSession,
    options: SessionOptions,
    on_tab_closed: Callable[[str], None],
    on_popup: PopupListener | None,
) -> None:
    """Makes a kept context that of a new session."""
    (tab,) = session.tabs
    session._on_tab_closed, session._options, session._on_popup = on_tab_closed, options, on_popup
    session.storage = SessionStorage(session)
    session.clipboard.content = Copied()
    session.clipboard.asked.clear()
    if session.egress is not None:
        assert options.policy is not None
        session.egress.policy = options.policy
    tab.link._make_masker = options.conceal
    tab.errors.clear()
    tab.error_count = 0
    tab.link.navigation.commits = 0


def is_one_tab(session: BrowserSession) -> bool:
    """Whether a session has its first tab alone, which works, and waits for no person; and no files."""
    if not session.alive or [tab.tab_id for tab in session.tabs] != ["t1"]:
        return False
    (tab,) = session.tabs
    return not (
        tab.link.crashed
        or tab.name
        or tab.link.dialogs.open
        or tab.link.file_choosers.open
        or session.uploads.used_bytes
        or session.downloads.count
        or session.tabs_refused
    )


def _is_plain(session: BrowserSession) -> bool:
    """Whether a session has never been more than a tab."""
    options = session._options
    return (
        is_one_tab(session)
        and session.tab_list.last == 1
        and not session.tabs[0].revivals
        and not (
            options.user_tab
            or options.record_network
            or options.record_console
            or options.network_rules
            or options.upstream
        )
    )


async def forget(session: BrowserSession) -> None:
    """Removes what sites have stored, and where the tab has been."""
    await session.context.clear_cookies()
    (tab,) = session.tabs
    for origin in session.storage._visited:
        await tab.link.session.call(
            "Storage.clearDataForOrigin", Deadline.of(20), "forgetting a site", origin=origin, storageTypes="all"
        )
    await tab.link.session.call("Page.resetNavigationHistory", Deadline.of(20), "forgetting the history")
