"""The frame tree of a tab, from the events that a browser sends."""

from __future__ import annotations

from typing import Any, cast

from perception.browser.cdp.cdp_link import CdpLink, CdpSession
from perception.browser.page.frames import FrameTree
from perception.browser.page.navigation_tracker import KEPT_DOCUMENTS, NavigationTracker
from perception.browser.page.tab_state import TabState

NO_LINK = cast(CdpLink, None)


def frame(name: str, loader: str, parent: str = "") -> dict[str, Any]:
    return {"id": name, "loaderId": loader, "url": f"http://{name}/", **({"parentId": parent} if parent else {})}


def made() -> tuple[FrameTree, CdpSession]:
    session = CdpSession(NO_LINK, "s1")
    tree = FrameTree(session, "top")
    children = [{"frame": frame("one", "L2", "top")}, {"frame": frame("two", "L3", "top")}]
    tree.add_tree(session, {"frame": frame("top", "L1"), "childFrames": children})
    return tree, session


def test_an_unknown_frame_answers_on_the_tabs_own_session() -> None:
    tree, session = made()
    assert (tree.frames, tree.loaders) == (("top", "one", "two"), {"L1", "L2", "L3"})
    assert tree.session_of("none") is session
    assert (tree.loader_of("none"), tree.frame_of("none"), tree.parent_of("top")) == ("", None, None)


def test_a_new_top_document_takes_all_other_frames_away() -> None:
    tree, session = made()
    tree.commit(session, frame("top", "L4"))
    assert (tree.frames, tree.loaders) == (("top",), {"L4"})


def test_a_frame_of_another_process_answers_on_a_session_and_target_of_its_own() -> None:
    tree, session = made()
    other = CdpSession(NO_LINK, "s2")
    tree.add_target(other, "one")
    tree.attach(other, "inner", "one")
    tree.add_tree(other, {"frame": frame("one", "L5", "top")})
    assert tree.session_of("one") is tree.session_of("inner") is other
    assert (tree.target_of("inner"), tree.target_of("two")) == ("one", "top")
    assert tree.sessions == [session, other]
    assert tree.parent_of("inner") == "one"


def test_a_frame_that_is_gone_is_forgotten() -> None:
    tree, _ = made()
    tree.remove("two")
    assert (tree.frames, tree.frame_of("L3"), tree.parent_of("two")) == (("top", "one"), None, None)


def test_a_frame_without_a_document_is_not_listed() -> None:
    tree, session = made()
    tree.attach(session, "new", "top")
    assert "new" not in tree.frames
    assert tree.parent_of("new") == "top"


def test_an_error_page_names_the_url_that_could_not_be_opened_until_the_next_commit() -> None:
    tracker = NavigationTracker(CdpSession(NO_LINK, "s1"), TabState())
    tracker.commit({**frame("top", "L1"), "unreachableUrl": "http://down/"})
    assert (tracker.commits, tracker.unreachable) == (1, "http://down/")
    tracker.commit(frame("top", "L2"))
    tracker.move_within_document("http://top/#a")
    assert (tracker.commits, tracker.url, tracker.unreachable) == (3, "http://top/#a", "")


def test_only_the_last_documents_lifecycle_is_kept() -> None:
    tracker = NavigationTracker(CdpSession(NO_LINK, "s1"), TabState())
    for number in range(KEPT_DOCUMENTS + 3):
        tracker.record_lifecycle(f"L{number}", "load")
    tracker.commit(frame("top", "new"))
    assert list(tracker.lifecycle) == [f"L{number}" for number in range(3, KEPT_DOCUMENTS + 3)]
