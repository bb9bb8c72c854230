"""What only DevTools can tell a walker: who listens for clicks, and what closed shadow roots hold."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from perception.browser.cdp import CdpCallError, CdpSession, consume
from perception.browser.page import PageLink, World
from perception.budget import Budget

CLICKS = frozenset({"click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick", "touchstart", "touchend"})
"""Events that a listener asks for who wants to be clicked or tapped."""

GROUP = "perception-told"
"""Objects that Chromium hands out for this are freed together."""

DELEGATES_TYPES = 20
"""Who listens for so many kinds of events listens for others: React's root hears about 80, a slider 10."""

PHASE = "asking for listeners"

MAX_LISTENERS = 2000
"""Nodes with listeners that are asked for at once; 0.13 ms each (Chromium 156)."""


class Listeners:
    """Learns once of each node of a tab that it listens for clicks."""

    def __init__(self, page: PageLink) -> None:
        self._page = page
        self._asked: dict[str, set[int]] = {}

    async def learn(self, session: CdpSession, frames: Iterable[str], known: set[int], budget: Budget) -> int:
        """Tells the walkers of a session's frames who listens.

        Args:
            known: backend ids of nodes that are known to be controls: nothing is learnt from their listeners.

        Returns:
            How many elements are targets because of that; then the page has to be looked at again.
        """
        self._forget_old_documents()
        heard = await self._hear(session, budget)
        news = 0
        for frame in frames:
            # A frame's list holds those of the frames in it. A node that one frame's world is handed although it is of
            # another's document is of no class that its own world knows (`instanceof Element` fails; Chromium 156).
            inside = {node for other in heard if self._page.parent_of(other) == frame for node in heard[other]}
            world = await self._page.world(frame, budget)
            asked = self._asked.setdefault(world.loader, set())
            skipped = inside | known | asked
            new = [node for node in heard.get(frame, ()) if node not in skipped][:MAX_LISTENERS]
            asked.update(new)
            news += await _tell(world, new, budget) if new else 0
        return news

    async def _hear(self, session: CdpSession, budget: Budget) -> dict[str, list[int]]:
        """Who listens in each of a session's frames, with the frames in it. A frame that has gone away is left out."""
        heard = {}
        for frame in self._page.frames:
            if self._page.session_of(frame) is session:
                parent = self._page.parent_of(frame)
                is_root = parent is None or self._page.session_of(parent) is not session
                try:
                    document = await _document(session, "" if is_root else frame, budget)
                    heard[frame] = await _listening(session, document, budget)
                except CdpCallError:
                    continue
        return heard

    def _forget_old_documents(self) -> None:
        for loader in [loader for loader in self._asked if loader not in self._page.loaders]:
            del self._asked[loader]


async def _document(session: CdpSession, frame: str, budget: Budget) -> str:
    """Object id of a frame's document, of the session's outermost one for an empty id; empty where there is none.

    In the page's own world, where its listeners are: asked by way of an isolated world's object, Chromium (156) wraps
    listening nodes for that world so that they are of no class that it knows.
    """
    if not frame:
        found = await session.call("Runtime.evaluate", budget, PHASE, expression="document", objectGroup=GROUP)
        return str(found["result"].get("objectId", ""))
    owner = await session.call("DOM.getFrameOwner", budget, PHASE, frameId=frame)
    described = await session.call(
        "DOM.describeNode", budget, PHASE, backendNodeId=owner["backendNodeId"], depth=1, pierce=True
    )
    inside = described["node"].get("contentDocument")
    if inside is None:
        return ""
    resolved = await session.call(
        "DOM.resolveNode", budget, PHASE, backendNodeId=inside["backendNodeId"], objectGroup=GROUP
    )
    return str(resolved["object"].get("objectId", ""))


async def _listening(session: CdpSession, document: str, budget: Budget) -> list[int]:
    """Backend ids of elements that listen for clicks, in a document and the shadow trees and frames in it."""
    if not document:
        return []
    reply = await session.call("DOMDebugger.getEventListeners", budget, PHASE, objectId=document, depth=-1, pierce=True)
    types: dict[int, set[str]] = {}
    for each in reply["listeners"]:
        if "backendNodeId" in each:
            types.setdefault(each["backendNodeId"], set()).add(each["type"])
    return [node for node, heard in types.items() if heard & CLICKS and len(heard) < DELEGATES_TYPES]


async def _tell(world: World, nodes: list[int], budget: Budget) -> int:
    """Hands nodes of its document to a walker; gives how many are to be seen otherwise. Gone ones are left out."""
    objects = await resolve(world, nodes, budget, PHASE)
    return int(await _call(world, "hear", [each for each in objects if each], budget)) if any(objects) else 0


async def adopt_closed_roots(page: PageLink, frame: str, budget: Budget, host: int | None = None) -> int:
    """Hands a frame's walker the closed shadow roots of the elements it suspects of having one.

    Args:
        host: the number of one that is asked about too, suspected or not.

    Returns:
        How many there are; then the frame has to be looked at again.
    """
    phase = "opening shadow roots"
    result = await page.evaluate(
        frame,
        f"perceptionWalker.suspects({'null' if host is None else host})",
        budget,
        phase,
        serializationOptions={
            "serialization": "deep",
            "maxDepth": 2,
            "additionalParameters": {"maxNodeDepth": 0, "includeShadowTree": "all"},
        },
    )
    pairs: list[int] = []
    for item in result["deepSerializedValue"].get("value", ()):
        root = (item.get("value", {}).get("shadowRoot") or {}).get("value", {})
        if root.get("mode") == "closed":
            pairs += [item["value"]["backendNodeId"], root["backendNodeId"]]
    if not pairs:
        return 0
    world = await page.world(frame, budget)
    objects = await resolve(world, pairs, budget, phase)
    whole = [
        each for i in range(0, len(objects) - 1, 2) if objects[i] and objects[i + 1] for each in objects[i : i + 2]
    ]
    return int(await _call(world, "adopt", whole, budget))


async def resolve(world: World, nodes: list[int], budget: Budget, phase: str) -> list[str]:
    """Object ids of nodes in a world; empty for those that are gone or of another document."""
    calls = [
        world.session.start(
            "DOM.resolveNode", backendNodeId=node, executionContextId=world.context_id, objectGroup=GROUP
        )
        for node in nodes
    ]
    async with budget.phase(phase):
        replies = await asyncio.gather(*calls, return_exceptions=True)
    return [reply["object"].get("objectId", "") if isinstance(reply, dict) else "" for reply in replies]


async def _call(world: World, function: str, objects: list[str], budget: Budget) -> Any:
    try:
        reply = await world.session.call(
            "Runtime.callFunctionOn",
            budget,
            "reading the page",
            functionDeclaration=f"function(...given) {{ return Number(perceptionWalker.{function}(...given)); }}",
            executionContextId=world.context_id,
            arguments=[{"objectId": each} for each in objects],
            returnByValue=True,
        )
    except CdpCallError:
        return 0  # the frame has gone to another document meanwhile
    world.session.start("Runtime.releaseObjectGroup", objectGroup=GROUP).add_done_callback(consume)
    return reply["result"].get("value") or 0
