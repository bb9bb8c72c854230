"""Batches: rows are read as the schema wants them, and none that was begun is run again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.errors import BadInputError
from perception.subroutines.batch_rows import bad_line, begun_line, ended_line, read_rows, resume

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "number"},
        "news": {"type": "boolean", "default": False},
        "tags": {"type": "array", "items": {"type": "string"}, "default": []},
    },
    "required": ["name", "age"],
}


def test_csv_values_have_the_types_of_the_schema() -> None:
    (row, plain), bad = read_rows("name,age,news,tags\n007,4,yes,a; b\nJane,5.5,,\n", SCHEMA, is_csv=True)
    assert row.arguments == {"name": "007", "age": 4, "news": True, "tags": ["a", "b"]}
    assert plain.arguments == {"name": "Jane", "age": 5.5, "news": False, "tags": []}
    assert bad == ()


def test_json_lines_are_taken_as_they_are() -> None:
    (row,), _ = read_rows('{"name": "Jane", "age": 4}\n\n', SCHEMA, is_csv=False)
    assert (row.number, row.arguments["age"]) == (1, 4)


BAD_FILES = [
    pytest.param("name,age,x\nJane,4,5\n", True, "the column 'x' is not a parameter", id="unknown-column"),
    pytest.param("name,age\n", True, "no rows", id="head-alone"),
    pytest.param("", False, "no rows", id="empty"),
    pytest.param('name,age\n"Jane,4\n', True, "not valid CSV", id="open-quote"),
]


@pytest.mark.parametrize(("text", "is_csv", "message"), BAD_FILES)
def test_file_that_cannot_be_used_is_refused(text: str, is_csv: bool, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        read_rows(text, SCHEMA, is_csv=is_csv)


BAD_ROWS = [
    pytest.param("name,age\nJane,old\nJoe,4\n", True, "parameter 'age' is a string", id="wrong-type"),
    pytest.param("name,age\nJane\nJoe,4\n", True, "it has more or fewer values", id="short-row"),
    pytest.param("name,age\n,4\nJoe,4\n", True, "parameter 'name' is missing", id="empty-cell"),
    pytest.param('[1]\n{"name": "Joe", "age": 4}', False, "it is not an object", id="no-object"),
    pytest.param('{\n{"name": "Joe", "age": 4}', False, "it is not valid JSON", id="no-json"),
    pytest.param('{"nam": "J"}\n{"name": "Joe", "age": 4}', False, "there is no parameter 'nam'", id="unknown-name"),
]


@pytest.mark.parametrize(("text", "is_csv", "message"), BAD_ROWS)
def test_bad_row_is_left_out_alone(text: str, is_csv: bool, message: str) -> None:
    (row,), (bad,) = read_rows(text, SCHEMA, is_csv=is_csv)
    assert (row.number, row.arguments["name"], bad.number) == (2, "Joe", 1)
    assert bad.error.startswith(message)


def test_corrected_bad_row_is_run_when_the_batch_goes_on() -> None:
    _, (bad,) = read_rows("name,age\n,1\n", SCHEMA, is_csv=True)
    rows, _ = read_rows("name,age\nJane,1\n", SCHEMA, is_csv=True)
    assert resume(rows, bad_line(bad)).left == rows


ROWS, _ = read_rows("name,age\na,1\nb,2\nc,3\nd,4\n", SCHEMA, is_csv=True)


def test_row_that_was_begun_and_never_ended_is_not_run_again() -> None:
    results = begun_line(ROWS[0]) + ended_line(ROWS[0], {"success": True}) + begun_line(ROWS[1])
    resumed = resume(ROWS, results)
    assert ([row.number for row in resumed.left], resumed.ended) == ([3, 4], 1)
    assert [row.number for row in resumed.unknown] == [2]


def test_line_that_a_crash_has_cut_is_passed_over() -> None:
    results = begun_line(ROWS[0]) + ended_line(ROWS[0], {"success": True})[:-5]
    assert [row.number for row in resume(ROWS, results).unknown] == [1]


def test_results_of_other_rows_are_refused() -> None:
    with pytest.raises(BadInputError, match="row 1 is another one"):
        resume(ROWS, begun_line(read_rows("name,age\nz,9\n", SCHEMA, is_csv=True)[0][0]))
    with pytest.raises(BadInputError, match="not a line of a results file"):
        resume(ROWS, '{"x": 1}\n')


def test_results_file_holds_no_argument() -> None:
    (row,), _ = read_rows('{"name": "geheim", "age": 4}', SCHEMA, is_csv=False)
    assert "geheim" not in begun_line(row)


FAILURES = [
    pytest.param({"sent": False, "reason": "DRIFT"}, True, id="nothing-sent"),
    pytest.param({"sent": True, "reason": "REFUSED", "statuses": [422]}, True, id="refused"),
    pytest.param({"sent": True, "reason": "REFUSED", "statuses": [500]}, False, id="server-error"),
    pytest.param({"sent": True, "reason": "REFUSED", "statuses": [200, 422]}, False, id="second-of-two"),
    pytest.param({"sent": True, "reason": "UNVERIFIED", "statuses": [200]}, False, id="unverified"),
    pytest.param({"reason": "DEADLINE"}, False, id="not-known"),
]


@pytest.mark.parametrize(("failure", "again"), FAILURES)
def test_failed_row_is_run_again_only_where_it_had_no_effect(failure: dict[str, Any], again: bool) -> None:
    results = begun_line(ROWS[0]) + ended_line(ROWS[0], {"success": False, **failure})
    assert resume(ROWS, results).left == ROWS[1:]
    resumed = resume(ROWS, results, retry_failed=True)
    assert (resumed.left, resumed.doubtful) == ((ROWS, ()) if again else (ROWS[1:], ROWS[:1]))


def test_failed_row_may_be_corrected_and_its_last_end_counts() -> None:
    failed = begun_line(ROWS[0]) + ended_line(ROWS[0], {"success": False, "sent": False})
    corrected, _ = read_rows("name,age\nz,9\n", SCHEMA, is_csv=True)
    with pytest.raises(BadInputError, match="row 1 is another one"):
        resume(corrected, failed)
    assert resume(corrected, failed, retry_failed=True).left == corrected
    begun_again = failed + begun_line(corrected[0])
    assert resume(corrected, begun_again, retry_failed=True).unknown == corrected
    done = begun_again + ended_line(corrected[0], {"success": True})
    assert (resume(corrected, done, retry_failed=True).left, resume(corrected, done).ended) == ((), 1)


@given(st.lists(st.sampled_from(range(4)), unique=True), st.sets(st.sampled_from(range(4))))
def test_every_row_is_left_ended_or_unknown(begun: list[int], ended: set[int]) -> None:
    lines = [begun_line(ROWS[index]) + (ended_line(ROWS[index], {}) if index in ended else "") for index in begun]
    resumed = resume(ROWS, "".join(lines))
    assert len(resumed.left) + resumed.ended + len(resumed.unknown) == len(ROWS)
    assert {row.number - 1 for row in resumed.unknown} == set(begun) - ended
