"""Batches: rows are read as the schema wants them, and none that was begun is run again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.errors import BadInputError
from perception.subroutines.batch_rows import begun_line, ended_line, read_rows, resume

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
    (row, plain) = read_rows("name,age,news,tags\n007,4,yes,a; b\nJane,5.5,,\n", SCHEMA, is_csv=True)
    assert row.arguments == {"name": "007", "age": 4, "news": True, "tags": ["a", "b"]}
    assert plain.arguments == {"name": "Jane", "age": 5.5, "news": False, "tags": []}


def test_json_lines_are_taken_as_they_are() -> None:
    (row,) = read_rows('{"name": "Jane", "age": 4}\n\n', SCHEMA, is_csv=False)
    assert (row.number, row.arguments["age"]) == (1, 4)


BAD = [
    pytest.param("name,age\nJane,old\n", True, "row 1: parameter 'age' is a string", id="wrong-type"),
    pytest.param("name,age\nJane,4\nJoe\n", True, "row 2 has more or fewer values", id="short-row"),
    pytest.param("name,age,x\nJane,4,5\n", True, "row 1: there is no parameter 'x'", id="unknown-column"),
    pytest.param("name,age\n", True, "no rows", id="head-alone"),
    pytest.param("", False, "no rows", id="empty"),
    pytest.param('{"name": "J", "age": 4}\n[1]', False, "row 2 is no object", id="no-object"),
    pytest.param("{", False, "row 1 is no JSON", id="no-json"),
]


@pytest.mark.parametrize(("text", "is_csv", "message"), BAD)
def test_bad_file_is_refused_with_its_row(text: str, is_csv: bool, message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        read_rows(text, SCHEMA, is_csv=is_csv)


ROWS = read_rows("name,age\na,1\nb,2\nc,3\nd,4\n", SCHEMA, is_csv=True)


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
        resume(ROWS, begun_line(read_rows("name,age\nz,9\n", SCHEMA, is_csv=True)[0]))
    with pytest.raises(BadInputError, match="no line of a results file"):
        resume(ROWS, '{"x": 1}\n')


def test_results_file_holds_no_argument() -> None:
    (row,) = read_rows('{"name": "geheim", "age": 4}', SCHEMA, is_csv=False)
    assert "geheim" not in begun_line(row)


@given(st.lists(st.sampled_from(range(4)), unique=True), st.sets(st.sampled_from(range(4))))
def test_every_row_is_left_ended_or_unknown(begun: list[int], ended: set[int]) -> None:
    lines = [begun_line(ROWS[index]) + (ended_line(ROWS[index], {}) if index in ended else "") for index in begun]
    resumed = resume(ROWS, "".join(lines))
    assert len(resumed.left) + resumed.ended + len(resumed.unknown) == len(ROWS)
    assert {row.number - 1 for row in resumed.unknown} == set(begun) - ended
