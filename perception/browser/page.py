"""One tab over our own CDP link: its frames, the isolated worlds in them, and how far it has loaded.

Out-of-process frames are sessions of their own, attached as they come (flattened auto-attach). A frame's world is
made when it is first asked something and dropped when the frame navigates; the top document's as soon as it has loaded.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import defaultdict
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

import msgspec

from perception.browser.cdp import CdpCallError, CdpLink, CdpSession, consume
from perception.browser.dialogs import Dialogs
from perception.browser.rescue import Probe, Rescue
from perception.browser.walker import walker_source
from perception.budget import Budget
from perception.errors import PageCrashedError, PerceptionError, SessionLostError
from perception.named_secrets import Masker

WORLD_NAME = "perception"


@dataclass(slots=True)
class World:
    """An isolated world with the walker in it. `loader` is the document's LoaderId."""

    session: CdpSession
    context_id: int
    loader: str


class PageLink:
    """One tab. Made by `attach`."""

    def __init__(self, link: CdpLink, session: CdpSession, target_id: str) -> None:
        self.link = link
        self.session = session
        self.target_id = target_id
        self.main_frame = target_id
        self.crashed = False
        self.gone = False
        self.navigating = False
        self._is_leaving = False
        self._given_up = False
        self.commits = 0
        self.windows_opened = 0
        self.url = ""
        self.unreachable = ""
        """The URL that could not be opened, while Chromium's page about that is shown."""
        self.stopping: asyncio.Future[dict[str, Any]] | None = None
        self.lifecycle: dict[str, set[str]] = defaultdict(set)
        self.changed = asyncio.Condition()
        self._loaders: dict[str, str] = {}
        self._owner: dict[str, CdpSession] = {}
        self._parents: dict[str, str] = {}
        self._worlds: dict[str, World] = {}
        self._targets: dict[str, str] = {session.session_id: target_id}
        self._tasks: set[asyncio.Task[None]] = set()
        self.dialogs = Dialogs(session)
        self.rescue = Rescue(self)
        self.conceal: Callable[[], Masker | None] | None = None
        """Gives what masks the secrets that no picture may show."""
        self.on_stuck: Callable[[CdpSession, Probe], None] | None = None
        """Told of a process whose script cannot be ended; has to get rid of it."""

    @classmethod
    async def attach(cls, link: CdpLink, target_id: str, budget: Budget) -> PageLink:
        phase = "attaching to the tab"
        reply = await link.session().call("Target.attachToTarget", budget, phase, targetId=target_id, flatten=True)
        page = cls(link, link.session(reply["sessionId"]), target_id)
        await page._adopt(page.session, budget)
        return page

    async def detach(self) -> None:
        tasks = [*self._tasks, *self.rescue.tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.gone = True
        async with self.changed:
            self.changed.notify_all()
        self.link.forget(self.session.session_id, SessionLostError("the tab was closed"))

    @property
    def loader(self) -> str:
        """LoaderId of the top document: the tab's epoch."""
        return self._loaders.get(self.main_frame, "")

    @property
    def loaders(self) -> frozenset[str]:
        """LoaderIds of the documents that are shown, in all frames."""
        return frozenset(self._loaders.values())

    def frame_of(self, loader: str) -> str | None:
        return next((frame for frame, known in self._loaders.items() if known == loader), None)

    @property
    def frames(self) -> tuple[str, ...]:
        """Ids of all frames there are, the top one first."""
        return (self.main_frame, *(frame for frame in self._loaders if frame != self.main_frame))

    def parent_of(self, frame: str) -> str | None:
        """Id of the frame that holds a frame; None for the top one."""
        return self._parents.get(frame)

    async def owners(self, frame: str, budget: Budget) -> list[tuple[str, int]]:
        """The way up from a frame: for each step the frame that holds it, and there the walker's number of its
        iframe element. Empty for the top document.

        Raises:
            CdpCallError: the frame is gone.
        """
        steps: list[tuple[str, int]] = []
        while frame != self.main_frame:
            parent = self._parents.get(frame)
            if parent is None:
                raise CdpCallError("DOM.getFrameOwner", 0, "the frame is gone")
            world = await self.world(parent, budget)
            phase = "placing the frame"
            owner = await world.session.call("DOM.getFrameOwner", budget, phase, frameId=frame)
            resolved = await world.session.call(
                "DOM.resolveNode",
                budget,
                phase,
                backendNodeId=owner["backendNodeId"],
                executionContextId=world.context_id,
            )
            reply = await world.session.call(
                "Runtime.callFunctionOn",
                budget,
                phase,
                functionDeclaration="function(node) { return perceptionWalker.number(node); }",
                executionContextId=world.context_id,
                arguments=[{"objectId": resolved["object"]["objectId"]}],
                returnByValue=True,
            )
            steps.append((parent, int(reply["result"]["value"])))
            frame = parent
        return steps

    def stop_loading(self) -> None:
        """Calls off a navigation; the next one waits until that is done, or it would be called off with it."""
        self.stopping = self.session.start("Page.stopLoading")
        self.stopping.add_done_callback(consume)

    def give_up(self, session: CdpSession, probe: Probe) -> None:
        """Has a process that cannot be freed got rid of; its page counts as crashed."""
        self._given_up = self._given_up or session is self.session
        self._crash(session)
        if self.on_stuck is not None:
            self.on_stuck(session, probe)

    @property
    def is_leaving(self) -> bool:
        """Another document is on its way: until it has come, or was called off, the one that is there answers nobody
        (Chromium 156)."""
        return self._is_leaving

    @property
    def sessions(self) -> list[CdpSession]:
        """Of all processes that the tab's frames live in."""
        return list({id(each): each for each in (self.session, *self._owner.values())}.values())

    async def ask(self, frame: str, call: str, budget: Budget, phase: str, *arguments: Any) -> Any:
        """Calls the walker in a frame: `perceptionWalker.<call>(*arguments)`; arguments and answer are JSON.

        Raises:
            CdpCallError: the frame is gone.
        """
        text = await self.ask_text(frame, call, budget, phase, *arguments)
        return msgspec.json.decode(text)

    async def ask_text(self, frame: str, call: str, budget: Budget, phase: str, *arguments: Any) -> str:
        """As `ask`, with the answer still encoded."""
        parameters = ", ".join(json.dumps(argument) for argument in arguments)
        reply = await self.evaluate(frame, f"perceptionWalker.{call}({parameters})", budget, phase, returnByValue=True)
        return str(reply["value"])

    async def evaluate(self, frame: str, expression: str, budget: Budget, phase: str, **options: Any) -> dict[str, Any]:
        """Evaluates in a frame's isolated world, in a new one if the frame has navigated meanwhile."""
        for attempt in (1, 2):
            try:
                world = await self.world(frame, budget)
                with self.rescue.working(world.session):
                    reply = await world.session.call(
                        "Runtime.evaluate", budget, phase, expression=expression, contextId=world.context_id, **options
                    )
            except CdpCallError:
                self._worlds.pop(frame, None)
                if attempt == 2:
                    raise
                continue
            if "exceptionDetails" in reply:
                details = reply["exceptionDetails"]
                described = details.get("exception", {}).get("description") or details.get("text", "")
                raise PerceptionError(f"the page walker failed: {described.splitlines()[0][:200]}")
            return dict(reply["result"])
        raise AssertionError("unreachable")

    async def node_handle(self, frame: str, number: int, budget: Budget, phase: str) -> str:
        """ObjectId of an element by its walker number, in the walker's world; empty when it is gone.

        Raises:
            CdpCallError: the frame is gone.
        """
        reply = await self.evaluate(frame, f"perceptionWalker.nodes([{number}])[0]", budget, phase)
        return str(reply.get("objectId", ""))

    async def world(self, frame: str, budget: Budget) -> World:
        """The frame's isolated world, made if there is none."""
        known = self._worlds.get(frame)
        if known is not None:
            return known
        if self.crashed:
            raise PageCrashedError("the page crashed or hangs: open it again or close its tab")
        session = self._owner.get(frame, self.session)
        phase = "preparing the page walker"
        reply = await session.call("Page.createIsolatedWorld", budget, phase, frameId=frame, worldName=WORLD_NAME)
        world = World(session, reply["executionContextId"], self._loaders.get(frame, ""))
        source = walker_source()
        loaded = await session.call(
            "Runtime.evaluate", budget, phase, expression=source, contextId=world.context_id, returnByValue=True
        )
        if "exceptionDetails" in loaded:
            raise PerceptionError("the page walker could not be loaded into the page")
        if world.loader == self._loaders.get(frame, ""):
            self._worlds[frame] = world
        return world

    async def _warm(self) -> None:
        """Makes the top document's world, and has the walker compiled, before anybody asks: half of a first look."""
        with contextlib.suppress(PerceptionError):  # whoever asks next will see for himself
            budget = Budget.of(UNATTENDED_SECONDS)
            await self.evaluate(self.main_frame, "perceptionWalker.warm()", budget, "preparing the page walker")

    async def frame_ids(self, backend_ids: list[int], frame: str, budget: Budget) -> list[str]:
        """Ids of the frames that iframe elements show; empty where one shows none."""
        session = self._owner.get(frame, self.session)
        calls = [session.start("DOM.describeNode", backendNodeId=backend_id) for backend_id in backend_ids]
        async with budget.phase("looking into frames"):
            replies = await asyncio.gather(*calls, return_exceptions=True)
        return [reply["node"].get("frameId", "") if isinstance(reply, dict) else "" for reply in replies]

    def session_of(self, frame: str) -> CdpSession:
        return self._owner.get(frame, self.session)

    def target_of(self, frame: str) -> str:
        """TargetId of the process that a frame lives in: the tab's, or that of a frame further up."""
        return self._targets.get(self.session_of(frame).session_id, self.target_id)

    async def _adopt(self, session: CdpSession, budget: Budget) -> None:
        """Listens to a target: the tab itself, or one of its out-of-process frames."""
        for event, handler in (
            ("Page.frameNavigated", lambda params: self._navigated(session, params["frame"])),
            ("Page.frameAttached", lambda params: self._begun(session, params)),
            ("Page.frameDetached", self._detached),
            ("Page.lifecycleEvent", self._lifecycle),
            ("Page.frameStartedNavigating", self._started),
            ("Page.frameRequestedNavigation", self._started),
            ("Page.navigatedWithinDocument", self._moved),
            ("Page.frameStoppedLoading", self._stopped),
            ("Page.windowOpen", self._opened_window),
            ("Inspector.targetCrashed", lambda _: self._crash(session)),
            ("Target.attachedToTarget", self._attached),
        ):
            session.on(event, handler)
        phase = "attaching to the tab"
        commands = [
            session.start("Page.enable"),
            session.start("Inspector.enable"),
            session.start("Performance.enable"),
            session.start("Page.setLifecycleEventsEnabled", enabled=True),
            session.start("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True),
            session.start("Page.getFrameTree"),
        ]
        async with budget.phase(phase):
            *_, tree = await asyncio.gather(*commands)
        self._take_tree(session, tree["frameTree"])

    def _take_tree(self, session: CdpSession, tree: dict[str, Any]) -> None:
        frame = tree["frame"]
        if session is self.session and "parentId" not in frame:
            self.main_frame = frame["id"]
        self._owner[frame["id"]] = session
        self._loaders[frame["id"]] = frame["loaderId"]
        if parent := frame.get("parentId"):
            self._parents[frame["id"]] = parent
        for child in tree.get("childFrames", ()):
            self._take_tree(session, child)

    def _attached(self, params: dict[str, Any]) -> None:
        if params["targetInfo"]["type"] != "iframe":
            return
        session = self.link.session(params["sessionId"])
        self._owner[params["targetInfo"]["targetId"]] = session
        self._targets[session.session_id] = params["targetInfo"]["targetId"]
        self._worlds.pop(params["targetInfo"]["targetId"], None)
        self._start(self._adopt_frame(session), "adopt-frame")

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _adopt_frame(self, session: CdpSession) -> None:
        """A frame that is gone before it is adopted was never there."""
        try:
            await self._adopt(session, Budget.of(UNATTENDED_SECONDS))
        except PerceptionError:
            return
        self._notify()

    def _navigated(self, session: CdpSession, frame: dict[str, Any]) -> None:
        frame_id = frame["id"]
        if frame_id == self.main_frame:
            self.navigating = self._is_leaving = False
            self.crashed = self._given_up
            self.rescue.begin_anew()
            self.commits += 1
            self.url = frame["url"]
            self.unreachable = frame.get("unreachableUrl", "")
            for old in list(self.lifecycle)[:-KEPT_DOCUMENTS]:
                del self.lifecycle[old]
            self._loaders = {frame_id: frame["loaderId"]}
            self.dialogs.open = None
            self._worlds.clear()
        self._owner[frame_id] = session
        self._loaders[frame_id] = frame["loaderId"]
        if parent := frame.get("parentId"):
            self._parents[frame_id] = parent
        self._worlds.pop(frame_id, None)
        self._notify()

    def _begun(self, session: CdpSession, params: dict[str, Any]) -> None:
        self._owner.setdefault(params["frameId"], session)
        self._parents[params["frameId"]] = params["parentFrameId"]

    def _moved(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self.main_frame:
            self.commits += 1
            self.url = params["url"]
            self._notify()

    def _detached(self, params: dict[str, Any]) -> None:
        frame_id = params["frameId"]
        self._worlds.pop(frame_id, None)
        if params.get("reason") != "swap":
            for known in (self._loaders, self._owner, self._parents):
                known.pop(frame_id, None)

    def _lifecycle(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self.main_frame:
            self.lifecycle[params["loaderId"]].add(params["name"])
            self._notify()
            if params["name"] == "load" and params["loaderId"] == self.loader:
                self._start(self._warm(), "warm")

    def _started(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self.main_frame and params.get("navigationType", "") != "sameDocument":
            self.navigating = True
            self._is_leaving = self._is_leaving or "loaderId" in params  # not of what is only asked for
            self._notify()

    def _opened_window(self, _: dict[str, Any]) -> None:
        self.windows_opened += 1

    def _stopped(self, params: dict[str, Any]) -> None:
        if params["frameId"] == self.main_frame:
            self.navigating = self._is_leaving = False
            self._notify()

    def _crash(self, session: CdpSession) -> None:
        """The tab's own process is gone, or one of its frames'."""
        self.crashed = self.crashed or session is self.session
        self._worlds = {frame: world for frame, world in self._worlds.items() if world.session is not session}
        self._notify()

    def _notify(self) -> None:
        async def wake() -> None:
            async with self.changed:
                self.changed.notify_all()

        task = asyncio.create_task(wake())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


UNATTENDED_SECONDS = 10.0
"""Nobody waits for a frame to be adopted, or for a world made ahead; this only bounds what a dead one keeps alive."""

KEPT_DOCUMENTS = 8
"""Documents whose lifecycle is remembered: as many as Chromium's back/forward cache holds, and some."""
