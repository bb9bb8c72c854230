"""Pictures as JSON: all but their bytes."""

from __future__ import annotations

from typing import Any


def plain_frame(reply: Any) -> dict[str, Any]:
    """The head of a WatchFramesResponse."""
    viewport, scroll = reply.viewport, reply.scroll
    return {
        "number": reply.number,
        "width": reply.width,
        "height": reply.height,
        "viewport": {"width": viewport.width, "height": viewport.height, "scale": viewport.device_scale_factor},
        "scroll": {"x": scroll.x, "y": scroll.y},
        "tabId": reply.tab_id,
        "url": reply.url,
        "title": reply.title,
        "note": reply.note,
    }
