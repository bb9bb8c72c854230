"""Which live pages a suite visits, and how: served on loopback, one after another, with a progress bar."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from perception.bench.pages.visited_pages import serve_pages
from perception.bench.suite import SuiteContext
from perception.datasets import load_manifest
from perception.datasets.sources.builders import PACKAGES, is_in
from perception.datasets.sources.manifest import PageSpec

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
