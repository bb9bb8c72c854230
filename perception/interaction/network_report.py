"""Requests and messages of a console in words."""

from __future__ import annotations

from perception.interaction.answers import lines
from perception.interaction.session_state import SessionState
from perception.v1 import network_service_pb2 as pb

SHOWN_URL, SHOWN_TEXT = 200, 500
"""Characters of an address and of a message in a list. Chosen by hand."""

SHOWN_FRAMES = 5

_STATES = {
    pb.NetworkRequest.STATE_PENDING: "pending",
    pb.NetworkRequest.STATE_FAILED: "failed",
    pb.NetworkRequest.STATE_BLOCKED: "blocked",
    pb.NetworkRequest.STATE_CANCELLED: "cancelled",
}


def requests_report(state: SessionState, found: list[pb.NetworkRequest], limit: int) -> str:
    """The last requests of a list, one a line; all of it is the page's words."""
    if not found:
        return "no such request"
    left_out = f"{len(found) - limit} earlier ones are left out" if len(found) > limit else ""
    return lines(state.fence.around(lines(*map(request_line, found[-limit:]))), left_out)


def request_line(request: pb.NetworkRequest) -> str:
    """`r12 POST 200 fetch application/json 1234 bytes 85 ms https://a.example/items`."""
    kind = pb.ResourceType.Name(request.type).removeprefix("RESOURCE_TYPE_").lower()
    cache = pb.NetworkRequest.Cache.Name(request.cache).removeprefix("CACHE_").lower() if request.cache else ""
    parts = (
        request.request_id,
        request.method,
        str(request.status) if request.status else "",
        _STATES.get(request.state, ""),
        kind,
        request.content_type,
        f"{request.body_bytes} bytes" if request.body_bytes else "",
        f"{request.timing.total_ms:.0f} ms" if request.HasField("timing") else "",
        f"from {cache} cache" if cache else "",
        _cut(request.url, SHOWN_URL),
        f"→ {_cut(request.redirect_url, SHOWN_URL)}" if request.redirect_url else "",
        f"({_why(request)})" if _why(request) else "",
    )
    return " ".join(filter(None, parts))


def request_report(state: SessionState, reply: pb.GetRequestResponse) -> str:
    """One request with headers and bodies; all of it is the page's words."""
    return state.fence.around(
        lines(
            request_line(reply.request),
            "",
            *(f"> {each.name}: {each.value}" for each in reply.request_headers),
            *_body_lines(reply.request_body if reply.HasField("request_body") else None),
            "",
            *(f"< {each.name}: {each.value}" for each in reply.response_headers),
            *_body_lines(reply.response_body if reply.HasField("response_body") else None),
        )
    )


def console_report(state: SessionState, found: list[pb.ConsoleMessage], limit: int) -> str:
    """The last messages of a list; all of it is the page's words."""
    if not found:
        return "no such message"
    left_out = f"{len(found) - limit} earlier ones are left out" if len(found) > limit else ""
    told = [line for each in found[-limit:] for line in _console_lines(each)]
    return lines(state.fence.around(lines(*told)), left_out)


def _console_lines(message: pb.ConsoleMessage) -> list[str]:
    level = pb.ConsoleMessage.Level.Name(message.level).removeprefix("LEVEL_").lower()
    place = f" ({_cut(message.url, SHOWN_URL)}:{message.line}:{message.column})" if message.url else ""
    times = f" ×{message.count}" if message.count > 1 else ""
    said = [f"{message.message_id} {level}{times} {_cut(message.text, SHOWN_TEXT)}{place}"]
    for frame in message.stack[:SHOWN_FRAMES] if message.kind == pb.ConsoleMessage.KIND_EXCEPTION else ():
        said.append(
            f"    at {frame.function or '(no name)'} ({_cut(frame.url, SHOWN_URL)}:{frame.line}:{frame.column})"
        )
    return said


def _why(request: pb.NetworkRequest) -> str:
    if request.blocked_by:
        by = pb.NetworkRequest.BlockedBy.Name(request.blocked_by).removeprefix("BLOCKED_BY_").lower()
        return f"by {by}: {request.blocked_reason}"
    return request.failure


def _body_lines(body: pb.HttpBody | None) -> list[str]:
    if body is None:
        return []
    if body.missing:
        return ["", f"no body: {body.missing}"]
    if body.data:
        return ["", f"{body.total_bytes} bytes that are not text"]
    cut = [f"… {body.total_bytes} bytes in all"] if body.truncated else []
    return ["", *body.text.splitlines(), *cut] if body.text else []


def _cut(text: str, limit: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
