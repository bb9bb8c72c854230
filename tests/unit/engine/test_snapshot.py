"""The line of a look, on a tab that answers from a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from perception.browser.browser_session import Tab
from perception.browser.input.hit_test import Membership, Root
from perception.deadline import Deadline
from perception.detectors.frame_cache import DetectionCache
from perception.detectors.pool import DetectorPool
from perception.engine import snapshot as module
from perception.engine.cache import SnapshotCache
from perception.engine.locate import Locations
from perception.engine.request import RefTarget, SnapshotOptions, SnapshotRequest
from perception.engine.snapshot import EngineContext, take_elements, take_snapshot
from perception.geometry import Box
from perception.refs import RefTable
from perception.types import Capture, Element, Mode, NodeKey, Scroll, Viewport

BOX = Box(0, 0, 10, 10)
SAVE, CANCEL, HELLO = (
    Element(role, name, BOX, node=NodeKey("L", node), interactive=role == "button", in_viewport=True)
    for role, name, node in (("button", "Save", 1), ("button", "Cancel", 2), ("text", "Hello", 3))
)
PAGE = Capture("https://a.example/", "A", "L", Viewport(100, 100), Scroll(), (SAVE, CANCEL, HELLO))
OPTIONS = SnapshotOptions(mode=Mode.TEXT)


class FakePage:
    """A tab whose looks are counted: `asked` is what the browser was asked, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.capture = PAGE
        self.asked: list[str] = []
        tab = SimpleNamespace(
            tab_id="t1", capturer=SimpleNamespace(capture=self._capture), link=SimpleNamespace(loaders=["L"])
        )
        self.context = EngineContext(
            cast(Tab, tab), RefTable(), DetectionCache(), SnapshotCache(), cast(DetectorPool, SimpleNamespace())
        )
        monkeypatch.setattr(module, "find_root", self._find_root)
        monkeypatch.setattr(module, "ask_membership", self._ask_membership)
        monkeypatch.setattr(module, "locate", self._locate)

    async def snapshot(self, options: SnapshotOptions = OPTIONS, snapshot_id: str = "s1") -> Any:
        return await take_snapshot(self.context, SnapshotRequest(options, snapshot_id), Deadline.of(5))

    async def _capture(self, **_: Any) -> Capture:
        self.asked.append("capture")
        return self.capture

    async def _find_root(self, *_: Any) -> Root:
        self.asked.append("root")
        return Root(BOX, ref="v1")

    async def _ask_membership(self, _: Any, root: Root, elements: Sequence[Element], __: Deadline) -> Membership:
        self.asked.append("membership")
        root = replace(root, node=cast(Any, SimpleNamespace()), loader="L")
        nodes = [each.node for each in elements if each.node is not None]
        return Membership(root, frozenset(nodes), frozenset(nodes[1:2]))

    async def _locate(self, *_: Any, **__: Any) -> Locations:
        self.asked.append("locate")
        return Locations()


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> FakePage:
    return FakePage(monkeypatch)


async def test_the_browser_is_asked_once_before_and_once_after_fusion(page: FakePage) -> None:
    taken = await page.snapshot()
    assert page.asked == ["capture", "locate"]
    assert [(each.ref, each.name) for each in taken.listed] == [("e1", "Save"), ("e2", "Cancel"), ("", "Hello")]
    assert taken.text.page(0).text == '- button "Save" [ref=e1]\n- button "Cancel" [ref=e2]\n- text "Hello"\n'


async def test_an_unchanged_page_is_served_again_under_a_new_id(page: FakePage) -> None:
    first = await page.snapshot()
    again = await page.snapshot(snapshot_id="s2")
    assert page.asked == ["capture", "locate", "capture"]
    assert (again.snapshot.snapshot_id, again.listed, again.text) == ("s2", first.listed, first.text)
    assert set(again.snapshot.timings_ms) == {"capture"}


async def test_a_page_that_changed_is_looked_at(page: FakePage) -> None:
    await page.snapshot()
    page.capture = replace(PAGE, elements=(SAVE,))
    taken = await page.snapshot()
    assert [each.name for each in taken.listed] == ["Save"]
    assert page.asked.count("locate") == 2


async def test_only_the_root_content_is_listed_and_refs_count_over_the_whole_page(page: FakePage) -> None:
    rooted = replace(OPTIONS, root=RefTarget("v1"))
    taken = await page.snapshot(rooted)
    assert [(each.ref, each.name) for each in taken.listed] == [("e2", "Cancel")]
    assert page.asked == ["root", "capture", "membership", "locate"]
    await page.snapshot(rooted)
    assert page.asked.count("membership") == 2  # a root may lie elsewhere by now


async def test_elements_alone_are_neither_presented_nor_cached(page: FakePage) -> None:
    taken = await take_elements(page.context, OPTIONS, Deadline.of(5))
    assert [each.name for each in taken.elements] == ["Save", "Cancel", "Hello"]
    assert page.asked == ["capture"]
    await page.snapshot()
    assert page.asked == ["capture", "capture", "locate"]
