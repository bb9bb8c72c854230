"""False alarms: visible text that is considered hidden. The truth is a data set's (see `datasets.truth`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from perception.bench.pages.page_visits import OnPage, read_each
from perception.bench.sample_worker import capture_of
from perception.browser.browser_session import Tab
from perception.datasets.sample import Broken, Reference, TextLine
from perception.datasets.sources.rendering import Visit
from perception.datasets.truth.truth import read_truth
from perception.deadline import Deadline
from perception.fusion.ink import mark_unseen
from perception.fusion.text_match import fold
from perception.types import Element, Engine, Scope

SAME_PLACE = 0.5
"""Minimum share of a line's box that is covered by the element with its text."""


@dataclass(frozen=True, slots=True)
class FalseAlarms:
    """Visible text that one page's list marks as unseen: of `lines` visible lines, those that only unseen elements
    contain.

    `how`: `text` and `fused` for looks at the live page, `stored` for pixels compared with a stored capture.
    """

    page: str
    how: str
    lines: int
    unseen: tuple[str, ...]


def find_alarms(lines: Iterable[TextLine], elements: Sequence[Element]) -> tuple[str, ...]:
    """Visible lines that are listed, but only in elements marked as unseen. Empty for no lines."""
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


def judge_stored(records: Iterable[Reference | Broken], on_page: OnPage) -> Iterator[FalseAlarms]:
    """What the pixel check alone removes from stored captures."""
    for record in records:
        if isinstance(record, Broken):
            on_page(record.record, record.reason)
            continue
        item = record.load()
        lines, kept = item.sample.lines, capture_of(item)
        # What the capture itself marks as hidden depends on the walker of its time.
        before = set(find_alarms(lines, kept.elements))
        found = tuple(each for each in find_alarms(lines, mark_unseen(kept)) if each not in before)
        on_page(item.sample.name, "")
        yield FalseAlarms(item.sample.name, "stored", len(lines), found)


async def judge_live(visits: Sequence[Visit], on_page: OnPage) -> list[FalseAlarms]:
    """What looks at the current pages remove, without pixels and with them.

    Raises:
        BrowserUnavailableError: there is no Chromium to run.
    """
    found, _, _ = await read_each(visits, _judge_tab, on_page)
    return [alarms for looks in found for alarms in looks]


async def _judge_tab(tab: Tab, visit: Visit, deadline: Deadline) -> list[FalseAlarms]:
    lines = (await read_truth(tab.link, visit.shape.viewport, deadline)).lines
    capture = await tab.capturer.capture(
        engine=Engine.WALKER, scope=Scope.VIEWPORT, with_pixels=True, deadline=deadline
    )
    looks = {"text": capture.elements, "fused": mark_unseen(capture)}
    return [FalseAlarms(visit.name, how, len(lines), find_alarms(lines, elements)) for how, elements in looks.items()]
