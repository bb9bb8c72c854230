"""Many nodes of a document at once, by their places in document order.

DevTools names nodes by their backend ids, and gives objects for them one call at a time (0.1 ms each, Chromium 156).
A DOM snapshot without styles lists the ids of all nodes of a document in its order (0.008 ms each), so that the walker
finds them by their places. It watches that the order stays as it is meanwhile.
"""

from __future__ import annotations

from typing import Any

from perception.browser.cdp.cdp_link import CdpCallError, CdpSession
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline

SNAPSHOT_COST = 0.08
"""Cost of an element in a snapshot, in calls that resolve one node: 0.008 and 0.1 ms (draw.io and a spreadsheet,
Chromium 156)."""

SNAPSHOT_BASE = 30
"""The same of a snapshot of an empty document, with the call that asks for the number of elements."""

MANY_NODES = 500
"""Nodes from which on it is worth a round trip to count the document's elements."""

SERIAL_COST = 0.3
"""Cost of an element in a snapshot, in nodes that are serialized for their ids: 0.009 and 0.03 ms (10,000 controls
among 20,000 elements, Chromium 156)."""

_PHASE = "reading node ids"

_ELEMENT = 1


def is_snapshot_cheaper(nodes: int, elements: int) -> bool:
    """Whether nodes of a document with so many elements are found faster in a snapshot than one by one."""
    return nodes > SNAPSHOT_BASE + SNAPSHOT_COST * elements


async def places_in_document(session: CdpSession, frame: str, deadline: Deadline, phase: str) -> dict[int, int]:
    """The place of each element of a frame's document among its elements, as `getElementsByTagName('*')` has them, by
    backend id: without shadow trees, template contents and pseudo-elements. Empty where the frame is gone."""
    try:
        reply = await session.call("DOMSnapshot.captureSnapshot", deadline, phase, computedStyles=[])
    except CdpCallError:
        return {}
    strings = reply["strings"]
    return next((_places(each["nodes"]) for each in reply["documents"] if strings[each["frameId"]] == frame), {})


async def backend_ids_by_place(page: PageLink, frame: str, nodes: list[int], deadline: Deadline) -> dict[int, int]:
    """CDP backend ids by walker number, of those nodes of the top document that have a place in its order; of none
    where they are few among its elements, or the order changes meanwhile.

    Raises:
        CdpCallError: the frame is gone.
    """
    if frame != page.main_frame or len(nodes) < MANY_NODES:
        return {}
    elements = await page.ask(frame, "keepOrder", deadline, _PHASE, "ids")
    is_cheaper = len(nodes) > SERIAL_COST * elements
    by_id = await places_in_document(page.session, frame, deadline, _PHASE) if is_cheaper else {}
    places = await page.ask(frame, "placesInOrder", deadline, _PHASE, "ids", nodes if is_cheaper else [])
    by_place = {place: backend_id for backend_id, place in by_id.items()}
    return {node: by_place[place] for node, place in zip(nodes, places or (), strict=False) if place in by_place}


def _places(nodes: dict[str, Any]) -> dict[int, int]:
    """Nodes are listed in pre-order. Those of a shadow tree are marked, and have its host as their parent."""
    elsewhere = {index for rare in ("shadowRootType", "pseudoType") for index in nodes.get(rare, {}).get("index", ())}
    kinds = enumerate(nodes["nodeType"])
    elements = [index for index, kind in kinds if kind == _ELEMENT and index not in elsewhere]
    return {nodes["backendNodeId"][index]: place for place, index in enumerate(elements)}
