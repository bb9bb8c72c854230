"""Looks at the pages of `tricks` as the service does, in both modes, and as Playwright's aria snapshot does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from perception.bench.tricks import AROUND, SECRET, Case
from perception.browser.chromium import LaunchOptions
from perception.browser.host import BrowserHost
from perception.browser.session import SessionOptions, Tab
from perception.budget import Budget
from perception.detectors.memory import Memory
from perception.detectors.pool import DetectorPool
from perception.detectors.registry import Registry
from perception.pipeline import Wish, interpret
from perception.refs import RefTable
from perception.render.present import present
from perception.stages import Stages
from perception.types import Engine, Mode, Scope, Viewport

LOOK_SECONDS = 60.0

TEXT, FUSED, PLAYWRIGHT = "text", "fused", "Playwright"
"""Who looks."""

Told = Callable[[str, str], None]
"""Is told each page that is done, and what went wrong with it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one of them says of a case. `says`: the sentence is in what a model would be given."""

    case: Case
    who: str
    says: bool
    text: str

    @property
    def is_right(self) -> bool:
        return AROUND in self.text and self.says is not self.case.hides


async def look_at_cases(cases: Sequence[Case], told: Told) -> tuple[list[Verdict], str]:
    """What everybody says of every case; the browser's version.

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """
    async with AsyncExitStack() as stack:
        host = await BrowserHost.start(LaunchOptions(), Budget.of(LOOK_SECONDS))
        stack.push_async_callback(host.close)
        pool = DetectorPool(Registry.load())
        stack.callback(pool.close)
        tabs: dict[tuple[float, str], Tab] = {}
        verdicts = []
        for case in cases:
            screen = case.scale, case.scheme
            if screen not in tabs:
                options = SessionOptions(viewport=Viewport(1280, 800, case.scale), color_scheme=case.scheme)
                session = await host.new_session(options, lambda _: None, Budget.of(LOOK_SECONDS))
                tabs[screen] = session.tab()
            verdicts += await _look_at(tabs[screen], pool, case)
            told(case.id, "")
        return verdicts, host.version


async def _look_at(tab: Tab, pool: DetectorPool, case: Case) -> list[Verdict]:
    await tab.page.goto("about:blank")
    await tab.page.set_content(case.html)
    texts = {TEXT: await look(tab, Mode.TEXT, pool), FUSED: await look(tab, Mode.FUSED, pool)}
    texts[PLAYWRIGHT] = await tab.page.aria_snapshot(mode="ai")
    return [Verdict(case, who, says(text), text) for who, text in texts.items()]


async def look(tab: Tab, mode: Mode, pool: DetectorPool) -> str:
    """The text of a tab as it stands, as the service would write it."""
    budget = Budget.of(LOOK_SECONDS)
    capture = await tab.looker.capture(
        engine=Engine.WALKER, scope=Scope.VIEWPORT, with_pixels=mode is not Mode.TEXT, budget=budget
    )
    wish = Wish(mode=mode)
    elements, _ = await interpret(capture, RefTable(), "tab", wish, pool, Memory(), Stages(), budget)
    return present(elements).text.page(0).text


def says(text: str) -> bool:
    """The hidden sentence is in a text, or so much of it that nobody would take it for something else."""
    words = SECRET.split()
    return any(" ".join(words[at : at + 3]) in text for at in range(len(words) - 2))
