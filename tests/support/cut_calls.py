"""Cancels calls at each of their steps, and counts what is open in the browser by then."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any

import pytest

from perception.browser.cdp.cdp_link import CdpLink
from perception.server import interceptor


class Cut:
    """Cancels a call while it awaits the answer to its nth message to the browser, and counts what is open by then.

    Attributes:
        left: messages until the call is cancelled.
        sent: names of the messages of the call.
        open: ids of DevTools sessions and streams of ours that are open.
    """

    def __init__(self) -> None:
        self.left = 0
        self.sent: list[str] = []
        self.open: set[str] = set()
        self._ended: set[str] = set()
        self._task: asyncio.Task[None] | None = None

    def hook(self, link: CdpLink, patch: pytest.MonkeyPatch) -> None:
        """Watches the commands on a connection of ours."""
        start = link.start

        def watched(session_id: str, method: str, params: dict[str, Any]) -> asyncio.Future[dict[str, Any]]:
            answer = start(session_id, method, params)
            # The answer is noted even where nobody waits for it any more.
            passed: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
            answer.add_done_callback(lambda done: self._note(method, params, done, passed))
            self._count(method)
            return passed

        patch.setattr(link, "start", watched)
        link.on("", "Target.detachedFromTarget", lambda params: self._end(params["sessionId"]))

    def hook_driver(self, transport: Any, patch: pytest.MonkeyPatch) -> None:
        """Watches what is asked of Playwright's driver."""
        send = transport.send

        def watched(message: dict[str, Any]) -> None:
            send(message)
            if message.get("guid") and message.get("method") != "__waitInfo__":
                self._count(message["method"])

        patch.setattr(transport, "send", watched)

    async def run(self, call: Awaitable[None], step: int) -> bool:
        """Runs a call and cancels it at a step. Returns whether it has that many."""
        self.left, self.sent = step, []
        self._task = asyncio.ensure_future(call)  # type: ignore[assignment]
        await asyncio.wait((self._task,))
        task, self._task = self._task, None
        if not task.cancelled():
            task.result()
        return task.cancelled()

    def _count(self, method: str) -> None:
        if self._task is None or self._task.done():
            return
        self.sent.append(method)
        self.left -= 1
        if self.left == 0:
            asyncio.get_running_loop().call_soon(self._task.cancel)

    def _end(self, session_id: str) -> None:
        self._ended.add(session_id)
        self.open.discard(session_id)

    def _note(
        self,
        method: str,
        params: dict[str, Any],
        done: asyncio.Future[dict[str, Any]],
        passed: asyncio.Future[dict[str, Any]],
    ) -> None:
        if done.cancelled():
            passed.cancel()
        elif (error := done.exception()) is not None:
            if not passed.done():
                passed.set_exception(error)
                passed.exception()
        else:
            reply = done.result()
            if method.startswith("Target.attachTo"):
                self.open |= {reply["sessionId"]} - self._ended
            elif method == "Page.printToPDF":
                self.open.add(reply["stream"])
            elif method == "IO.close":
                self.open.discard(params["handle"])
            if not passed.done():
                passed.set_result(reply)


class RpcCut(Cut):
    """Cancels a call of one rpc, where it is served, at one of its steps.

    A step is a line of ours at which the call waits, or a message to the browser that it waits for.

    Attributes:
        rpc: name of the rpc whose calls are cut.
        step: at which its calls are cut; empty for nowhere.
        reached: the steps that a call came to, since that was emptied.
        last: the one at which the last call was cut; empty where it was not.
    """

    def __init__(self) -> None:
        super().__init__()
        self.rpc = ""
        self.step = ""
        self.reached: set[str] = set()
        self.last = ""
        self.serving: asyncio.Task[Any] | None = None
        self._leave: Callable[[], object] = lambda: None

    def hook_service(self, patch: pytest.MonkeyPatch) -> None:
        """Watches the calls that services of this process answer."""
        patch.setattr(interceptor, "_guard", partial(self._guard, interceptor._guard))

    def begin(self, leave: Callable[[], object]) -> None:
        """The next call of the rpc may be cut. `leave` is called then: its client goes away."""
        self.last, self._leave = "", leave

    def _count(self, method: str) -> None:
        self._reach(f"message {method}")

    def _reach(self, step: str) -> None:
        if self.serving is None or self.last:
            return
        self.reached.add(step)
        if step == self.step:
            self.last = step
            asyncio.get_running_loop().call_soon(self._cancel)

    def _cancel(self) -> None:
        if self.serving is not None:
            self.serving.cancel()
        self._leave()

    def _guard(self, make: Callable[..., Any], method: str, answer: Any, guards: Any) -> Any:
        guarded = make(method, answer, guards)
        if not method.endswith(f"/{self.rpc}"):
            return guarded

        async def served(request: Any, context: Any) -> Any:
            self.serving, call = asyncio.current_task(), guarded(request, context)
            try:
                return await _stepped(call, lambda: self._reach(_place_of(call)))
            finally:
                self.serving = None

        return served


@types.coroutine
def _stepped(awaited: Awaitable[Any], at_step: Callable[[], None]) -> Iterator[Any]:
    """Awaits it; `at_step` is called each time that it waits."""
    inner: Any = awaited.__await__()
    go_on: Callable[[], Any] = partial(inner.send, None)
    while True:
        try:
            waits_for = go_on()
        except StopIteration as end:
            return end.value
        at_step()
        try:
            yield waits_for
        except BaseException as error:
            go_on = partial(inner.throw, error)
        else:
            go_on = partial(inner.send, None)


def _place_of(awaited: Any) -> str:
    """The innermost line of ours at which a coroutine, or an asynchronous generator, waits."""
    place = ""
    while awaited is not None:
        kind = next((each for each in ("cr", "ag", "gi") if hasattr(awaited, f"{each}_frame")), "")
        frame = getattr(awaited, f"{kind}_frame", None)
        if frame is not None and any(each in frame.f_code.co_filename for each in ("/perception/", "/server/")):
            place = f"{frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno} in {frame.f_code.co_name}"
        awaited = getattr(awaited, "gi_yieldfrom" if kind == "gi" else f"{kind}_await", None)
    return place
