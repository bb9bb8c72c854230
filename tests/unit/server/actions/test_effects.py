"""What an action is said to have done."""

from __future__ import annotations

from dataclasses import replace

import pytest
import pytest_asyncio

from perception.browser.page.dialogs import Dialog
from perception.errors import DeadlineError, PageChangingError, PageCrashedError, SessionLostError
from perception.geometry import Point
from perception.server.actions import effects as module
from perception.server.actions.action_context import ActionContext, AnswerOptions
from perception.server.actions.effects import (
    OpenDialog,
    collect_effects,
    collect_interrupted,
    follow,
    open_dialogs,
)
from perception.server.sessions.kept_snapshots import Purpose
from tests.support.fakes import (
    SITE,
    FakeLink,
    begin_action,
    commit,
    crash,
    element,
    emit,
    open_dialog,
    open_tab,
    presented,
    refused,
)

SAVE, SAVED = element("button", "Save"), element("status", "Saved", 2)


@pytest.fixture
def link() -> FakeLink:
    """What the browser says of each tab is at `/now`."""
    link = FakeLink()
    link.replies["Target.getTargetInfo"] = lambda params: {
        "targetInfo": {"url": f"{SITE}/now", "title": f"Title of {params['targetId']}"}
    }
    return link


@pytest_asyncio.fixture(loop_scope="function")
async def action(link: FakeLink) -> ActionContext:
    return await begin_action(link)


def with_baseline(action: ActionContext) -> ActionContext:
    """An action that begins now, with the last snapshot of its tab as what a diff leads from."""
    return replace(action, answer=AnswerOptions(settle_s=0.0)).begin_next()


async def test_an_action_without_effects_reports_none(action: ActionContext) -> None:
    action.point = Point(3, 4)
    done = await collect_effects(action)
    assert (done.tab_id, done.url, done.point) == ("t1", f"{SITE}/now", Point(3, 4))
    assert not done.navigated
    assert (done.new_tabs, done.dialogs, done.downloads, done.console_errors, done.notes) == ((), (), (), (), ())
    assert done.changes is None
    assert done.snapshot_id == ""
    assert "follow" in done.timings_ms


async def test_another_document_is_a_navigation(action: ActionContext) -> None:
    commit(action.tab, f"{SITE}/next")
    assert (await collect_effects(action)).navigated


async def test_a_navigation_that_an_earlier_action_began_is_not_this_ones(action: ActionContext) -> None:
    main = action.tab.link.main_frame
    emit(action.tab, "Page.frameStartedNavigating", frameId=main, loaderId="next")
    assert action.tab.link.navigating
    later = action.begin_next()
    assert not later.tab.link.navigating, "it is not waited for"
    assert not (await collect_effects(later)).navigated


async def test_tabs_that_were_opened_meanwhile_are_new(action: ActionContext, link: FakeLink) -> None:
    browser = action.session.browser
    browser.add(await open_tab(link, "t2", opener="t1"))  # type: ignore[attr-defined]
    (new,) = (await collect_effects(action)).new_tabs
    assert (new.tab_id, new.opener_tab_id, new.title) == ("t2", "t1", "Title of target-t2")
    assert not new.selected
    assert (await collect_effects(action.begin_next())).new_tabs == ()


async def test_a_window_that_was_announced_is_waited_for(action: ActionContext) -> None:
    emit(action.tab, "Page.windowOpen", userGesture=True)
    await follow(action)
    assert action.session.browser.expected_tabs == [2]  # type: ignore[attr-defined]
    await follow(action.begin_next())
    assert action.session.browser.expected_tabs == [2, 0]  # type: ignore[attr-defined]


async def test_where_there_is_no_room_the_refusal_of_a_window_is_waited_for(action: ActionContext) -> None:
    browser = action.session.browser
    action.session.options = replace(action.session.options, max_tabs=1)
    browser.tabs_refused = 3
    full = action.begin_next()
    emit(full.tab, "Page.windowOpen", userGesture=True)
    await follow(full)
    await follow(full.begin_next())
    assert browser.expected_refusals == [4, 0]  # type: ignore[attr-defined]


async def test_dialogs_of_all_tabs_are_reported_each_with_its_tab(action: ActionContext, link: FakeLink) -> None:
    other = action.session.browser.add(await open_tab(link, "t2"))  # type: ignore[attr-defined]
    open_dialog(other, "Sure?", "confirm")
    assert (await collect_effects(action)).dialogs == (OpenDialog("t2", Dialog(1, "confirm", "Sure?", "")),)
    assert open_dialogs([action.tab]) == ()


async def test_only_downloads_that_were_begun_meanwhile_are_reported(action: ActionContext, link: FakeLink) -> None:
    def begin(name: str) -> None:
        params = {"guid": name, "url": f"{SITE}/{name}", "suggestedFilename": name}
        link.emit("downloads", "Browser.downloadWillBegin", **params)
        link.emit("downloads", "Browser.downloadProgress", guid=name, state="canceled", receivedBytes=1)

    begin("before.txt")
    later = action.begin_next()
    begin("meanwhile.txt")
    assert [each.name for each in (await collect_effects(later)).downloads] == ["meanwhile.txt"]


async def test_a_download_that_still_runs_is_waited_for_within_bounds(
    action: ActionContext, link: FakeLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AFTERMATH_SECONDS", 0.01)
    link.emit("downloads", "Browser.downloadWillBegin", guid="1", url=f"{SITE}/1", suggestedFilename="1")
    (running,) = (await collect_effects(action)).downloads
    assert running.path is None


async def test_only_console_errors_of_the_action_are_reported(action: ActionContext) -> None:
    action.tab.log_error("before")
    later = action.begin_next()
    for text in ("first", "second"):
        action.tab.log_error(text)
    assert (await collect_effects(later)).console_errors == ("first", "second")
    assert action.session.host.heard == 1  # type: ignore[attr-defined]


async def test_a_tab_that_was_closed_has_no_address(action: ActionContext, link: FakeLink) -> None:
    action.session.browser.remove(action.tab)  # type: ignore[attr-defined]
    done = await collect_effects(action)
    assert (done.tab_id, done.url) == ("t1", "")
    assert "Target.getTargetInfo" not in link.methods()


async def test_a_tab_whose_browser_does_not_name_it_is_at_its_last_address(
    action: ActionContext, link: FakeLink
) -> None:
    link.replies["Target.getTargetInfo"] = refused()
    assert (await collect_effects(action)).url == f"{SITE}/"


async def test_a_crashed_tab_is_at_its_last_address(action: ActionContext, link: FakeLink) -> None:
    crash(action.tab)
    assert (await collect_interrupted(action)).url == f"{SITE}/"
    assert "Target.getTargetInfo" not in link.methods()


async def test_a_page_that_is_too_busy_to_answer_gives_a_note_and_no_diff(action: ActionContext) -> None:
    action.session.shown.snapshots.keep(presented("s1", SAVE))
    later = with_baseline(action)
    later.tab.link.link.walker["takePrints"] = later.deadline.error("reading what the page did")  # type: ignore[attr-defined]
    done = await collect_effects(later)
    assert done.notes == ("the page is busy since: there is no diff yet",)
    assert done.changes is None
    assert later.tab.capturer.count == 0  # type: ignore[attr-defined]


async def test_a_page_that_did_not_answer_as_it_was_left_is_no_reason_not_to_look_at_the_next(
    action: ActionContext,
) -> None:
    action.session.shown.snapshots.keep(presented("s1", SAVE))
    later = with_baseline(action)
    later.tab.link.link.walker["takePrints"] = later.deadline.error("reading what the page did")  # type: ignore[attr-defined]
    commit(later.tab, f"{SITE}/next")
    done = await collect_effects(later)
    assert (done.navigated, done.notes) == (True, ())
    assert later.tab.capturer.count == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "error",
    [
        PageChangingError("the page went away\nand more"),
        PageCrashedError("the page went away"),
        SessionLostError("the page went away"),
        DeadlineError("the page went away", phase="looking", dispatched=True),
    ],
)
async def test_a_look_that_fails_becomes_a_note(action: ActionContext, error: Exception) -> None:
    action.session.shown.snapshots.keep(presented("s1", SAVE))
    later = with_baseline(action)
    later.tab.capturer.error = error  # type: ignore[attr-defined]
    done = await collect_effects(later)
    assert done.notes == ("no diff: the page went away",)
    assert done.url == f"{SITE}/now"
    assert len(action.session.shown.snapshots) == 1


async def test_a_refused_command_becomes_a_note(action: ActionContext) -> None:
    action.session.shown.snapshots.keep(presented("s1", SAVE))
    later = with_baseline(action)
    later.tab.capturer.error = refused("DOM.getDocument")  # type: ignore[attr-defined]
    assert (await collect_effects(later)).notes == ("no diff: DOM.getDocument: no such thing",)


async def test_changes_lead_from_the_tabs_last_snapshot(action: ActionContext, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    async def look(*given: object) -> object:
        asked.append(given)
        return presented("s2", SAVE, SAVED)

    monkeypatch.setattr(module, "take_kept_snapshot", look)
    action.session.shown.snapshots.keep(presented("s1", SAVE))
    later = replace(with_baseline(action), answer=AnswerOptions(settle_s=0.25))
    done = await collect_effects(later)
    assert done.snapshot_id == "s2"
    assert done.changes is not None
    assert done.changes.since_snapshot_id == "s1"
    assert [each.name for each, _ in done.changes.elements.values()] == ["Saved"]
    (given,) = asked
    snapshot_options, deadline, purpose = given[3:]
    assert purpose is Purpose.ACTION
    assert snapshot_options.settle_s == 0.25  # type: ignore[attr-defined]
    assert deadline.remaining() <= later.deadline.remaining() / 2 + 0.01, "the answer must be given in any case"  # type: ignore[attr-defined]


async def test_without_a_snapshot_before_there_is_no_diff(action: ActionContext) -> None:
    action.session.shown.snapshots.keep(presented("s1", SAVE, tab_id="t2"))
    done = await collect_effects(with_baseline(action))
    assert (done.changes, done.notes) == (None, ())
    assert action.tab.capturer.count == 0  # type: ignore[attr-defined]


async def test_an_action_that_asks_for_no_diff_takes_no_snapshot(action: ActionContext) -> None:
    action.session.shown.snapshots.keep(presented("s1", SAVE))
    assert (await collect_effects(action.begin_next())).changes is None
    assert action.tab.capturer.count == 0  # type: ignore[attr-defined]


async def test_an_interrupted_action_says_how_far_its_input_got(action: ActionContext, link: FakeLink) -> None:
    open_dialog(action.tab)
    action.input.typing.cut_short = "3 of 5 characters had been typed"
    sent = len(link.sent)
    done = await collect_interrupted(action)
    assert done.notes == ("the dialog cut the input short: 3 of 5 characters had been typed",)
    assert [each.tab_id for each in done.dialogs] == ["t1"]
    assert not done.navigated
    assert link.methods()[sent:] == ["Target.getTargetInfo"], "the page is not asked"


async def test_an_interrupted_action_may_have_led_to_another_document(action: ActionContext) -> None:
    commit(action.tab, f"{SITE}/next")
    assert (await collect_interrupted(action)).navigated
