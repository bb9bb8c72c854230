"""Compares readings of a page's content: ours over gRPC, trafilatura's, and a plain conversion of HTML to markdown.

Rule 1: all read the same page in the same state: ours from the service, the others from the page's current HTML, as any
script gets it.
Rule 2: words are compared, with their frequency, after markdown syntax and link targets are removed.
Rule 3: a word leaks if the page has it only in invisible text.
Rule 4: main content is judged on pages that mark it, by what is visible in their landmark, after the mark is removed.
"""

from __future__ import annotations

import re
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from perception.bench.pages.shared_browser import SharedTab
from perception.bench.pages.tab_visits import visit_tabs
from perception.bench.suites.content.visible_text import PageText, read_truth
from perception.datasets.sources.manifest import PageSpec
from perception.render.tokens import count_tokens
from perception.render.untrusted import unmarked

READINGS = 3
"""Readings of one page by one side; the median counts."""

CONTENT_READ_SECONDS = 60.0

LEAST_MAIN = 50
"""Minimum words of a main landmark to count as content rather than an empty frame."""


class ContentReader(StrEnum):
    """The readers."""

    WHOLE = "ours, whole page"
    MAIN = "ours, main content"
    TRAFILATURA = "trafilatura"
    PLAIN = "plain HTML to markdown"


@dataclass(frozen=True, slots=True)
class PageReading:
    """One reader's result for one page.

    Attributes:
        recall: share of the visible words.
        leaked: invisible words, the most frequent first.
        missed: visible words that are absent, the most frequent first.
        milliseconds: from the page to the text.
        f1: of the main content's words, with the landmark removed; None for a page without one.
    """

    page: str
    reader: ContentReader
    tokens: int
    words: int
    recall: float
    leaked: tuple[tuple[str, int], ...]
    missed: tuple[tuple[str, int], ...]
    milliseconds: float
    f1: float | None = None


@dataclass(frozen=True, slots=True)
class ContentRun:
    """A run. `failed`: why pages could not be read, by page."""

    reads: tuple[PageReading, ...]
    failed: Mapping[str, str]
    browser: str


_TARGET = re.compile(r"\]\((?:<[^>\n]*>|(?:[^()\s\\]|\\.|\([^()\s]*\))*)\)")
_SIGNS = re.compile(r"[*_~`\\]|</?(?:sub|sup|mark)>|[\u200b-\u200f\u00ad\u2060\ufeff\ue000-\uf8ff]")
_CONTENT_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")


def count_words(text: str) -> Counter[str]:
    """How often each word is in a text; a character of Chinese or Japanese is one."""
    return Counter(_CONTENT_WORD.findall(_SIGNS.sub("", text.replace("<br>", " ")).casefold()))


def without_targets(markdown: str) -> str:
    """Markdown without the addresses of its links and pictures."""
    return _TARGET.sub("]", markdown)


def judge_reading(page: str, reader: ContentReader, markdown: str, milliseconds: float, truth: PageText) -> PageReading:
    """Compares a reader's markdown with the visible text."""
    got = count_words(without_targets(markdown))
    seen, hidden, named = (count_words(each) for each in (truth.seen, truth.hidden, truth.named))
    missed = seen - got
    leaked = Counter({word: got[word] for word in hidden if word in got and word not in seen and word not in named})
    recall = 1 - missed.total() / seen.total() if seen else 1.0
    return PageReading(
        page,
        reader,
        count_tokens(markdown),
        seen.total(),
        recall,
        tuple(leaked.most_common()),
        tuple(missed.most_common()),
        milliseconds,
    )


def f1_of(markdown: str, truth: str) -> float:
    """Harmonic mean of precision and recall, in words; 0 if nothing is shared."""
    got, wanted = count_words(without_targets(markdown)), count_words(truth)
    shared = (got & wanted).total()
    return 2 * shared / (got.total() + wanted.total()) if shared else 0.0


def by_trafilatura(html: str) -> str:
    """Main content as markdown, with all options that keep content."""
    from trafilatura import extract

    found = extract(
        html,
        output_format="markdown",
        include_links=True,
        include_tables=True,
        include_images=True,
        include_formatting=True,
        favor_recall=True,
    )
    return found or ""


def by_plain_pass(html: str) -> str:
    """All of the HTML through the library that we use, unmodified."""
    from html_to_markdown import convert

    return str(convert(html).content)


async def run_content(
    pages: Mapping[str, str], known: Mapping[str, PageSpec], on_page: Callable[[str, str], None]
) -> ContentRun:
    """Reads pages one after another, each in a session of its own.

    Args:
        pages: address by page id.
        known: the manifest's facts of pages, by id: locale, time to wait, actions.
        on_page: called with each finished page, and the reason if it could not be read (empty: it was).

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """

    async def read(page_id: str, tab: SharedTab) -> list[PageReading]:
        async def ask(main: bool) -> str:
            reply = await tab.ours.content(main=main, timeout_s=CONTENT_READ_SECONDS)
            return unmarked(reply.markdown)

        await tab.bring(pages[page_id], known.get(page_id))
        return await _read_page(page_id, tab, ask)

    found, failed, version = await visit_tabs(pages, known, on_page, read)
    return ContentRun(tuple(reading for readings in found for reading in readings), failed, version)


async def _read_page(page: str, tab: SharedTab, ask: Callable[[bool], Awaitable[str]]) -> list[PageReading]:
    async def html() -> str:
        return str(await tab.theirs.evaluate("document.documentElement.outerHTML"))

    async def theirs(convert: Callable[[str], str]) -> str:
        return convert(await html())

    truth = await read_truth(tab.theirs)
    readers: dict[ContentReader, Callable[[], Awaitable[str]]] = {
        ContentReader.WHOLE: lambda: ask(False),
        ContentReader.MAIN: lambda: ask(True),
        ContentReader.TRAFILATURA: lambda: theirs(by_trafilatura),
        ContentReader.PLAIN: lambda: theirs(by_plain_pass),
    }
    reads = {}
    for reader, read in readers.items():
        markdown, milliseconds = await _timed(read)
        reads[reader] = judge_reading(page, reader, markdown, milliseconds, truth)
    if count_words(truth.main).total() >= LEAST_MAIN:
        await tab.theirs.evaluate(_UNMARK)
        for reader, markdown in (
            (ContentReader.MAIN, await ask(True)),
            (ContentReader.TRAFILATURA, by_trafilatura(re.sub(r"<(/?)main\b", r"<\1div", await html()))),
        ):
            reads[reader] = replace(reads[reader], f1=f1_of(markdown, truth.main))
    return list(reads.values())


_UNMARK = (
    "() => { for (const each of document.querySelectorAll('main, [role=main]')) each.setAttribute('role', 'none'); }"
)
"""Removes the landmark; the page looks the same."""


async def _timed(read: Callable[[], Awaitable[str]]) -> tuple[str, float]:
    """The last reading, and the median time of some readings (ms)."""
    times = []
    for _ in range(READINGS):
        start = time.perf_counter()
        markdown = await read()
        times.append((time.perf_counter() - start) * 1000)
    return markdown, statistics.median(times)
