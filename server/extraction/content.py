"""A page's content: read once, written as markdown, and served in pages."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from perception.browser.browser_session import Tab
from perception.browser.capture.page_content import ContentOptions, PageContent, read_content
from perception.browser.capture.settle import settle
from perception.browser.cdp.cdp_link import CdpCallError
from perception.deadline import Deadline
from perception.errors import PageChangingError
from perception.extract import main_content, plain_text, split_markdown, to_markdown
from perception.render.tokens import count_tokens
from perception.server.extraction.pagination import PagedContent
from perception.server.extraction.scope import find_scope

PLAIN = "text/plain"


@dataclass(frozen=True, slots=True)
class ContentRequest:
    """What is asked for.

    Attributes:
        scope_selector: the element that is read; empty for the whole page.
        main_content: only what the page is about.
        include_form_values: what fields hold, too.
        settle_s: how long to wait at most for the page to come to rest first; 0 for not at all.
        save_raw_html: also save the document's HTML as a download.
        max_tokens: of each page, with the lines that mark it; 0 for no limit.
        room: of max_tokens, what is left for the page's words; 0 for no limit.
    """

    scope_selector: str
    main_content: bool
    include_form_values: bool
    settle_s: float
    save_raw_html: bool
    max_tokens: int
    room: int


async def read_tab_content(tab: Tab, request: ContentRequest, deadline: Deadline) -> PageContent:
    """What a person reads on a tab; read once more if another document came meanwhile.

    Raises:
        BadSelectorError, NoMatchError, AmbiguousTargetError: of the scope's selector.
        PageChangingError: the page went to another document each time it was read.
    """
    if request.settle_s > 0:
        await settle(tab.link, request.settle_s, deadline)
    options = ContentOptions(request.include_form_values, with_outline=request.main_content)
    for is_last in (False, True):
        try:
            root = await find_scope(tab, request.scope_selector, deadline)
            return await read_content(tab.link, root, options, deadline)
        except (CdpCallError, PageChangingError):
            if is_last:
                raise
    raise AssertionError("unreachable")


async def paginate_content(tab_id: str, content: PageContent, request: ContentRequest) -> PagedContent:
    """A tab's content as pages of markdown. Not on the event loop: 4 MB take about a second."""
    chunks, total = await asyncio.to_thread(_write, content, request)
    return PagedContent(tab_id, content.url, content.title, chunks, total, request.max_tokens, content.read_at_s)


def _write(content: PageContent, request: ContentRequest) -> tuple[tuple[str, ...], int]:
    """The pages of the content, and the tokens of all of it."""
    if content.kind == PLAIN:
        markdown = plain_text(content.html)
    else:
        markdown = to_markdown(main_content(content.html) if request.main_content else content.html)
    total = count_tokens(markdown)
    return tuple(split_markdown(markdown, request.room)), total
