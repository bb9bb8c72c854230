"""Which live pages a suite visits, and how: served on loopback, one after another, with a progress bar."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from perception.bench.pages.visited_pages import serve_pages
from perception.bench.suite import SuiteContext
from perception.browser.browser_session import Tab
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.launch import LaunchOptions
from perception.datasets import load_manifest
from perception.datasets.sources.builders import PACKAGES, is_in
from perception.datasets.sources.manifest import PageSpec
from perception.datasets.sources.rendering import SWITCHES, VISIT_SECONDS, Visit, bring
from perception.deadline import Deadline
from perception.errors import PerceptionError, first_line

T = TypeVar("T")

OnPage = Callable[[str, str], None]
"""Called with each finished page, and the reason if it failed (empty: it did not)."""

USUAL = 30
"""Default pages: every project has one of them, and a second one if possible. Chosen by hand."""


def visit_pages(
    title: str,
    pages: Sequence[str] | None,
    limit: int,
    visit: Callable[[Mapping[str, str], Mapping[str, PageSpec], OnPage], Coroutine[Any, Any, T]],
    context: SuiteContext,
    *,
    further: Sequence[str] = (),
) -> T:
    """Visits live pages; by default, if there are no further ones either, pages of all projects.

    Args:
        title: of the progress bar.
        pages: names of pages or families of them; see `serve_pages`.
        limit: maximum number of pages, from the first; 0 for all.
        further: addresses of pages that are served elsewhere; the address is the id.
        visit: called with the pages' addresses by id, with the manifest's facts, and with the progress callback.

    Raises:
        BadInputError: there is no such page.
    """
    known = load_manifest().pages
    usual = () if further else usual_pages(each for each in known.values() if is_in(PACKAGES, each))
    with serve_pages(pages or usual, context.say) as urls, context.progress(title) as progress:
        visited = dict(list({**urls, **{each: each for each in further}}.items())[: limit or None])
        progress.start(len(visited))
        return asyncio.run(visit(visited, known, progress.done))


async def read_each(
    visits: Sequence[Visit], read: Callable[[Tab, Visit, Deadline], Awaitable[T]], on_page: OnPage
) -> tuple[list[T], dict[str, str], str]:
    """Reads pages one after another, each in a session of its own.

    Args:
        read: reads a page that was brought to its state.

    Returns:
        What was read; the reasons for pages that could not be read, by page; the browser's version.

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """
    host = await BrowserHost.start(LaunchOptions(switches=SWITCHES), Deadline.of(VISIT_SECONDS))
    found, failed = list[T](), dict[str, str]()
    try:
        for visit in visits:
            try:
                found.append(await _read(host, visit, read))
            except PerceptionError as exc:
                failed[visit.page.id] = first_line(exc)
            except ExceptionGroup as exc:  # frames are read concurrently
                failed[visit.page.id] = first_line(exc.exceptions[0])
            on_page(visit.page.id, failed.get(visit.page.id, ""))
        return found, failed, host.version
    finally:
        await host.close()


async def _read(host: BrowserHost, visit: Visit, read: Callable[[Tab, Visit, Deadline], Awaitable[T]]) -> T:
    deadline = Deadline.of(VISIT_SECONDS)
    session = await host.new_session(visit.options, lambda _: None, deadline)
    try:
        tab = session.tab()
        await bring(tab, visit, deadline)
        return await read(tab, visit, deadline)
    finally:
        await session.close()


def usual_pages(pages: Iterable[PageSpec]) -> list[str]:
    """Pages of all projects in turn: the ids of the first page of each, then of the second, and so on."""
    ranks: Counter[str] = Counter()
    ranked = []
    for page in pages:
        ranked.append((ranks[page.family], page.id))
        ranks[page.family] += 1
    # The sort keeps the order of those with equal rank.
    return [page_id for _, page_id in sorted(ranked, key=lambda each: each[0])][:USUAL]


def spread(items: Sequence[T], count: int) -> list[T]:
    """`count` of the items, evenly spread from the first; all of them if there are no more."""
    if len(items) <= count:
        return list(items)
    return [items[index * len(items) // count] for index in range(count)]
