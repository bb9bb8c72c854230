"""Clients' scripts: run in a page over a connection of their own, under one deadline, and ended when they are late.

Rule 1: a script has its own connection to the browser. Neither Playwright's queue nor our looking waits for it, and an
answer too large for that connection ends it alone.
Rule 2: a script that was sent is never sent again by another engine: it may have acted.
Rule 3: a late script is ended, and its page proved to answer, before the error goes out or, at the latest, before the
next call on that tab.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import structlog
from playwright.async_api import Error as PlaywrightError

from perception.browser.cdp import CdpCallError, CdpLink, CdpSession, consume
from perception.browser.dialogs import Dialog
from perception.browser.session import Tab
from perception.browser.targets import Node
from perception.budget import Budget
from perception.errors import (
    BadInputError,
    DeadlineError,
    NotReachableError,
    PageChangingError,
    PerceptionError,
    ReplyTooLargeError,
    SessionLostError,
    StaleRefError,
)
from perception.metrics import EVALUATE, EVALUATE_SECONDS

log = structlog.get_logger(__name__)

MAX_ANSWER_BYTES = 12 * 2**20
"""Of the browser's message: under what one of our own answers may have."""

MAX_EXCEPTION = 4000
"""Characters of an exception, and of its stack."""

PATIENCE_SECONDS = 0.1
"""How long a page whose script is late may take to answer before the script is ended: twice a task of script as long
as W3C's Long Tasks has it. Our own script is the likeliest reason."""

PROOF_SECONDS = 0.1
"""How long an error waits for the proof that the page is free again, which takes 2 to 40 ms: with 0.15 s of the 0.2 s
that are kept to answer, 3 of 25 errors came too late on two busy cores (`perception bench run hangs`)."""

PHASE = "running the script"

_CALL = "function(given) { return given(); }"
_SELF = "function() { return this; }"


class EvaluateEngine(Enum):
    """Who runs a script. AUTO: CDP, and Playwright where CDP cannot take it."""

    AUTO = "auto"
    CDP = "cdp"
    PLAYWRIGHT = "playwright"


@dataclass(frozen=True, slots=True)
class Script:
    """What to run: an expression or a function; with a `node` a function of its element. `timeout_s` is its own.

    `world` names an isolated world of the top document to run it in, by CDP alone; empty for the page's own.
    """

    source: str
    timeout_s: float = math.inf
    node: Node | None = None
    await_promise: bool = False
    engine: EvaluateEngine = EvaluateEngine.AUTO
    world: str = ""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What came of it. `value` is JSON's; `exception` is empty unless the script threw."""

    value: Any = None
    exception: str = ""
    stack: str = ""
    engine: EvaluateEngine = EvaluateEngine.CDP
    fallback: str = ""
    dialogs: list[Dialog] = field(default_factory=list)


class _NotTakenError(Exception):
    """CDP could not take the script; nothing was run. Says why, as a label."""


class Evaluator:
    """Runs scripts in the tabs of one browser."""

    def __init__(self, ws_url: str) -> None:
        self._ws_url = ws_url
        self._link: CdpLink | None = None
        self._connecting = asyncio.Lock()

    async def run(self, tab: Tab, script: Script, budget: Budget) -> Evaluated:
        """Runs a script in a tab.

        Args:
            budget: the call's. The script's own time ends with it; what it takes to end a late one comes on top.

        Raises:
            DeadlineError: it was late, and was ended; `page_answers` says whether the page answers again.
            BadInputError: it is no function, with a node.
            PageChangingError: the page went away under it.
            ReplyTooLargeError: its answer is too large, or cannot be told as a value.
            StaleRefError, PageCrashedError, SessionLostError
        """
        start = time.monotonic()
        whole, budget = budget, Budget.of(min(script.timeout_s, budget.remaining()))
        engine, outcome, fallback = EvaluateEngine.CDP, "error", ""
        tab.link.rescue.stop_guarding()
        # What is late is ended at the deadline, and not after another wait for an answer.
        asking = asyncio.get_running_loop().call_later(
            max(0.0, budget.remaining() - PATIENCE_SECONDS), lambda: _unhang(tab)
        )
        try:
            with tab.link.dialogs.dismissing() as dialogs:
                try:
                    if script.engine is EvaluateEngine.PLAYWRIGHT:
                        raise _NotTakenError("")
                    result = await self._by_cdp(tab, script, budget)
                except _NotTakenError as reason:
                    if script.engine is EvaluateEngine.CDP:
                        raise SessionLostError("the browser does not take the script over CDP: try again") from reason
                    engine, fallback = EvaluateEngine.PLAYWRIGHT, str(reason)
                    result = await self._by_playwright(tab, script, budget)
            outcome = "exception" if result.exception else "value"
            return Evaluated(result.value, result.exception, result.stack, engine, fallback, list(dialogs))
        except (DeadlineError, asyncio.CancelledError) as exc:
            outcome = "timeout" if isinstance(exc, DeadlineError) else "cancelled"
            _unhang(tab)
            if isinstance(exc, DeadlineError) and exc.phase == PHASE:
                # Of a budget it takes half.
                await tab.link.rescue.wait_freed(Budget.of(max(2 * PROOF_SECONDS, whole.remaining())))
                raise _late(tab, time.monotonic() - start) from exc
            raise
        finally:
            asking.cancel()
            whole.dispatched = whole.dispatched or budget.dispatched
            spent = time.monotonic() - start
            EVALUATE.labels(engine=engine.value, outcome=outcome, fallback=fallback).inc()
            EVALUATE_SECONDS.labels(engine=engine.value).observe(spent)
            log.info("evaluated", engine=engine.value, outcome=outcome, fallback=fallback, seconds=round(spent, 3))

    async def close(self) -> None:
        if self._link is not None:
            await self._link.close()

    async def _by_cdp(self, tab: Tab, script: Script, budget: Budget) -> Evaluated:
        frame = script.node.frame if script.node else tab.link.main_frame
        backend_id = await _backend_id(tab, script.node, budget) if script.node else 0
        session = await self._attach(tab.link.target_of(frame), budget)
        try:
            element = await _resolve(session, backend_id, budget) if script.node else ""
            context = await _isolate(session, frame, script.world, budget) if script.world else 0
            budget.check(PHASE)
            budget.dispatched = True
            try:
                return await _run(session, script, element, context, budget)
            except CdpCallError as exc:
                if "terminated" in str(exc):  # by whoever saw it late first
                    raise budget.error(PHASE) from exc
                raise _refusal(exc) from exc
            except SessionLostError as exc:
                if session.link.overflowed:
                    raise ReplyTooLargeError(
                        f"the script's answer has over {MAX_ANSWER_BYTES // 2**20} MiB: return less"
                    ) from exc
                if session.link.closed.is_set():  # the browser's end, of which the tab's own link may hear later
                    raise
                raise PageChangingError("the page went away while the script ran: look where the tab is now") from exc
        finally:
            detached = session.link.session().start("Target.detachFromTarget", sessionId=session.session_id)
            detached.add_done_callback(consume)

    async def _attach(self, target_id: str, budget: Budget) -> CdpSession:
        try:
            link = await self._connected(budget)
            reply = await link.session().call(
                "Target.attachToTarget", budget, "attaching for the script", targetId=target_id, flatten=True
            )
        except CdpCallError as exc:
            raise _NotTakenError("no_target") from exc
        except PerceptionError as exc:
            if isinstance(exc, DeadlineError):
                raise
            raise _NotTakenError("no_connection") from exc
        return link.session(reply["sessionId"])

    async def _connected(self, budget: Budget) -> CdpLink:
        async with budget.phase("connecting for the script"), self._connecting:
            if self._link is None or self._link.closed.is_set():
                self._link = await CdpLink.connect(self._ws_url, budget, max_bytes=MAX_ANSWER_BYTES)
            return self._link

    async def _by_playwright(self, tab: Tab, script: Script, budget: Budget) -> Evaluated:
        """The same through Playwright, whose scripts always wait for promises."""
        where = await _locator(tab, script.node, budget) if script.node else tab.page
        budget.check(PHASE)
        budget.dispatched = True
        try:
            async with budget.phase(PHASE):
                value = await where.evaluate(script.source)
        except PlaywrightError as exc:
            if tab.link.crashed or "closed" in exc.message or "navigation" in exc.message:
                raise PageChangingError("the page went away while the script ran: look where the tab is now") from exc
            return _thrown(exc.message, exc.stack or exc.message)
        return Evaluated(_plain(value))


def _unhang(tab: Tab) -> None:
    tab.link.rescue.unhang(PATIENCE_SECONDS, dismissing=True)


def _late(tab: Tab, spent_s: float) -> DeadlineError:
    """What a script that was ended came to."""
    answers = not (tab.link.rescue.is_freeing or tab.link.crashed)
    error = DeadlineError(
        f"the script was not done after {spent_s:.1f} s and was called off; "
        + ("the page answers again" if answers else "the page does not answer yet")
        + ": it may have done a part of its work; allow more time or do less",
        phase=PHASE,
        dispatched=True,
    )
    error.metadata["page_answers"] = str(answers).lower()
    return error


async def _run(session: CdpSession, script: Script, element: str, context: int, budget: Budget) -> Evaluated:
    """Sends it, and fetches what came of it as a value. `context` 0 is the page's own."""
    if element:
        reply = await _call(session, script.source, element, budget, script.await_promise, given=True)
    else:
        reply = await session.call(
            "Runtime.evaluate",
            budget,
            PHASE,
            expression=script.source,
            awaitPromise=script.await_promise,
            userGesture=True,
            generatePreview=False,
            **({"contextId": context} if context else {}),
        )
        if "exceptionDetails" not in reply and reply["result"].get("type") == "function":
            function = reply["result"]["objectId"]
            reply = await _call(session, _CALL, function, budget, script.await_promise, given=True)
    if "exceptionDetails" in reply:
        return _exception(reply["exceptionDetails"])
    result = reply["result"]
    if "objectId" in result and result["type"] == "object":
        reply = await _call(session, _SELF, result["objectId"], budget, False, by_value=True)
        if "exceptionDetails" in reply:  # a getter, or a toJSON, of the page's
            return _exception(reply["exceptionDetails"])
        result = reply["result"]
    if result.get("type") == "symbol" or result.get("type") == "function":
        raise ReplyTooLargeError(f"the script's answer is a {result['type']}, which is no value: return something else")
    return Evaluated(result["unserializableValue"] if "unserializableValue" in result else result.get("value"))


async def _call(
    session: CdpSession,
    function: str,
    this: str,
    budget: Budget,
    await_promise: bool,
    *,
    given: bool = False,
    by_value: bool = False,
) -> dict[str, Any]:
    return await session.call(
        "Runtime.callFunctionOn",
        budget,
        PHASE,
        functionDeclaration=function,
        objectId=this,
        arguments=[{"objectId": this}] if given else [],
        awaitPromise=await_promise,
        returnByValue=by_value,
        userGesture=True,
    )


async def _backend_id(tab: Tab, node: Node, budget: Budget) -> int:
    """The node's CDP id. Asked of the walker's world: a ref's own may be of before."""
    phase = "looking for the element"
    try:
        handle = await tab.link.node_handle(node.frame, node.number, budget, phase)
        if not handle:
            raise StaleRefError(f"{node.shown_as} is stale: its element is gone; take a new snapshot")
        session = tab.link.session_of(node.frame)
        described = await session.call("DOM.describeNode", budget, phase, objectId=handle)
    except CdpCallError as exc:
        raise _NotTakenError("no_node") from exc
    return int(described["node"]["backendNodeId"])


async def _resolve(session: CdpSession, backend_id: int, budget: Budget) -> str:
    """The element as the page's own scripts have it."""
    try:
        reply = await session.call("DOM.resolveNode", budget, "looking for the element", backendNodeId=backend_id)
    except CdpCallError as exc:
        raise _NotTakenError("no_node") from exc
    return str(reply["object"]["objectId"])


async def _isolate(session: CdpSession, frame: str, world: str, budget: Budget) -> int:
    """An isolated world of a frame, the same one for the same name as long as its document is there."""
    try:
        reply = await session.call(
            "Page.createIsolatedWorld", budget, "preparing the script's world", frameId=frame, worldName=world
        )
    except CdpCallError as exc:
        raise _NotTakenError("no_world") from exc
    return int(reply["executionContextId"])


async def _locator(tab: Tab, node: Node, budget: Budget) -> Any:
    """The element as Playwright finds it: by its way down from the top, through frames and open shadow roots."""
    where: Any = tab.page
    for frame, number in reversed(await tab.link.owners(node.frame, budget)):
        where = where.frame_locator(_css(await _way(tab, frame, number, node, budget)))
    for step in await _way(tab, node.frame, node.number, node, budget):
        where = where.locator(f"css={step}")
    return where


async def _way(tab: Tab, frame: str, number: int, node: Node, budget: Budget) -> list[str]:
    """A selector for each root from the document down to an element."""
    steps = await tab.link.ask(frame, "route", budget, "looking for the element", number)
    if not steps:
        raise NotReachableError(
            f"{node.shown_as} cannot be found by Playwright: it is gone or in a closed shadow root; use the engine CDP"
        )
    return list(steps)


def _css(steps: list[str]) -> str:
    return " >> ".join(f"css={step}" for step in steps)


def _exception(details: Mapping[str, Any]) -> Evaluated:
    thrown = details.get("exception", {})
    described = str(thrown.get("description") or thrown.get("value") or details.get("text", "")) or "undefined"
    return _thrown(described, described)


def _thrown(text: str, stack: str) -> Evaluated:
    return Evaluated(exception=text.partition("\n    at ")[0][:MAX_EXCEPTION], stack=stack[:MAX_EXCEPTION])


def _refusal(error: CdpCallError) -> PerceptionError:
    """What Chromium's refusal of a script means to who wrote it."""
    text = str(error)
    if "does not evaluate to a function" in text:
        return BadInputError(
            "with a target the expression has to be a function, such as `element => element.id`", field="expression"
        )
    if "chain is too long" in text or "couldn't be returned by value" in text:
        return ReplyTooLargeError("the script's answer is no plain value, or holds itself: return a part of it")
    if "navigat" in text or "destroyed" in text or "Cannot find" in text or "closed" in text:
        return PageChangingError("the page went away while the script ran: look where the tab is now")
    return error


def _plain(value: Any) -> Any:
    """What Playwright gives, as JSON has it."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(each) for each in value]
    return str(value)
