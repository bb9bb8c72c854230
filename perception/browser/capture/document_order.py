"""Many nodes of a document at once, by their places in document order.

DevTools names nodes by their backend ids, and gives objects for them one call at a time (0.1 ms each, Chromium 156).
A DOM snapshot without styles lists the ids of all nodes of a document in its order (0.008 ms each), so that the walker
finds them by their places. It watches that the order stays as it is meanwhile.
"""

from __future__ import annotations

from typing import Any

from perception.browser.cdp.cdp_link import CdpCallError, CdpSession
from perception.deadline import Deadline

SNAPSHOT_COST = 0.08
"""Cost of an element in a snapshot, in calls that resolve one node: 0.008 and 0.1 ms (draw.io and a spreadsheet,
Chromium 156)."""

SNAPSHOT_BASE = 30
"""The same of a snapshot of an empty document, with the call that asks for the number of elements."""

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


def _places(nodes: dict[str, Any]) -> dict[int, int]:
    """Nodes are listed in pre-order. Those of a shadow tree are marked, and have its host as their parent."""
    elsewhere = {index for rare in ("shadowRootType", "pseudoType") for index in nodes.get(rare, {}).get("index", ())}
    kinds = enumerate(nodes["nodeType"])
    elements = [index for index, kind in kinds if kind == _ELEMENT and index not in elsewhere]
    return {nodes["backendNodeId"][index]: place for place, index in enumerate(elements)}
