"""Routes, and the objects of a task: what of an address must be given, and what it is called."""

from __future__ import annotations

import re

import pytest

from perception.errors import BadInputError, RecordingsDifferError
from perception.subroutines.create import create_subroutine
from perception.subroutines.infer import infer_parameters
from perception.subroutines.recording import Cell
from perception.subroutines.routes import parts_of, route_of, route_pattern, write_address
from tests.unit.subroutines.made import SITE, event, form_body, json_body, recording, request, typed

ROUTES = [
    pytest.param("/tickets/7", "/tickets/:ticket_id", id="number"),
    pytest.param("/browse/PROJ-12?tab=log", "/browse/:browse_id?tab=log", id="mixed-id"),
    pytest.param("/view.php?issue=7&page=3", "/view.php?issue=:issue&page=3", id="query-without-paging"),
    pytest.param("/#/experiments/3", "/#/experiments/:experiment_id", id="fragment-path"),
    pytest.param("/wiki/Main_Page", "/wiki/:wiki", id="title"),
    pytest.param("/app#HelloThere", "/app#:fragment", id="fragment-name"),
    pytest.param("/item/update/WzJd/", "/item/update/:name/", id="key-after-an-action"),
    pytest.param("/issue1", "/:name", id="counted-word-at-the-end"),
    pytest.param("/wizard/step2", "/wizard/step2", id="step"),
    pytest.param("/users/new", "/users/new", id="route-word"),
    pytest.param("/api/2.0/items/add/", "/api/2.0/items/add/", id="version"),
    pytest.param("/letters#drafts", "/letters#drafts", id="view"),
    pytest.param("/rest?noise", "/rest?noise", id="flag"),
    pytest.param("/", "/", id="root"),
]


@pytest.mark.parametrize(("address", "route"), ROUTES)
def test_route_has_a_name_for_each_object(address: str, route: str) -> None:
    objects = {index: part.name for index, part in enumerate(parts_of(address)) if part.is_object}
    assert route_of(address, objects) == route
    assert write_address(address, {}) == address
    pattern = route_pattern(address, list(objects), SITE)
    assert re.search(pattern, address)
    assert re.search(pattern, f"{SITE}{address}")
    assert not re.search(pattern, f"https://other.example{address}")
    assert not re.search(pattern, f"{address}x/y")


def test_query_may_be_given_in_any_order_and_no_more() -> None:
    address = "/view?issue=7&mode=full"
    pattern = route_pattern(address, [1], SITE)
    assert re.search(pattern, "/view?mode=full&issue=9")
    assert not re.search(pattern, "/view?issue=9")
    assert not re.search(pattern, "/view?issue=9&mode=full&do=delete")


def test_equal_object_of_two_recordings_is_a_parameter_all_the_same() -> None:
    recordings = [
        recording(typed("Text", text), event(), start_url=f"{SITE}/tickets/7", recording_id=text) for text in "ab"
    ]
    assert [each.name for each in infer_parameters(recordings)] == ["url", "text"]


def test_start_of_another_kind_is_another_task() -> None:
    with pytest.raises(RecordingsDifferError, match="the page that the task starts at"):
        infer_parameters([recording(event(), start_url=f"{SITE}{path}") for path in ("/tickets/7", "/users/7/edit")])


def cells(name: str) -> tuple[Cell, ...]:
    return (Cell("Name", name, unique=True), Cell("State", "open"), Cell("", "Edit", own=True))


def test_control_of_a_headed_row_takes_the_row_and_typed_values_are_not_asked_for_twice() -> None:
    edit = event(name="Edit", at_ms=1500.0, target={"cells": cells("Jane"), "rows": 9, "row_of": 1})
    (row,) = infer_parameters([recording(edit)])
    assert (row.name, row.example, row.required) == ("name", "Jane", True)
    (entered,) = infer_parameters([recording(typed("Name", "Jane"), edit)])
    assert entered.steps == (0,)


def test_id_in_a_body_follows_the_address_where_its_field_is_called_like_it() -> None:
    sent = request("/api/notes", body=form_body(("ticket", "7"), ("stars", "7"), ("text", "x1")))
    task = recording(typed("Text", "x1"), event(), requests=(sent,), start_url=f"{SITE}/tickets/7")
    stored = create_subroutine([task], name="note", description="", wanted=None, now_s=0.0)
    assert '["ticket", at.ticket_id], ["stars", "7"]' in stored.body
    assert 'const at = route(params.url, "/tickets/:ticket_id");' in stored.body


def test_object_of_unknown_origin_in_a_request_is_left_to_the_page() -> None:
    sent = request("/api/boards/12/cards", body=form_body(("name", "Jane")))
    task = recording(typed("Name", "Jane"), event(), requests=(sent,))
    stored = create_subroutine([task], name="card", description="", wanted=None, now_s=0.0)
    assert (stored.plan, "holds 12" in stored.plan_reason) == ("dom", True)


def test_id_in_a_body_that_nothing_explains_is_left_to_the_page() -> None:
    sent = request("/api/cards", body=json_body({"name": "Jane", "boardId": 12}))
    task = recording(typed("Name", "Jane"), event(), requests=(sent,))
    stored = create_subroutine([task], name="card", description="", wanted=None, now_s=0.0)
    assert (stored.plan, "boardId says which thing it is" in stored.plan_reason) == ("dom", True)


def test_renamed_parameter_is_renamed_in_schema_and_script() -> None:
    task = recording(typed("Name", "Jane"), event(), requests=(request(body=form_body(("name", "Jane"))),))
    stored = create_subroutine([task], name="x", description="", wanted=None, now_s=0.0, rename={"name": "who"})
    assert (stored.plan, list(stored.parameters_schema["properties"])) == ("hybrid", ["who"])
    assert "params.name" not in stored.body


@pytest.mark.parametrize("rename", [{"nobody": "x"}, {"name": "9"}, {"name": "text"}])
def test_bad_new_name_is_refused(rename: dict[str, str]) -> None:
    task = recording(typed("Name", "Jane"), typed("Text", "x", 600.0), event())
    with pytest.raises(BadInputError):
        create_subroutine([task], name="x", description="", wanted=None, now_s=0.0, rename=rename)


@pytest.mark.parametrize("written", ["/issue?@template=item", "/issue?%40template=item"])
def test_a_route_fits_however_the_name_of_a_parameter_is_written(written: str) -> None:
    pattern = route_pattern("/issue?@template=item", [1], "https://a.org")
    assert re.fullmatch(pattern, written)
    assert not re.fullmatch(pattern, "/issue?template=item")
