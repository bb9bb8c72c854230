"""Clients' scripts: run in a page over a separate connection, under one deadline, and terminated when they are late.

Rule 1: scripts have their own connection to the browser. Neither Playwright's queue nor a capture waits for them, and
a result that is too large closes only that connection.
Rule 2: a script that was sent is never sent again by another engine: it may have had effects.
Rule 3: a late script is terminated, and its page proved to answer, before the error is returned or, at the latest,
before the next call on that tab. A script of the page's own that runs in its place is not.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import structlog
from playwright.async_api import Error as PlaywrightError

from perception.browser.cdp.cdp_link import CdpCallError, CdpLink, CdpSession
from perception.browser.evaluate.results import NOT_PLAIN, PLAIN_VALUE, exception_of, plain_value, thrown
from perception.browser.evaluate.script import Evaluated, EvaluateEngine, Script
from perception.browser.evaluate.script_turn import SCRIPT_PATIENCE_SECONDS, ScriptTurn
from perception.browser.opening import attach_to_target, detach_from_target
from perception.browser.page.target_types import TargetNode
from perception.browser.tab import Tab
from perception.deadline import Deadline, loop_time
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
from perception.instrumentation.metrics import EVALUATE, EVALUATE_SECONDS

__all__ = ["EvaluateEngine", "Evaluated", "Evaluator", "Script"]

log = structlog.get_logger(__name__)

MAX_ANSWER_BYTES = 12 * 2**20
"""Limit of the browser's message: below the 16 MiB of one of our own replies."""

PROOF_SECONDS = 0.1
"""How long an error waits for the proof that the page is free again, which takes 2 to 40 ms. With 0.15 s of the 0.2 s
that are reserved for the reply, 3 of 25 errors were late on two busy cores (`perception bench run hangs`)."""

PHASE = "running the script"

_FUNCTION = re.compile(r"\s*(?:(?://[^\n]*\n|/\*.*?\*/)\s*)*(?:async\s+)?function\b", re.DOTALL)
"""The beginning of a function in its long form: as a script it is a declaration, or wants a name."""

_CALL = "function(given) { return given(); }"


class _ScriptIgnoredError(Exception):
    """CDP did not accept the script and did not run it. The message is the reason, as a label."""


class Evaluator:
    """Runs scripts in the tabs of one browser."""

    def __init__(self, ws_url: str) -> None:
        self._ws_url = ws_url
        self._link: CdpLink | None = None
        self._connecting = asyncio.Lock()

    async def run(self, tab: Tab, script: Script, deadline: Deadline) -> Evaluated:
        """Runs a script in a tab.

        Args:
            deadline: the call's. It bounds the script's own limit; terminating a late script takes extra time.

        Raises:
            DeadlineError: it was late and was terminated; `page_answers` is whether the page answers again.
            BadInputError: with a node, it is not a function.
            PageChangingError: the page navigated while it ran.
            ReplyTooLargeError: its result is too large, or is not a plain value.
            StaleRefError, PageCrashedError, SessionLostError
        """
        tab.link.require_page()
        start = loop_time()
        whole, deadline = deadline, deadline.at_most(script.timeout_s)
        engine, outcome, fallback = EvaluateEngine.CDP, "error", ""
        tab.link.watchdog.stop_guarding()
        turn = ScriptTurn(tab.link.watchdog)
        # A late script is terminated at the deadline, not after waiting for an answer then.
        terminating = asyncio.get_running_loop().call_later(
            max(0.0, deadline.remaining() - SCRIPT_PATIENCE_SECONDS), turn.terminate
        )
        try:
            with tab.link.dialogs.dismissing() as dialogs:
                try:
                    if script.engine is EvaluateEngine.PLAYWRIGHT:
                        raise _ScriptIgnoredError("")
                    result = await self._by_cdp(tab, script, deadline, turn)
                except _ScriptIgnoredError as reason:
                    if script.engine is EvaluateEngine.CDP:
                        raise SessionLostError("the browser does not accept the script over CDP: try again") from reason
                    engine, fallback = EvaluateEngine.PLAYWRIGHT, str(reason)
                    result = await self._by_playwright(tab, script, deadline)
            outcome = "exception" if result.exception else "value"
            return Evaluated(result.value, result.exception, result.stack, engine, fallback, list(dialogs))
        except (DeadlineError, asyncio.CancelledError) as exc:
            outcome = "timeout" if isinstance(exc, DeadlineError) else "cancelled"
            turn.terminate()
            if isinstance(exc, DeadlineError) and exc.phase == PHASE:
                # It waits for half of the deadline.
                await tab.link.watchdog.wait_freed(Deadline.of(max(2 * PROOF_SECONDS, whole.remaining())))
                raise turn.late(loop_time() - start, PHASE, is_crashed=tab.link.crashed) from exc
            raise
        finally:
            terminating.cancel()
            spent = loop_time() - start
            EVALUATE.labels(engine=engine.value, outcome=outcome, fallback=fallback).inc()
            EVALUATE_SECONDS.labels(engine=engine.value).observe(spent)
            log.info("evaluated", engine=engine.value, outcome=outcome, fallback=fallback, seconds=round(spent, 3))

    async def close(self) -> None:
        """Closes the connection for scripts."""
        if self._link is not None:
            await self._link.close()

    async def _by_cdp(self, tab: Tab, script: Script, deadline: Deadline, turn: ScriptTurn) -> Evaluated:
        frame = script.node.frame if script.node else tab.link.main_frame
        backend_id = await _backend_id(tab, script.node, deadline) if script.node else 0
        session = await self._attach(tab.link.tree.target_of(frame), deadline)
        try:
            with tab.link.hosting(session, frame):
                element = await _resolve(session, backend_id, deadline) if script.node else ""
                context = await _isolate(session, frame, script.world, deadline) if script.world else 0
                deadline.check(PHASE)
                deadline.dispatched = True
                tab.link.note_input()
                try:
                    return await _run(session, script, element, context, deadline, turn)
                except CdpCallError as exc:
                    if "terminated" in str(exc):  # by the watchdog
                        raise deadline.error(PHASE) from exc
                    raise _refusal(exc) from exc
                except SessionLostError as exc:
                    if session.link.overflowed:
                        raise ReplyTooLargeError(
                            f"the script's result has over {MAX_ANSWER_BYTES // 2**20} MiB: return less"
                        ) from exc
                    if session.link.closed.is_set():  # the browser ended; the tab's own link may notice later
                        raise
                    raise PageChangingError("the page navigated while the script ran: check the tab's URL") from exc
        finally:
            detach_from_target(session)

    async def _attach(self, target_id: str, deadline: Deadline) -> CdpSession:
        try:
            link = await self._connected(deadline)
            return await attach_to_target(link.session(), target_id, deadline, "attaching for the script")
        except CdpCallError as exc:
            raise _ScriptIgnoredError("no_target") from exc
        except PerceptionError as exc:
            if isinstance(exc, DeadlineError):
                raise
            raise _ScriptIgnoredError("no_connection") from exc

    async def _connected(self, deadline: Deadline) -> CdpLink:
        async with deadline.phase("connecting for the script"), self._connecting:
            if self._link is None or self._link.closed.is_set():
                self._link = await CdpLink.connect(self._ws_url, deadline, max_bytes=MAX_ANSWER_BYTES)
            return self._link

    async def _by_playwright(self, tab: Tab, script: Script, deadline: Deadline) -> Evaluated:
        """As `_by_cdp`, through Playwright, which always waits for promises."""
        where = await _locator(tab, script.node, deadline) if script.node else tab.page
        frame = script.node.frame if script.node else tab.link.main_frame
        deadline.check(PHASE)
        deadline.dispatched = True
        tab.link.note_input()
        try:
            async with deadline.phase(PHASE):
                value = await _run_as_shown(tab, frame, lambda: where.evaluate(script.source), deadline)
        except PlaywrightError as exc:
            tab.link.require_page()
            if "closed" in exc.message or "navigation" in exc.message:
                raise PageChangingError("the page navigated while the script ran: check the tab's URL") from exc
            return thrown(exc.message, exc.stack or exc.message)
        try:
            return Evaluated(plain_value(value))
        except RecursionError as exc:
            raise ReplyTooLargeError(NOT_PLAIN) from exc


async def _run(
    session: CdpSession, script: Script, element: str, context: int, deadline: Deadline, turn: ScriptTurn
) -> Evaluated:
    """Sends a script, and fetches its result as a value.

    Args:
        element: ObjectId of the element that it takes; empty for none.
        context: ExecutionContextId; 0 for the page's own.
    """
    if element:
        reply = await _call(session, script.source, element, deadline, turn, script.await_promise, given=True)
    else:
        reply = await turn.call(
            session,
            "Runtime.evaluate",
            deadline,
            PHASE,
            expression=await _as_expression(session, script.source, deadline),
            awaitPromise=script.await_promise,
            userGesture=True,
            generatePreview=False,
            **({"contextId": context} if context else {}),
        )
        if "exceptionDetails" not in reply and reply["result"].get("type") == "function":
            function = reply["result"]["objectId"]
            reply = await _call(session, _CALL, function, deadline, turn, script.await_promise, given=True)
    if "exceptionDetails" in reply:
        return exception_of(reply["exceptionDetails"])
    result = reply["result"]
    if "objectId" in result and result["type"] == "object":
        reply = await _call(session, PLAIN_VALUE, result["objectId"], deadline, turn, False, by_value=True)
        if "exceptionDetails" in reply:  # a getter or a toJSON of the page threw
            return exception_of(reply["exceptionDetails"])
        result = reply["result"]
    if result.get("type") == "symbol" or result.get("type") == "function":
        raise ReplyTooLargeError(
            f"the script's result is a {result['type']}, which is not a plain value: return something else"
        )
    return Evaluated(result["unserializableValue"] if "unserializableValue" in result else result.get("value"))


async def _as_expression(session: CdpSession, source: str, deadline: Deadline) -> str:
    """A script that is one `function` is that function; more than that, it runs as it is."""
    if not _FUNCTION.match(source):
        return source
    function = f"({source.rstrip().rstrip(';')}\n)"
    compiled = await session.call(
        "Runtime.evaluate", deadline, PHASE, expression=f"() => {function}", throwOnSideEffect=True
    )
    return source if "exceptionDetails" in compiled else function


async def _call(
    session: CdpSession,
    function: str,
    this: str,
    deadline: Deadline,
    turn: ScriptTurn,
    await_promise: bool,
    *,
    given: bool = False,
    by_value: bool = False,
) -> dict[str, Any]:
    return await turn.call(
        session,
        "Runtime.callFunctionOn",
        deadline,
        PHASE,
        functionDeclaration=function,
        objectId=this,
        arguments=[{"objectId": this}] if given else [],
        awaitPromise=await_promise,
        returnByValue=by_value,
        userGesture=True,
    )


async def _backend_id(tab: Tab, node: TargetNode, deadline: Deadline) -> int:
    """The node's CDP backend id, from the walker's world: the id that a ref holds may be outdated."""
    phase = "looking for the element"
    try:
        handle = await tab.link.worlds.node_handle(node.frame, node.number, deadline, phase)
        if not handle:
            raise StaleRefError.because(node.shown_as, "its element is gone")
        session = tab.link.session_of(node.frame)
        described = await session.call("DOM.describeNode", deadline, phase, objectId=handle)
    except CdpCallError as exc:
        raise _ScriptIgnoredError("no_node") from exc
    return int(described["node"]["backendNodeId"])


async def _resolve(session: CdpSession, backend_id: int, deadline: Deadline) -> str:
    """ObjectId of the element in the page's own world."""
    try:
        reply = await session.call("DOM.resolveNode", deadline, "looking for the element", backendNodeId=backend_id)
    except CdpCallError as exc:
        raise _ScriptIgnoredError("no_node") from exc
    return str(reply["object"]["objectId"])


async def _isolate(session: CdpSession, frame: str, world: str, deadline: Deadline) -> int:
    """ExecutionContextId of an isolated world of a frame; a document has one world for each name."""
    try:
        reply = await session.call(
            "Page.createIsolatedWorld", deadline, "preparing the script's world", frameId=frame, worldName=world
        )
    except CdpCallError as exc:
        raise _ScriptIgnoredError("no_world") from exc
    return int(reply["executionContextId"])


async def _locator(tab: Tab, node: TargetNode, deadline: Deadline) -> Any:
    """Playwright's locator of an element: from the top document down through frames and open shadow roots."""
    where: Any = tab.page
    for frame, number in reversed(await tab.link.worlds.owners(node.frame, deadline)):
        where = where.frame_locator(_css(await _steps_to(tab, frame, number, node, deadline)))
    for step in await _steps_to(tab, node.frame, node.number, node, deadline):
        where = where.locator(f"css={step}")
    return where


async def _steps_to(tab: Tab, frame: str, number: int, node: TargetNode, deadline: Deadline) -> list[str]:
    """A selector for each tree, from the document down to an element."""
    steps = await tab.link.ask(frame, "routeTo", deadline, "looking for the element", number)
    if not steps:
        raise NotReachableError(
            f"{node.shown_as} cannot be found by Playwright: it is gone or in a closed shadow root; use the engine CDP"
        )
    return list(steps)


async def _run_as_shown(tab: Tab, frame: str, evaluate: Callable[[], Awaitable[Any]], deadline: Deadline) -> Any:
    """The value of a script in the document that a frame shows.

    Playwright may not know yet of a document that this service has waited for. It then sends the script to the one
    before, where it does not run, and learns of the new one: the script is sent again.
    """
    while True:
        loader = tab.link.tree.loader_of(frame)
        try:
            return await evaluate()
        except PlaywrightError as exc:
            if "context was destroyed" not in exc.message:
                raise
            # What the script itself has changed is reported before the answer.
            with suppress(CdpCallError):  # the frame is gone
                await tab.link.session_of(frame).call("Page.getFrameTree", deadline, PHASE)
            if not loader or tab.link.tree.loader_of(frame) != loader:
                raise


def _css(steps: list[str]) -> str:
    return " >> ".join(f"css={step}" for step in steps)


def _refusal(error: CdpCallError) -> PerceptionError:
    """Chromium's refusal of a script as an error for its author."""
    text = str(error)
    if "does not evaluate to a function" in text:
        return BadInputError(
            "with a target the expression has to be a function, such as `element => element.id`", field="expression"
        )
    if "chain is too long" in text or "couldn't be returned by value" in text:
        return ReplyTooLargeError(NOT_PLAIN)
    if "navigat" in text or "destroyed" in text or "Cannot find" in text or "closed" in text:
        return PageChangingError("the page navigated while the script ran: check the tab's URL")
    return error
