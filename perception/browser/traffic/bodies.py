"""Bodies of requests and responses, read from the browser when somebody asks.

Rule: a body is asked for only where it is known to be small: one of 200 MB, as one message, would close the link that
all sessions of the browser use.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.traffic.person_typing import TYPED
from perception.browser.traffic.request_entry import BlockedBy, EntryState
from perception.browser.traffic.request_facts import RequestFacts, content_length
from perception.browser.traffic.request_log import BODY_BUFFER_BYTES, MAX_BODY_BYTES
from perception.deadline import Deadline
from perception.errors import PageCrashedError, SessionLostError

_TEXT_KINDS = ("json", "xml", "javascript", "ecmascript", "x-www-form-urlencoded", "svg")

_WITHOUT_BODY = frozenset({101, 204, 205, 304})

PRIVATE = "a person had control when it was sent: what they typed may be in it"


@dataclass(frozen=True, slots=True)
class Body:
    """A body, or why there is none.

    Attributes:
        content: text, or the bytes of what is not text; None where `missing` says why.
        total_bytes: of all of it, as far as that is known.
        missing: why it cannot be read; empty where it can.
    """

    content: str | bytes | None
    total_bytes: int
    missing: str = ""


EMPTY = Body("", 0)


async def read_response_body(facts: RequestFacts, deadline: Deadline) -> Body | None:
    """The body of a response; None without a response. Raises DeadlineError."""
    entry = facts.entry
    if entry.typing is not None and entry.response and not (facts.is_static and TYPED not in facts.url):
        return Body(None, facts.body_bytes, PRIVATE)
    if not entry.response or entry.blocked_by in (BlockedBy.EGRESS, BlockedBy.BROWSER):
        return None
    if facts.kind == "WebSocket" or facts.redirect_url or facts.method == "HEAD" or facts.status in _WITHOUT_BODY:
        return EMPTY
    size = facts.body_bytes
    if facts.state is EntryState.PENDING:
        return Body(None, size, "the response has not ended: ask again when its state is no longer pending")
    if size > MAX_BODY_BYTES:
        return Body(
            None,
            size,
            f"the body has {size} bytes, and the browser keeps none of more than {MAX_BODY_BYTES}",
        )
    if entry.from_memory and not size:
        return Body(None, 0, "the browser's memory answered, and does not say how large the body is")
    for session in dict.fromkeys((entry.session, entry.ended_by or entry.session)):
        try:
            reply = await session.call(
                "Network.getResponseBody", deadline, "reading the response's body", requestId=entry.cdp_id
            )
        except (CdpCallError, SessionLostError, PageCrashedError):
            continue  # its process is gone, or does not have it
        content = _content(str(reply["body"]), bool(reply.get("base64Encoded")), facts.mime)
        if content or not size:
            return Body(content, len(content.encode()) if isinstance(content, str) else len(content))
    if not size and facts.state is EntryState.FINISHED:
        return EMPTY
    if entry.state is EntryState.PENDING:
        return Body(None, size, "the page has not read the body, and the browser keeps none that is not read")
    return Body(
        None,
        size,
        f"the browser no longer has the body: it keeps the last {BODY_BUFFER_BYTES // 2**20} MiB of each tab, and less"
        " after a large response",
    )


async def read_request_body(facts: RequestFacts, deadline: Deadline) -> Body | None:
    """The body of a request; None without one. Raises DeadlineError."""
    if facts.entry.typing is not None and (facts.post_data or facts.has_post_data):
        return Body(None, content_length(facts.request_headers) or 0, PRIVATE)
    if facts.post_data:
        return Body(facts.post_data, len(facts.post_data.encode("utf-8", "surrogatepass")))
    if not facts.has_post_data:
        return None
    length = content_length(facts.request_headers)
    if length is None or length > MAX_BODY_BYTES:
        said = "of unknown length" if length is None else f"of {length} bytes"
        return Body(None, length or 0, f"a body {said} is not read: the limit is {MAX_BODY_BYTES}")
    entry = facts.entry
    try:
        reply = await entry.session.call(
            "Network.getRequestPostData", deadline, "reading the request's body", requestId=entry.cdp_id
        )
    except (CdpCallError, SessionLostError, PageCrashedError):
        return Body(None, length, "the browser no longer has the request's body: its document is gone")
    return Body(_content(str(reply["postData"]), bool(reply.get("base64Encoded")), "text/plain"), length)


def _content(body: str, is_base64: bool, mime: str) -> str | bytes:
    if not is_base64:
        return body
    try:
        data = base64.b64decode(body)
    except binascii.Error:
        return body
    if mime.startswith("text/") or any(kind in mime for kind in _TEXT_KINDS):
        return data.decode("utf-8", "replace")
    return data
