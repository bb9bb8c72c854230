"""An unchanged page is served again; anything else is looked at."""

from __future__ import annotations

from dataclasses import replace

from perception.engine.cache import SnapshotCache
from perception.engine.presented import PresentedSnapshot
from perception.engine.request import RefTarget, SnapshotOptions
from perception.geometry import Box
from perception.refs import RefTable
from perception.render.text import PagedText
from perception.snapshot import Snapshot
from perception.types import Capture, Element, NodeKey, Scroll, Skipped, Viewport

BUTTON = Element("button", "Go", Box(0, 0, 10, 10), node=NodeKey("L", 1), interactive=True)
CAPTURE = Capture("https://a.example/", "", "L", Viewport(100, 100), Scroll(), (BUTTON,))
SNAPSHOT = Snapshot("s1", CAPTURE.url, "", "L", CAPTURE.viewport, CAPTURE.scroll, (BUTTON,))
OPTIONS = SnapshotOptions()


def presented(options: SnapshotOptions = OPTIONS, snapshot: Snapshot = SNAPSHOT) -> PresentedSnapshot:
    return PresentedSnapshot(snapshot, "t1", snapshot.elements, PagedText(snapshot.elements), options)


def kept(refs: RefTable, what: PresentedSnapshot) -> SnapshotCache:
    cache = SnapshotCache()
    cache.keep(what, CAPTURE, refs)
    return cache


def test_the_same_capture_and_options_give_the_same_snapshot() -> None:
    refs, last = RefTable(), presented()
    assert kept(refs, last).find("t1", OPTIONS, CAPTURE, refs) is last


def test_how_long_it_was_waited_for_makes_no_difference() -> None:
    refs, last = RefTable(), presented()
    assert kept(refs, last).find("t1", replace(OPTIONS, settle_s=5), CAPTURE, refs) is last


def test_another_capture_that_is_equal_is_looked_at() -> None:
    refs = RefTable()
    again = replace(CAPTURE, elements=(replace(BUTTON),))
    assert kept(refs, presented()).find("t1", OPTIONS, again, refs) is None


def test_what_is_pending_makes_no_difference() -> None:
    refs, last = RefTable(), presented()
    assert kept(refs, last).find("t1", OPTIONS, replace(CAPTURE, pending=("fetch /poll",)), refs) is last


def test_a_new_title_does() -> None:
    refs = RefTable()
    assert kept(refs, presented()).find("t1", OPTIONS, replace(CAPTURE, title="2 new"), refs) is None


def test_other_options_are_looked_at() -> None:
    refs = RefTable()
    assert kept(refs, presented()).find("t1", replace(OPTIONS, max_tokens=500), CAPTURE, refs) is None


def test_new_refs_are_looked_at() -> None:
    refs = RefTable()
    cache = kept(refs, presented())
    refs.assign("t2", [BUTTON])
    assert cache.find("t1", OPTIONS, CAPTURE, refs) is None


def test_a_tab_that_was_closed_is_forgotten() -> None:
    refs = RefTable()
    cache = kept(refs, presented())
    cache.drop_tab("t1")
    assert cache.find("t1", OPTIONS, CAPTURE, refs) is None


def test_a_root_and_what_was_skipped_are_always_looked_at() -> None:
    refs = RefTable()
    rooted = replace(OPTIONS, root=RefTarget("e1"))
    assert kept(refs, presented(rooted)).find("t1", rooted, CAPTURE, refs) is None
    late = presented(snapshot=replace(SNAPSHOT, skipped=(Skipped("text", "late"),)))
    assert kept(refs, late).find("t1", OPTIONS, CAPTURE, refs) is None


def test_what_every_look_would_leave_out_is_served_again() -> None:
    refs = RefTable()
    unread = presented(snapshot=replace(SNAPSHOT, skipped=(Skipped("text", "1 line not read", is_lasting=True),)))
    assert kept(refs, unread).find("t1", OPTIONS, CAPTURE, refs) is unread
