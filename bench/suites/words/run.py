"""Visits pages for `words`: reads what is painted, asks for the list of the whole page, and compares them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from playwright.async_api import CDPSession

from perception.bench.pages.page_visits import OnPage
from perception.bench.pages.painted_words import PaintedProbe, PaintedWord
from perception.bench.pages.shared_browser import SharedTab
from perception.bench.pages.still_pages import wait_until_still
from perception.bench.pages.tab_visits import visit_tabs
from perception.bench.suites.words.judgment import (
    MissedWord,
    PageWords,
    Said,
    WordsRun,
    WrongNumber,
    akin,
    is_read,
    listed_words,
    match_words,
    wrong_numbers,
)
from perception.datasets.sources.manifest import PageSpec
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import types_pb2 as pb

PAGE_SECONDS = 240.0
"""Limit of one page."""

READ_BY_OCR = 40
"""Words of one page that OCR looks for, 0.3 s each: most misses of a page are of one kind. Further ones count as
missed."""

T = TypeVar("T")


async def run_words(pages: Mapping[str, str], known: Mapping[str, PageSpec], on_page: OnPage) -> WordsRun:
    """Reads pages one after another, each in a session of its own.

    Args:
        pages: address by page id.
        known: the manifest's facts of pages, by id.
        on_page: called with each finished page, and the reason if it could not be read (empty: it was).

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """
    read, failed, version = await visit_each(pages, known, on_page, read_words)
    return WordsRun(tuple(read), failed, version)


async def visit_each(
    pages: Mapping[str, str],
    known: Mapping[str, PageSpec],
    on_page: OnPage,
    read: Callable[[str, SharedTab, CDPSession], Awaitable[T]],
) -> tuple[list[T], dict[str, str], str]:
    """What is read of each page once it is still; and what else `visit_tabs` returns."""

    async def read_still(page_id: str, tab: SharedTab) -> T:
        await tab.bring(pages[page_id], known.get(page_id))
        await wait_until_still(tab.theirs)
        return await read(page_id, tab, await tab.theirs.context.new_cdp_session(tab.theirs))

    return await visit_tabs(pages, known, on_page, read_still, seconds=PAGE_SECONDS)


async def look(tab: SharedTab) -> pb.Snapshot:
    """All text of the whole page."""
    return await tab.ours.snapshot(
        mode=perception_pb.MODE_TEXT, view=perception_pb.VIEW_FULL, scope=perception_pb.SCOPE_PAGE
    )


async def read_words(page_id: str, tab: SharedTab, session: CDPSession) -> PageWords:
    """Compares the list of a page with what it paints."""
    probe = await PaintedProbe.of(tab.theirs, session)
    words = await probe.collect()
    text = (await look(tab)).text
    await probe.scroll_through()
    flags = await probe.painted()
    painted = [each for each in words if flags.get((each.frame, each.index)) == 2]
    said = match_words(painted, listed_words(text))
    shown = [each.text for each in words if flags.get((each.frame, each.index))]
    numbers, wrong = wrong_numbers(text, [*shown, *await probe.named()])
    missed, unconfirmed = await _confirm(probe, painted, said, text)
    return PageWords(
        page_id,
        len(painted) - unconfirmed,
        said.count(Said.ELSEWHERE),
        said.count(Said.REPEAT),
        unconfirmed,
        tuple(missed),
        numbers,
        tuple(WrongNumber(each.number, each.line) for each in wrong),
    )


async def _confirm(
    probe: PaintedProbe, painted: list[PaintedWord], said: list[Said], text: str
) -> tuple[list[MissedWord], int]:
    """The words that nothing says and that OCR reads, and how many it does not read."""
    listed = set(listed_words(text))
    missed, unconfirmed = [], 0
    places = [at for at, how in enumerate(said) if how is Said.NOWHERE]
    for tried, at in enumerate(places):
        word = painted[at]
        if tried < READ_BY_OCR and not is_read(word.text, await probe.read_word(word)):
            unconfirmed += 1
            continue
        beside = " ".join(each.text for each in painted[max(0, at - 3) : at + 4]).replace("\u0001", "·")
        shown = word.text.replace("\u0001", "·")
        missed.append(MissedWord(shown, beside, akin(word.text, listed), await probe.context(word)))
    return missed, unconfirmed
