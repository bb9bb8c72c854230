"""Going somewhere: by URL, through the history, again; and waiting until a document is there.

A commit is waited for as long as the caller allows. What comes after it may never come, so by default it is given
a while and then reported as pending, not as an error.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum

from perception.browser.cdp import CdpCallError, consume
from perception.browser.page import PageLink
from perception.browser.recover import HUNG_SECONDS, ask_whether_free, end_script, is_done
from perception.budget import Budget
from perception.errors import DeadlineError, NavigationFailedError, NoHistoryError, PageCrashedError, SessionLostError

SETTLE_SECONDS = 5.0
"""How long WaitUntil.SETTLED gives `DOMContentLoaded` and `load` after the commit; at most half the budget.
Playwright MCP waits as long for `load` before it answers."""


STOP_SECONDS = 1.0
"""How long a navigation waits for the one before it to be called off; a hung page does not answer that."""


LET_GO_SECONDS = 2.0
"""How long a page that hangs may take to make room for an empty one: 0.1 s, and 0.6 s where four programs wanted each
of two cores (Chromium 156)."""

COMMIT_SECONDS = 5.0
"""How long a document whose response is there may take to come: a new process is up in 0.1 s, and in some seconds where
many programs want each core."""


ERROR_PAGE_SECONDS = 1.0
"""How long an error page may take: some milliseconds; none comes where nothing was to be shown."""


class WaitUntil(Enum):
    """How far a navigation is waited for."""

    COMMIT = "commit"
    DOM_CONTENT_LOADED = "DOMContentLoaded"
    LOAD = "load"
    SETTLED = "settled"


@dataclass(frozen=True, slots=True)
class Settled:
    """How a wait ended: what was still pending, and how long it took (s)."""

    pending: tuple[str, ...]
    waited_s: float


async def navigate(page: PageLink, url: str, wait: WaitUntil, budget: Budget) -> Settled:
    """Opens a URL.

    Raises:
        NavigationFailedError: the network or the server refused.
        DeadlineError: it did not commit in time; the tab stops loading and stays where it was.
    """
    start = budget.clock()
    await _let_go(page, budget)
    before = page.commits
    async with _stopping_late(page, budget):
        reply = await page.session.call("Page.navigate", budget, "waiting for the server's response", url=url)
        error = reply.get("errorText", "")
        if error == "net::ERR_ABORTED":
            raise NavigationFailedError(
                "there is no page to show (net::ERR_ABORTED): the address is a download or has no content; the tab "
                "stays where it was",
                error=error,
            )
        if error == "net::ERR_PROXY_CONNECTION_FAILED":  # of a browser that was found running, in a container say
            raise NavigationFailedError(
                f"the browser cannot reach this session's proxy on loopback ({error}): run it in the service's network",
                error=error,
            )
        if error:
            await _error_page(page, before, budget)
            raise NavigationFailedError(
                f"the page could not be opened ({error}): check the address and that the server is up", error=error
            )
        if reply.get("loaderId"):
            await _expect_commit(page, before, budget)
            await _wait_loaded(page, before, wait, budget)
    return _settled(page, wait, start, budget)


async def go_history(page: PageLink, step: int, wait: WaitUntil, budget: Budget) -> Settled:
    """Goes back (-1) or forward (+1).

    Raises:
        NoHistoryError: there is nothing in that direction.
    """
    start = budget.clock()
    history = await page.session.call("Page.getNavigationHistory", budget, "reading the history")
    index = history["currentIndex"] + step
    if not 0 <= index < len(history["entries"]):
        raise NoHistoryError(f"there is no page to go {'back' if step < 0 else 'forward'} to")
    if await _let_go(page, budget):
        return await navigate(page, history["entries"][index]["url"], wait, budget)
    before = page.commits
    async with _stopping_late(page, budget):
        await page.session.call(
            "Page.navigateToHistoryEntry", budget, "going through the history", entryId=history["entries"][index]["id"]
        )
        await _wait_loaded(page, before, wait, budget)
    return _settled(page, wait, start, budget)


async def reload(page: PageLink, *, ignore_cache: bool, wait: WaitUntil, budget: Budget) -> Settled:
    """Loads the same URL again."""
    start, url = budget.clock(), page.url
    if await _let_go(page, budget):
        return await navigate(page, url, wait, budget)
    before = page.commits
    async with _stopping_late(page, budget):
        await page.session.call("Page.reload", budget, "reloading", ignoreCache=ignore_cache)
        await _wait_loaded(page, before, wait, budget)
    return _settled(page, wait, start, budget)


async def follow_navigation(page: PageLink, commits_before: int, budget: Budget) -> bool:
    """After an action: waits for the navigation it began, if it did. Says whether a document took another's place."""
    share = budget.share(SETTLE_SECONDS)
    if page.navigating:
        with contextlib.suppress(DeadlineError):
            await _wait(page, lambda: not page.navigating, share, "following a navigation")
    if page.commits == commits_before:
        return False
    await _wait_loaded(page, commits_before, WaitUntil.SETTLED, budget)
    return True


async def http_status(page: PageLink, budget: Budget) -> int:
    """Of the document's response; 0 where there was none. Asked of the page's own timing: no network events needed."""
    expression = "(performance.getEntriesByType('navigation')[0] || {}).responseStatus || 0"
    try:
        reply = await page.evaluate(
            page.main_frame, expression, budget, "reading the response status", returnByValue=True
        )
    except CdpCallError:
        return 0  # the document is already another one
    return int(reply.get("value", 0))


async def _error_page(page: PageLink, before: int, budget: Budget) -> None:
    """Chromium's own page about what failed comes just after the answer, and says which URL of all redirects it was."""
    with contextlib.suppress(DeadlineError, PageCrashedError, SessionLostError):
        await _wait(page, lambda: page.commits > before, budget.share(ERROR_PAGE_SECONDS), "waiting for an error page")


async def _expect_commit(page: PageLink, before: int, budget: Budget) -> None:
    """The response is there, and only the process that is to show it can keep its document from coming: often the one
    that is to be left. It cannot be freed any more (Chromium 156).

    Raises:
        PageCrashedError: it hangs, and is got rid of.
    """
    if budget.remaining() <= COMMIT_SECONDS:
        return
    try:
        async with asyncio.timeout(COMMIT_SECONDS), page.changed:
            await page.changed.wait_for(lambda: page.commits > before or page.crashed or page.gone)
    except TimeoutError as exc:
        page.give_up(page.session, ask_whether_free(page.session))
        raise PageCrashedError("the page that was to be left hangs and was given up: open the new one again") from exc


async def _let_go(page: PageLink, budget: Budget) -> bool:
    """Leaves a document that hangs, or has hung, for an empty one, its scripts turned off: the next document often
    comes into the same process, where it would wait for them, and they cannot be ended once it is on its way
    (Chromium 156). Says whether it did.

    Raises:
        PageCrashedError: its process does not let go; it is got rid of.
    """
    page.rescue.stop_guarding()
    if page.crashed or page.is_leaving or page.dialogs.open is not None:
        return False
    probe = ask_whether_free(page.session)
    if not page.rescue.has_hung and await is_done(probe, budget.share(HUNG_SECONDS).remaining()):
        return False
    before = page.commits
    async with _scripts_off(page, budget):
        end_script(page.session)
        page.session.start("Page.navigate", url="about:blank").add_done_callback(consume)
        share = budget.share(LET_GO_SECONDS)
        try:
            await _wait(page, lambda: page.commits > before, share, "leaving a page that hangs")
        except DeadlineError as exc:
            page.give_up(page.session, probe)
            raise PageCrashedError(
                "the page that was to be left hangs and was given up: open the new one again"
            ) from exc
    return True


@asynccontextmanager
async def _scripts_off(page: PageLink, budget: Budget) -> AsyncIterator[None]:
    """Turns a page's scripts off inside, by a DevTools session of its own that takes the setting along when it ends:
    turned on again in the same one, it now and then comes back with the next document (Chromium 156)."""
    browser = page.link.session()
    phase = "leaving a page that hangs"
    reply = await browser.call("Target.attachToTarget", budget, phase, targetId=page.target_id, flatten=True)
    session = page.link.session(reply["sessionId"])
    session.start("Emulation.setScriptExecutionDisabled", value=True).add_done_callback(consume)
    try:
        yield
    finally:
        detached = browser.start("Target.detachFromTarget", sessionId=session.session_id)
        detached.add_done_callback(consume)
        await asyncio.wait([detached], timeout=budget.share(LET_GO_SECONDS).remaining())


@asynccontextmanager
async def _stopping_late(page: PageLink, budget: Budget) -> AsyncIterator[None]:
    """A navigation that is too late is stopped, so that it cannot replace the page later on."""
    if page.stopping is not None and not page.stopping.done():
        await asyncio.wait([page.stopping], timeout=budget.share(STOP_SECONDS).remaining())
    try:
        yield
    except (DeadlineError, asyncio.CancelledError):
        if page.dialogs.open is None:  # the question before leaving: the answer to it decides
            page.stop_loading()
        raise


async def _wait_loaded(page: PageLink, commits_before: int, wait: WaitUntil, budget: Budget) -> None:
    """Waits for the commit, then for the lifecycle events of the document that is there by then: after a client-side
    redirect that is another one."""
    await _wait(page, lambda: page.commits > commits_before, budget, "waiting for the server's response")
    wanted = _wanted(wait)
    limit = budget.share(SETTLE_SECONDS) if wait is WaitUntil.SETTLED else budget
    try:
        await _wait(page, lambda: wanted <= page.lifecycle[page.loader], limit, f"waiting for {wait.value}")
    except DeadlineError:
        if wait is not WaitUntil.SETTLED:
            raise


async def _wait(page: PageLink, is_done: Callable[[], bool], budget: Budget, phase: str) -> None:
    async with budget.phase(phase), page.changed:
        await page.changed.wait_for(lambda: is_done() or page.crashed or page.gone)
    if page.gone:
        raise SessionLostError("the tab was closed meanwhile")
    if page.crashed:
        raise PageCrashedError("the page crashed or hung while it loaded: open it again or close its tab")


def _wanted(wait: WaitUntil) -> set[str]:
    if wait is WaitUntil.COMMIT:
        return set()
    return {"DOMContentLoaded"} if wait is WaitUntil.DOM_CONTENT_LOADED else {"DOMContentLoaded", "load"}


def _settled(page: PageLink, wait: WaitUntil, start: float, budget: Budget) -> Settled:
    pending = sorted(_wanted(wait) - page.lifecycle[page.loader])
    return Settled(tuple(pending), budget.clock() - start)
