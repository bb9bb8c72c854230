"""After fusion the browser is visited once, for what is listed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from perception.browser.browser_session import Tab
from perception.browser.page.selector_syntax import Durable
from perception.deadline import Deadline
from perception.engine import locate as module
from perception.engine.locate import Locations, locate
from perception.errors import DeadlineError
from perception.geometry import Box, Point
from perception.instrumentation.stages import Stages
from perception.types import Element, NodeKey

BOX = Box(0, 0, 10, 10)
BUTTON = Element("button", "Go", BOX, ref="e1", node=NodeKey("L", 1), interactive=True)
TEXT = Element("text", "Hello", BOX, node=NodeKey("L", 2))
SEEN = Element("button", "Zoom", BOX, ref="v1", click_point=Point(5, 5))
TAB = cast(Tab, SimpleNamespace(link=SimpleNamespace(main_frame="F")))


class Browser:
    """Answers what `locate` asks, and notes it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[str] = []
        self.running = self.most = 0
        self.fails = False
        monkeypatch.setattr(module, "nodes_under", self.nodes_under)
        monkeypatch.setattr(module, "make_selectors", self.make_selectors)

    async def nodes_under(self, _: Any, points: Sequence[Point], __: Deadline) -> list[tuple[str, int] | None]:
        await self._take_a_while("nodes")
        if self.fails:
            raise DeadlineError("late", phase="looking")
        return [("F", 70 + index) if point.x < 50 else None for index, point in enumerate(points)]

    async def make_selectors(self, _: Any, nodes: set[NodeKey], __: Deadline) -> dict[NodeKey, Durable]:
        await self._take_a_while("selectors")
        return {node: Durable(f"#n{node.node}", "", 1.0, "", "button", "", "") for node in nodes}

    async def _take_a_while(self, what: str) -> None:
        self.asked.append(what)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        finally:
            self.running -= 1


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Browser:
    return Browser(monkeypatch)


async def ask(*elements: Element, with_selectors: bool) -> tuple[Locations, Stages]:
    stages = Stages()
    return await locate(TAB, elements, stages, Deadline.of(5), with_selectors=with_selectors), stages


async def test_nodes_and_selectors_are_asked_side_by_side(browser: Browser) -> None:
    locations, stages = await ask(BUTTON, TEXT, SEEN, with_selectors=True)
    assert sorted(browser.asked) == ["nodes", "selectors"]
    assert browser.most == 2
    button, text, seen = locations.apply((BUTTON, TEXT, SEEN))
    assert (button.selector, text, seen.backend_node_id, seen.frame) == ("#n1", TEXT, 70, "")
    assert "locate" in stages.timings_ms


async def test_nothing_is_asked_where_there_is_nothing_to_find(browser: Browser) -> None:
    locations, stages = await ask(BUTTON, TEXT, with_selectors=False)
    assert browser.asked == []
    assert locations.apply((BUTTON, TEXT)) == (BUTTON, TEXT)
    assert not stages.timings_ms


async def test_only_what_is_needed_is_asked(browser: Browser) -> None:
    await ask(BUTTON, SEEN, with_selectors=False)
    await ask(BUTTON, TEXT, with_selectors=True)
    await ask(TEXT, with_selectors=True)
    assert browser.asked == ["nodes", "selectors"]


async def test_an_element_over_nothing_has_no_node(browser: Browser) -> None:
    far = Element("button", "Far", BOX, ref="v2", click_point=Point(90, 5))
    locations, _ = await ask(far, with_selectors=False)
    assert locations.apply((far,)) == (far,)


async def test_an_error_of_one_question_ends_the_other(browser: Browser) -> None:
    browser.fails = True
    with pytest.raises(DeadlineError):
        await ask(BUTTON, SEEN, with_selectors=True)
    assert browser.running == 0
