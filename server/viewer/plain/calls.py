"""Calls of a session as JSON."""

from __future__ import annotations

from typing import Any

from perception.render.tokens import count_tokens
from perception.server.viewer.plain.snapshots import plain_snapshot
from perception.server.viewer.plain.times import millis


def plain_call(call: Any) -> dict[str, Any]:
    """A Call. `durationMs` is None while it is under way."""
    return {
        "number": call.number,
        "rpc": call.rpc,
        "what": call.what,
        "startMs": millis(call, "start_time"),
        "durationMs": call.duration.ToMicroseconds() / 1000 if call.HasField("duration") else None,
        "tabId": call.tab_id,
        "url": call.url,
        "code": call.code,
        "reason": call.reason,
        "message": call.message,
        "snapshotId": call.snapshot_id,
        "hasSnapshot": call.has_snapshot,
        "hasPictures": call.has_pictures,
        "byPerson": call.by_person,
    }


def plain_call_details(reply: Any) -> dict[str, Any]:
    """A GetCallResponse; its pictures are fetched by addresses of their own."""
    return {
        "call": plain_call(reply.call),
        "snapshot": plain_snapshot(reply.snapshot) if reply.HasField("snapshot") else None,
        "text": reply.text,
        "tokens": count_tokens(reply.text) if reply.text else reply.snapshot.token_count,
        "before": reply.HasField("before"),
        "after": reply.HasField("after"),
        "request": reply.request_json,
    }
