"""What a walker only learns from DevTools: elements with click listeners, and the content of closed shadow roots."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from perception.browser.capture.document_order import SNAPSHOT_BASE, is_snapshot_cheaper, places_in_document
from perception.browser.capture.resolved_nodes import resolved_nodes
from perception.browser.cdp.cdp_link import CdpCallError, CdpSession, consume
from perception.browser.page.page_link import PageLink
from perception.browser.page.worlds import World
from perception.deadline import Deadline

CLICKS = frozenset({"click", "mousedown", "mouseup", "pointerdown", "pointerup", "dblclick", "touchstart", "touchend"})
"""Events of listeners that make an element clickable."""

HOVERS = frozenset({"mouseenter", "mouseover", "pointerenter", "pointerover"})
"""Events of listeners that make an element one to hover over."""

KINDS = (
    (1, CLICKS),
    (2, frozenset({"dragstart"})),
    (4, frozenset({"dragover", "drop"})),
    (8, HOVERS),
    (16, frozenset({"contextmenu"})),
    (32, frozenset({"mousedown", "pointerdown", "touchstart"})),
    (64, frozenset({"wheel", "mousewheel"})),
)
"""Kinds of listeners: a bit for each, as in `walker/dom/listeners.js`."""

HOVER, AFFORDANCES = 8, 2 | 4 | 16
"""Those of the pointer, and those that say something of a control, too."""

MAX_HOVERED = 200
"""Elements that only listen for the pointer, in one document: of more, as in a chart with thousands of points, none is
asked about. Chosen by hand."""

OWN = frozenset({"beforetoggle", "mouseover", "slotchange"})
"""Events of the walker's own listeners, on each document and shadow root (`tree/changes.js`)."""

DELEGATES_TYPES = 20
"""An element with listeners for so many kinds of events delegates them: React's root has about 80, a slider 10. Chosen
by hand."""

PHASE = "asking for listeners"

MAX_ROUNDS = 5
"""How often frames that came meanwhile are asked: a page may add frames without end. Chosen by hand."""

MAX_LISTENERS = 2000
"""Nodes with listeners that are resolved at once; 0.13 ms each (Chromium 156). Chosen by hand."""


class ListenerTracker:
    """Reports each node of a tab that listens for clicks to its walker, once."""

    def __init__(self, page: PageLink) -> None:
        self._page = page
        self._asked: dict[str, dict[int, int]] = {}
        self._documents: dict[str, tuple[str, str]] = {}

    def has_learned(self, loader: str) -> bool:
        """Whether the listeners of this document were ever asked for."""
        return loader in self._asked

    async def learn(
        self,
        session: CdpSession,
        frames: Iterable[str],
        known: Callable[[str], Awaitable[set[int]]] | None,
        deadline: Deadline,
    ) -> int:
        """Reports elements with click listeners to the walkers of a session's frames.

        Args:
            known: gives backend ids of a frame's nodes that are known controls, whose listeners change nothing; None
                where there are none.

        Returns:
            How many elements became targets; if any, the page has to be captured again.
        """
        self._forget_old_documents()
        listening = await self._listening_nodes(session, deadline)
        found = 0
        for frame in frames:
            # A frame's list includes the nodes of the frames in it. A node that is resolved in the world of another
            # frame is an instance of none of its own world's classes (`instanceof Element` fails; Chromium 156).
            inside = {
                node for other in listening if self._page.tree.parent_of(other) == frame for node in listening[other]
            }
            world = await self._page.world(frame, deadline)
            asked = self._asked.setdefault(world.loader, {})
            here = {node: kinds for node, kinds in listening.get(frame, {}).items() if node not in inside}
            new = {node: kinds for node, kinds in _without_many_hovers(here).items() if kinds & ~asked.get(node, 0)}
            if new and known is not None:
                controls = await known(frame)
                new = {node: kinds for node, kinds in new.items() if node not in controls or kinds & AFFORDANCES}
            new = dict(list(new.items())[:MAX_LISTENERS])
            asked.update(new)
            found += await _report(world, frame, new, deadline) if new else 0
        return found

    async def _listening_nodes(self, session: CdpSession, deadline: Deadline) -> dict[str, dict[int, int]]:
        """Nodes that listen, with the sum of their `KINDS`, in each of a session's frames, with the frames in it.

        Frames that are gone are skipped, and those that came meanwhile are asked, too: the list of the frame around
        them may have their nodes.
        """
        listening: dict[str, dict[int, int] | None] = {}
        for _ in range(MAX_ROUNDS):
            frames = [
                frame
                for frame in self._page.frames
                if frame not in listening and self._page.session_of(frame) is session
            ]
            if not frames:
                break
            found = await asyncio.gather(*(self._listening_in(session, frame, deadline) for frame in frames))
            listening |= zip(frames, found, strict=True)
        return {frame: nodes for frame, nodes in listening.items() if nodes is not None}

    async def _listening_in(self, session: CdpSession, frame: str, deadline: Deadline) -> dict[int, int] | None:
        """Nodes that listen in a frame, with the frames in it; None if it is gone."""
        parent = self._page.tree.parent_of(frame)
        is_root = parent is None or self._page.session_of(parent) is not session
        try:
            if is_root:
                return await self._listening_in_root(session, frame, deadline)
            return await _listening_inside(session, frame, deadline)
        except CdpCallError:
            return None

    async def _listening_in_root(self, session: CdpSession, frame: str, deadline: Deadline) -> dict[int, int]:
        """Nodes that listen in a session's outermost document, whose remote object is kept for as long as it is shown.

        Raises:
            CdpCallError: it is gone.
        """
        loader = self._page.tree.loader_of(frame)
        kept, document = self._documents.get(session.session_id, ("", ""))
        if kept == loader:
            with suppress(CdpCallError):  # the object may be gone where the document is not
                return await _listening(session, document, deadline)
        document = await _root_document(session, deadline)
        self._documents[session.session_id] = loader, document
        return await _listening(session, document, deadline)

    def _forget_old_documents(self) -> None:
        for loader in [loader for loader in self._asked if loader not in self._page.loaders]:
            del self._asked[loader]
        for session_id in [key for key, (loader, _) in self._documents.items() if loader not in self._page.loaders]:
            del self._documents[session_id]


async def _root_document(session: CdpSession, deadline: Deadline) -> str:
    """ObjectId of a session's outermost document.

    It is an object of the page's own world, which holds the listeners: asked by an object of an isolated world,
    Chromium (156) wraps listening nodes for that world so that they are instances of none of its classes.
    It is in no object group: see `_listening`.
    """
    found = await session.call("Runtime.evaluate", deadline, PHASE, expression="document")
    return str(found["result"].get("objectId", ""))


async def _listening_inside(session: CdpSession, frame: str, deadline: Deadline) -> dict[int, int]:
    """Nodes that listen in the document of a frame that is not its session's outermost."""
    document = await _document_of(session, frame, deadline)
    try:
        return await _listening(session, document, deadline)
    finally:
        if document:
            session.start("Runtime.releaseObject", objectId=document).add_done_callback(consume)


async def _document_of(session: CdpSession, frame: str, deadline: Deadline) -> str:
    """ObjectId of a frame's document, as `_root_document`; empty where there is none."""
    owner = await session.call("DOM.getFrameOwner", deadline, PHASE, frameId=frame)
    described = await session.call(
        "DOM.describeNode", deadline, PHASE, backendNodeId=owner["backendNodeId"], depth=1, pierce=True
    )
    inside = described["node"].get("contentDocument")
    if inside is None:
        return ""
    resolved = await session.call("DOM.resolveNode", deadline, PHASE, backendNodeId=inside["backendNodeId"])
    return str(resolved["object"].get("objectId", ""))


async def _listening(session: CdpSession, document: str, deadline: Deadline) -> dict[int, int]:
    """Backend ids of elements that listen, with the sum of their `KINDS`, in a document and the shadow trees and frames
    in it.

    Chromium (156) adds each handler twice, with its source, if the document is in an object group: 14,000 handlers of
    5,000 characters took 9 to 21 s, and 0.1 s without. So the document is in none.
    """
    if not document:
        return {}
    reply = await session.call(
        "DOMDebugger.getEventListeners", deadline, PHASE, objectId=document, depth=-1, pierce=True
    )
    types: dict[int, set[str]] = {}
    for each in reply["listeners"]:
        if "backendNodeId" in each:
            types.setdefault(each["backendNodeId"], set()).add(each["type"])
    found = {
        node: sum(kind for kind, names in KINDS if events & names)
        for node, events in types.items()
        if len(events) < DELEGATES_TYPES and not events >= OWN
    }
    return {node: kinds for node, kinds in found.items() if kinds}


def _without_many_hovers(nodes: dict[int, int]) -> dict[int, int]:
    """Leaves out the nodes that only listen for the pointer, if they are many."""
    if sum(kinds == HOVER for kinds in nodes.values()) <= MAX_HOVERED:
        return nodes
    return {node: kinds for node, kinds in nodes.items() if kinds != HOVER}


def _by_kinds(nodes: dict[int, int]) -> dict[int, list[int]]:
    """Nodes by the sum of their kinds."""
    groups: dict[int, list[int]] = {}
    for node, kinds in nodes.items():
        groups.setdefault(kinds, []).append(node)
    return groups


async def _report(world: World, frame: str, nodes: dict[int, int], deadline: Deadline) -> int:
    """Hands listening nodes of a frame's document to its walker; returns how many elements became targets. Nodes that
    are gone are skipped."""
    found = 0
    if len(nodes) > SNAPSHOT_BASE and is_snapshot_cheaper(
        len(nodes), await _count(world, "keepOrder('listeners')", deadline)
    ):
        places = await places_in_document(world.session, frame, deadline, PHASE)
        here = {node: kinds for node, kinds in nodes.items() if node in places}
        groups = [[kinds, *(places[node] for node in group)] for kinds, group in _by_kinds(here).items()]
        count = await _count(world, f"addListenersAt({groups})", deadline)
        if count >= 0:
            found, nodes = count, {node: kinds for node, kinds in nodes.items() if node not in places}
    for kinds, group in _by_kinds(nodes).items():
        found += await _call(world, "addListeners", group, deadline, PHASE, kinds)
    return found


async def _count(world: World, expression: str, deadline: Deadline) -> int:
    """A number that a walker answers with; -1 where its frame is gone."""
    try:
        reply = await world.session.call(
            "Runtime.evaluate",
            deadline,
            PHASE,
            expression=f"Number(perceptionWalker.{expression})",
            contextId=world.context_id,
            returnByValue=True,
        )
    except CdpCallError:
        return -1
    value = reply["result"].get("value")
    return value if isinstance(value, int) else -1


async def adopt_closed_roots(page: PageLink, frame: str, deadline: Deadline, host: int | None = None) -> int:
    """Hands a frame's walker the closed shadow roots of the elements that it suspects of having one.

    Args:
        host: walker number of a further element that is asked for its shadow root; None for none.

    Returns:
        How many shadow roots were found; if any, the frame has to be captured again.

    Raises:
        CdpCallError: the frame is gone.
    """
    phase = "opening shadow roots"
    result = await page.evaluate(
        frame,
        f"perceptionWalker.suspectedHosts({'null' if host is None else host})",
        deadline,
        phase,
        serializationOptions={
            "serialization": "deep",
            "maxDepth": 2,
            "additionalParameters": {"maxNodeDepth": 0, "includeShadowTree": "all"},
        },
    )
    answer: list[dict[str, Any]] = result["deepSerializedValue"].get("value") or [{}]
    pairs: list[int] = []
    for item in answer[1:]:
        root = (item.get("value", {}).get("shadowRoot") or {}).get("value", {})
        if root.get("mode") == "closed":
            pairs += [item["value"]["backendNodeId"], root["backendNodeId"]]
    return await _call(
        await page.world(frame, deadline), "addShadowRoots", pairs, deadline, phase, answer[0].get("value", 0), of=2
    )


async def _call(
    world: World, function: str, nodes: Sequence[int], deadline: Deadline, phase: str, *values: float, of: int = 1
) -> int:
    """Calls a function of the walker with values and nodes, given by backend id.

    Args:
        of: so many nodes belong together. They are left out where one of them is gone or of another document.

    Returns:
        What it answers; 0 where the frame is gone.
    """
    async with resolved_nodes(world, nodes, deadline, phase) as objects:
        together = [objects[i : i + of] for i in range(0, len(objects), of)]
        found = [{"objectId": each} for some in together if all(some) for each in some]
        try:
            reply = await world.session.call(
                "Runtime.callFunctionOn",
                deadline,
                phase,
                functionDeclaration=f"function(...given) {{ return Number(perceptionWalker.{function}(...given)); }}",
                executionContextId=world.context_id,
                arguments=[*({"value": each} for each in values), *found],
                returnByValue=True,
            )
        except CdpCallError:
            return 0
    return int(reply["result"].get("value") or 0)
