"""Which values a request sends as they are, and which are entered in the page."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.subroutines.alike import unlike, unlike_value

CASES = [
    pytest.param("Bea", ["Ann"], "", id="word"),
    pytest.param("Again", ["First note"], "", id="fewer-words"),
    pytest.param("red, blue", ["news"], "has a space, and no", id="list"),
    pytest.param("red,blue", ["news"], "has ',', and no", id="list-without-blanks"),
    pytest.param("Ben@x.io", ["ana@x.io"], "has a capital letter", id="capital"),
    pytest.param("ben", ["ANA"], "has a small letter", id="small"),
    pytest.param("nomail", ["ana@x.io"], "lacks '.'", id="no-address"),
    pytest.param(" ben", ["ana"], "has ", id="blank-before"),
    pytest.param("a  b", ["a b"], "has blanks that may be removed", id="two-blanks"),
    pytest.param("one\ntwo", ["one two"], "has a line end", id="lines"),
    pytest.param("Zoë", ["Ann"], "has a letter beyond a to z", id="accent"),
    pytest.param("", ["Ann"], "is empty", id="empty"),
    pytest.param("", ["A"], "is empty", id="empty-for-a-capital"),
    pytest.param("xx", ["1234"], "has another form than 1234", id="no-digits"),
    pytest.param("12", ["1234"], "has another form", id="fewer-digits"),
    pytest.param("1,50", ["1.50"], "has another form", id="another-point"),
    pytest.param("2027-02-03", ["2026-11-30"], "", id="date"),
    pytest.param("3.2.2027", ["2026-11-30"], "has another form", id="date-of-another-form"),
    pytest.param("AB-17", ["XY-42"], "", id="code"),
    pytest.param("about 9", ["about 7"], "", id="number-in-words"),
    pytest.param("no number", ["about 7"], "lacks a digit", id="number-left-out"),
    pytest.param("red, blue", ["news", "a, b"], "", id="one-recording-has-it"),
    pytest.param("12", ["1234", "12"], "", id="one-recording-is-it"),
    pytest.param("x@y", ["Ann", "a@b"], "", id="not-in-every-recording"),
]


@pytest.mark.parametrize(("text", "recorded", "said"), CASES)
def test_value_is_compared_with_the_recorded_ones(text: str, recorded: list[str], said: str) -> None:
    found = unlike(text, recorded)
    assert found.startswith(said) if said else not found


@given(st.lists(st.text(), min_size=1, max_size=3))
def test_recorded_value_is_like_itself(recorded: list[str]) -> None:
    assert not any(unlike(each, recorded) for each in recorded)


SCHEMA = {
    "properties": {
        "name": {"type": "string", "examples": ["Ann"]},
        "qty": {"type": "number", "examples": [5]},
        "role": {"type": "string", "enum": ["User", "Admin!"], "examples": ["User"]},
        "key": {"type": "string", "writeOnly": True},
    }
}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param({"json": {"user": {"name": "a, b"}}}, "name has ", id="json"),
        pytest.param({"form": [["name", "a, b"]]}, "name has ", id="form"),
        pytest.param({"formData": [["name", "a, b"]]}, "name has ", id="form-data"),
        pytest.param({"json": {"qty": 12}}, "qty has another form than 5", id="number"),
        pytest.param({"json": {"role": "Admin!", "key": "ß"}}, "", id="choice-and-secret"),
        pytest.param({}, "", id="not-sent"),
    ],
)
def test_value_in_the_body_counts(options: dict[str, Any], said: str) -> None:
    found = unlike_value(SCHEMA, {"name": "a, b", "qty": 12, "role": "Admin!", "key": "ß"}, options)
    assert found.startswith(said) if said else not found


@pytest.mark.parametrize(
    ("value", "sent", "said"),
    [
        pytest.param("abc", None, "qty has another form than 5", id="no-number"),
        pytest.param("", 0, "qty is empty", id="empty"),
        pytest.param("1e3", 1000, "qty has another form than 5", id="another-text"),
        pytest.param("7", 7, "", id="number"),
    ],
)
def test_text_that_is_sent_as_a_number_counts(value: str, sent: Any, said: str) -> None:
    schema = {"properties": {"qty": {"type": "string", "examples": ["5"]}}}
    assert unlike_value(schema, {"qty": value}, {"json": {"qty": sent}}) == said
