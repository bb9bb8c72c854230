"""A recorded step finds exactly what was recorded, or does nothing and says what is there now."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from perception.browser.page.navigation import WaitUntil
from perception.errors import (
    BadInputError,
    DriftError,
    ElementDisabledError,
    NotEditableError,
    NotLoggedInError,
    PageChangingError,
    PerceptionError,
)
from perception.server.actions.action_context import ActionContext
from perception.server.subroutines import steps as module
from perception.server.subroutines.steps import SubroutineSteps
from perception.subroutines.recording import Target
from perception.types import Element
from tests.support.fakes import SITE, FakeLink, begin_action, commit, element, emit, facts, refused

SAVE = Target("button", "Save")


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """One look decides: nothing in these pages is late, but where a test says so."""
    monkeypatch.setattr(module, "APPEAR_SECONDS", 0.0)
    monkeypatch.setattr(module, "POLL_SECONDS", 0.0)


@pytest.fixture
def link() -> FakeLink:
    link = FakeLink()
    link.walker["elementFacts"] = facts()
    link.walker["clickBlockerAt"] = ""
    return link


@pytest_asyncio.fixture(loop_scope="function")
async def action(link: FakeLink) -> ActionContext:
    return await begin_action(link)


@pytest.fixture
def steps(action: ActionContext) -> SubroutineSteps:
    return SubroutineSteps(action, SITE, None)


@pytest.fixture
def show(action: ActionContext) -> Callable[..., None]:
    """What the page shows from now on."""

    def show(*elements: Element) -> None:
        action.tab.capturer.elements = elements  # type: ignore[attr-defined]

    return show


def acts(action: ActionContext) -> list[tuple[Any, ...]]:
    """The input that the page has got."""
    return action.tab.page.acts()  # type: ignore[attr-defined,no-any-return]


async def test_what_was_recorded_is_clicked(
    steps: SubroutineSteps, action: ActionContext, show: Callable[..., None]
) -> None:
    show(element("button", "Save"), element("button", "Cancel", 2))
    await steps.click(SAVE, count=2)
    assert acts(action) == [("click", 10, 5, "left", 2)]


async def test_spaces_of_a_name_make_no_difference(steps: SubroutineSteps, show: Callable[..., None]) -> None:
    show(element("button", " Save \n  all ", 7))
    assert (await steps.locate(Target("button", "Save all"))).number == 7


@pytest.mark.parametrize(
    ("shown", "after"),
    [
        pytest.param([], "no button", id="nothing"),
        pytest.param([element("link", "Save")], "no button", id="another-role"),
        pytest.param([element("button", "Store"), element("button", "X", 2)], 'button "Store", "X"', id="renamed"),
        pytest.param([element("button", "save")], 'button "save"', id="another-case"),
        pytest.param([element("button", "Save", visible=False)], "no button", id="hidden"),
        pytest.param([element("button", "Save", loader="elsewhere")], 'button "Save"', id="another-document"),
    ],
)
async def test_what_is_not_there_any_more_is_not_clicked(
    steps: SubroutineSteps, action: ActionContext, show: Callable[..., None], shown: list[Element], after: str
) -> None:
    show(*shown)
    with pytest.raises(DriftError, match='button "Save" is not there any more: nothing was done') as caught:
        await steps.click(SAVE, count=1)
    assert (caught.value.before, caught.value.after) == ('button "Save"', after)
    assert acts(action) == []
    assert not action.deadline.dispatched


@pytest.mark.parametrize(
    ("shown", "candidate"),
    [
        pytest.param([element("button", "Save changes"), element("button", "Cancel", 2)], "Save changes", id="longer"),
        pytest.param([element("button", "Save all", 3), element("button", "Save both", 4)], "Save all", id="nearest"),
        pytest.param([element("button", "Save me"), element("button", "Save us", 2)], "", id="two-alike"),
        pytest.param([element("button", "Store"), element("button", "X", 2)], "", id="none-alike"),
        pytest.param([element("link", "Save changes")], "", id="another-role"),
    ],
)
async def test_the_one_that_may_be_called_otherwise_now_is_named(
    steps: SubroutineSteps, show: Callable[..., None], shown: list[Element], candidate: str
) -> None:
    show(*shown)
    with pytest.raises(DriftError) as caught:
        await steps.click(SAVE, count=1)
    assert (f'it may be called button "{candidate}" now' in str(caught.value)) is bool(candidate)
    assert ("may be called" in str(caught.value)) is bool(candidate)


async def test_what_the_recorded_selector_finds_is_named_first(
    steps: SubroutineSteps, link: FakeLink, show: Callable[..., None]
) -> None:
    show(element("button", "Save it", 3), element("button", "Keep", 9))
    link.walker["findBySelector"] = {"numbers": [9]}
    with pytest.raises(DriftError, match='it may be called button "Keep" now'):
        await steps.click(Target("button", "Save", selector="#keep"), count=1)


@pytest.mark.parametrize(("of", "count", "was"), [(0, 2, "was 1"), (1, 2, "was 1"), (2, 3, "were 2")])
async def test_another_number_of_such_elements_than_recorded_is_not_chosen_from(
    steps: SubroutineSteps, action: ActionContext, show: Callable[..., None], of: int, count: int, was: str
) -> None:
    show(*(element("button", "Save", number) for number in range(1, count + 1)))
    with pytest.raises(DriftError, match=f"{count} elements are button 'Save' now, and there {was} when") as caught:
        await steps.click(Target("button", "Save", of=of), count=1)
    assert caught.value.after == f"{count} such elements"
    assert acts(action) == []


async def test_of_as_many_as_recorded_the_same_one_is_taken(steps: SubroutineSteps, show: Callable[..., None]) -> None:
    show(*(element("button", "Save", number) for number in (4, 5, 6)))
    assert (await steps.locate(Target("button", "Save", nth=1, of=3))).number == 5


async def test_a_selector_tells_equal_names_apart(
    steps: SubroutineSteps, link: FakeLink, show: Callable[..., None]
) -> None:
    show(element("button", "Save", 4), element("button", "Save", 5))
    link.walker["findBySelector"] = {"numbers": [5]}
    assert (await steps.locate(Target("button", "Save", selector="#five"))).number == 5


async def test_a_selector_never_overrules_a_name(
    steps: SubroutineSteps, action: ActionContext, link: FakeLink, show: Callable[..., None]
) -> None:
    show(element("button", "Delete", 5))
    link.walker["findBySelector"] = {"numbers": [5]}
    with pytest.raises(DriftError):
        await steps.click(Target("button", "Save", selector="#five"), count=1)
    assert acts(action) == []


async def test_what_has_no_name_is_found_by_its_selector(steps: SubroutineSteps, link: FakeLink) -> None:
    link.walker |= {"findBySelector": {"numbers": [9]}, "elementFacts": facts("button", "")}
    assert (await steps.locate(Target("button", selector="#nine"))).number == 9


@pytest.mark.parametrize("now", [facts("link", ""), facts("button", "Delete all")])
async def test_a_nameless_element_that_became_another_is_not_taken(
    steps: SubroutineSteps, link: FakeLink, now: dict[str, Any]
) -> None:
    link.walker |= {"findBySelector": {"numbers": [9]}, "elementFacts": now}
    with pytest.raises(DriftError):
        await steps.locate(Target("button", selector="#nine"))


@pytest.mark.parametrize("reply", [{"numbers": []}, {"numbers": [1, 2]}, {"error": True}])
async def test_a_selector_that_means_no_single_element_finds_nothing(
    steps: SubroutineSteps, link: FakeLink, reply: dict[str, Any]
) -> None:
    link.walker["findBySelector"] = reply
    with pytest.raises(DriftError):
        await steps.locate(Target("button", selector="#nine"))


async def test_a_field_is_found_by_its_placeholder(steps: SubroutineSteps, show: Callable[..., None]) -> None:
    show(element("textbox", "Search", 3), element("textbox", "", 4, text="Your name"))
    assert (await steps.locate(Target("textbox", placeholder="Your name"))).number == 4


async def test_an_element_of_a_frame_is_looked_for_in_frames_that_show_its_page(
    steps: SubroutineSteps, action: ActionContext, link: FakeLink, show: Callable[..., None]
) -> None:
    emit(action.tab, "Page.frameAttached", frameId="inner", parentFrameId=action.tab.link.main_frame)
    emit(action.tab, "Page.frameNavigated", frame={"id": "inner", "loaderId": "in", "url": f"{SITE}/pay"})
    link.scripts["location.pathname"] = '["/pay"]'
    show(element("button", "Save"), element("button", "Save", 8, loader="in"))
    assert (await steps.locate(Target("button", "Save", frame="/pay"))).frame == "inner"
    assert (await steps.locate(SAVE)).frame == action.tab.link.main_frame
    link.scripts["location.pathname"] = '["/other"]'
    with pytest.raises(DriftError):
        await steps.locate(Target("button", "Save", frame="/pay"))


async def test_a_page_that_changes_is_looked_at_again(
    steps: SubroutineSteps, action: ActionContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "APPEAR_SECONDS", 5.0)
    capturer: Any = action.tab.capturer
    errors = [PageChangingError("going"), refused(), None]
    capture = capturer.capture

    async def change(**given: Any) -> Any:
        capturer.error = errors.pop(0)
        capturer.elements = (element("button", "Save", 6),)
        return await capture(**given)

    capturer.capture = change
    assert (await steps.locate(SAVE)).number == 6
    assert errors == []


async def test_text_goes_into_the_recorded_field(
    steps: SubroutineSteps, action: ActionContext, link: FakeLink, show: Callable[..., None]
) -> None:
    show(element("textbox", "Name"))
    field = facts("textbox", "Name", editable=True, tag="input", type="text")
    link.walker |= {"elementFacts": field, "focusedFacts": field, "selectFocused": True}
    await steps.type(Target("textbox", "Name"), "Ann", clear=True, submit=True)
    assert acts(action)[1:] == [("press", "ControlOrMeta+A"), ("press", "Enter")]
    assert link.keys() == "Ann"


@pytest.mark.parametrize(
    ("now", "error"),
    [
        pytest.param({"editable": False}, NotEditableError, id="takes-no-text"),
        pytest.param({"editable": True, "disabled": True}, ElementDisabledError, id="disabled"),
    ],
)
async def test_a_field_that_takes_no_text_is_not_even_clicked(
    steps: SubroutineSteps,
    action: ActionContext,
    link: FakeLink,
    show: Callable[..., None],
    now: dict[str, bool],
    error: type[PerceptionError],
) -> None:
    show(element("textbox", "Name"))
    link.walker["elementFacts"] = facts("textbox", "Name", tag="input", type="text", **now)
    with pytest.raises(error):
        await steps.type(Target("textbox", "Name"), "Ann", clear=True, submit=True)
    assert acts(action) == []


async def test_text_that_cannot_be_typed_is_refused_before_anything_is_looked_at(
    steps: SubroutineSteps, action: ActionContext
) -> None:
    with pytest.raises(BadInputError, match="NUL"):
        await steps.type(Target("textbox", "Name"), "a\0b", clear=True, submit=False)
    assert action.tab.capturer.count == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize(("states", "wanted", "clicks"), [((), True, 1), (("checked",), True, 0), ((), False, 0)])
async def test_a_checkbox_is_clicked_only_where_its_state_differs(
    steps: SubroutineSteps,
    action: ActionContext,
    link: FakeLink,
    show: Callable[..., None],
    states: tuple[str, ...],
    wanted: bool,
    clicks: int,
) -> None:
    show(element("checkbox", "Agree"))

    def now(_: int) -> dict[str, Any]:
        return facts("checkbox", "Agree", states=["checked"] if acts(action) else states)

    link.walker["elementFacts"] = now
    await steps.check(Target("checkbox", "Agree"), wanted)
    assert len(acts(action)) == clicks


async def test_what_cannot_be_checked_any_more_has_drifted(
    steps: SubroutineSteps, action: ActionContext, show: Callable[..., None]
) -> None:
    show(element("button", "Save"))
    with pytest.raises(DriftError, match="cannot be checked any more") as caught:
        await steps.check(SAVE, True)
    assert caught.value.before == "something to check"
    assert acts(action) == []


async def test_a_key_is_pressed_only_once_its_target_is_found(steps: SubroutineSteps, action: ActionContext) -> None:
    with pytest.raises(DriftError):
        await steps.press("Enter", Target("textbox", "Name"))
    assert acts(action) == []


async def test_a_file_that_is_not_there_is_refused_before_anything_is_looked_at(
    action: ActionContext, tmp_path: Path
) -> None:
    steps = SubroutineSteps(action, SITE, tmp_path)
    with pytest.raises(PerceptionError, match="is not in the service's upload directory"):
        await steps.upload(Target("button", "File"), ["missing.txt"])
    assert action.tab.capturer.count == 0  # type: ignore[attr-defined]


async def test_waiting_for_what_never_comes_says_what_is_there(
    steps: SubroutineSteps, show: Callable[..., None]
) -> None:
    show(element("status", "Not saved"))
    await steps.wait_for(Target("status", "Not saved"))
    with pytest.raises(DriftError, match="was not shown within") as caught:
        await steps.wait_for(Target("status", "Saved"))
    assert caught.value.after == 'status "Not saved"'


async def test_news_are_what_the_page_says_since_the_last_step_alerts_first(
    steps: SubroutineSteps, show: Callable[..., None]
) -> None:
    show(element("heading", "Form"))
    await steps.look()
    show(
        element("heading", "Form"),
        element("text", "Nearly", 2),
        element("alert", "Too long", 3),
        element("button", "Retry", 4),
        element("text", "secret", 5, visible=False),
    )
    assert await steps.news() == ("Too long", "Nearly")


async def test_a_page_that_says_nothing_may_have_marked_fields(steps: SubroutineSteps, link: FakeLink) -> None:
    link.scripts[":invalid"] = '["Fill in this field"]'
    assert await steps.news() == ("Fill in this field",)


@pytest.fixture
def visited(monkeypatch: pytest.MonkeyPatch, action: ActionContext, link: FakeLink) -> list[str]:
    """The addresses that are opened; each is shown, with status 200."""
    link.scripts["responseStatus"] = 200
    visited: list[str] = []

    async def navigate(page: object, url: str, wait: WaitUntil, deadline: object) -> None:
        visited.append(url)
        commit(action.tab, url)

    monkeypatch.setattr(module.nav, "navigate", navigate)
    return visited


@pytest.mark.parametrize("path", ["https://elsewhere.test/", "//elsewhere.test/x", "http://site.test/"])
async def test_a_page_of_another_origin_is_not_opened(steps: SubroutineSteps, visited: list[str], path: str) -> None:
    with pytest.raises(DriftError, match=f"leads away from {SITE}") as caught:
        await steps.goto(path)
    assert caught.value.before == SITE
    assert visited == []


@pytest.mark.parametrize(
    ("path", "opened"),
    [
        ("/notes", [f"{SITE}/notes"]),
        ("/", [f"{SITE}/"]),
        ("/#part", ["about:blank", f"{SITE}/#part"]),
    ],
)
async def test_a_page_of_the_origin_is_opened_and_the_current_one_requested_again(
    steps: SubroutineSteps, visited: list[str], path: str, opened: list[str]
) -> None:
    await steps.goto(path)
    assert visited == opened


@pytest.mark.parametrize("status", [401, 403])
async def test_a_page_that_is_for_others_asks_for_a_login(
    steps: SubroutineSteps, link: FakeLink, visited: list[str], status: int
) -> None:
    link.scripts["responseStatus"] = status
    with pytest.raises(NotLoggedInError, match=f"/notes answers {status}: log in in this session"):
        await steps.goto("/notes")


@pytest.mark.parametrize("there", [f"{SITE}/login", "https://accounts.test/"])
async def test_a_page_that_leads_to_a_login_asks_for_one(
    steps: SubroutineSteps, action: ActionContext, monkeypatch: pytest.MonkeyPatch, there: str
) -> None:
    async def navigate(*_: object) -> None:
        commit(action.tab, there)

    monkeypatch.setattr(module.nav, "navigate", navigate)
    with pytest.raises(NotLoggedInError, match="/notes leads to"):
        await steps.goto("/notes")
