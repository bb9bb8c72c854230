"""What each action does on its target, and when it does nothing."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from perception.deadline import Deadline
from perception.engine.request import PointTarget, RefTarget, SelectorTarget
from perception.errors import (
    BadInputError,
    CoordinateOutOfViewportError,
    DeadlineError,
    ElementDisabledError,
    NoSuchFileError,
    NoSuchOptionError,
    NotAFileFieldError,
    NotCheckableError,
    NotSelectableError,
    NotTakenError,
    PageCrashedError,
    PerceptionError,
    SecretOriginError,
    SessionLostError,
    UnknownRefError,
    UnknownTabError,
    UploadLimitError,
)
from perception.geometry import Point
from perception.page_words import quoted_words
from perception.server.actions import forms, select_option, waiting
from perception.server.actions.action_context import ActionContext
from perception.server.actions.keyboard import TypeOptions, press_key, type_text
from perception.server.actions.pointer import ClickOptions, click, hover, scroll_into_view
from perception.server.actions.resolve import aim, resolve_node
from perception.server.actions.select_option import select_options
from perception.server.actions.upload import MAX_FILES, FileContent, check_names, upload
from perception.server.actions.waiting import ElementGone, ElementShown, TextShown, UrlShown, wait_for
from perception.types import Scroll
from tests.support.fakes import SITE, FakeBrowserSession, FakeLink, begin_action, commit, crash, element, facts, refused

SAVE = SelectorTarget("#save")


@pytest.fixture
def link() -> FakeLink:
    """A page on which `#save` is a button, in a viewport of 800 x 600."""
    link = FakeLink()
    link.walker |= {"findBySelector": {"numbers": [7]}, "elementFacts": facts(), "clickBlockerAt": ""}
    link.walker["watchBox"] = True
    link.walker["choiceMade"] = {"told": False, "changed": False, "shown": False}
    return link


@pytest_asyncio.fixture(loop_scope="function")
async def action(link: FakeLink) -> ActionContext:
    return await begin_action(link)


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not come at once is late."""
    for module in (forms, select_option):
        monkeypatch.setattr(module, "TARGET_PATIENCE_SECONDS", 0.0)
        monkeypatch.setattr(module, "TARGET_POLL_SECONDS", 0.0)


def acts(action: ActionContext) -> list[tuple[Any, ...]]:
    """The input that the page has got."""
    return action.tab.page.acts()  # type: ignore[attr-defined,no-any-return]


async def allow(frame: str) -> None:
    """Text may be typed everywhere."""


async def test_where_input_goes_is_noted(action: ActionContext) -> None:
    aimed = await aim(action, SAVE)
    assert aimed.point == action.point == Point(10, 5)
    assert acts(action) == []
    assert "aim" in action.stages.timings_ms


async def test_what_is_no_element_is_refused_where_one_is_needed(action: ActionContext) -> None:
    with pytest.raises(BadInputError, match="selecting needs an element: give a ref") as caught:
        await resolve_node(action, PointTarget(Point(1, 1)), "selecting")
    assert caught.value.field == "target"


async def test_a_ref_that_was_never_given_is_unknown(action: ActionContext) -> None:
    with pytest.raises(UnknownRefError):
        await aim(action, RefTarget("e99"))


async def test_a_click_has_its_button_count_and_keys(action: ActionContext) -> None:
    await click(action, SAVE, ClickOptions("right", 2, ("Shift",)))
    assert acts(action) == [("key down", "Shift"), ("click", 10, 5, "right", 2), ("key up", "Shift")]
    assert action.deadline.dispatched


@pytest.mark.parametrize("is_browser_gone", [False, True], ids=["tab", "browser"])
async def test_a_click_under_which_its_tab_closes_is_done_where_the_browser_lives(
    action: ActionContext, link: FakeLink, is_browser_gone: bool
) -> None:
    closing: list[asyncio.Task[None]] = []

    def close(event: dict[str, Any]) -> Any:
        if event["type"] != "mousePressed":
            return {}
        closing.append(asyncio.ensure_future(action.tab.link.detach()))
        return SessionLostError("the tab is closed")

    link.replies["Input.dispatchMouseEvent"] = close
    link.replies["Browser.getVersion"] = SessionLostError("the browser is gone") if is_browser_gone else {}
    with pytest.raises(SessionLostError) if is_browser_gone else contextlib.nullcontext():
        await click(action, SAVE, ClickOptions())


async def test_hovering_presses_nothing_and_may_be_repeated(action: ActionContext) -> None:
    await hover(action, SAVE)
    assert acts(action) == []
    assert action.tab.page.done == [("move", 10, 5)] * 2  # type: ignore[attr-defined]
    assert not action.deadline.dispatched


async def test_a_disabled_element_is_not_clicked(action: ActionContext, link: FakeLink) -> None:
    link.walker["elementFacts"] = facts(disabled=True, inactive=True)
    with pytest.raises(ElementDisabledError):
        await click(action, SAVE, ClickOptions())
    assert acts(action) == []
    assert not action.deadline.dispatched
    await hover(action, SAVE)  # it may say why


async def test_an_element_that_only_says_that_it_is_disabled_is_clicked_with_a_note(
    action: ActionContext, link: FakeLink
) -> None:
    link.walker["elementFacts"] = facts(disabled=True)
    await click(action, SAVE, ClickOptions())
    assert acts(action)
    assert "aria-disabled" in action.notes[0]


async def test_a_checkbox_in_the_wanted_state_is_not_clicked(action: ActionContext, link: FakeLink) -> None:
    link.walker["elementFacts"] = facts("checkbox", states=["checked"])
    await click(action, SAVE, ClickOptions(checked=True))
    assert acts(action) == []
    assert action.notes == ["it had that state already: it was not clicked"]


async def test_a_checkbox_that_does_not_take_its_state_is_an_error(action: ActionContext, link: FakeLink) -> None:
    link.walker["elementFacts"] = facts("checkbox", "Agree")
    with pytest.raises(NotTakenError, match="was clicked and is not checked"):
        await click(action, SAVE, ClickOptions(checked=True))
    assert len(acts(action)) == 1


async def test_a_box_in_between_is_neither_checked_nor_unchecked(action: ActionContext, link: FakeLink) -> None:
    node = await resolve_node(action, SAVE, "checking")
    link.walker["elementFacts"] = facts("checkbox", states=["mixed"])
    assert await forms.checked_state(action, node) is None
    link.walker["elementFacts"] = facts("button", states=["mixed"]) | {"toggles": True}
    assert await forms.checked_state(action, node) is None


async def test_what_has_no_such_state_is_not_checked(action: ActionContext) -> None:
    with pytest.raises(NotCheckableError, match="is a button, which has no such state"):
        await click(action, SAVE, ClickOptions(checked=False))
    assert acts(action) == []


@pytest.fixture
def viewport(action: ActionContext) -> None:
    """The viewport has 800 x 600 CSS px and is not scrolled."""

    async def state(deadline: Deadline) -> tuple[Scroll, int, int]:
        return Scroll(), 800, 600

    action.targets.scroll_state = state  # type: ignore[method-assign]


@pytest.mark.usefixtures("viewport")
async def test_only_an_element_is_brought_into_view(action: ActionContext, link: FakeLink) -> None:
    with pytest.raises(BadInputError, match="only an element can be brought into view"):
        await scroll_into_view(action, PointTarget(Point(1, 1)))
    assert not (await scroll_into_view(action, SAVE)).moved
    assert ("scrollIntoView", 7) in link.asked()


@pytest.mark.usefixtures("viewport")
async def test_a_point_has_to_be_in_the_viewport(action: ActionContext) -> None:
    assert (await aim(action, PointTarget(Point(799, 1)))).node is None
    with pytest.raises(CoordinateOutOfViewportError, match="outside the viewport of 800 x 600"):
        await aim(action, PointTarget(Point(801, 1)))


async def test_text_is_typed_where_it_may_be(action: ActionContext, link: FakeLink) -> None:
    field = facts("textbox", "Name", editable=True, tag="input", type="text")
    link.walker |= {"elementFacts": field, "focusedFacts": field, "restingCaret": "there"}
    await type_text(action, SAVE, "Ann", TypeOptions(submit=True), allow)
    assert [each[0] for each in acts(action)] == ["click", "press"]
    assert link.keys() == "Ann"


async def test_a_text_that_may_not_be_typed_there_leaves_no_trace(action: ActionContext, link: FakeLink) -> None:
    async def refuse(frame: str) -> None:
        raise SecretOriginError("not here")

    field = facts("textbox", "Name", editable=True, tag="input", type="text")
    link.walker |= {"elementFacts": field, "focusedFacts": field}
    for target in (SAVE, None):
        with pytest.raises(SecretOriginError):
            await type_text(action, target, "hunter2", TypeOptions(), refuse)
    assert acts(action) == []
    assert "hunter2" not in str(link.sent)


async def test_a_part_of_a_date_that_takes_no_secret_does_not_say_it(action: ActionContext, link: FakeLink) -> None:
    link.walker |= {
        "elementFacts": facts("spinbutton", "PIN", tag="span", editable=True),
        "sliderState": {"now": None, "least": 0, "most": 9999, "step": None},
        "focus": True,
    }
    with pytest.raises(NotTakenError, match="did not take the secret") as caught:
        await type_text(action, SAVE, "4711", TypeOptions(shown_as="the secret"), allow)
    assert "4711" not in str(caught.value)


async def test_a_date_is_set_by_script_and_said_to_be(action: ActionContext, link: FakeLink) -> None:
    link.walker |= {
        "elementFacts": facts("textbox", "Day", tag="input", type="date"),
        "setPickerValue": {"taken": True},
    }
    await type_text(action, SAVE, "2026-12-31", TypeOptions(), allow)
    assert ("setPickerValue", 7, "2026-12-31") in link.asked()
    assert acts(action) == []
    assert "its value was set by script" in action.notes[0]
    assert action.deadline.dispatched


@pytest.mark.parametrize(("shown_as", "said"), [("", "'tomorrow'"), ("<secret day>", "'<secret day>'")])
async def test_a_date_in_another_form_is_refused_with_the_right_one(
    action: ActionContext, link: FakeLink, shown_as: str, said: str
) -> None:
    link.walker |= {"elementFacts": facts(tag="input", type="date"), "setPickerValue": {"taken": False}}
    with pytest.raises(BadInputError, match=f"takes no {said}: write it as 2026-12-31"):
        await type_text(action, SAVE, "tomorrow", TypeOptions(shown_as=shown_as), allow)


async def test_a_key_goes_to_its_target_without_a_click(action: ActionContext, link: FakeLink) -> None:
    link.walker["focus"] = True
    await press_key(action, SAVE, "Enter")
    assert acts(action) == [("press", "Enter")]


def choices(kind: str, *selected: bool, multiple: bool = False, disabled: int = -1) -> dict[str, Any]:
    """A list of options a, b, … with numbers from 1."""
    options = [
        {"number": 1 + at, "label": "ABC"[at], "value": "abc"[at], "selected": chosen, "disabled": at == disabled}
        for at, chosen in enumerate(selected)
    ]
    return {"kind": kind, "multiple": multiple, "options": options}


async def select(action: ActionContext, *wanted: str) -> None:
    await select_options(action, await resolve_node(action, SAVE, "selecting"), wanted)


@pytest.mark.parametrize(
    ("offered", "wanted", "error", "message"),
    [
        (choices(""), ["A"], NotSelectableError, "offers no options"),
        (choices("select", True, False), ["A", "B"], BadInputError, "takes one option, not 2"),
        (choices("select", True, False), ["Z"], NoSuchOptionError, 'has no option \'Z\': it has "A", "B"'),
        (choices("select", True, False, disabled=1), ["B"], ElementDisabledError, "option 'B' .* is disabled"),
        (choices("listbox", True, False, multiple=True), ["A", "Z"], NoSuchOptionError, "'Z'"),
    ],
)
async def test_nothing_is_chosen_that_is_not_there(
    action: ActionContext,
    link: FakeLink,
    offered: dict[str, Any],
    wanted: list[str],
    error: type[PerceptionError],
    message: str,
) -> None:
    link.walker["choices"] = offered
    with pytest.raises(error, match=message):
        await select(action, *wanted)
    assert acts(action) == []


@pytest.mark.parametrize("wanted", ["C", "c", " c "])
async def test_an_option_is_walked_to_by_arrow_keys(action: ActionContext, link: FakeLink, wanted: str) -> None:
    def now() -> dict[str, Any]:
        is_done = ("press", "Enter") in acts(action)
        return choices("select", not is_done, False, is_done)

    link.walker["choices"] = lambda *_: now()
    await select(action, wanted)
    assert acts(action)[1:] == [("press", "ArrowDown")] * 2 + [("press", "Enter")]
    assert action.notes == []


async def test_an_option_that_is_selected_is_left_alone(action: ActionContext, link: FakeLink) -> None:
    link.walker["choices"] = choices("select", False, True)
    await select(action, "B")
    assert acts(action) == []
    assert action.notes == [quoted_words("B") + " was selected already"]


async def test_a_list_that_takes_no_keys_is_set_by_script_and_said_to_be(action: ActionContext, link: FakeLink) -> None:
    def now() -> dict[str, Any]:
        is_set = any(each[0] == "setSelected" for each in link.asked())
        return choices("select", not is_set, is_set)

    link.walker["choices"] = lambda *_: now()
    await select(action, "B")
    assert ("press", "Escape") in acts(action)
    assert action.notes == ["the list took no keys or clicks: the option was set by script"]


async def test_a_list_that_keeps_no_option_is_an_error(action: ActionContext, link: FakeLink) -> None:
    link.walker["choices"] = choices("select", True, False)
    with pytest.raises(NotTakenError, match="did not keep the option"):
        await select(action, "B")


async def test_only_options_of_a_widget_that_differ_are_clicked(action: ActionContext, link: FakeLink) -> None:
    link.walker["choices"] = choices("aria-open", True, False, True, multiple=True)
    await select(action, "A", "B")
    assert len(acts(action)) == 2, "B is added, C is taken away"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The upload directory, beside a file that is not in it."""
    folder = tmp_path / "uploads"
    folder.mkdir()
    (folder / "a.txt").write_text("a")
    (tmp_path / "outside.txt").write_text("x")
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    return folder


@pytest.mark.parametrize(
    ("paths", "error", "message"),
    [
        ([], BadInputError, "no file: give names"),
        (["a.txt"] * (MAX_FILES + 1), BadInputError, f"files are more than {MAX_FILES}"),
        (["../outside.txt"], BadInputError, "leads out of the upload directory"),
        (["/etc/passwd"], BadInputError, "leads out"),
        (["link.txt"], BadInputError, "leads out"),
        ([""], BadInputError, "leads out"),
        (["a\0"], BadInputError, "leads out"),
        (["b.txt"], NoSuchFileError, "it has a.txt"),
    ],
)
def test_only_files_of_the_upload_directory_are_given(
    folder: Path, paths: list[str], error: type[PerceptionError], message: str
) -> None:
    with pytest.raises(error, match=message):
        check_names(paths, (), (), folder)


def test_without_an_upload_directory_no_name_is_taken() -> None:
    with pytest.raises(BadInputError, match="this service has no upload directory"):
        check_names(["a.txt"], (), (), None)


@pytest.mark.parametrize("name", ["", "a/b.txt", "../x", "."])
def test_a_file_that_is_sent_along_has_a_plain_name(name: str) -> None:
    with pytest.raises(BadInputError, match="is not a plain file name"):
        check_names((), [FileContent(name, b"")], (), None)


async def give(action: ActionContext, *files: FileContent) -> None:
    await upload(action, await resolve_node(action, SAVE, "uploading"), (), files)


@pytest.fixture
def field(link: FakeLink, action: ActionContext, tmp_path: Path) -> FakeBrowserSession:
    """`#save` is a file field that takes one file; up to 10 bytes may be uploaded."""
    link.walker["elementFacts"] = facts(tag="input", type="file")
    browser: Any = action.session.browser
    browser.folder = tmp_path
    browser.uploads.used_bytes = browser.uploads.left_bytes - 10
    found: FakeBrowserSession = browser
    return found


async def test_a_file_field_gets_a_copy_and_its_bytes_count(
    action: ActionContext, link: FakeLink, field: FakeBrowserSession
) -> None:
    await give(action, FileContent("a.txt", b"hello"))
    (given,) = [params for _, method, params in link.sent if method == "DOM.setFileInputFiles"]
    assert await asyncio.to_thread(lambda: [Path(path).read_bytes() for path in given["files"]]) == [b"hello"]
    assert field.uploads.left_bytes == 5


async def test_files_over_the_sessions_limit_are_refused_and_removed(
    action: ActionContext, link: FakeLink, field: FakeBrowserSession
) -> None:
    with pytest.raises(UploadLimitError):
        await give(action, FileContent("a.txt", b"x" * 11))
    assert field.uploads.left_bytes == 10
    assert field.folder is not None
    assert not field.folder.exists()
    assert "DOM.setFileInputFiles" not in link.methods()
    assert not action.deadline.dispatched


async def test_a_field_for_one_file_takes_no_two(action: ActionContext, field: FakeBrowserSession) -> None:
    with pytest.raises(BadInputError, match="takes one file, not 2"):
        await give(action, FileContent("a", b""), FileContent("b", b""))


async def test_contents_are_not_sent_to_a_browser_that_is_not_ours(
    action: ActionContext, field: FakeBrowserSession
) -> None:
    field.folder = None
    with pytest.raises(BadInputError, match="use paths"):
        await give(action, FileContent("a", b""))


async def test_a_field_that_takes_no_files_any_more_is_said_to_be(
    action: ActionContext, link: FakeLink, field: FakeBrowserSession
) -> None:
    link.replies["DOM.setFileInputFiles"] = refused()
    with pytest.raises(NotAFileFieldError, match="took no files"):
        await give(action, FileContent("a", b""))


async def test_what_is_shown_already_is_not_waited_for(action: ActionContext) -> None:
    await wait_for(action, ElementShown(SAVE))
    await wait_for(action, UrlShown(f"{SITE}/*"))
    action.tab.capturer.elements = (element("text", "All  saved"),)  # type: ignore[attr-defined]
    await wait_for(action, TextShown("all SAVED"))


@pytest.mark.parametrize(
    ("condition", "phase"),
    [
        (ElementGone(SAVE), "waiting for the element to vanish"),
        (TextShown("done"), "waiting for the text 'done'"),
        (UrlShown("*/done"), "waiting for the address '\\*/done'"),
    ],
)
async def test_what_does_not_come_in_time_is_named(link: FakeLink, condition: Any, phase: str) -> None:
    action = await begin_action(link, deadline=Deadline.of(0.03))
    with pytest.raises(DeadlineError, match=phase):
        await wait_for(action, condition)


async def test_a_short_wait_uses_its_time(link: FakeLink) -> None:
    begun_s = asyncio.get_running_loop().time()
    action = await begin_action(link, deadline=Deadline.of(0.09))
    with pytest.raises(DeadlineError):
        await wait_for(action, UrlShown("*/done"))
    assert 0.06 < asyncio.get_running_loop().time() - begun_s < 0.09


@pytest.mark.parametrize(
    "now",
    [
        pytest.param({"findBySelector": {"numbers": []}}, id="no-match"),
        pytest.param({"elementFacts": facts(box=(0, 0, 0, 0))}, id="no-size"),
        pytest.param({"elementFacts": None}, id="removed"),
        pytest.param({"elementFacts": refused()}, id="its-frame-is-gone"),
    ],
)
async def test_what_no_person_sees_is_gone(action: ActionContext, link: FakeLink, now: dict[str, Any]) -> None:
    link.walker |= now
    await wait_for(action, ElementGone(SAVE))


async def test_a_condition_may_come_true_on_the_next_page(
    action: ActionContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "POLL_SECONDS", 0.0)
    capturer: Any = action.tab.capturer
    capture, errors = capturer.capture, [refused(), None]

    async def change(**given: Any) -> Any:
        capturer.error = errors.pop(0)
        capturer.elements = (element("text", "Done"),)
        return await capture(**given)

    capturer.capture = change
    await wait_for(action, TextShown("done"))
    assert errors == []


async def test_a_tab_that_is_gone_meets_no_condition(action: ActionContext) -> None:
    crash(action.tab)
    with pytest.raises(PageCrashedError):
        await wait_for(action, UrlShown("*/done"))
    commit(action.tab, f"{SITE}/")
    action.session.browser.remove(action.tab)  # type: ignore[attr-defined]
    with pytest.raises(UnknownTabError):
        await wait_for(action, UrlShown("*/done"))
