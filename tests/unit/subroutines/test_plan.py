"""Plans and the scripts made of them: what is repeated, what is only done by hand, and why."""

from __future__ import annotations

from typing import Any

import pytest

from perception.errors import BadInputError, PlanNotPossibleError, RecordingEmptyError
from perception.subroutines.context_text import MAX_CHARACTERS, render_context
from perception.subroutines.create import create_subroutine
from perception.subroutines.plan import PlanKind
from perception.subroutines.ranking import pick_candidates
from perception.subroutines.recording import Body, Event, RecordedRequest, Recording, Shown, tidy_events
from perception.subroutines.stored import Stored, files_of, read_files
from tests.unit.subroutines.made import SITE, event, form_body, json_body, recording, request, typed


def create(*recordings: Recording, wanted: PlanKind | None = None) -> Stored:
    return create_subroutine(recordings, name="Add item", description="Adds an item.", wanted=wanted, now_s=1.0)


def add(sent: RecordedRequest, *, name: str = "Jane", **more: Any) -> Recording:
    return recording(typed("Name", name), event(), requests=(sent,), **more)


PLAIN = request(body=json_body({"name": "Jane", "list": 4}), status=201)


def test_request_whose_every_value_is_known_is_made_again() -> None:
    stored = create(add(PLAIN))
    assert stored.plan == "hybrid"
    assert 'request("POST", `/api/items`, {' in stored.body
    assert "json: { name: String(params.name), list: 4 }" in stored.body
    assert 'click(find({ role: "button", name: "Save" }))' in stored.body


def test_token_is_read_from_the_page_when_it_is_needed() -> None:
    body = json_body({"name": "Jane", "csrf": "«token:input:csrf»"})
    stored = create(add(request(body=body, headers=(("x-xsrf", "«token:cookie:XSRF»"),))))
    assert 'await getCsrfToken({ input: "csrf" })' in stored.body
    assert 'await getCookie("XSRF")' in stored.body
    assert "«" not in stored.body


def test_token_is_read_in_the_view_that_sent_the_request() -> None:
    sent = request(body=json_body({"name": "Jane", "csrf": "«token:input:csrf»"}))
    done = (typed("Name", "Jane"), event(url=f"{SITE}/new#step2"))
    assert 'await goto("/new#step2");' in create(recording(*done, requests=(sent,)), wanted=PlanKind.NETWORK).body


OBSTACLES = [
    pytest.param(
        request(body=json_body({"name": "Jane", "doc_id": "77"})),
        "identifiers that a deployment changes",
        id="volatile",
    ),
    pytest.param(request(body=json_body({"name": "Jane", "sig": "«secret»"})), "sig is secret", id="secret"),
    pytest.param(request(body=PLAIN.body, headers=(("x-sig", "«secret»"),)), "header x-sig is secret", id="signed"),
    pytest.param(request(body=json_body({"name": "Jane", "at": 1795320611336})), "at is a time", id="time"),
    pytest.param(
        request(body=json_body({"name": "Jane", "key": "550e8400-e29b-41d4-a716-446655440000"})), "made up", id="uuid"
    ),
    pytest.param(request(body=json_body({"x": 1})), "name is not in it", id="parameter-without-a-place"),
    pytest.param(request("https://other.example.com/api", body=PLAIN.body), "another origin", id="other-origin"),
    pytest.param(
        request(body=Body("formdata", fields=(("name", "Jane"),), files=(("f", "a.txt", "", 1),))), "files", id="files"
    ),
    pytest.param(request(body=Body("text", text="Jane")), "neither a form nor JSON", id="text"),
    pytest.param(request(body=Body("json", json={"name": "Jane"}, cut=True)), "too large", id="over-the-cap"),
    pytest.param(request("/new?name=Jane", "GET", kind="document", size=9), "opens a page", id="page"),
]


@pytest.mark.parametrize(("sent", "why"), OBSTACLES)
def test_request_that_cannot_be_made_again_is_left_to_the_page(sent: RecordedRequest, why: str) -> None:
    stored = create(add(sent))
    assert (stored.plan, "request(" in stored.body) == ("dom", False)
    assert why in stored.plan_reason
    with pytest.raises(PlanNotPossibleError, match=why):
        create(add(sent), wanted=PlanKind.NETWORK)


ENTERED = [
    pytest.param(typed("Tags", "news"), {"tags": ["news"]}, "one of a list", id="list"),
    pytest.param(typed("Tags", "news", type="div"), {"tags": "news"}, "the text of an editor", id="editor"),
    pytest.param(typed("Tags", "news", pattern="[a-z]+"), {"tags": "news"}, "checked by the browser", id="pattern"),
    pytest.param(typed("Qty", "5", type="number", max="9"), {"qty": 5}, "checked by the browser", id="limit"),
]


@pytest.mark.parametrize(("done", "sent", "why"), ENTERED)
def test_value_that_the_page_changes_or_checks_is_left_to_it(done: Event, sent: Any, why: str) -> None:
    stored = create(recording(done, event(), requests=(request(body=json_body(sent)),)))
    assert (stored.plan, why in stored.plan_reason) == ("dom", True), stored.plan_reason


def test_value_in_an_object_of_a_list_is_sent_again() -> None:
    sent = request(body=json_body({"users": [{"name": "Jane"}]}))
    assert create(add(sent)).plan == "hybrid"


def test_volatile_identifier_forces_dom_at_any_score_and_is_not_exposed() -> None:
    stored = create(add(request(body=json_body({"name": "Jane", "doc_id": "4521377"}), status=200, size=9)))
    assert stored.plan == "dom"
    assert "4521377" not in f"{stored.body}{stored.context}{stored.plan_reason}{stored.candidates}"


def test_header_that_the_pages_own_fetch_adds_is_left_to_it() -> None:
    stored = create(add(request(body=PLAIN.body, headers=(("x-signature", "«secret»"),), wrapped=True)))
    assert stored.plan == "hybrid"
    assert "x-signature" not in stored.body


def test_value_that_differs_by_itself_between_two_recordings_is_made_by_the_page() -> None:
    one = add(request(body=json_body({"name": "Jane", "seq": "a7"})))
    two = add(request(body=json_body({"name": "Joe", "seq": "b9"})), name="Joe", recording_id="r2")
    assert "seq is another one each time" in create(one, two).plan_reason


def test_choice_is_sent_as_the_form_sends_it() -> None:
    role = event(
        "select", "Role", 600.0, role="combobox", value=("User",), values=("u",), options=("Admin", "User"),
        option_values=("a", "u"), field={"name": "role", "type": "select"},
    )  # fmt: skip
    sent = request(body=form_body(("name", "Jane"), ("role", "u")))
    stored = create(recording(typed("Name", "Jane"), role, event(), requests=(sent,)))
    assert '{ Admin: "a", User: "u" }[params.role]' in stored.body


def test_redirect_is_what_the_answer_is_held_against() -> None:
    stored = create(
        add(request("/items/add/", body=form_body(("name", "Jane")), status=302, location=f"{SITE}/items/7/"))
    )
    assert 'expect: { status: 302, location: "/items/*/" }' in stored.body


def test_plan_without_a_request_is_done_by_hand_and_reported() -> None:
    stored = create(recording(typed("Name", "Jane"), event("press", "Name", 600.0, value="Enter")))
    assert stored.plan == "dom"
    assert "no request came" in stored.plan_reason


def test_recording_without_any_effect_is_refused() -> None:
    for empty in (
        recording(),
        recording(event("goto", value="/new")),
        recording(requests=(request("/a", "GET", 5.0),)),
    ):
        with pytest.raises(RecordingEmptyError, match="no effect"):
            create(empty)


def test_task_that_takes_two_requests_is_done_by_hand() -> None:
    more = request("/api/other", body=json_body({"who": "Jane"}), at_ms=1200.0)
    assert "takes 2 requests" in create(recording(typed("Name", "Jane"), event(), requests=(PLAIN, more))).plan_reason


def test_end_is_detected_by_answer_address_and_visible_text() -> None:
    stored = create(add(PLAIN, shown=(Shown("listitem", "Jane"),), end_url=f"{SITE}/items/17/"), wanted=PlanKind.DOM)
    assert 'waitForRequest({ method: "POST", path: "/api/items", status: 201 })' in stored.body
    assert 'waitFor(find({ role: "listitem", name: String(params.name) }))' in stored.body
    assert 'waitForUrl("/items/*/")' in stored.body


def test_name_that_shows_an_input_follows_it() -> None:
    stored = create(recording(typed("Name", "Jane"), event("click", "Delete Jane `${x}`", 1500.0)))
    assert "name: `Delete ${params.name} \\`\\${x}\\``" in stored.body


def test_address_opened_from_outside_is_a_step() -> None:
    stored = create(recording(event("goto", at_ms=1.0, value="/other"), typed("Name", "Jane")))
    assert 'await goto("/other");' in stored.body
    assert '"/new"' not in stored.body


def test_radio_button_that_is_chosen_is_checked_by_its_name() -> None:
    one, two = (
        recording(event("check", name, role="radio", value=True, field={"name": "size"}), recording_id=name)
        for name in ("Small", "Large")
    )
    assert 'check(find({ role: "radio", name: params.size }), true)' in create(one, two).body


def test_double_click_is_not_two_clicks_and_typing_is_its_end() -> None:
    steps = (
        typed("Name", "J"),
        typed("Name", "Ja"),
        event(),
        event(at_ms=1100.0),
        event("dblclick", at_ms=1101.0, role="button"),
    )
    assert [(each.kind, each.value) for each in tidy_events(steps)] == [("type", "Ja"), ("dblclick", "")]


def test_same_recording_gives_the_same_script() -> None:
    assert create(add(PLAIN)).body == create(add(PLAIN)).body


@pytest.mark.parametrize("name", ["", "9lives", "a/b", "x" * 65, "né"])
def test_bad_name_is_refused(name: str) -> None:
    with pytest.raises(BadInputError):
        create_subroutine([add(PLAIN)], name=name, description="", wanted=None, now_s=0.0)


def test_files_come_back_as_they_were() -> None:
    stored = create(add(PLAIN))
    back = read_files(files_of(stored))
    assert (back.body, back.parameters_schema, back.context) == (stored.body, stored.parameters_schema, stored.context)


def long_recording(count: int) -> Recording:
    events: list[Event] = [
        event("click", f"Button number {index} " + "x" * 50, 100.0 * index) for index in range(count)
    ]
    sent = tuple(
        request(f"/api/{index}", at_ms=100.0 * index + 5, body=json_body({"t": "y" * 900})) for index in range(8)
    )
    return recording(*events, requests=sent, visited=tuple(f"{SITE}/page/{index}" for index in range(40)))


@pytest.mark.parametrize(
    ("count", "visited", "requests", "hints"),
    [
        pytest.param(3, True, 5, 3, id="all-fits"),
        pytest.param(100, False, 3, 100, id="addresses-go-first-then-requests"),
        pytest.param(400, False, 0, 300, id="then-what-was-done"),
    ],
)
def test_context_is_trimmed_in_its_order(count: int, visited: bool, requests: int, hints: int) -> None:
    made = long_recording(count)
    text = render_context(made, pick_candidates(made))
    assert len(text) <= MAX_CHARACTERS
    assert ("Visited:" in text) is visited
    assert text.count("\nRequest ") <= 5
    assert (text.count("\nRequest ") > 0) is (requests > 0)
    assert min(count, text.count(". click button")) == text.count(". click button")
    assert (text.count(". click button") == count) is (hints == count)
