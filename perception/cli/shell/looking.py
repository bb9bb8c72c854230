"""Commands that look: at the page as text, for an element, as markdown, as a picture."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from perception.cli.shell.context import Context
from perception.cli.shell.results import Result
from perception.client.requests import screenshot_request
from perception.errors import BadInputError
from perception.interaction.answers import lines
from perception.interaction.looks import (
    NOTHING_FITS,
    READ_TOKENS,
    SETTLE_SECONDS,
    changes_report,
    content_report,
    look_at,
    match_line,
    next_part,
)
from perception.interaction.report import snapshot_report
from perception.interaction.session_state import SessionState
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import types_pb2 as pb

LOOK_ON = "`perception look --cursor {cursor}`"
READ_ON = "`perception read --cursor {cursor}`"
BEYOND = "`perception scroll down`, or `perception look --scope page`"


def whole_report(state: SessionState, snapshot: pb.Snapshot) -> str:
    """A look at what is in view."""
    return snapshot_report(state, snapshot, cursor_call=LOOK_ON, beyond=BEYOND)


async def look(context: Context) -> Result:
    """A snapshot, the next part of one, or what changed since one."""
    session, values = context.session(), context.values
    state = session.state
    if values["cursor"]:
        snapshot = await next_part(state, values["cursor"], context.left_s)
        return Result(snapshot_report(state, snapshot, cursor_call=LOOK_ON), snapshot)
    options: dict[str, Any] = {name: values[name] for name in ("view", "scope", "mode") if values[name]}
    if values["max_tokens"] is not None:
        options["max_tokens"] = values["max_tokens"]
    if (root := values["root"]) is not None:
        if not isinstance(root, str) or root == "-":
            raise BadInputError("look: --root takes a ref or a CSS selector")
        options["root"] = root
    if not values["since"]:
        snapshot = await look_at(state, options, context.left_s)
        context.keep(session)
        beyond = "" if root or values["scope"] == "page" else BEYOND
        return Result(snapshot_report(state, snapshot, cursor_call=LOOK_ON, beyond=beyond), snapshot)
    since = state.snapshot_id if values["since"] == "last" else values["since"]
    if not since:
        raise BadInputError("look: there is no last snapshot in this session: look without --since first")
    snapshot = await look_at(state, {**state.look, **options}, context.left_s, since=since)
    context.keep(session)
    return Result(changes_report(snapshot, since), snapshot)


async def find(context: Context) -> Result:
    """The elements that fit a description, best first."""
    values = context.values
    criteria: dict[str, Any] = {name: values[name] or "" for name in ("role", "name", "text")}
    if not values["query"] and not any(criteria.values()):
        raise BadInputError("find: give a QUERY in words, --role, --name or --text")
    session = context.session()
    limit = values["limit"] or 5
    matches = await session.page.find(values["query"] or "", limit=limit, timeout_s=context.left_s, **criteria)
    told = session.state.fence.around(lines(*map(match_line, matches)))
    message = perception_pb.FindElementsResponse(matches=matches)
    return Result(told or NOTHING_FITS, message)


async def read(context: Context) -> Result:
    """The page's content as markdown."""
    session, values = context.session(), context.values
    fields: dict[str, Any] = {"cursor": values["cursor"]} if values["cursor"] else {"settle_timeout": SETTLE_SECONDS}
    if values["max_tokens"] is not None or not values["cursor"]:
        fields["max_tokens"] = READ_TOKENS if values["max_tokens"] is None else values["max_tokens"]
    content = await session.page.content(values["scope"] or "", main=values["main"], timeout_s=context.left_s, **fields)
    return Result(content_report(content, READ_ON), content)


async def screenshot(context: Context) -> Result:
    """Writes a picture of the page."""
    values = context.values
    out = _writable(values["out"])
    if values["full_page"] and values["annotated"]:
        raise BadInputError("screenshot: --annotated shows what is in view: leave it or --full-page out")
    session = context.session()
    request = screenshot_request(
        session.known.session_id,
        full_page=values["full_page"],
        jpeg_quality=0,
        annotated=values["annotated"],
        options={},
    )
    calls = context.calls(session.known.address, session.known.access)
    reply = await calls.call(calls.perception.CaptureScreenshot, request, context.left_s)
    image = reply.image
    _write(out, image.data)
    scale = image.scale or 1.0
    meaning = "" if scale == 1.0 else f", {scale:g} px of it per CSS px"
    size = {"width": image.width, "height": image.height, "scale": scale, "mimeType": image.mime_type}
    return Result(f"{out}: {image.width}×{image.height} px{meaning}", data={"path": str(out), **size})


def _writable(path: str) -> Path:
    """Refuses a file that cannot be written before the picture is taken."""
    out = Path(path)
    if out.is_dir() or not out.parent.is_dir() or not os.access(out.parent, os.W_OK):
        raise BadInputError(f"screenshot: {out} cannot be written: name a file in a folder that can")
    return out


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)
