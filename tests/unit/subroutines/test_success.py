"""Success conditions: what of a recording confirms later runs, and what must not."""

from __future__ import annotations

from typing import Any

import pytest

from perception.subroutines.answer_shape import confirm_answer, contradictions, expected_shape, shape_of
from perception.subroutines.answers import Reply, reason_in
from perception.subroutines.create import create_subroutine
from perception.subroutines.infer import infer_parameters
from perception.subroutines.looks import Look, Seen, difference
from perception.subroutines.page_words import complaints_in, html_texts, readable_words
from perception.subroutines.plan import PlanKind
from perception.subroutines.recording import Recording, decode, encode
from perception.subroutines.success import SuccessCondition, learn_condition
from tests.unit.subroutines.made import SITE, event, form_body, json_body, recording, request, typed


def learn(*recordings: Recording) -> SuccessCondition:
    return learn_condition(recordings, infer_parameters(recordings), ())


def saved(*appeared: Seen, gone: tuple[Seen, ...] = (), name: str = "Jane", **more: Any) -> Recording:
    more = {"end_url": f"{SITE}/new", "requests": (request(body=json_body({"name": name})),), **more}
    return recording(typed("Name", name), event(), appeared=appeared, gone=gone, **more)


SIGNS = [
    pytest.param([Seen("status", "Jane was added at 12:30")], ['status "{name} was added at *" appears'], id="message"),
    pytest.param([Seen("row", "Jane 12 edit", listed=True)], ['row "{name} *" appears'], id="row"),
    pytest.param([Seen("status", "Jane is a duplicate")], [], id="complaint"),
    pytest.param([Seen("textbox", "Jane")], [], id="field"),
    pytest.param([Seen("text", "12:30:05")], [], id="clock"),
    pytest.param([Seen("text", "«given:password» saved")], [], id="secret"),
    pytest.param([Seen("text", "All is well")], ['text "All is well" appears'], id="text"),
    pytest.param(
        [Seen("text", "All is well"), Seen("row", "Jane", listed=True)], ['row "{name}" appears'], id="best-alone"
    ),
    pytest.param([], [], id="nothing"),
]


@pytest.mark.parametrize(("appeared", "words"), SIGNS)
def test_condition_is_the_best_of_what_appeared(appeared: list[Seen], words: list[str]) -> None:
    assert list(learn(saved(*appeared)).words) == words


def test_state_that_changed_is_a_condition() -> None:
    seen = {"appeared": (Seen("button", "Follow", ("pressed",)),), "gone": (Seen("button", "Follow"),)}
    sent = request("/follow", at_ms=1500)
    assert learn(recording(event(), requests=(sent,), **seen)).words == ('button "Follow" is pressed',)
    unsent = learn(recording(event(), requests=(), **seen))
    assert (unsent.words, unsent.lacks) == ((), "nothing was sent or stored: record the task until it is done")


def test_what_a_page_opens_by_itself_is_a_condition() -> None:
    seen = {"appeared": (Seen("button", "Menu", ("expanded",)),), "gone": (Seen("button", "Menu"),)}
    assert learn(recording(event(), requests=(), **seen)).words == ('button "Menu" is expanded',)
    assert learn(recording(event(), requests=(), stored=True, appeared=(Seen("status", "Draft kept"),))).words == (
        'status "Draft kept" appears',
    )


def test_what_is_gone_counts_on_the_same_page_alone() -> None:
    row = Seen("row", "Jane edit", listed=True)
    assert learn(saved(gone=(row,))).words == ('row "{name} *" is gone',)
    assert learn(saved(gone=(row,), end_url=f"{SITE}/list")).words == ("the address is /list",)


def test_two_recordings_keep_what_they_have_in_common() -> None:
    one = saved(Seen("status", "Jane got the seat abc"), Seen("status", "Lucky day"))
    two = saved(Seen("status", "Joe got the seat def"), name="Joe", recording_id="r2")
    assert learn(one, two).words == ('status "{name} got the seat *" appears',)


def test_address_of_a_search_holds_what_was_asked() -> None:
    one = recording(typed("Name", "Jane"), event(), end_url=f"{SITE}/new?name=Jane&page=1")
    assert learn(one).url == "/new?name={name}"


def test_field_that_holds_its_value_counts_only_after_loading_again() -> None:
    kept = (Seen("textbox", "Name", value="Jane"),)
    assert learn(saved(kept=kept, reloaded=True)).kept == (("textbox", "Name", "{name}"),)
    again = learn(saved(kept=kept))
    assert (again.kept, again.filled) == ((), True)


def test_task_of_fields_alone_is_confirmed_by_the_fields() -> None:
    assert learn(recording(typed("Name", "Jane"), end_url=f"{SITE}/new")).entered
    assert learn(recording(event(), end_url=f"{SITE}/new")).words == ()


def test_condition_is_in_the_script_and_in_words() -> None:
    sent = request("/add", body=form_body(("name", "Jane")), kind="document")
    stored = create_subroutine(
        [saved(Seen("status", "Jane was added"), requests=(sent,))],
        name="Add",
        description="",
        wanted=PlanKind.HYBRID,
        now_s=1.0,
    )
    assert stored.success == ('status "{name} was added" appears',)
    assert stored.body.count('appears: [{ role: "status", name: "{name} was added" }]') == 2
    assert '// Success: status "{name} was added" appears.' in stored.body
    assert '+ status "Jane was added"' in stored.context


def test_recording_without_looks_still_loads() -> None:
    old = decode(b'{"recording_id": "r1", "start_url": "https://a.org/"}')
    assert (old.appeared, old.gone, old.results.kind) == ((), (), "")
    assert decode(encode(saved(Seen("row", "Jane")))).appeared == (Seen("row", "Jane"),)


def test_only_what_is_shown_more_often_is_new() -> None:
    before, after = Look({Seen("row", "c1"): 1}), Look({Seen("row", "c1"): 2, Seen("textbox", "Code", value="x"): 1})
    assert difference(before, after) == (Seen("row", "c1"), Seen("textbox", "Code"))
    assert difference(after, after) == ()


ANSWERS = [
    pytest.param({"ok": True, "id": 1}, {"ok": True, "id": 2}, True, id="same"),
    pytest.param({"ok": True}, {"ok": False}, False, id="constant"),
    pytest.param({"status": "success", "data": {"id": 1}}, {"status": "success", "data": {"id": 3}}, True, id="nested"),
    pytest.param({"data": {"add": {"id": 1}}}, {"data": {"add": None}}, False, id="null"),
    pytest.param({"id": 1, "name": "x"}, {"message": "no"}, False, id="other-keys"),
    pytest.param({"id": 1, "error": None}, {"id": 1, "error": "no"}, False, id="error"),
    pytest.param([1], [], True, id="list"),
    pytest.param("x", "x", False, id="no-object"),
]


@pytest.mark.parametrize(("recorded", "now", "confirms"), ANSWERS)
def test_answer_is_confirmed_by_its_shape(recorded: Any, now: Any, confirms: bool) -> None:
    assert bool(confirm_answer(now, expected_shape(shape_of(recorded)))) is confirms


def test_constant_that_differs_is_named() -> None:
    assert contradictions({"status": "failed"}, {"marks": {"status": "success"}}) == ('status "failed"',)


PAGE = """<title>Codes</title><h1>Codes</h1><p>The code is invalid</p><ul><li>wrong item</li></ul>
<p hidden>Error</p><div class=form-group><span class="error">Too short</span></div><script>error</script>"""


def test_page_complains_in_its_own_words() -> None:
    assert complaints_in(PAGE, ()) == ["Too short"]
    assert complaints_in(PAGE.replace("class", "data-x"), ()) == ["The code is invalid", "Too short"]
    button = '<form><button class="btn btn-danger">Bulk Delete</button></form>'
    assert complaints_in(button, ()) == []
    assert reason_in(Reply(200, "https://a.org/x", False, "text/html", button)) == ""
    assert complaints_in(PAGE, {"Too short", "The code is invalid"}) == []
    assert "wrong item" in html_texts(PAGE)
    assert readable_words("<h1>Forbidden</h1><p>Ask <b>Ana</b></p>", is_html=True) == "Forbidden; Ask Ana"
    assert readable_words(" Slow\ndown ", is_html=False) == "Slow down"
