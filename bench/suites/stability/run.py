"""Asks selectors for their elements again after reloads and deployments of pages whose generated names change.

Rule 1: the page says which element is which, by the widget that was mounted there and the place in it. No attribute
says it, so no selector uses it.
Rule 2: each load mounts the widgets in another order beside others, as code that loads lazily does, so that counters
begin at other numbers; a deployment also renames what compilers name, and adds things.
Rule 3: an element that a load does not have is not asked for in it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from perception.bench.pages.page_visits import OnPage
from perception.bench.pages.shared_browser import SharedTab
from perception.bench.pages.tab_visits import visit_tabs
from perception.bench.suite import SuiteContext
from perception.bench.suites.stability.stability_trials import PageChange, StabilityRun, StabilityTrial
from perception.browser.page.selector_syntax import split_hops
from perception.datasets import load_manifest
from perception.datasets.sources.packages import absent, fetch_all
from perception.datasets.sources.site_server import serve
from perception.errors import PerceptionError
from perception.paths import home_folder
from perception.v1 import extraction_service_pb2 as extraction_pb

MANIFEST = Path(__file__).parent / "pages" / "manifest.toml"

MOUNTED_MS = 20_000
"""Time limit for a page to mount its widgets, which takes one second or two."""

PAGE_SIZE = 1000


@dataclass(slots=True)
class _Followed:
    """A listed element: which one it is, and how often its selector found it."""

    listed: extraction_pb.Interactable
    identity: str
    asked: Counter[PageChange] = field(default_factory=Counter)
    same: Counter[PageChange] = field(default_factory=Counter)


def visit_changing_pages(names: Sequence[str], rounds: int, context: SuiteContext) -> StabilityRun:
    """Fetches what the pages need, serves them, and follows their selectors; all pages for no names.

    Raises:
        BadInputError: there is no such page.
        BrowserUnavailableError: there is no Chromium to run.
    """
    manifest, home = load_manifest(MANIFEST), home_folder()
    pages = manifest.select(names)
    lacking = absent(pages, manifest, home)
    for piece, why in fetch_all(lacking, home, report=lambda _, __: None).items():
        context.say(f"{why} (this costs {', '.join(lacking[piece])})")
    parts = {page.id: page.category for page in pages}
    with serve(pages, manifest, home) as served, context.progress("stability") as progress:
        for page_id, why in served.unserved.items():
            context.say(f"left out {page_id}: {why}")
        progress.start(len(served.urls))
        return asyncio.run(run_stability(served.urls, parts, progress.done, rounds=rounds))


async def run_stability(
    pages: Mapping[str, str], parts: Mapping[str, str], on_page: OnPage, *, rounds: int
) -> StabilityRun:
    """Follows selectors on pages one after the other, each in a session of its own.

    Args:
        pages: addresses by id.
        parts: parts of the manifest by page id.
        rounds: reloads of each page, and as many loads after a deployment.

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """

    async def follow(page_id: str, tab: SharedTab) -> tuple[str, list[_Followed], int]:
        return page_id, *await _follow(tab, pages[page_id], rounds)

    found, failed, version = await visit_tabs(pages, {}, on_page, follow)
    trials = tuple(_trial(page_id, parts[page_id], each) for page_id, followed, _ in found for each in followed)
    return StabilityRun(tuple(pages), trials, {page_id: outside for page_id, _, outside in found}, failed, version)


async def _follow(tab: SharedTab, url: str, rounds: int) -> tuple[list[_Followed], int]:
    """The listed elements that are in widgets, and how many are in none."""
    await _load(tab, url, load=1, build=1)
    listed = await _list(tab)
    answers = await _ask(tab, [each.selector for each in listed])
    for interactable, (count, _) in zip(listed, answers, strict=True):
        if count != 1:
            raise PerceptionError(f"{interactable.selector} finds {count} elements at once")
    followed = [
        _Followed(interactable, identity)
        for interactable, (_, identity) in zip(listed, answers, strict=True)
        if identity
    ]
    loads = [(load, 1, PageChange.RELOAD) for load in range(2, rounds + 2)]
    loads += [(load, 2, PageChange.DEPLOYMENT) for load in range(2, rounds + 2)]
    for load, build, change in loads:
        await _load(tab, url, load=load, build=build)
        there = set(await tab.theirs.evaluate("everyIdentity()"))
        found = await _ask(tab, [each.listed.selector for each in followed])
        for each, (count, identity) in zip(followed, found, strict=True):
            if each.identity in there:
                each.asked[change] += 1
                each.same[change] += count == 1 and identity == each.identity
    return followed, len(listed) - len(followed)


async def _load(tab: SharedTab, url: str, *, load: int, build: int) -> None:
    await tab.go(f"{url}?load={load}&build={build}")
    await tab.theirs.wait_for_function("globalThis.mounted", timeout=MOUNTED_MS)


async def _list(tab: SharedTab) -> list[extraction_pb.Interactable]:
    client = tab.ours._client
    request = extraction_pb.ExtractInteractablesRequest(session_id=tab.ours.session_id, page_size=PAGE_SIZE)
    found: list[extraction_pb.Interactable] = []
    while True:
        reply = await client.call(client.extraction.ExtractInteractables, request)
        found += [each for each in reply.interactables if each.selector]
        request.page_token = reply.next_page_token
        if not request.page_token:
            return found


async def _ask(tab: SharedTab, selectors: Sequence[str]) -> list[tuple[int, str]]:
    """How many elements each selector finds, and which one it is if there is one."""
    steps = [split_hops(selector) for selector in selectors]
    return [(count, identity) for count, identity in await tab.theirs.evaluate("(all) => askSelectors(all)", steps)]


def _trial(page: str, part: str, each: _Followed) -> StabilityTrial:
    own = each.listed
    return StabilityTrial(
        page,
        part,
        f'{own.role} "{own.name[:40]}"',
        own.selector,
        own.stability,
        own.stability_reason,
        each.asked,
        each.same,
    )
