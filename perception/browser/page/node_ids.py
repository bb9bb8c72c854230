"""CDP ids of the walker's nodes."""

from __future__ import annotations

import structlog

from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline

log = structlog.get_logger(__name__)


async def backend_ids(page: PageLink, frame: str, nodes: list[int], deadline: Deadline) -> dict[int, int]:
    """CDP backend ids by walker number; nodes that are gone are left out. Deep serialization returns all of them in one
    call, at 0.08 ms a node (Chromium 156; a pipelined DOM.describeNode takes 0.13 ms)."""
    result = await page.evaluate(
        frame,
        f"perceptionWalker.nodes({nodes})",
        deadline,
        "reading node ids",
        serializationOptions={
            "serialization": "deep",
            "maxDepth": 2,
            "additionalParameters": {"maxNodeDepth": 0, "includeShadowTree": "none"},
        },
    )
    found: dict[int, int] = {}
    for node, item in zip(nodes, result["deepSerializedValue"]["value"], strict=True):
        if item.get("type") == "node":
            found[node] = item["value"]["backendNodeId"]
    if len(found) < len(nodes):
        log.debug("no backend node id", reason="gone since the capture", frame=frame, missing=len(nodes) - len(found))
    return found
