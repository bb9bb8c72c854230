"""What makes two requests the same: the rpc, the client's id, and the parameters."""

from __future__ import annotations

import hashlib
from typing import Any

from google.protobuf.message import Message

from perception.server.sessions.results import RequestKey

TIMING_FIELDS = ("timeout", "settle_timeout")
"""Fields that say how long to wait and not what to do. A client that repeats a request may give it more time."""


def request_key(request: Any) -> RequestKey:
    """The key of a request. Its parameters are all fields but `request_id` and TIMING_FIELDS, those of
    `action_options` included."""
    method = request.DESCRIPTOR.name.removesuffix("Request")
    request_id = request.request_id if "request_id" in request.DESCRIPTOR.fields_by_name else ""
    if not request_id:
        return RequestKey(method, "")
    asked = type(request)()
    asked.CopyFrom(request)
    asked.ClearField("request_id")
    _clear_timing(asked)
    if "action_options" in asked.DESCRIPTOR.fields_by_name and asked.HasField("action_options"):
        _clear_timing(asked.action_options)
        if not asked.action_options.ListFields():
            asked.ClearField("action_options")
    return RequestKey(method, request_id, hashlib.sha256(asked.SerializeToString(deterministic=True)).digest())


def _clear_timing(message: Message) -> None:
    for name in TIMING_FIELDS:
        if name in message.DESCRIPTOR.fields_by_name:
            message.ClearField(name)
