"""Navigation of one tab: by URL, through the history, by reloading; and waiting until a document has loaded.

A commit is waited for as long as the caller allows. The events after it may never come: by default they are waited for
a short time and then reported as pending, not as an error.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any

from perception.browser.cdp.cdp_link import CdpCallError, consume
from perception.browser.opening import attach_to_target, detach_from_target
from perception.browser.page.page_link import PageLink
from perception.browser.page.recovery import HUNG_SECONDS, WITNESS_SECONDS, ask_whether_free, end_script, is_silent
from perception.deadline import Deadline
from perception.errors import DeadlineError, NavigationFailedError, NoHistoryError, PageCrashedError, SessionLostError
from perception.page_words import MAX_ADDRESS, page_words

NAVIGATION_SETTLE_SECONDS = 5.0
"""How long WaitUntil.SETTLED gives `DOMContentLoaded` and `load` after the commit; at most half the deadline.
Playwright MCP waits as long for `load` before it answers."""


NAVIGATION_STOP_SECONDS = 1.0
"""How long a navigation waits until the one before it is cancelled; a hung page does not confirm that. Chosen by
hand."""

LEAVE_HUNG_SECONDS = 2.0
"""How long a hung page may take to give way to an empty one: it took 0.1 s, and 0.6 s with four busy programs on each
of two cores (Chromium 156)."""

COMMIT_SECONDS = 5.0
"""How long a document may take to commit once its response has come: a new process starts in 0.1 s, and in some seconds
with many busy programs on each core."""

ERROR_PAGE_SECONDS = 1.0
"""How long Chromium's error page may take; it comes within milliseconds, or never where nothing was to be shown.
Chosen by hand."""

READING_SECONDS = 5.0
"""How long the browser's error page, which has loaded, may take to say why. Chosen by hand."""

INACTIVE_PAUSE_SECONDS = 0.02
"""Between two questions about a tab that the browser does not know to be active yet; it hears of a commit within
milliseconds. Chosen by hand."""

_INACTIVE = "Not attached to an active page"
"""Chromium's words for it (156)."""

_WAITING = "waiting for the server's response"

_EMPTY = {"url": "about:blank", "transitionType": "keyword_generated"}
"""What takes the place of a hung document. The type, which no page sees and no other navigation here has, tells it in
the history from an empty page that somebody opened."""


class WaitUntil(Enum):
    """The event that a navigation is waited for."""

    COMMIT = "commit"
    DOM_CONTENT_LOADED = "DOMContentLoaded"
    LOAD = "load"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Settled:
    """How a wait ended.

    Attributes:
        pending: what was still to come when the time was up, such as "load" or "fetch /api/orders"; empty for a page at
            rest.
        waited_s: how long the wait took, in seconds.
        background: what goes on and was not waited for any longer: polls, streams, an image that does not come.
        is_download: the address was a file, and the tab keeps its page.
    """

    pending: tuple[str, ...]
    waited_s: float
    background: tuple[str, ...] = ()
    is_download: bool = False


async def navigate(page: PageLink, url: str, wait: WaitUntil, deadline: Deadline) -> Settled:
    """Opens a URL.

    Raises:
        NavigationFailedError: the network or the server refused.
        DeadlineError: it did not commit in time; the tab stops loading and keeps its document.
        PageCrashedError: the current page hangs and does not give way.
    """
    start = deadline.clock()
    await _leave_hung_document(page, deadline)
    before = page.navigation.documents
    async with _stopping_when_late(page, deadline):
        reply = await page.session.call("Page.navigate", deadline, _WAITING, url=url)
        error = reply.get("errorText", "")
        if reply.get("isDownload"):
            return Settled((), deadline.clock() - start, is_download=True)
        if error == "net::ERR_ABORTED":
            raise NavigationFailedError(
                "there is no page to show (net::ERR_ABORTED): the address has no content; the tab keeps its page",
                error=error,
            )
        if error == "net::ERR_PROXY_CONNECTION_FAILED":  # an attached browser, in a container for example
            raise NavigationFailedError(
                f"the browser cannot reach this session's proxy on loopback ({error}): run it in the service's network",
                error=error,
            )
        if error:
            await _wait_for_error_page(page, before, deadline)
            raise NavigationFailedError.by(error)
        if reply.get("loaderId"):
            await _wait_for_document(page, reply["loaderId"], before, deadline)
            await _wait_loaded(page, wait, deadline)
    return _settled(page, wait, start, deadline)


async def go_history(page: PageLink, step: int, wait: WaitUntil, deadline: Deadline) -> Settled:
    """Goes back (-1) or forward (+1).

    Raises:
        NoHistoryError: there is nothing in that direction.
        NavigationFailedError: the page there could not be opened.
    """
    start = deadline.clock()
    entries, index = await _history(page, deadline)
    way = entries[:index][::-1] if step < 0 else entries[index + 1 :]
    entry = next((each for each in way if not _is_passed_over(page, each)), None)
    if entry is None:
        raise NoHistoryError(f"there is no page to go {'back' if step < 0 else 'forward'} to")
    if await _leave_hung_document(page, deadline) and step > 0:  # the empty page took the place of what came next
        return await navigate(page, entry["url"], wait, deadline)
    before, moves = page.commits, page.navigation.frame_moves
    async with _stopping_when_late(page, deadline):
        await _call_once_active(
            page, "Page.navigateToHistoryEntry", deadline, "going through the history", entryId=entry["id"]
        )
        if entry["url"] != entries[index]["url"] or not await _has_moved_frame(page, before, moves, deadline):
            await _wait(page, lambda: page.commits > before, deadline, _WAITING)
            await _wait_loaded(page, wait, deadline)
        await _require_page(page, deadline)
    return _settled(page, wait, start, deadline)


async def _has_moved_frame(page: PageLink, commits: int, moves: int, deadline: Deadline) -> bool:
    """Whether a step through the history, to an entry with the same URL, moved a frame and left the document."""
    tracker = page.navigation
    await _wait(page, lambda: page.commits > commits or tracker.frame_moves > moves, deadline, _WAITING)
    return page.commits == commits


async def stop_leaving(page: PageLink, deadline: Deadline) -> None:
    """Stays on the document that was being left, as a person does by Escape."""
    page.navigation.stop_loading()
    await _wait(page, lambda: not page.is_leaving, deadline, "staying on the page")


async def reload(page: PageLink, *, ignore_cache: bool, wait: WaitUntil, deadline: Deadline) -> Settled:
    """Loads the same URL again. Raises NavigationFailedError where it cannot be opened."""
    start = deadline.clock()
    entries, index = await _history(page, deadline)
    if await _leave_hung_document(page, deadline):
        page.navigation.replaced.add(entries[index]["id"])
        return await navigate(page, entries[index]["url"], wait, deadline)
    before = page.navigation.documents
    async with _stopping_when_late(page, deadline):
        await _call_once_active(page, "Page.reload", deadline, "reloading", ignoreCache=ignore_cache)
        await _wait(page, lambda: page.navigation.documents > before, deadline, _WAITING)
        await _wait_loaded(page, wait, deadline)
        await _require_page(page, deadline)
    return _settled(page, wait, start, deadline)


async def follow_navigation(page: PageLink, commits_before: int, deadline: Deadline) -> None:
    """After an action: waits for the navigation that it began, if it began one, and until its document has loaded."""
    share = deadline.share(NAVIGATION_SETTLE_SECONDS)
    if page.navigating:
        with contextlib.suppress(DeadlineError):
            await _wait(page, lambda: not page.navigating, share, "following a navigation")
    if page.commits != commits_before:
        await _wait_loaded(page, WaitUntil.SETTLED, deadline)


async def http_status(page: PageLink, deadline: Deadline) -> int:
    """HTTP status of the document's response; 0 where there was none. Read from the page's own navigation timing, so
    that no network events are needed."""
    expression = "(performance.getEntriesByType('navigation')[0] || {}).responseStatus || 0"
    try:
        reply = await page.evaluate(
            page.main_frame, expression, deadline, "reading the response status", returnByValue=True
        )
    except CdpCallError:
        return 0  # the page has navigated meanwhile
    return int(reply.get("value") or 0)


async def _require_page(page: PageLink, deadline: Deadline) -> None:
    """Raises NavigationFailedError where the tab shows Chromium's error page, with the error that the page names."""
    if not page.unreachable:
        return
    error = ""
    with contextlib.suppress(CdpCallError, DeadlineError):
        reply = await page.evaluate(
            page.main_frame,
            "(document.body.innerText.match(/\\bERR_[A-Z0-9_]+/) || [''])[0]",
            deadline.share(READING_SECONDS),
            "reading the error page",
            returnByValue=True,
        )
        error = f"net::{reply['value']}" if reply.get("value") else ""
    why = f" ({error})" if error else ""
    raise NavigationFailedError(
        f"the page at {page_words(page.unreachable, MAX_ADDRESS)} could not be opened{why}: the tab shows the "
        f"browser's error page; {NavigationFailedError.what_helps(error)}, or go elsewhere",
        error=error,
    )


async def _wait_for_error_page(page: PageLink, before: int, deadline: Deadline) -> None:
    """Chromium's error page commits just after the reply, and names the URL that failed among all redirects."""
    share, tracker = deadline.share(ERROR_PAGE_SECONDS), page.navigation
    with contextlib.suppress(DeadlineError, PageCrashedError, SessionLostError):
        await _wait(page, lambda: tracker.documents > before, share, "waiting for an error page")


async def _wait_for_document(page: PageLink, loader: str, before: int, deadline: Deadline) -> None:
    """Waits for the commit of a document whose response has come; the page that leaves may change its address or go to
    another document meanwhile. Only the process that will show it can delay it, often that of the current page; it
    cannot be freed any more (Chromium 156).

    Args:
        loader: its LoaderId.
        before: documents that came before it was asked for.

    Raises:
        PageCrashedError: that process hangs; it is removed.
    """
    has_time = deadline.remaining() > COMMIT_SECONDS
    limit = Deadline.of(COMMIT_SECONDS) if has_time else deadline
    try:
        await _wait(page, lambda: loader in page.navigation.loaders, limit, _WAITING)
    except DeadlineError as exc:
        if page.navigation.documents > before:  # another one took its place
            return
        if not has_time:
            raise
        page.give_up(page.session, ask_whether_free(page.session))
        raise PageCrashedError("the current page hangs and was given up: open the new one again") from exc


async def _leave_hung_document(page: PageLink, deadline: Deadline) -> bool:
    """Replaces a document that hangs, has hung or goes away by itself again and again by an empty one, with its scripts
    disabled: the next document often uses the same process, where it would wait for those scripts, and once it is on
    its way they cannot be ended; and a page that reloads itself takes the place of the next document right after that
    has come (Chromium 156). One that is merely leaving stays.

    Returns:
        Whether the document was replaced.

    Raises:
        PageCrashedError: its process does not give way; it is removed.
    """
    page.watchdog.stop_guarding()
    is_restless = page.navigation.is_restless
    page.navigation.forget_documents()
    if page.crashed or page.dialogs.open is not None or page.unreachable:
        return False  # Chromium's error page, of a process that has just begun, has no script of a site
    if page.is_leaving and not is_restless:
        async with _scripts_off(page, deadline) as disabled:
            await _stay(page, disabled, deadline)
        if page.is_leaving:
            return False
    probe = ask_whether_free(page.session)
    patience_s, witness_s = (deadline.share(each).remaining() for each in (HUNG_SECONDS, WITNESS_SECONDS))
    is_known = is_restless or page.watchdog.has_hung
    if not is_known and not await is_silent(page.session, probe, patience_s, witness_s):
        return False
    async with _scripts_off(page, deadline) as disabled:
        if is_restless:
            await _stay(page, disabled, deadline)
        before = page.commits
        end_script(page.session)
        page.session.start("Page.navigate", **_EMPTY).add_done_callback(consume)
        share = deadline.share(LEAVE_HUNG_SECONDS)
        try:
            await _wait(page, lambda: page.commits > before and page.url == _EMPTY["url"], share, "leaving a hung page")
        except DeadlineError as exc:
            page.give_up(page.session, probe)
            raise PageCrashedError("the current page hangs and was given up: open the new one again") from exc
        with contextlib.suppress(DeadlineError):  # what is opened before it has loaded is sometimes dropped unsaid
            await _wait(page, lambda: "load" in page.lifecycle[page.loader], share, "leaving a hung page")
    return True


async def _stay(page: PageLink, disabled: asyncio.Future[dict[str, Any]], deadline: Deadline) -> None:
    """Cancels the navigation that is under way, once scripts are disabled, so that none begins another one."""
    share = deadline.share(NAVIGATION_STOP_SECONDS)
    await asyncio.wait([disabled], timeout=share.remaining())
    page.navigation.stop_loading()
    await page.navigation.wait_until_stopped(share.remaining())
    with contextlib.suppress(DeadlineError):
        await _wait(page, lambda: not page.is_leaving, share, "staying on the page")


async def _history(page: PageLink, deadline: Deadline) -> tuple[list[dict[str, Any]], int]:
    """The tab's history, as CDP's `Page.NavigationEntry`, oldest first, and the index of what is shown."""
    reply = await _call_once_active(page, "Page.getNavigationHistory", deadline, "reading the history")
    return reply["entries"], reply["currentIndex"]


async def _call_once_active(
    page: PageLink, method: str, deadline: Deadline, phase: str, **params: Any
) -> dict[str, Any]:
    """Calls a method of the browser about its tab, again where a new process shows its document already and the browser
    has not heard of it: that is refused, and nothing is done."""
    end_s = deadline.clock() + COMMIT_SECONDS
    while True:
        try:
            return await page.session.call(method, deadline, phase, **params)
        except CdpCallError as exc:
            if _INACTIVE not in str(exc) or deadline.clock() > end_s:
                raise
        await asyncio.sleep(INACTIVE_PAUSE_SECONDS)


def _is_passed_over(page: PageLink, entry: dict[str, Any]) -> bool:
    """An entry that a hung document left behind: the empty page after it, or itself where it was opened again."""
    return _EMPTY.items() <= entry.items() or entry["id"] in page.navigation.replaced


@asynccontextmanager
async def _scripts_off(page: PageLink, deadline: Deadline) -> AsyncIterator[asyncio.Future[dict[str, Any]]]:
    """Disables a page's scripts inside, by a separate DevTools session that ends the setting with itself: enabled again
    in the same session, it sometimes returns with the next document (Chromium 156). Yields what ends once they are."""
    browser = page.link.session()
    phase = "leaving a hung page"
    session = await attach_to_target(browser, page.target_id, deadline, phase)
    disabled = session.start("Emulation.setScriptExecutionDisabled", value=True)
    disabled.add_done_callback(consume)
    try:
        yield disabled
    finally:
        detached = detach_from_target(session)
        await asyncio.wait([detached], timeout=deadline.share(LEAVE_HUNG_SECONDS).remaining())


@asynccontextmanager
async def _stopping_when_late(page: PageLink, deadline: Deadline) -> AsyncIterator[None]:
    """Cancels a navigation that is too late, so that it cannot replace the page afterwards. Scripts that were halted
    run again."""
    page.halted.end()
    await page.navigation.wait_until_stopped(deadline.share(NAVIGATION_STOP_SECONDS).remaining())
    try:
        yield
    except (DeadlineError, asyncio.CancelledError):
        if page.dialogs.open is None:  # else the answer to the question before leaving decides
            page.navigation.stop_loading()
        raise


async def _wait_loaded(page: PageLink, wait: WaitUntil, deadline: Deadline) -> None:
    """Waits for the lifecycle events of the document that is shown by then: after a client-side redirect that is
    another one."""
    wanted = _wanted(wait)
    limit = deadline.share(NAVIGATION_SETTLE_SECONDS) if wait is WaitUntil.SETTLED else deadline
    try:
        await _wait(page, lambda: wanted <= page.lifecycle[page.loader], limit, f"waiting for {wait.value}")
    except DeadlineError:
        if wait is not WaitUntil.SETTLED:
            raise


async def _wait(page: PageLink, is_done: Callable[[], bool], deadline: Deadline, phase: str) -> None:
    async with deadline.phase(phase), page.changed:
        await page.changed.wait_for(lambda: is_done() or page.crashed or page.gone)
    if page.gone:
        raise SessionLostError("the tab was closed")
    if page.crashed:
        raise PageCrashedError("the page crashed or hung while it loaded: open it again or close its tab")


def _wanted(wait: WaitUntil) -> set[str]:
    if wait is WaitUntil.COMMIT:
        return set()
    return {"DOMContentLoaded"} if wait is WaitUntil.DOM_CONTENT_LOADED else {"DOMContentLoaded", "load"}


def _settled(page: PageLink, wait: WaitUntil, start: float, deadline: Deadline) -> Settled:
    pending = sorted(_wanted(wait) - page.lifecycle[page.loader])
    return Settled(tuple(pending), deadline.clock() - start)
