"""What a call opens in the browser, such as a target, a browser context or a DevTools session, belongs to the call from
the moment that it asks for it.

A call that is cancelled, or whose deadline passes, before the browser answers does not know what to close: the browser
opens it all the same, and then nobody owns it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from playwright.async_api import Error as PlaywrightError

from perception.browser.cdp.cdp_link import CdpSession, consume
from perception.deadline import Deadline
from perception.errors import PerceptionError

Opened = TypeVar("Opened")

Close = Callable[[Opened], Awaitable[object]]

_unclaimed: set[asyncio.Future[Any]] = set()
_closing: set[asyncio.Task[None]] = set()


async def await_opened(opening: Awaitable[Opened], close: Close[Opened]) -> Opened:
    """What is being opened, once it is open; the caller closes it from then on.

    Args:
        close: closes it if the caller is cancelled first. It is called as soon as it is open.

    Raises:
        What opening it raises.
    """
    future = asyncio.ensure_future(opening)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        _unclaimed.add(future)
        future.add_done_callback(partial(_close_unclaimed, close))
        raise


async def end_unclaimed(timeout_s: float) -> None:
    """Waits until what cancelled calls were opening is open and closed again, at most so long. An event loop that ends
    earlier cancels the opening itself, and waits for ever for a process that was being started (Python 3.11)."""
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            while ending := {*_unclaimed, *_closing}:
                await asyncio.wait(ending)


async def run_in_thread(work: Callable[..., Opened], *arguments: Any) -> Opened:
    """Runs it in a thread. A caller that is cancelled waits until it has ended, and closes what it uses only then."""
    running = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise


async def close_whole(closing: Awaitable[object]) -> None:
    """Waits until something is closed, which takes several steps: all of them are taken if the caller is cancelled."""
    await asyncio.shield(begin_closing(closing))


def begin_closing(closing: Awaitable[object]) -> asyncio.Task[None]:
    """Closes something in the background."""
    task = asyncio.get_running_loop().create_task(_closed(closing), name="close-opened")
    _closing.add(task)  # the event loop itself holds only weak references to tasks
    task.add_done_callback(_closing.discard)
    return task


async def attach_to_target(browser: CdpSession, target_id: str, deadline: Deadline, phase: str) -> CdpSession:
    """A new DevTools session of a target; the caller ends it with `detach_from_target`.

    Args:
        browser: the browser's own session.

    Raises:
        CdpCallError: there is no such target.
        DeadlineError, SessionLostError
    """
    attaching = browser.start("Target.attachToTarget", targetId=target_id, flatten=True)
    async with deadline.phase(phase):
        reply = await await_opened(attaching, lambda late: detach_from_target(browser.link.session(late["sessionId"])))
    return browser.link.session(reply["sessionId"])


def detach_from_target(session: CdpSession) -> asyncio.Future[dict[str, Any]]:
    """Ends a DevTools session of a target, and with it all that it has enabled."""
    detaching = session.link.session().start("Target.detachFromTarget", sessionId=session.session_id)
    detaching.add_done_callback(consume)
    return detaching


def _close_unclaimed(close: Close[Opened], opening: asyncio.Future[Opened]) -> None:
    _unclaimed.discard(opening)
    if opening.cancelled() or opening.exception() is not None:
        return
    begin_closing(close(opening.result()))


async def _closed(closing: Awaitable[object]) -> None:
    with suppress(PlaywrightError, PerceptionError):  # it is gone already, or its browser is
        await closing
