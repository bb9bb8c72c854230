"""ExtractContent: a page is read once, written as markdown, and handed out in pieces."""

from __future__ import annotations

import asyncio
import time

from google.protobuf.duration_pb2 import Duration

from perception.browser.cdp import CdpCallError
from perception.browser.content import ContentWish, PageContent, read_content
from perception.browser.session import Tab
from perception.browser.settle import settle
from perception.budget import Budget
from perception.errors import BadInputError, PageChangingError, UnknownCursorError
from perception.extract import MIN_TOKENS, check_chunk_budget, main_content, plain_text, split_markdown, to_markdown
from perception.render.tokens import count_tokens
from perception.server.convert import seconds_of, skipped_messages
from perception.server.scopes import find_scope
from perception.server.sessions import Session
from perception.server.shelf import KeptContent
from perception.types import Skipped
from perception.untrusted import room_within
from perception.v1 import extraction_service_pb2 as pb

PLAIN = "text/plain"


async def extract_content(
    session: Session, request: pb.ExtractContentRequest, budget: Budget
) -> pb.ExtractContentResponse:
    """The first piece of a page's content, or another of one that was read before.

    Raises:
        BadInputError: fields that do not go together, a budget too small, a scope that is no selector.
        UnknownCursorError, NoMatchError, AmbiguousTargetError, PageChangingError
    """
    started = time.monotonic()
    if request.cursor:
        return _next(session, request, started)
    room = room_within(request.max_tokens, MIN_TOKENS, field="max_tokens")
    check_chunk_budget(room)
    settle_s = seconds_of(request, "settle_timeout")
    async with session.use_tab(request.tab_id, budget) as tab:
        if settle_s > 0:
            await settle(tab.link, settle_s, budget)
        content = await _read(tab, request, budget)
        tab_id = tab.tab_id
    # Not on the loop: 4 MB take about a second.
    chunks, total = await asyncio.to_thread(_write, content, request, room)
    kept = KeptContent(tab_id, content.url, content.title, chunks, total, request.max_tokens)
    content_id = session.contents.keep(kept) if len(chunks) > 1 else ""
    return _message(session, kept, content_id, 0, started, content.skipped)


async def _read(tab: Tab, request: pb.ExtractContentRequest, budget: Budget) -> PageContent:
    """Reads the tab; once more if another document came meanwhile."""
    wish = ContentWish(request.include_form_values, with_outline=request.main_content)
    for is_last in (False, True):
        try:
            root = await find_scope(tab, request.scope_selector, budget)
            return await read_content(tab.link, root, wish, budget)
        except (CdpCallError, PageChangingError):
            if is_last:
                raise
    raise AssertionError("unreachable")


def _write(content: PageContent, request: pb.ExtractContentRequest, room: int) -> tuple[tuple[str, ...], int]:
    """The content's pieces of so many tokens, and what all of it costs."""
    if content.kind == PLAIN:
        markdown = plain_text(content.html)
    else:
        markdown = to_markdown(main_content(content.html) if request.main_content else content.html)
    total = count_tokens(markdown)
    return tuple(split_markdown(markdown, room)), total


def _next(session: Session, request: pb.ExtractContentRequest, started: float) -> pb.ExtractContentResponse:
    content_id, page, kept = session.contents.find(request.cursor)
    if page >= len(kept.chunks):
        raise UnknownCursorError(f"{content_id} has {len(kept.chunks)} pieces, there is no number {page}")
    for name in ("scope_selector", "main_content", "include_form_values", "settle_timeout"):
        given = request.HasField(name) if name == "settle_timeout" else getattr(request, name)
        if given:
            raise BadInputError(
                f"cursor {request.cursor} goes on with what was read: leave {name} out, or the cursor to read the page "
                "again",
                field=name,
            )
    for name, was in (("tab_id", kept.tab_id), ("max_tokens", kept.max_tokens)):
        if getattr(request, name) not in (was, type(was)()):
            raise BadInputError(
                f"{name} is {getattr(request, name)!r}, {content_id} was read with {was!r}: leave it out with a cursor",
                field=name,
            )
    return _message(session, kept, content_id, page, started, ())


def _message(
    session: Session, kept: KeptContent, content_id: str, page: int, started: float, skipped: tuple[Skipped, ...]
) -> pb.ExtractContentResponse:
    elapsed = Duration()
    elapsed.FromNanoseconds(round((time.monotonic() - started) * 1e9))
    markdown = session.fence.around(kept.chunks[page])
    return pb.ExtractContentResponse(
        markdown=markdown,
        url=kept.url,
        title=kept.title,
        token_count=count_tokens(markdown),
        next_cursor=f"{content_id}.{page + 1}" if page + 1 < len(kept.chunks) else "",
        tab_id=kept.tab_id,
        total_token_count=kept.total_tokens,
        elapsed=elapsed,
        skipped=skipped_messages(skipped),
    )
