"""False alarms: visible text that is taken for hidden. What is visible is a data set's truth (see `datasets.truth`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from perception.bench.work import capture_of
from perception.browser.chromium import LaunchOptions
from perception.browser.host import BrowserHost
from perception.budget import Budget
from perception.datasets.render import SWITCHES, VISIT_SECONDS, Visit, bring
from perception.datasets.sample import Broken, Reference, TextLine
from perception.datasets.truth import read_truth
from perception.errors import PerceptionError, first_line
from perception.fusion.ink import mark_unseen
from perception.fusion.words import fold
from perception.types import Element, Engine, Scope

SAME_PLACE = 0.5
"""Share of a line's box that the element which says it takes up at least."""

Told = Callable[[str, str], None]
"""Is told each page that is done, and why one could not be judged."""


@dataclass(frozen=True, slots=True)
class Alarms:
    """What is wrongly unseen on one page: of `lines` visible lines those that only unseen elements say.

    `how`: `text` and `fused` for looks at the live page, `stored` for pixels held against a kept capture.
    """

    page: str
    how: str
    lines: int
    unseen: tuple[str, ...]


def find_alarms(lines: Iterable[TextLine], elements: Sequence[Element]) -> tuple[str, ...]:
    """Visible lines that are listed, but only as something that nobody sees. Empty for no lines."""
    named = [(fold(element.name), element) for element in elements if element.name]
    found = []
    for line in lines:
        said = [element for name, element in named if _says(name, element, line)]
        if said and not any(element.visible for element in said):
            found.append(line.text)
    return tuple(found)


def _says(name: str, element: Element, line: TextLine) -> bool:
    words = fold(line.text)
    if not words or words not in name:
        return False
    shared = element.box.intersect(line.box)
    return shared is not None and shared.area >= SAME_PLACE * line.box.area


def judge_stored(records: Iterable[Reference | Broken], told: Told) -> Iterator[Alarms]:
    """What pixels alone strike out of kept captures."""
    for record in records:
        if isinstance(record, Broken):
            told(record.record, record.reason)
            continue
        item = record.load()
        lines, kept = item.sample.lines, capture_of(item)
        # What the capture itself took for hidden is the walker's of its day.
        before = set(find_alarms(lines, kept.elements))
        found = tuple(each for each in find_alarms(lines, mark_unseen(kept)) if each not in before)
        told(item.sample.name, "")
        yield Alarms(item.sample.name, "stored", len(lines), found)


async def judge_live(visits: Sequence[Visit], told: Told) -> list[Alarms]:
    """What looks at pages as they are now strike out, without pixels and with them.

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """
    host = await BrowserHost.start(LaunchOptions(switches=SWITCHES), Budget.of(VISIT_SECONDS))
    found: list[Alarms] = []
    try:
        for visit in visits:
            why = ""
            try:
                found += await _judge_visit(host, visit)
            except PerceptionError as exc:
                why = first_line(exc)
            except ExceptionGroup as exc:  # frames are read side by side
                why = first_line(exc.exceptions[0])
            told(visit.page.id, why)
        return found
    finally:
        await host.close()


async def _judge_visit(host: BrowserHost, visit: Visit) -> list[Alarms]:
    budget = Budget.of(VISIT_SECONDS)
    session = await host.new_session(visit.options, lambda _: None, budget)
    try:
        tab = session.tab()
        await bring(tab, visit, budget)
        lines = (await read_truth(tab.link, visit.shape.viewport, budget)).lines
        capture = await tab.looker.capture(engine=Engine.WALKER, scope=Scope.VIEWPORT, with_pixels=True, budget=budget)
    finally:
        await session.close()
    looks = {"text": capture.elements, "fused": mark_unseen(capture)}
    return [Alarms(visit.name, how, len(lines), find_alarms(lines, elements)) for how, elements in looks.items()]
