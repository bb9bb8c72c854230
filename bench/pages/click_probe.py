"""Records what real clicks hit in a page: `click_probe.js` in every frame, over Playwright's connection.

Rule 1: only the backend node id and CDP identify the node; the page walker, which is being tested, is not used.
Rule 2: after `arm` the page receives no press, release, click or submit event, so that it does not change. It still
receives pointer moves.
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

PROBE_SCRIPT = Path(__file__).with_suffix(".js").read_text("utf-8")

PROBE_WORLD = "click-probe"

WHOLE_CLICK = ("pointerdown", "mousedown", "click")
"""The recorded events of a click."""


class Heard(msgspec.Struct, frozen=True):
    """One event.

    Attributes:
        trusted: real input produced it, not a script.
        at: when the page received it, in milliseconds since 1970.
        landing: `on` the expected node, on a control or in a frame `inside` it, by its `label`, or empty.
        hit: the innermost node at its position, in words.
    """

    type: str
    trusted: bool
    at: float
    landing: str
    hit: str


@dataclass(frozen=True, slots=True)
class ProbeWorld:
    """The probe's own global object in one frame. `parent`: id of the frame around it; empty for the top one."""

    session: CDPSession
    frame: str
    parent: str
    context_id: int


@dataclass(frozen=True, slots=True)
class Held:
    """A node to be clicked. `selector`: a selector that is unique on the page; empty if there is none."""

    world: ProbeWorld
    backend_node_id: int
    object_id: str
    selector: str


@dataclass(slots=True)
class ClickProbe:
    """The probe of one tab. It must be created before the tab opens its page."""

    page: Page
    main: CDPSession
    others: list[CDPSession] = field(default_factory=list)
    worlds: dict[str, ProbeWorld] = field(default_factory=dict)
    """By frame id, as of the last `arm`."""
    top: str = ""

    @classmethod
    async def of(cls, page: Page) -> ClickProbe:
        """Adds the probe to every document of the tab before its own scripts, as far as frames share its process."""
        main = await page.context.new_cdp_session(page)
        await main.send("Page.enable")
        await main.send("Page.addScriptToEvaluateOnNewDocument", {"source": PROBE_SCRIPT, "worldName": PROBE_WORLD})
        return cls(page, main)

    async def arm(self) -> None:
        """From now on clicks are recorded and stopped, in all existing frames."""
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
                    continue  # the frame is gone

    async def _session_of(self, frame: Frame) -> CDPSession | None:
        try:
            return await self.page.context.new_cdp_session(frame)
        except PlaywrightError:  # it shares its parent's process, or is gone
            return None

    async def hold(self, frame: str, backend_node_id: int) -> Held | None:
        """A node of a frame (empty: the top one). None if it is gone."""
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
        """The events since the last call: in the node's frame or, if there are none, in any."""
        heard = msgspec.convert(await _call_on(held.world, held.object_id, "judge"), list[Heard])
        if heard:
            return heard
        for world in self.worlds.values():
            if found := await _take(world):
                inside = "inside" if await self._is_in(world, held) else ""
                heard += [msgspec.structs.replace(each, landing=inside) for each in found]
        return heard

    async def disarm(self) -> None:
        """The page receives all events until the next `arm`."""
        for world in self.worlds.values():
            await _call(world, "disarm")

    async def checked(self, held: Held) -> bool | None:
        """Whether a checkbox or radio button is on. None for everything else."""
        found: bool | None = await _call_on(held.world, held.object_id, "checked")
        return found

    async def _is_in(self, world: ProbeWorld, held: Held) -> bool:
        """Whether a node is the frame element, at any level, that contains a frame."""
        while parent := self.worlds.get(world.parent):
            owner = await parent.session.send("DOM.getFrameOwner", {"frameId": world.frame})
            if (parent.frame, owner["backendNodeId"]) == (held.world.frame, held.backend_node_id):
                return True
            world = parent
        return False

    async def take(self) -> list[Heard]:
        """The events since the last call, in all frames."""
        return [each for world in self.worlds.values() for each in await _take(world)]

    async def size(self) -> int:
        """The number of elements in the top document."""
        return int(await _call(self.worlds[self.top], "size"))


def landing_of(heard: Sequence[Heard]) -> str:
    """The result of one complete click, as in `Heard.landing`; empty if part of it missed, is absent, or came from a
    script."""
    if tuple(each.type for each in heard) != WHOLE_CLICK or not all(each.trusted and each.landing for each in heard):
        return ""
    return heard[-1].landing


def say_heard(heard: Sequence[Heard]) -> str:
    """What a click that missed did hit, in words."""
    if not heard:
        return "no event reached the page"
    hits = dict.fromkeys(each.hit for each in heard if not each.landing)
    if not hits:
        return f"heard only {', '.join(each.type for each in heard)}"
    return f"hit {'; '.join(hits)}"


async def _take(world: ProbeWorld) -> list[Heard]:
    try:
        return msgspec.convert(await _call(world, "judge"), list[Heard])
    except PlaywrightError:
        return []  # the frame is gone


async def _install(session: CDPSession, frame: dict[str, Any]) -> ProbeWorld:
    made = await session.send("Page.createIsolatedWorld", {"frameId": frame["id"], "worldName": PROBE_WORLD})
    world = ProbeWorld(session, frame["id"], frame.get("parentId", ""), made["executionContextId"])
    await session.send("Runtime.evaluate", {"expression": PROBE_SCRIPT, "contextId": world.context_id})
    await _call(world, "arm")
    return world


async def _call(world: ProbeWorld, method: str, *arguments: Any) -> Any:
    return await _invoke(
        world,
        {
            "functionDeclaration": f"(...rest) => clickProbe.{method}(...rest)",
            "executionContextId": world.context_id,
            "arguments": [{"value": each} for each in arguments],
        },
    )


async def _call_on(world: ProbeWorld, object_id: str, method: str) -> Any:
    declaration = f"function() {{ return clickProbe.{method}(this); }}"
    return await _invoke(world, {"functionDeclaration": declaration, "objectId": object_id})


async def _invoke(world: ProbeWorld, call: dict[str, Any]) -> Any:
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
        return  # its frame is gone
