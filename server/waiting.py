"""Waiting for what a page will show: an element, a text, an address, that something is gone, that all is at rest."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from fnmatch import fnmatchcase

from perception.browser.cdp import CdpCallError
from perception.browser.navigate import Settled
from perception.browser.settle import settle
from perception.browser.targets import Node
from perception.errors import (
    AmbiguousTargetError,
    BadInputError,
    DeadlineError,
    NoMatchError,
    PageChangingError,
    PageCrashedError,
    StaleRefError,
    UnknownRefError,
)
from perception.server.deed import Deed
from perception.types import Engine, Scope
from perception.v1 import action_service_pb2 as pb
from perception.v1 import types_pb2

POLL_SECONDS = 0.1
"""Between two looks for something: a page that has not changed costs a round trip of 2 ms."""

LAST_SECONDS = 0.02
"""With less than this left nothing is looked for any more."""


def check_wait(request: pb.WaitForRequest) -> None:
    """Raises BadInputError for a condition that says nothing."""
    kind = request.WhichOneof("condition")
    if kind is None:
        raise BadInputError("nothing to wait for: give element, text, url, vanished or settled", field="condition")
    if kind in ("text", "url") and not getattr(request, kind).strip():
        raise BadInputError(f"{kind} is empty: say what to wait for", field=kind)
    if kind == "settled" and not request.settled:
        raise BadInputError("settled is false: give true, or another condition", field="settled")


async def wait_for(deed: Deed, request: pb.WaitForRequest) -> Settled | None:
    """Waits as long as the budget allows.

    Raises:
        DeadlineError: it did not come; names it.
        UnknownTabError, SessionLostError, PageCrashedError: there is no page any more that could show it.
    """
    kind = request.WhichOneof("condition")
    if kind == "settled":
        return await settle(deed.tab.link, deed.budget.remaining(), deed.budget)
    checks: dict[str, tuple[str, Callable[[], Awaitable[bool]]]] = {
        "element": ("waiting for the element", lambda: _is_there(deed, request.element)),
        "vanished": ("waiting for the element to vanish", lambda: _has_vanished(deed, request.vanished)),
        "text": (f"waiting for the text {request.text[:60]!r}", lambda: _is_read(deed, request.text)),
        "url": (f"waiting for the address {request.url[:80]!r}", lambda: _is_at(deed, request.url)),
    }
    phase, check = checks[str(kind)]
    while True:
        _require_page(deed)
        try:
            if await check():
                return None
        except (CdpCallError, PageChangingError):
            pass  # it goes to another document: that one may have it
        except DeadlineError as exc:
            raise deed.budget.error(phase) from exc
        remaining = deed.budget.remaining()
        if remaining <= LAST_SECONDS:
            raise deed.budget.error(phase)
        await asyncio.sleep(min(POLL_SECONDS, remaining / 2))


def _require_page(deed: Deed) -> None:
    deed.session.browser.tab(deed.tab.tab_id)
    if deed.tab.link.crashed:
        raise PageCrashedError("the page crashed or hangs: open it again or close its tab")


async def _is_there(deed: Deed, target: types_pb2.Target) -> bool:
    """It is on the page, and a person could see it."""
    try:
        found = await deed.find(target)
    except (NoMatchError, UnknownRefError):
        return False
    except AmbiguousTargetError:
        return True  # several came at once
    if not isinstance(found, Node):
        return True
    try:
        facts = await deed.targets.look_at(found, deed.budget)
    except StaleRefError:
        return False
    left, top, right, bottom = facts.box
    return right > left and bottom > top


async def _has_vanished(deed: Deed, target: types_pb2.Target) -> bool:
    try:
        return not await _is_there(deed, target)
    except StaleRefError:
        return True


async def _is_read(deed: Deed, text: str) -> bool:
    """It is in what a person can read of the page, whatever its case and spaces."""
    capture = await deed.tab.looker.capture(
        engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, budget=deed.budget
    )
    wanted = _folded(text)
    shown = (each for each in capture.elements if each.visible)
    return any(wanted in _folded(words) for each in shown for words in (each.name, each.value, each.text))


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


async def _is_at(deed: Deed, pattern: str) -> bool:
    url = deed.tab.link.url
    return url == pattern or fnmatchcase(url, pattern)
