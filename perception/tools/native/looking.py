"""Tools that look: at the page as text, for an element, as markdown, as a picture."""

from __future__ import annotations

from typing import Any

from perception.client.requests import screenshot_request
from perception.errors import BadInputError, DialogOpenError, PerceptionError
from perception.page_words import quote
from perception.tools.answers import Answer, error_answer, lines
from perception.tools.image import JPEG_QUALITY, fit_image, wire_target
from perception.tools.native import arguments as args
from perception.tools.report import navigation_report, snapshot_report
from perception.tools.sessions import SessionState
from perception.tools.tool import Call
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import types_pb2 as pb

MAX_TOKENS = 2000
"""Default limit of a look, o200k tokens: three average screens."""

READ_TOKENS = 4000
"""Default limit of a page's content."""

SETTLE_SECONDS = 2.0
"""Longest wait for a page to come to rest before a look; one at rest is looked at in some 50 ms more."""

LOOK_ON = "look with cursor={cursor}"
BEYOND = "scroll, or look with scope=page"
READ_ON = "read with cursor={cursor}"


async def open_page(call: Call, given: args.OpenArguments) -> Answer:
    """Opens a URL, or goes in the history, and looks."""
    if (given.url is None) == (given.go is None):
        raise BadInputError("open: give url, or go (back, forward, reload)", field="url")
    fresh = given.session == "new"
    connection = call.connection
    if given.url is None:
        state = connection.session(None if fresh else given.session)
        moved = await getattr(state.page, given.go or "reload")(timeout_s=call.timeout_s)
        return await shown_page(call, state, navigation_report(moved))
    state = await connection.session_or_new(None if fresh else given.session, fresh=fresh)
    opened = "" if state.snapshot_id else f"session: {state.page.session_id}"
    try:
        moved = await state.page.navigate(given.url, timeout_s=call.timeout_s)
    except PerceptionError as exc:
        if exc.reason == DialogOpenError.reason:  # the page is there, behind its dialog
            return Answer(lines(opened, error_answer(exc, connection.names).text), is_error=True)
        await connection.close_unnamed(state)
        raise
    return await shown_page(call, state, opened, navigation_report(moved))


async def shown_page(call: Call, state: SessionState, *before: str) -> Answer:
    """The page after a navigation. Where it cannot be looked at, such as behind a dialog, the error says why.

    Args:
        call: as of the handler.
        state: of the session.
        before: lines that are answered in any case.
    """
    try:
        snapshot = await look_at(state, {}, call.timeout_s)
    except PerceptionError as exc:
        call.connection.note_error(exc)
        return Answer(lines(*before, error_answer(exc, call.connection.names).text), is_error=True)
    return Answer(lines(*before, snapshot_report(state, snapshot, cursor_call=LOOK_ON, beyond=BEYOND)))


async def look(call: Call, given: args.LookArguments) -> Answer:
    """A snapshot, the next page of one, or what changed since one."""
    state = call.connection.session(given.session)
    if given.cursor:
        return Answer(snapshot_report(state, await next_part(call, state, given.cursor), cursor_call=LOOK_ON))
    options: dict[str, Any] = {name: getattr(given, name) for name in ("view", "scope", "mode")}
    options["root"] = wire_target(given.root, state.image) if given.root else None
    options = {name: value for name, value in options.items() if value is not None}
    if given.max_tokens is not None:
        options["max_tokens"] = given.max_tokens
    if not given.since:
        snapshot = await look_at(state, options, call.timeout_s)
        beyond = "" if given.root or given.scope == "page" else BEYOND
        return Answer(snapshot_report(state, snapshot, cursor_call=LOOK_ON, beyond=beyond))
    since = state.snapshot_id if given.since.strip().lower() in ("last", "true") else given.since
    if not since:
        raise BadInputError("look: there is no last snapshot: look without since first", field="since")
    snapshot = await look_at(state, {**state.look, **options}, call.timeout_s, since=since)
    changes = snapshot.diff.text or f"nothing changed since {since}"
    return Answer(lines(changes, f"{snapshot.snapshot_id}, compared with {since}"))


async def next_part(call: Call, state: SessionState, cursor: str) -> pb.Snapshot:
    """What did not fit into an earlier snapshot."""
    request = perception_pb.CaptureSnapshotRequest(session_id=state.page.session_id, cursor=cursor)
    client = call.connection.caller.client
    reply = await client.call(client.perception.CaptureSnapshot, request, call.timeout_s)
    snapshot: pb.Snapshot = reply.snapshot
    return snapshot


async def look_at(state: SessionState, options: dict[str, Any], timeout_s: float, since: str = "") -> pb.Snapshot:
    """A look with the defaults of the tools. Remembers what later calls refer to."""
    defaults = {"style": "compact", "max_tokens": MAX_TOKENS, "settle_timeout": SETTLE_SECONDS}
    snapshot = await state.page.snapshot(since=since, timeout_s=timeout_s, **{**defaults, **options})
    state.snapshot_id, state.look = snapshot.snapshot_id, options
    if "root" not in options:
        state.whole_look = options
    return snapshot


async def find(call: Call, given: args.FindArguments) -> Answer:
    """The elements that fit a description, best first."""
    if not any((given.query, given.role, given.name, given.text)):
        raise BadInputError("find: give query, role, name or text", field="query")
    state = call.connection.session(given.session)
    matches = await state.page.find(
        given.query or "",
        role=given.role or "",
        name=given.name or "",
        text=given.text or "",
        limit=given.limit or 5,
        timeout_s=call.timeout_s,
    )
    if not matches:
        return Answer("nothing on the page fits: look, or describe it in other words")
    return Answer(state.fence.around(lines(*map(match_line, matches))))


def match_line(match: perception_pb.ElementMatch) -> str:
    """`e5 button "Save" (disabled): name 'Save' exact`."""
    element = match.element
    states = [*element.states, f"covered by {element.covered_by}" if element.covered_by else ""]
    states.append("scroll to it" if element.reach == pb.REACH_SCROLL else "")
    told = ", ".join(filter(None, states))
    name = quote(element.name or element.text, 120)
    value = f": {quote(element.value, 80)}" if element.value else ""
    return f"{element.ref or '-'} {element.role} {name}{value}{f' ({told})' if told else ''} — {match.reason}"


async def read(call: Call, given: args.ReadArguments) -> Answer:
    """The page's content as markdown."""
    state = call.connection.session(given.session)
    limit = READ_TOKENS if given.max_tokens is None else given.max_tokens
    fields: dict[str, Any] = {"cursor": given.cursor} if given.cursor else {"settle_timeout": SETTLE_SECONDS}
    if given.max_tokens is not None or not given.cursor:
        fields["max_tokens"] = limit
    content = await state.page.content(given.scope or "", main=bool(given.main), timeout_s=call.timeout_s, **fields)
    left = f"{content.total_token_count} tokens in all; for the next part {READ_ON.format(cursor=content.next_cursor)}"
    return Answer(
        lines(
            content.markdown or "there is nothing to read",
            left if content.next_cursor else "",
            *(f"left out: {each.name}: {each.reason}" for each in content.skipped),
        )
    )


async def screenshot(call: Call, given: args.ScreenshotArguments) -> Answer:
    """A picture that fits a model, and what its pixels mean."""
    state = call.connection.session(given.session)
    full_page = bool(given.full_page)
    annotated = bool(given.annotated)
    if full_page and annotated:
        raise BadInputError("screenshot: annotated ones show the viewport: leave full_page or annotated out")
    return await picture(call, state, full_page=full_page, annotated=annotated, png=annotated)


async def picture(call: Call, state: SessionState, *, full_page: bool, annotated: bool, png: bool) -> Answer:
    """The screenshot as an answer. Remembers how its pixels lie in the viewport."""
    request = screenshot_request(
        state.page.session_id,
        full_page=full_page,
        jpeg_quality=0 if png else JPEG_QUALITY,
        annotated=annotated,
        options={},
    )
    client = call.connection.caller.client
    reply = await client.call(client.perception.CaptureScreenshot, request, call.timeout_s)
    fitted = fit_image(reply.image, full_page=full_page, snapshot_id=reply.snapshot_id)
    state.image = fitted.frame
    scale = f"{fitted.frame.scale:.3g}".removesuffix(".0")
    meaning = f"{scale} image px per CSS px; a point of it is the target img:x,y"
    if full_page:
        meaning = f"{scale} image px per CSS px; the whole page: its points are no targets"
    return Answer(f"{fitted.width}×{fitted.height} px, {meaning}", fitted.data, fitted.mime_type)
