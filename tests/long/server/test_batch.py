"""Batches over real gRPC, with the effect read in the page."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError, steps
from perception.errors import BadInputError
from perception.server.actions import resolve
from perception.server.app import Service
from perception.server.services import batches
from perception.v1 import action_service_pb2 as pb
from perception.v1 import types_pb2
from tests.support.live import Show
from tests.support.waiting import title_of

pytestmark = pytest.mark.usefixtures("patient_answers")

COUNT = "<title>0</title><button onclick='document.title = +document.title + 1'>Add</button>"
FORM = "<title>0</title>" + "".join(
    f"<label>Field {n} <input oninput='document.title = this.value'></label>" for n in "abc"
)


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


@pytest.fixture
def show(write: Show) -> Show:
    return write


async def refs_of(page: AsyncPage, role: str) -> list[str]:
    snapshot = await page.snapshot(mode="text", scope="page")
    return [each.ref for each in snapshot.elements if each.role == role]


async def test_a_form_is_filled_in_one_call_with_one_diff(page: AsyncPage, show: Show) -> None:
    await show(FORM)
    refs = await refs_of(page, "textbox")
    done = await page.batch([steps.type_text(ref, text) for ref, text in zip(refs, ("Ada", "Bob", "Cy"), strict=True)])
    assert not done.HasField("stop")
    assert len(done.results) == 3
    assert not any(each.result.HasField("diff") for each in done.results)
    assert [each.element.value for each in done.result.diff.changed] == ["Ada", "Bob", "Cy"]
    assert (await page.snapshot(mode="text")).snapshot_id > done.result.snapshot_id


async def test_what_an_earlier_step_reveals_is_found_by_role_and_name(page: AsyncPage, show: Show) -> None:
    late = "document.body.insertAdjacentHTML(`beforeend`, `<button onclick=document.title=7>Yes</button>`)"
    await show(f"<title>0</title><button onclick='setTimeout(() => {late}, 300)'>Delete</button>")
    (delete,) = await refs_of(page, "button")
    done = await page.batch([steps.click(delete), steps.click(steps.named("button", " yes "))])
    assert not done.HasField("stop")
    assert await title_of(page) == "7"


@pytest.mark.parametrize(
    ("target", "reason", "said"),
    [
        pytest.param(steps.named("button", "Pay"), "NO_MATCH", 'it shows button "Save"', id="none"),
        pytest.param(steps.named("link", "Pay"), "NO_MATCH", "shows no link", id="no-such-role"),
        pytest.param(steps.named("button", "Save"), "AMBIGUOUS_TARGET", "2 times", id="several"),
        pytest.param(steps.named("button", "Save", 2), "NO_MATCH", "has 2 of these", id="too-few"),
    ],
)
async def test_a_name_that_means_no_one_element_says_what_is_there(
    page: AsyncPage,
    show: Show,
    monkeypatch: pytest.MonkeyPatch,
    target: types_pb2.Target,
    reason: str,
    said: str,
) -> None:
    monkeypatch.setattr(resolve, "APPEAR_SECONDS", 0.4)
    await show("<button>Save</button><button>save</button><button hidden>Pay</button>")
    with pytest.raises(RemoteError) as caught:
        await page.click(target)
    assert caught.value.reason == reason
    assert said in caught.value.plain


async def test_a_name_alone_and_one_of_several_are_found(page: AsyncPage, show: Show) -> None:
    await show("<button onclick='document.title = 1'>Save</button><button onclick='document.title = 2'>Save</button>")
    await page.click(steps.named("", "Save", 1))
    assert await title_of(page) == "2"
    await show("<button onclick='document.title = 3'>Say &quot;Hi&quot; \\ now</button>")
    await page.click(r'button "say \"hi\" \\ now"')
    assert await title_of(page) == "3"
    await page.click(r'"Say \"Hi\" \\ now"')
    with pytest.raises(BadInputError, match="a name in quotes"):
        await page.click(r'button "\x"')


@pytest.mark.parametrize(
    ("wrong", "reason", "field"),
    [
        pytest.param(steps.click("e9999"), "UNKNOWN_REF", "", id="unknown-ref"),
        pytest.param(steps.click("#b >>> "), "BAD_SELECTOR", "steps[1].click.target.selector", id="bad-selector"),
        pytest.param(
            steps.click((5000, 5)), "COORDINATE_OUT_OF_VIEWPORT", "steps[1].click.target.coordinate", id="outside"
        ),
        pytest.param(steps.press("Ctlr+A"), "UNKNOWN_KEY", "steps[1].press_key.key", id="no-key"),
        pytest.param(pb.BatchStep(click={}), "BAD_INPUT", "steps[1].click.target", id="no-target"),
        pytest.param(pb.BatchStep(), "BAD_INPUT", "steps[1]", id="nothing"),
        pytest.param(steps.click("#b", tab_id="t1"), "BAD_INPUT", "steps[1].click.tab_id", id="another-tab"),
        pytest.param(steps.click("#b", request_id="a"), "BAD_INPUT", "steps[1].click.request_id", id="its-own-id"),
        pytest.param(steps.click("#b", click_count=9), "BAD_INPUT", "steps[1].click.click_count", id="no-mouse"),
        pytest.param(steps.evaluate("1"), "EVALUATE_DISABLED", "", id="no-scripts"),
        pytest.param(steps.type_text(None, secret="nope"), "UNKNOWN_SECRET", "", id="no-secret"),
        pytest.param(
            steps.upload("#b", contents={"a/b": b""}), "BAD_INPUT", "steps[1].upload_files.files", id="no-file"
        ),
        pytest.param(steps.snapshot(since="s9999"), "UNKNOWN_SNAPSHOT", "", id="no-snapshot"),
        pytest.param(steps.click("#b", timeout=0), "BAD_INPUT", "steps[1].click.timeout", id="no-time"),
        pytest.param(steps.click(steps.named("", " ")), "BAD_INPUT", "steps[1].click.target.named", id="no-name"),
    ],
)
async def test_a_wrong_step_is_refused_before_any_runs(
    page: AsyncPage, show: Show, wrong: pb.BatchStep, reason: str, field: str
) -> None:
    await show(COUNT)
    with pytest.raises(RemoteError) as caught:
        await page.batch([steps.click("button"), wrong])
    assert (caught.value.reason, caught.value.field) == (reason, field)
    assert caught.value.metadata["step"] == "1"
    assert str(caught.value).startswith("steps[1]")
    assert "nothing was run" in str(caught.value)
    assert await title_of(page) == "0"


async def test_a_ref_that_is_gone_is_refused_before_any_step_runs(page: AsyncPage, show: Show) -> None:
    await show(f"{COUNT}<button onclick='setTimeout(() => this.remove())'>Go</button>")
    add, go = await refs_of(page, "button")
    await page.click(go)
    with pytest.raises(RemoteError) as caught:
        await page.batch([steps.click(add), steps.click(go)])
    assert (caught.value.reason, caught.value.ref) == ("STALE_REF", go)
    assert await title_of(page) == "0"


@pytest.mark.parametrize("count", [0, 51])
async def test_no_step_and_too_many_are_refused(page: AsyncPage, show: Show, count: int) -> None:
    await show(COUNT)
    with pytest.raises(RemoteError, match=f"has {count} steps: give 1 to 50") as caught:
        await page.batch([steps.press("Tab")] * count)
    assert caught.value.field == "steps"


async def test_the_first_failure_ends_it_and_what_was_done_is_reported(page: AsyncPage, show: Show) -> None:
    await show(f"{COUNT}<button disabled>Off</button>")
    add, off = await refs_of(page, "button")
    done = await page.batch([steps.click(add), steps.click(off), steps.click(add)])
    assert (done.stop.cause, done.stop.step) == (pb.BatchStop.CAUSE_FAILED, 1)
    assert (done.stop.reason, done.stop.metadata["ref"]) == ("ELEMENT_DISABLED", off)
    assert len(done.results) == 1
    assert done.result.snapshot_id
    assert await title_of(page) == "1"


async def test_an_unexpected_navigation_ends_it(page: AsyncPage, show: Show, site: str) -> None:
    await show(f"<title>0</title><a href='{site}/form.html'>Leave</a>")
    leave = steps.click("a")
    done = await page.batch([leave, steps.press("Tab")])
    assert (done.stop.cause, done.stop.step) == (pb.BatchStop.CAUSE_NAVIGATED, 0)
    assert "1 more step was not run" in done.stop.message
    assert done.result.navigated
    await show(f"<title>0</title><a href='{site}/form.html'>Leave</a>")
    done = await page.batch([leave])
    assert not done.HasField("stop")


async def test_an_expected_navigation_goes_on_in_the_new_document(page: AsyncPage, show: Show, site: str) -> None:
    await show(f"<title>0</title><a href='{site}/form.html'>Leave</a>")
    done = await page.batch(
        [
            steps.click("a", may_navigate=True),
            steps.click(steps.named("button", "Save", 0)),
            steps.snapshot(mode="text"),
        ]
    )
    assert not done.HasField("stop")
    assert [each.result.navigated for each in done.results] == [True, False, False]
    assert done.result.navigated
    assert done.results[2].capture_snapshot.snapshot.title == "saved"


async def test_a_dialog_ends_it(page: AsyncPage, show: Show) -> None:
    await show("<title>0</title><button onclick='alert(5)'>Ask</button>")
    done = await page.batch([steps.click("button"), steps.press("Tab")])
    assert (done.stop.cause, done.stop.step) == (pb.BatchStop.CAUSE_DIALOG, 0)
    assert [each.message for each in done.result.dialogs] == ["5"]
    with pytest.raises(RemoteError) as caught:
        await page.batch([steps.press("Tab")])
    assert caught.value.reason == "DIALOG_OPEN"
    await page.handle_dialog(accept=True)


async def test_a_step_that_closes_the_tab_ends_it(client: AsyncClient, page: AsyncPage, show: Show, site: str) -> None:
    await show(
        "<button onclick='window.open(`about:blank`).document.write(`<button onclick=window.close()>x`)'>Open</button>"
    )
    opened = await page.click("button")
    (tab,) = opened.new_tabs
    done = await page.batch([steps.click("button"), steps.press("Tab")], tab_id=tab.tab_id)
    assert (done.stop.step, done.stop.reason) == (1, "UNKNOWN_TAB")


async def test_a_late_step_ends_it_and_what_was_done_is_reported(page: AsyncPage, show: Show) -> None:
    await show(COUNT)
    (add,) = await refs_of(page, "button")
    done = await page.batch([steps.click(add), steps.wait_for(text="never", timeout=0.1), steps.press("Tab")])
    assert (done.stop.step, done.stop.reason) == (1, "DEADLINE")
    assert done.stop.metadata["input_dispatched"] == "false"
    assert len(done.results) == 1
    assert done.result.HasField("diff")
    assert await title_of(page) == "1"


async def test_a_step_that_hangs_the_page_is_reported_and_the_page_freed(page: AsyncPage, show: Show) -> None:
    await show("<title>0</title><button onclick='for (;;);'>Hang</button><input oninput='document.title = this.value'>")
    typing = steps.type_text("input", "a", clear=True)
    for seconds in (1, 4, 15):  # a busy machine may need more than one before it has pressed the button
        done = await page.batch([typing, steps.click("button", timeout=seconds), steps.press("Tab")])
        assert (done.stop.step, done.stop.reason) == (1, "DEADLINE")
        if done.stop.metadata["input_dispatched"] == "true":
            break
    assert done.stop.metadata["input_dispatched"] == "true"
    await page.type_text("input", "b")
    assert await title_of(page) == "ab"


async def test_a_repeated_batch_is_not_run_again(page: AsyncPage, show: Show) -> None:
    await show(COUNT)
    adding = [steps.click("button"), steps.click("button"), steps.snapshot(mode="text")]
    first = await page.batch(adding, request_id="batch-1")
    assert await page.batch(adding, request_id="batch-1") == first
    assert await title_of(page) == "2"
    with pytest.raises(RemoteError) as caught:
        await page.batch(adding[:2], request_id="batch-1")
    assert caught.value.reason == "REQUEST_ID_REUSED"


async def test_a_batch_of_which_nothing_was_done_leaves_its_id_free(page: AsyncPage, show: Show) -> None:
    await show("<title>0</title><button disabled>Add</button>")
    adding = [steps.click("button"), steps.press("Tab")]
    assert (await page.batch(adding, request_id="batch-2")).stop.reason == "ELEMENT_DISABLED"
    await show(COUNT)
    assert not (await page.batch(adding, request_id="batch-2")).HasField("stop")


async def test_no_other_call_acts_between_its_steps(page: AsyncPage, show: Show) -> None:
    await show("<title>0</title><input oninput='document.title = this.value'>")
    batch = page.batch(
        [steps.type_text("input", each) if each else steps.wait_for(settled=True) for each in ("a", "", "b")]
    )
    whole, _ = await asyncio.gather(batch, page.type_text("input", "x"))
    assert not whole.HasField("stop")
    assert await title_of(page) in ("abx", "xab")


async def test_answers_that_do_not_fit_end_it(page: AsyncPage, show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    await show("".join(f"<p>Line {number}</p>" for number in range(200)))
    one = await page.batch([steps.snapshot(mode="text", scope="page")])
    room = int(one.results[0].capture_snapshot.ByteSize() * 2.5)
    monkeypatch.setattr(batches._Room, "__init__", lambda self: setattr(self, "left", room))
    done = await page.batch([steps.snapshot(mode="text", scope="page")] * 5)
    assert (len(done.results), done.stop.step, done.stop.reason) == (2, 2, "REPLY_TOO_LARGE")


async def test_scripts_scrolls_and_files_answer_in_their_steps(scripted: AsyncPage, site: str, tmp_path: Path) -> None:
    await scripted.navigate(f"{site}/html?body=<input type=file><div style='height:3000px'>")
    done = await scripted.batch(
        [
            steps.upload("input", contents={"a.txt": b"abc"}),
            steps.evaluate("document.querySelector('input').files[0].name"),
            steps.scroll(400),
            steps.evaluate("missing.thing"),
            steps.evaluate("throw 1"),
        ]
    )
    assert not done.HasField("stop")
    assert done.results[1].evaluate.value.string_value == "a.txt"
    assert done.results[2].moved
    assert done.results[2].scroll.y == 400
    assert "missing" in done.results[3].evaluate.exception


async def test_a_file_chooser_that_a_step_opens_is_answered_by_the_next(page: AsyncPage, show: Show) -> None:
    await show("<title>0</title><input type=file onchange='document.title = files[0].name'>")
    given = steps.upload(None, contents={"a.txt": b"abc"})
    done = await page.batch([steps.click("input"), given, steps.press("Tab")])
    assert not done.HasField("stop")
    assert await title_of(page) == "a.txt"
    done = await page.batch([steps.click("input"), steps.press("Tab")])
    assert (done.stop.step, done.stop.reason) == (1, "FILE_CHOOSER_OPEN")
    await page.dismiss_file_chooser()


async def test_a_neighbor_cannot_batch_in_a_session_it_does_not_know(page: AsyncPage, service: Service) -> None:
    request = pb.BatchRequest(session_id="not-mine", steps=[steps.press("Tab")])
    with pytest.raises(RemoteError) as caught:
        await page._client.call(page._client.actions.Batch, request)
    assert caught.value.reason == "UNKNOWN_SESSION"


async def test_what_is_no_step_is_refused_by_the_client(page: AsyncPage) -> None:
    with pytest.raises(BadInputError, match=r"steps\[0\] is 'click e5'"):
        await page.batch(["click e5"])  # type: ignore[list-item]
    with pytest.raises(BadInputError, match="no parameter 'buton'"):
        steps.click("e5", buton="right")
