"""Interactables and content: what is asked for, and what is answered."""

from __future__ import annotations

import json
import time
from datetime import timedelta

from google.protobuf.duration_pb2 import Duration

from perception.browser.page.download import Download
from perception.browser.page.selector_syntax import Durable
from perception.errors import BadInputError
from perception.extract import MIN_CHUNK_TOKENS, check_chunk_budget
from perception.render.quoting import cut
from perception.render.tokens import count_tokens
from perception.render.untrusted import Fence, room_within
from perception.server.convert.message_fields import require_within, seconds_of, skipped_messages, timestamp_message
from perception.server.convert.role_names import ROLES, SYNONYMS
from perception.server.convert.sessions import download_message
from perception.server.extraction.content import ContentRequest
from perception.server.extraction.interactables import InteractablesPage, InteractablesRequest
from perception.server.extraction.interactables_text import UNLISTED_STATES, render_interactables
from perception.server.extraction.pagination import PagedContent, PagedInteractables
from perception.types import Element, Reach, Skipped
from perception.v1 import extraction_service_pb2 as pb

PAGE_SIZE, MAX_PAGE_SIZE = 500, 1000
"""Elements of an answer: of 28 real pages none has more than 500 (`bench run selectors` says of each)."""

MAX_TEXT = 2000
"""Characters of a name, text or value: 1000 such elements stay below the size of a message."""


def page_size(request: pb.ExtractInteractablesRequest) -> int:
    """Elements of each page. Raises BadInputError for a size or a role that cannot be served."""
    require_within(request.page_size, 0, MAX_PAGE_SIZE, "page_size")
    unknown = sorted(set(request.roles) - ROLES - SYNONYMS.keys())
    if unknown:
        raise BadInputError(
            f"{unknown[0]!r} is not an ARIA role: roles are such as button, link, textbox", field="roles"
        )
    return request.page_size or PAGE_SIZE


def interactables_request(request: pb.ExtractInteractablesRequest) -> InteractablesRequest:
    return InteractablesRequest(
        roles=frozenset(SYNONYMS.get(role, role) for role in request.roles),
        scope_selector=request.scope_selector,
        include_hidden=request.include_hidden,
        settle_s=seconds_of(request, "settle_timeout"),
    )


def interactables_response(
    listed: PagedInteractables, page: InteractablesPage, list_id: str, fence: Fence, started_s: float
) -> pb.ExtractInteractablesResponse:
    """One page of a list.

    Args:
        list_id: empty where it has one page.
        started_s: when the call began, `time.perf_counter`.
    """
    messages = [_interactable(element, durable) for element, durable in page.found]
    text = fence.around(render_interactables(page.found))
    response = pb.ExtractInteractablesResponse(
        interactables=messages,
        total_count=len(listed.elements),
        scope_selector=listed.scope,
        byte_count=sum(len(_json(each)) for each in messages),
        next_page_token=f"{list_id}.{page.next_start}" if page.next_start is not None else "",
        tab_id=listed.tab_id,
        url=listed.url,
        title=listed.title,
        text=text,
        token_count=count_tokens(text),
        skipped=skipped_messages(page.skipped),
    )
    response.elapsed.FromTimedelta(timedelta(seconds=time.perf_counter() - started_s))
    return response


def _json(message: pb.Interactable) -> str:
    """A message as protobuf JSON, as `MessageToJson` writes it in ten times the time: all its fields are texts, numbers
    and lists of texts. It is ASCII."""
    return json.dumps(
        {field.json_name: list(value) if field.is_repeated else value for field, value in message.ListFields()}
    )


def content_request(request: pb.ExtractContentRequest) -> ContentRequest:
    """Raises BadInputError for a token budget that is too small."""
    room = room_within(request.max_tokens, MIN_CHUNK_TOKENS, field="max_tokens")
    check_chunk_budget(room)
    return ContentRequest(
        scope_selector=request.scope_selector,
        main_content=request.main_content,
        include_form_values=request.include_form_values,
        settle_s=seconds_of(request, "settle_timeout"),
        save_raw_html=request.save_raw_html,
        max_tokens=request.max_tokens,
        room=room,
    )


def check_continues(request: pb.ExtractContentRequest, content_id: str, kept: PagedContent) -> None:
    """Raises BadInputError where a request with a cursor asks for something else than what was read."""
    for name in ("scope_selector", "main_content", "include_form_values", "settle_timeout", "save_raw_html"):
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


def content_response(
    kept: PagedContent,
    content_id: str,
    page: int,
    skipped: tuple[Skipped, ...],
    fence: Fence,
    started_s: float,
    saved: Download | None = None,
) -> pb.ExtractContentResponse:
    """One page of a content.

    Args:
        started_s: when the call began, `time.perf_counter`.
        saved: the file with the page's HTML, where it was asked for.
    """
    elapsed = Duration()
    elapsed.FromNanoseconds(round((time.perf_counter() - started_s) * 1e9))
    markdown = fence.around(kept.chunks[page])
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
        capture_time=timestamp_message(kept.read_at_s),
        raw_html=download_message(saved) if saved is not None else None,
    )


def _interactable(element: Element, durable: Durable) -> pb.Interactable:
    name = cut(element.name, MAX_TEXT)
    return pb.Interactable(
        selector=durable.selector,
        playwright_selector=durable.playwright,
        type=durable.kind,
        role=element.role,
        name=name,
        text=cut(element.text, MAX_TEXT) if element.text != element.name else "",
        enabled="disabled" not in element.states,
        visible=element.visible,
        reachable=element.reach in (Reach.NOW, Reach.SCROLL),
        input_type=durable.input_type,
        value=cut(element.value, MAX_TEXT),
        placeholder=durable.placeholder if durable.placeholder != name else "",
        ref=element.ref,
        stability=durable.stability,
        stability_reason=durable.reason,
        frame=element.frame,
        states=[state for state in element.states if state not in UNLISTED_STATES],
        hint="" if element.name else element.hint,
    )
