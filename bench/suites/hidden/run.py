"""Looks at the pages of `tricks` as the service does, in both modes, and as Playwright's aria snapshot does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from perception.bench.looks.stored_looks import records_of
from perception.bench.pages.page_visits import OnPage
from perception.bench.pages.visited_pages import serve_pages
from perception.bench.suite import SuiteContext
from perception.bench.suites.hidden.false_alarms import FalseAlarms, judge_live, judge_stored
from perception.bench.suites.hidden.tricks import HIDDEN_SENTENCE, VISIBLE_HEADING, TrickPage, trick_pages
from perception.browser.browser_session import SessionOptions, Tab
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.launch import LaunchOptions
from perception.datasets import load_manifest
from perception.datasets.sources.manifest import SMOKE
from perception.datasets.sources.page_shapes import DESKTOP
from perception.datasets.sources.rendering import Visit
from perception.deadline import Deadline
from perception.detectors.frame_cache import DetectionCache
from perception.detectors.pool import DetectorPool
from perception.detectors.registry import Registry
from perception.engine import InterpretContext, interpret
from perception.engine import SnapshotOptions as SnapshotOptions
from perception.instrumentation.stages import Stages
from perception.refs import RefTable
from perception.render.present import present
from perception.types import Engine, Mode, Scope, Viewport

HIDDEN_LOOK_SECONDS = 60.0

TEXT, FUSED, PLAYWRIGHT = "text", "fused", "Playwright"
"""The listers."""


@dataclass(frozen=True, slots=True)
class TrickAnswer:
    """One lister's result for a case. `says`: the sentence is in the text for a model."""

    case: TrickPage
    who: str
    says: bool
    text: str

    @property
    def is_right(self) -> bool:
        return VISIBLE_HEADING in self.text and self.says is not self.case.hides


@dataclass(frozen=True, slots=True)
class HiddenRun:
    """A run. `failed`: why pages and captures could not be judged, by name."""

    answers: tuple[TrickAnswer, ...]
    alarms: tuple[FalseAlarms, ...]
    failed: Mapping[str, str]


async def look_at_cases(pages: Sequence[TrickPage], on_page: OnPage) -> tuple[list[TrickAnswer], str]:
    """All listers' results for every case; the browser's version.

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """
    async with AsyncExitStack() as stack:
        host = await BrowserHost.start(LaunchOptions(), Deadline.of(HIDDEN_LOOK_SECONDS))
        stack.push_async_callback(host.close)
        pool = DetectorPool(Registry.load())
        stack.callback(pool.close)
        tabs: dict[tuple[float, str], Tab] = {}
        verdicts = []
        for case in pages:
            screen = case.scale, case.scheme
            if screen not in tabs:
                options = SessionOptions(viewport=Viewport(1280, 800, case.scale), color_scheme=case.scheme)
                session = await host.new_session(options, lambda _: None, Deadline.of(HIDDEN_LOOK_SECONDS))
                tabs[screen] = session.tab()
            verdicts += await _look_at(tabs[screen], pool, case)
            on_page(case.id, "")
        return verdicts, host.version


async def _look_at(tab: Tab, pool: DetectorPool, case: TrickPage) -> list[TrickAnswer]:
    await tab.page.goto("about:blank")
    await tab.page.set_content(case.html)
    texts = {TEXT: await look(tab, Mode.TEXT, pool), FUSED: await look(tab, Mode.FUSED, pool)}
    texts[PLAYWRIGHT] = await tab.page.aria_snapshot(mode="ai")
    return [TrickAnswer(case, who, says(text), text) for who, text in texts.items()]


async def look(tab: Tab, mode: Mode, pool: DetectorPool) -> str:
    """The text of a tab's current state, as the service would write it."""
    deadline = Deadline.of(HIDDEN_LOOK_SECONDS)
    capture = await tab.capturer.capture(
        engine=Engine.WALKER, scope=Scope.VIEWPORT, with_pixels=mode is not Mode.TEXT, deadline=deadline
    )
    options = SnapshotOptions(mode=mode)
    context = InterpretContext("tab", RefTable(), DetectionCache(), pool, Stages(), deadline)
    made = await interpret(context, capture, options)
    return present(made.elements).text.page(0).text


def says(text: str) -> bool:
    """Whether the hidden sentence is in a text, or a recognizable part of it."""
    words = HIDDEN_SENTENCE.split()
    return any(" ".join(words[at : at + 3]) in text for at in range(len(words) - 2))


async def run_hidden(
    pages: Sequence[str] | None, datasets: Sequence[str], limit: int, context: SuiteContext
) -> tuple[HiddenRun, str]:
    """Looks at every trick, and counts false alarms on live pages and stored captures; returns the browser's version,
    too.

    Args:
        pages: live pages, by default the smoke set.
        datasets: data sets of captures.
        limit: maximum number of pages and of captures of each data set, 0 for all.

    Raises:
        BadInputError: there is no such page or data set.
        BrowserUnavailableError: there is no Chromium to run.
    """
    failed: dict[str, str] = {}
    with serve_pages(pages or [SMOKE], context.say) as urls, context.progress("hidden") as progress:

        def on_page(page: str, why: str) -> None:
            progress.done(page, why)
            if why:
                failed[page] = why

        known = load_manifest().pages
        visits = [Visit(known[each], DESKTOP, url) for each, url in urls.items() if each in known][: limit or None]
        progress.start(len(trick_pages()) + len(visits))
        answers, browser = await look_at_cases(trick_pages(), on_page)
        alarms = await judge_live(visits, on_page)
        alarms += judge_stored(records_of(datasets, context.home, limit=limit), on_page)
    return HiddenRun(tuple(answers), tuple(alarms), failed), browser
