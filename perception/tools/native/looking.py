"""Tools that look: at the page as text, for an element, as markdown, as a picture."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from perception.client import choices
from perception.client.requests import screenshot_request
from perception.errors import BadInputError, DialogOpenError, PerceptionError
from perception.interaction.answers import Answer, error_answer, lines
from perception.interaction.image import JPEG_QUALITY, cut_image, fit_image, wire_target
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
from perception.interaction.report import navigation_report, snapshot_report
from perception.interaction.session_state import SessionState
from perception.tools.arguments import Arguments, AsChoice, InSession, Session, Target, Text
from perception.tools.tool import READS, STEERS, Call, Tool
from perception.v1 import types_pb2 as pb


class OpenArguments(Arguments):
    url: Text | None = None
    go: Annotated[Literal["back", "forward", "reload"] | None, AsChoice] = None
    """in the history, instead of url"""
    session: Session = None
    """handle; "new" opens another one beside yours"""


class LookArguments(InSession):
    view: Annotated[choices.View | None, AsChoice] = None
    """digest: a line for each region, whose refs are roots"""
    scope: Annotated[choices.Scope | None, AsChoice] = None
    root: Target | None = None
    """ref or selector: only this part, all of it"""
    since: Text | None = None
    """snapshot id, or "last": only what changed since"""
    cursor: Text | None = None
    """of an earlier answer: its next part"""
    max_tokens: Annotated[int | None, Field(ge=0, le=200_000)] = None
    mode: Annotated[choices.Mode | None, AsChoice] = None
    """text: no vision, fastest; vision: pixels only"""
    verify: bool | None = None
    """checks the texts against the pixels"""


class FindArguments(InSession):
    query: Text | None = None
    """such as: the Save button next to Title"""
    role: Text | None = None
    name: Text | None = None
    text: Text | None = None
    """in its name, text or value"""
    limit: Annotated[int | None, Field(ge=1, le=100)] = None


class ReadArguments(InSession):
    main: bool | None = None
    """only the main content"""
    scope: Text | None = None
    """CSS selector: only this part"""
    cursor: Text | None = None
    """of an earlier answer: its next part"""
    max_tokens: Annotated[int | None, Field(ge=0, le=200_000)] = None


class ScreenshotArguments(InSession):
    annotated: bool | None = None
    """boxes and refs drawn on it"""
    full_page: bool | None = None


LOOK_ON = "look with cursor={cursor}"
BEYOND = "scroll, or look with scope=page"
READ_ON = "read with cursor={cursor}"


async def open_page(call: Call, given: OpenArguments) -> Answer:
    """Opens a URL, or goes in the history, and looks."""
    if (given.url is None) == (given.go is None):
        raise BadInputError("open: give url, or go (back, forward, reload)", field="url")
    fresh = given.session == "new"
    connection = call.connection
    if given.url is None:
        state = connection.session(None if fresh else given.session)
        moved = await getattr(state.page, given.go or "reload")(timeout_s=call.timeout_s)
        return await shown_page(call, state, navigation_report(state, moved))
    state = await connection.session_or_new(None if fresh else given.session, fresh=fresh)
    opened = "" if state.snapshot_id else f"session: {state.page.session_id}"
    try:
        moved = await state.page.navigate(given.url, timeout_s=call.timeout_s)
    except PerceptionError as exc:
        if exc.reason == DialogOpenError.reason:  # the page is there, behind its dialog
            return Answer(lines(opened, error_answer(exc, connection.names).text), is_error=True)
        await connection.close_unnamed(state)
        raise
    return await shown_page(call, state, opened, navigation_report(state, moved))


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


async def look(call: Call, given: LookArguments) -> Answer:
    """A snapshot, the next page of one, or what changed since one."""
    state = call.connection.session(given.session)
    if given.cursor:
        return Answer(snapshot_report(state, await next_part(state, given.cursor, call.timeout_s), cursor_call=LOOK_ON))
    options: dict[str, Any] = {name: getattr(given, name) for name in ("view", "scope", "mode", "verify")}
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
    return Answer(changes_report(snapshot, since))


async def find(call: Call, given: FindArguments) -> Answer:
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
        return Answer(NOTHING_FITS)
    return Answer(state.fence.around(lines(*map(match_line, matches))))


async def read(call: Call, given: ReadArguments) -> Answer:
    """The page's content as markdown."""
    state = call.connection.session(given.session)
    limit = READ_TOKENS if given.max_tokens is None else given.max_tokens
    fields: dict[str, Any] = {"cursor": given.cursor} if given.cursor else {"settle_timeout": SETTLE_SECONDS}
    if given.max_tokens is not None or not given.cursor:
        fields["max_tokens"] = limit
    content = await state.page.content(given.scope or "", main=bool(given.main), timeout_s=call.timeout_s, **fields)
    return Answer(content_report(content, READ_ON))


async def screenshot(call: Call, given: ScreenshotArguments) -> Answer:
    """A picture that fits a model, and what its pixels mean."""
    state = call.connection.session(given.session)
    full_page = bool(given.full_page)
    annotated = bool(given.annotated)
    if full_page and annotated:
        raise BadInputError("screenshot: annotated ones show the viewport: leave full_page or annotated out")
    return await picture(call, state, full_page=full_page, annotated=annotated, png=annotated)


async def picture(
    call: Call, state: SessionState, *, full_page: bool, annotated: bool, png: bool, part: pb.Box | None = None
) -> Answer:
    """The screenshot as an answer, or a part of the viewport. Remembers how its pixels lie in the viewport."""
    request = screenshot_request(
        state.page.session_id,
        full_page=full_page,
        jpeg_quality=0 if png else JPEG_QUALITY,
        annotated=annotated,
        options={},
    )
    client = call.connection.caller.client
    reply = await client.call(client.perception.CaptureScreenshot, request, call.timeout_s)
    if part is not None:
        fitted = fit_image(cut_image(reply.image, part), full_page=False, snapshot_id="")
        return Answer(f"{fitted.width}×{fitted.height} px of the element", fitted.data, fitted.mime_type)
    fitted = fit_image(reply.image, full_page=full_page, snapshot_id=reply.snapshot_id)
    state.image = fitted.frame
    scale = f"{fitted.frame.scale:.3g}".removesuffix(".0")
    meaning = f"{scale} image px per CSS px; a point of it is the target img:x,y"
    if full_page:
        meaning = f"{scale} image px per CSS px; the whole page: its points are no targets"
    return Answer(f"{fitted.width}×{fitted.height} px, {meaning}", fitted.data, fitted.mime_type)


OPEN = Tool(
    "open",
    "Opens a URL and shows the page. The first call opens your session.",
    OpenArguments,
    open_page,
    STEERS,
)

LOOK = Tool(
    "look",
    "Shows what is on the page, with refs. By default what is in view, in 2000 tokens.",
    LookArguments,
    look,
    READS,
)

FIND = Tool("find", "Finds elements by description, on the whole page, best first.", FindArguments, find, READS)

READ = Tool(
    "read",
    "Reads the page as markdown: for long text, where look is for controls.",
    ReadArguments,
    read,
    READS,
)

SCREENSHOT = Tool(
    "screenshot",
    "Takes a picture, for what text does not show.",
    ScreenshotArguments,
    screenshot,
    READS,
)
