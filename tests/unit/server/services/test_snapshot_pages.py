"""Pages of a snapshot as messages."""

from __future__ import annotations

from dataclasses import replace

from perception.engine.presented import PresentedSnapshot
from perception.engine.request import SnapshotOptions
from perception.render.text import PagedText
from perception.render.untrusted import Fence
from perception.server.services.snapshot_pages import SnapshotPages
from perception.types import Skipped, TextStyle, View
from tests.support.fakes import element, presented


def long_list(max_tokens: int = 60) -> PresentedSnapshot:
    """A snapshot whose text needs several pages."""
    shown = presented("s1", *(element("button", f"Button number {number}", number) for number in range(40)))
    text = PagedText(shown.listed, style=TextStyle.ROLE_REF, view=View.FULL, max_tokens=max_tokens)
    return replace(shown, text=text, options=SnapshotOptions(max_tokens=max_tokens))


def test_each_page_leads_to_the_next_until_all_is_listed() -> None:
    pages, shown, fence = SnapshotPages(), long_list(), Fence()
    names, page = [], 0
    while True:
        message = pages.write(shown, page, fence)
        names += [each.name for each in message.elements]
        if not message.next_cursor:
            break
        page += 1
        assert message.next_cursor == f"s1.{page}"
        assert message.omitted_count == 40 - len(names)
    assert page > 1
    assert names == [each.name for each in shown.listed]


def test_the_same_page_looked_at_again_has_its_own_id_and_times() -> None:
    pages, shown, fence = SnapshotPages(), long_list(), Fence()
    first = pages.write(replace(shown, snapshot=replace(shown.snapshot, skipped=(Skipped("x", "late"),))), 0, fence)
    again = replace(shown, snapshot=replace(shown.snapshot, snapshot_id="s2", timings_ms={"capture": 2.0}))
    second = pages.write(again, 0, fence)
    assert (first.snapshot_id, second.snapshot_id) == ("s1", "s2")
    assert second.next_cursor == "s2.1"
    assert second.text == first.text
    assert [each.stage for each in second.timings] == ["capture"]
    assert not second.skipped
    assert pages.write(shown, 0, fence).snapshot_id == "s1"


def test_a_page_that_was_handed_out_may_be_changed() -> None:
    pages, shown, fence = SnapshotPages(), long_list(), Fence()
    first = pages.write(shown, 0, fence)
    text = first.text
    first.text = "masked"
    assert pages.write(shown, 0, fence).text == text
