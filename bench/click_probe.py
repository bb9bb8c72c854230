"""Hears real clicks in a page, and says what they hit: `click_probe.js` in every frame, over Playwright's connection.

Rule 1: which node is meant is told by its backend node id and CDP alone; the page walker, whose work is judged, is not
asked.
Rule 2: from `arm` on the page hears of no press, release, click or submit, so that it stays as it is. It hears of the
pointer's moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from playwright.async_api import CDPSession, Frame, Page
from playwright.async_api import Error as PlaywrightError

from perception.errors import PerceptionError

SCRIPT = Path(__file__).with_suffix(".js").read_text("utf-8")

WORLD = "click-probe"

WHOLE_CLICK = ("pointerdown", "mousedown", "click")
"""What a click consists of, as far as it is heard."""


class Heard(msgspec.Struct, frozen=True):
    """One event.

    Attributes:
        trusted: real input made it, no script.
        at: when the page heard of it, in milliseconds since 1970.
        landing: `on` the node it is judged against, on a control or in a frame `inside` it, by its `label`, or empty.
        hit: the innermost node at its place, in words.
    """

    type: str
    trusted: bool
    at: float
    landing: str
    hit: str


@dataclass(frozen=True, slots=True)
class World:
    """The probe's own global object in one frame. `parent`: id of the frame around it; empty for the top one."""

    session: CDPSession
    frame: str
    parent: str
    context_id: int


@dataclass(frozen=True, slots=True)
class Held:
    """A node to be clicked. `selector`: one that it alone has on the page; empty where there is none."""

    world: World
    backend_node_id: int
    object_id: str
    selector: str


@dataclass(slots=True)
class ClickProbe:
    """Of one tab. Made before the tab goes to its page."""

    page: Page
    main: CDPSession
    others: list[CDPSession] = field(default_factory=list)
    worlds: dict[str, World] = field(default_factory=dict)
    """By frame id, as of the last `arm`."""
    top: str = ""

    @classmethod
    async def of(cls, page: Page) -> ClickProbe:
        """Is in every document of the tab before its own scripts, as far as frames share its process."""
        main = await page.context.new_cdp_session(page)
        await main.send("Page.enable")
        await main.send("Page.addScriptToEvaluateOnNewDocument", {"source": SCRIPT, "worldName": WORLD})
        return cls(page, main)

    async def arm(self) -> None:
        """From now on clicks are heard, and stopped, in all frames that there are."""
        for session in self.others:
            await _detach(session)
        self.others = [found for frame in self.page.frames[1:] if (found := await self._session_of(frame))]
        self.worlds = {}
        for session in (self.main, *self.others):
            tree = (await session.send("Page.getFrameTree"))["frameTree"]
            self.top = self.top if session is not self.main else tree["frame"]["id"]
            for frame in _frames(tree):
                try:
                    self.worlds[frame["id"]] = await _install(session, frame)
                except PlaywrightError:
                    continue  # the frame has gone away

    async def _session_of(self, frame: Frame) -> CDPSession | None:
        try:
            return await self.page.context.new_cdp_session(frame)
        except PlaywrightError:  # it shares its parent's, or has gone away
            return None

    async def hold(self, frame: str, backend_node_id: int) -> Held | None:
        """A node of a frame (empty: the top one). None where it is gone."""
        world = self.worlds.get(frame or self.top)
        if world is None:
            return None
        try:
            resolved = await world.session.send(
                "DOM.resolveNode", {"backendNodeId": backend_node_id, "executionContextId": world.context_id}
            )
            object_id = resolved["object"]["objectId"]
            selector = await _call_on(world, object_id, "hold")
            counts = [await _call(each, "count", selector) for each in self.worlds.values() if selector]
        except PlaywrightError:
            return None
        if selector is None:
            return None
        return Held(world, backend_node_id, object_id, selector if sum(counts) == 1 else "")

    async def judge(self, held: Held) -> list[Heard]:
        """What was heard since it was last asked: in the node's frame or, if nothing was heard there, in any."""
        heard = msgspec.convert(await _call_on(held.world, held.object_id, "judge"), list[Heard])
        if heard:
            return heard
        for world in self.worlds.values():
            if found := await _take(world):
                inside = "inside" if await self._is_in(world, held) else ""
                heard += [msgspec.structs.replace(each, landing=inside) for each in found]
        return heard

    async def _is_in(self, world: World, held: Held) -> bool:
        """Whether a node is the frame element, at any level, that shows a frame."""
        while parent := self.worlds.get(world.parent):
            owner = await parent.session.send("DOM.getFrameOwner", {"frameId": world.frame})
            if (parent.frame, owner["backendNodeId"]) == (held.world.frame, held.backend_node_id):
                return True
            world = parent
        return False

    async def take(self) -> list[Heard]:
        """What was heard since it was last asked, in all frames."""
        return [each for world in self.worlds.values() for each in await _take(world)]

    async def size(self) -> int:
        """How many elements the top document has."""
        return int(await _call(self.worlds[self.top], "size"))


def landing_of(heard: Sequence[Heard]) -> str:
    """How one whole click landed, as `Heard.landing` says; empty if part of it did not, is missing, or a script's."""
    if tuple(each.type for each in heard) != WHOLE_CLICK or not all(each.trusted and each.landing for each in heard):
        return ""
    return heard[-1].landing


def say_heard(heard: Sequence[Heard]) -> str:
    """What a click that did not land hit, in words."""
    if not heard:
        return "no event reached the page"
    hits = dict.fromkeys(each.hit for each in heard if not each.landing)
    if not hits:
        return f"heard only {', '.join(each.type for each in heard)}"
    return f"hit {'; '.join(hits)}"


async def _take(world: World) -> list[Heard]:
    try:
        return msgspec.convert(await _call(world, "judge"), list[Heard])
    except PlaywrightError:
        return []  # the frame has gone away


async def _install(session: CDPSession, frame: dict[str, Any]) -> World:
    made = await session.send("Page.createIsolatedWorld", {"frameId": frame["id"], "worldName": WORLD})
    world = World(session, frame["id"], frame.get("parentId", ""), made["executionContextId"])
    await session.send("Runtime.evaluate", {"expression": SCRIPT, "contextId": world.context_id})
    await _call(world, "arm")
    return world


async def _call(world: World, method: str, *arguments: Any) -> Any:
    return await _invoke(
        world,
        {
            "functionDeclaration": f"(...rest) => clickProbe.{method}(...rest)",
            "executionContextId": world.context_id,
            "arguments": [{"value": each} for each in arguments],
        },
    )


async def _call_on(world: World, object_id: str, method: str) -> Any:
    declaration = f"function() {{ return clickProbe.{method}(this); }}"
    return await _invoke(world, {"functionDeclaration": declaration, "objectId": object_id})


async def _invoke(world: World, call: dict[str, Any]) -> Any:
    reply = await world.session.send("Runtime.callFunctionOn", {**call, "returnByValue": True})
    if "exceptionDetails" in reply:
        raise PerceptionError(f"the click probe failed: {str(reply['exceptionDetails'])[:300]}")
    return reply["result"].get("value")


def _frames(tree: dict[str, Any]) -> list[dict[str, Any]]:
    return [tree["frame"], *(each for child in tree.get("childFrames", ()) for each in _frames(child))]


async def _detach(session: CDPSession) -> None:
    try:
        await session.detach()
    except PlaywrightError:
        return  # its frame has gone away
