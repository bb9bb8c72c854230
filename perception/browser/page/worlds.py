"""The isolated worlds of one tab's frames, with the walker in them: make them, evaluate in them, find nodes by them.

A frame's world is made when it is first used and dropped when the frame navigates.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from perception.browser.cdp.cdp_link import CdpCallError, CdpSession, consume
from perception.browser.page.frames import FrameTree
from perception.browser.page.tab_state import TabState
from perception.browser.page.watchdog import ScriptWatchdog
from perception.browser.walker import walker_source
from perception.deadline import Deadline
from perception.errors import PageChangingError, PageCrashedError, PerceptionError
from perception.page_words import page_words

WORLD_NAME = "perception"

WARM_FRAMES = 8
"""Frames of a page whose worlds are made before they are used: 10 to 20 ms each, once. Chosen by hand."""

HEARD_SECONDS = 2.0
"""How long a frame that its document shows may take to be heard of: after a document has come back from the
back/forward cache, frames in other processes are attached one inside the other. Chosen by hand."""

HEARD_POLL_SECONDS = 0.01

_PREPARING = "preparing the page walker"

STALE = "TypeError: Illegal invocation"
"""What functions of the platform throw in the world of a document that was just replaced, as by one that only refers to
another (Chromium 156)."""


@dataclass(frozen=True, slots=True)
class World:
    """An isolated world with the walker in it.

    Attributes:
        session: the DevTools session of the frame's process.
        context_id: CDP's ExecutionContextId of the world, in that session.
        loader: LoaderId of the document that the world belongs to; empty where it was not known yet.
    """

    session: CdpSession
    context_id: int
    loader: str


class IsolatedWorlds:
    """The worlds of one tab, by frame."""

    def __init__(self, frames: FrameTree, state: TabState, watchdog: ScriptWatchdog) -> None:
        self._frames = frames
        self._state = state
        self._watchdog = watchdog
        self._worlds: dict[str, World] = {}
        self._making: dict[str, asyncio.Task[World]] = {}
        self._never_heard: set[str] = set()

    @property
    def made(self) -> list[str]:
        """Ids of the frames that have one."""
        return list(self._worlds)

    def drop(self, frame: str) -> None:
        """Forgets the world of a frame that navigated, moved or is gone."""
        self._worlds.pop(frame, None)
        self._making.pop(frame, None)

    def drop_all(self) -> None:
        self._worlds.clear()
        self._making.clear()

    def drop_session(self, session: CdpSession) -> None:
        """Forgets the worlds of a process that is gone."""
        self._worlds = {frame: world for frame, world in self._worlds.items() if world.session is not session}

    async def world(self, frame: str, deadline: Deadline) -> World:
        """The frame's isolated world, made if there is none.

        Raises:
            CdpCallError: the frame is gone.
            PageCrashedError: the page crashed.
        """
        known = self._worlds.get(frame)
        if known is not None:
            return known
        if self._state.is_crashed:
            raise PageCrashedError("the page crashed or hangs: open it again or close its tab")
        making = self._making.get(frame)
        if making is None:
            making = self._making[frame] = asyncio.create_task(self._make(frame), name="make-world")
            making.add_done_callback(partial(self._end_making, frame))
        async with deadline.phase(_PREPARING):
            return await asyncio.shield(making)

    def _end_making(self, frame: str, making: asyncio.Task[World]) -> None:
        consume(making)
        if self._making.get(frame) is making:
            del self._making[frame]

    async def _make(self, frame: str) -> World:
        """Makes a frame's world, for all who wait for it, each within its own deadline. A page that hangs answers when
        it is free again, or its session ends."""
        session = self._frames.session_of(frame)
        reply = await session.start("Page.createIsolatedWorld", frameId=frame, worldName=WORLD_NAME)
        world = World(session, reply["executionContextId"], self._frames.loader_of(frame))
        source = walker_source()
        loaded = await session.start(
            "Runtime.evaluate", expression=source, contextId=world.context_id, returnByValue=True
        )
        if "exceptionDetails" in loaded:
            raise _failure("the page walker could not be loaded", _description(loaded["exceptionDetails"]))
        if world.loader == self._frames.loader_of(frame):
            self._worlds[frame] = world
        return world

    async def evaluate(
        self, frame: str, expression: str, deadline: Deadline, phase: str, **options: Any
    ) -> dict[str, Any]:
        """Evaluates in a frame's world, in a new one if the frame has navigated meanwhile.

        Args:
            options: further parameters of `Runtime.evaluate`.

        Returns:
            CDP's RemoteObject.

        Raises:
            CdpCallError: the frame is gone.
            PageChangingError: the document is being replaced.
            PerceptionError: the expression threw.
        """
        for attempt in (1, 2):
            try:
                world = await self.world(frame, deadline)
                with self._watchdog.working(world.session):
                    reply = await world.session.call(
                        "Runtime.evaluate",
                        deadline,
                        phase,
                        expression=expression,
                        contextId=world.context_id,
                        **options,
                    )
            except CdpCallError:
                self.drop(frame)
                if attempt == 2:
                    raise
                continue
            if "exceptionDetails" in reply:
                described = _description(reply["exceptionDetails"])
                if attempt == 1 and described.startswith(STALE):
                    self.drop(frame)
                    continue
                raise _failure("the page walker failed", described)
            return dict(reply["result"])
        raise AssertionError("unreachable")

    async def ask(self, frame: str, call: str, deadline: Deadline, phase: str, *arguments: Any) -> Any:
        """Calls the walker in a frame: `perceptionWalker.<call>(*arguments)`; arguments and answer are JSON.

        Raises:
            CdpCallError: the frame is gone.
        """
        text = await self.ask_text(frame, call, deadline, phase, *arguments)
        return msgspec.json.decode(text)

    async def ask_text(self, frame: str, call: str, deadline: Deadline, phase: str, *arguments: Any) -> str:
        """As `ask`, with the answer still encoded."""
        reply = await self.evaluate(frame, _call_of(call, arguments), deadline, phase, returnByValue=True)
        return str(reply["value"])

    async def ask_texts(
        self, frame: str, calls: Sequence[tuple[str, Sequence[Any]]], deadline: Deadline, phase: str
    ) -> list[str]:
        """As `ask_text`, several calls one after the other, each with its arguments, in one round trip."""
        expression = f"[{', '.join(_call_of(call, arguments) for call, arguments in calls)}]"
        reply = await self.evaluate(frame, expression, deadline, phase, returnByValue=True)
        return [str(each) for each in reply["value"]]

    async def ask_stamped(
        self, frame: str, call: str, title: str, deadline: Deadline, phase: str, *arguments: Any
    ) -> str:
        """As `ask_text`, with a `console.timeStamp` right after the call."""
        expression = f"[{_call_of(call, arguments)}, console.timeStamp({json.dumps(title)})][0]"
        reply = await self.evaluate(frame, expression, deadline, phase, returnByValue=True)
        return str(reply["value"])

    async def warm(self, deadline: Deadline) -> None:
        """Has the walker compiled in the top document before it is used, and makes the worlds of the frames in it: half
        of a first capture.

        Raises:
            PerceptionError: the page does not answer, or has navigated.
        """
        await self.evaluate(self._frames.main_frame, "perceptionWalker.warm()", deadline, _PREPARING)
        for frame in self._frames.frames[1 : 1 + WARM_FRAMES]:
            with suppress(CdpCallError):  # it is gone
                await self.world(frame, deadline)

    async def node_handle(self, frame: str, number: int, deadline: Deadline, phase: str) -> str:
        """ObjectId of an element by its walker number, in the walker's world; empty when it is gone.

        Raises:
            CdpCallError: the frame is gone.
        """
        reply = await self.evaluate(frame, f"perceptionWalker.nodes([{number}])[0]", deadline, phase)
        return str(reply.get("objectId", ""))

    async def owners(self, frame: str, deadline: Deadline) -> list[tuple[str, int]]:
        """The way up from a frame: for each step the frame that holds it, and there the walker's number of its
        iframe element. Empty for the top document.

        Raises:
            CdpCallError: the frame is gone.
        """
        steps: list[tuple[str, int]] = []
        while frame != self._frames.main_frame:
            parent = self._frames.parent_of(frame)
            if parent is None:
                raise CdpCallError("DOM.getFrameOwner", 0, "the frame is gone")
            steps.append((parent, await self._owner_number(parent, frame, deadline)))
            frame = parent
        return steps

    async def _owner_number(self, parent: str, frame: str, deadline: Deadline) -> int:
        """The walker's number, in the parent, of the iframe element that shows a frame."""
        world = await self.world(parent, deadline)
        phase = "placing the frame"
        owner = await world.session.call("DOM.getFrameOwner", deadline, phase, frameId=frame)
        resolved = await world.session.call(
            "DOM.resolveNode",
            deadline,
            phase,
            backendNodeId=owner["backendNodeId"],
            executionContextId=world.context_id,
        )
        reply = await world.session.call(
            "Runtime.callFunctionOn",
            deadline,
            phase,
            functionDeclaration="function(node) { return perceptionWalker.numberOf(node); }",
            executionContextId=world.context_id,
            arguments=[{"objectId": resolved["object"]["objectId"]}],
            returnByValue=True,
        )
        return int(reply["result"]["value"])

    async def frame_ids(self, backend_ids: list[int], frame: str, deadline: Deadline) -> list[str]:
        """Ids of the frames that iframe elements show, by the elements' CDP backend ids; empty where one shows none."""
        session = self._frames.session_of(frame)
        calls = [session.start("DOM.describeNode", backendNodeId=backend_id) for backend_id in backend_ids]
        async with deadline.phase("looking into frames"):
            replies = await asyncio.gather(*calls, return_exceptions=True)
        found = [reply["node"].get("frameId", "") if isinstance(reply, dict) else "" for reply in replies]
        await self._hear_of({each for each in found if each}, deadline.share(HEARD_SECONDS))
        return found

    async def _hear_of(self, frames: set[str], share: Deadline) -> None:
        """Waits until events have told of frames, once for each frame that none tells of."""

        def unheard() -> set[str]:
            return {frame for frame in frames - self._never_heard if not self._frames.knows(frame)}

        while unheard() and share.remaining() > HEARD_POLL_SECONDS:  # noqa: ASYNC110  (events of many links)
            await asyncio.sleep(HEARD_POLL_SECONDS)
        self._never_heard |= unheard()


def _call_of(call: str, arguments: Sequence[Any]) -> str:
    return f"perceptionWalker.{call}({', '.join(json.dumps(argument) for argument in arguments)})"


def _description(details: dict[str, Any]) -> str:
    """What an expression threw, from CDP's ExceptionDetails."""
    return str(details.get("exception", {}).get("description") or details.get("text", ""))


def _failure(what: str, thrown: str) -> PerceptionError:
    """Why the walker did not do something: a document that is being replaced, or a defect of ours."""
    said = page_words("".join(thrown.splitlines()[:1]))
    if thrown.startswith(STALE):
        return PageChangingError(
            f"{what}: the document is being replaced ({said}). Wait for the new one, and try again"
        )
    return PerceptionError(f"{what}: {said}")
