"""Phrases: what stays of a message when its numbers, times and entered values change."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.subroutines.phrases import (
    common_phrase,
    is_complaint,
    is_telling,
    phrase_of,
    phrase_pattern,
    row_phrase,
)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        pytest.param("Item Ana was added", "Item {name} was added", id="value"),
        pytest.param("ANA was added", "{name} was added", id="other-case"),
        pytest.param("Banana was added", "Banana was added", id="part-of-a-word"),
        pytest.param("Saved at 12:30:01", "Saved at *", id="clock"),
        pytest.param("Ticket #4711 saved 3 minutes ago", "Ticket * saved *", id="id-and-age"),
        pytest.param("Saved on Mon, Nov 23 2026", "Saved on *", id="date"),
        pytest.param("Role is Admin", "Role is *", id="choice"),
        pytest.param("", "", id="empty"),
    ],
)
def test_phrase_keeps_what_stays_the_same(text: str, phrase: str) -> None:
    assert phrase_of(text, [("name", "Ana")], ["Admin"]) == phrase


@pytest.mark.parametrize(
    ("phrase", "arguments", "text", "fits"),
    [
        pytest.param("Item {name} was added", {"name": "Ben"}, "Item Ben was added", True, id="value"),
        pytest.param("Item {name} was added", {"name": "Ben"}, "Item Ana was added", False, id="other-value"),
        pytest.param("{code} *", {"code": "c1"}, "c10 3", False, id="longer-value"),
        pytest.param("{code} *", {"code": "c1"}, "c1", True, id="nothing-else"),
        pytest.param("* {code}", {"code": 5}, "12 5", True, id="number"),
        pytest.param("Saved {name}", {"name": ""}, "Saved ", False, id="empty-value"),
        pytest.param("Saved {name}", {"name": "a*(b"}, "saved a*(b", True, id="special-characters"),
        pytest.param("{text}", {"text": "one\ntwo"}, "one", True, id="first-line"),
        pytest.param("{text}", {"text": "a very long sentence that is cut"}, "a very long …", True, id="shortened"),
        pytest.param("{text}", {"text": "a very long sentence that is cut"}, "another …", False, id="other-shortened"),
        pytest.param("Take {this}", {}, "Take {this}", True, id="no-parameter"),
    ],
)
def test_phrase_fits_the_values_of_a_run(phrase: str, arguments: dict[str, Any], text: str, fits: bool) -> None:
    pattern = phrase_pattern(phrase, arguments)
    assert (pattern is not None and pattern.fullmatch(text) is not None) is fits


@given(st.text(min_size=3), st.text(min_size=1).filter(lambda text: text.strip() != ""))
def test_phrase_of_a_text_fits_that_text(text: str, value: str) -> None:
    shown = " ".join(text.split())
    first = " ".join(next(line for line in value.splitlines() if line.strip()).split())
    pattern = phrase_pattern(phrase_of(shown, [("name", first)]), {"name": value})
    assert pattern is None or "{" in text or pattern.fullmatch(shown) is not None


def test_row_keeps_its_parameters_alone() -> None:
    assert row_phrase("* {name} 3 {role} edit") == "* {name} * {role} *"
    assert row_phrase("{name}") == "{name}"
    assert row_phrase("no value") == ""


def test_words_that_differ_between_two_recordings_are_wildcards() -> None:
    assert common_phrase("Ticket abc closed", "Ticket def closed") == "Ticket * closed"
    assert common_phrase("Ticket closed", "It is closed now") == ""


@pytest.mark.parametrize(
    ("text", "complains"),
    [
        ("This name is already taken", True),
        ("Your password is incorrect", True),
        ("Please enter a value: this field is required", True),
        ("Ungültig: Fehler 7", True),
        ("Item was added", False),
        ("0 errors", False),
        ("Saved Wrong turn", False),
        ("", False),
    ],
)
def test_complaint_is_known_by_its_words(text: str, complains: bool) -> None:
    assert is_complaint(text, ["Wrong turn"]) is complains


def test_phrase_of_wildcards_alone_tells_nothing() -> None:
    assert [is_telling(each) for each in ("* *", "ok", "{name}", "Saved *", "")] == [False, False, True, True, False]
