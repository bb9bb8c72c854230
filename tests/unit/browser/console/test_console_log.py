"""The ring of a console, and what DevTools' events mean. Events are written out, as Chromium sends them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.browser.console.console_log import MAX_KEPT, ConsoleLog
from perception.browser.console.console_message import (
    MAX_TEXT,
    ConsoleKind,
    ConsoleLevel,
    ConsoleMessage,
    read_call,
    read_exception,
)


def message(text: str, at_s: float) -> ConsoleMessage:
    return ConsoleMessage(ConsoleKind.CONSOLE, ConsoleLevel.INFO, text, at_s)


def call(*args: dict[str, Any], kind: str = "log") -> str:
    read = read_call({"type": kind, "args": args, "timestamp": 1000.0})
    assert read is not None
    return read.text


@given(times=st.lists(st.integers(1, 5), max_size=30), cuts=st.lists(st.integers(0, 30), max_size=4))
def test_what_is_repeated_is_taken_once_however_often_it_is_asked_for(times: list[int], cuts: list[int]) -> None:
    written = [message(f"m{at}", float(when)) for at, when in enumerate(sorted(times))]
    log = ConsoleLog()
    for cut in [*sorted(cuts), len(written), len(written)]:
        log.take({"a": written[:cut]})
    assert [each.message.text for each in log.entries] == [each.text for each in written]


def test_messages_of_several_sources_are_in_the_order_of_time() -> None:
    log = ConsoleLog()
    log.take({"a": [message("1", 1), message("3", 3)], "b": [message("2", 2)]})
    assert [each.message.text for each in log.entries] == ["1", "2", "3"]


def test_a_ring_keeps_the_last_ones_and_counts_the_rest() -> None:
    log = ConsoleLog()
    for number in range(MAX_KEPT + 10):
        log.hear(message(str(number), float(number)), "a")
    assert (len(log.entries), log.dropped, log.entries[0].number) == (MAX_KEPT, 10, 11)


def test_what_was_heard_is_not_taken_again() -> None:
    log = ConsoleLog()
    log.hear(message("a", 1.0), "s")
    log.hear(message("b", 1.0), "s")
    log.take({"s": [message("a", 1.0), message("b", 1.0), message("c", 1.0)]})
    assert [each.message.text for each in log.entries] == ["a", "b", "c"]


NUMBER = {"type": "number", "value": 2}


@pytest.mark.parametrize(
    ("args", "shown"),
    [
        ([], ""),
        ([{"type": "string", "value": "100%"}], "100%"),
        ([{"type": "string", "value": "%c%s!%%"}, {"type": "string", "value": "x"}, NUMBER], "2!%"),
        ([{"type": "string", "value": "%s %s"}, NUMBER], "2 %s"),
        ([{"type": "number", "unserializableValue": "NaN"}], "NaN"),
        ([{"type": "object", "subtype": "null", "value": None}], "null"),
        ([{"type": "object", "className": "Cart", "description": "Cart"}], "Cart"),
        ([{"type": "boolean", "value": False}, {"type": "undefined"}], "false undefined"),
    ],
    ids=["nothing", "percent", "style", "too few", "nan", "null", "object", "plain"],
)  # fmt: skip
def test_arguments_read_as_a_person_reads_them(args: list[dict[str, Any]], shown: str) -> None:
    assert call(*args) == shown


def test_a_megabyte_is_cut() -> None:
    assert len(call({"type": "string", "value": "x" * 2**20})) == MAX_TEXT


def test_calls_that_write_nothing_are_no_messages() -> None:
    assert read_call({"type": "clear", "args": [], "timestamp": 1.0}) is None


def test_what_is_thrown_need_be_no_error() -> None:
    details = {"text": "Uncaught", "lineNumber": 2, "columnNumber": 4, "exception": {"type": "number", "value": 7}}
    read = read_exception({"timestamp": 1000.0, "exceptionDetails": details})
    assert (read.text, read.line, read.column) == ("Uncaught 7", 3, 5)
