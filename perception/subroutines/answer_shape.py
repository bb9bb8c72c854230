"""The shape of a JSON answer: its keys, and the constants by which APIs say that something was done (`ok: true`).

An API that refuses often answers with status 200, too: `{"ok": false}`. The recorded shape tells the two apart.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from perception.subroutines.masking import is_masked
from perception.subroutines.phrases import common_phrase, is_telling, phrase_of, phrase_pattern

MAX_KEYS, MAX_DEPTH = 20, 3
"""Limits of a shape. Chosen by hand: GraphQL answers have the object at the third level."""

_SWITCHES = frozenset("ok success succeeded successful created saved updated deleted accepted valid".split())
_CODES = frozenset("ok success status state result code ret retcode errcode errno outcome".split())
_ERRORS = frozenset("error errors err error_message errormessage".split())
_MESSAGES = frozenset("message msg notice flash toast detail details status_message statusmessage".split())
"""Keys by which an answer says in words how it went."""

MAX_MESSAGE = 200
"""Characters: a longer text is content."""

_KEY = re.compile(r"[A-Za-z_$][\w$-]{0,40}")
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]{0,23}")

CONFIRMING = (201, 204)
"""Statuses that say by themselves that something was done (RFC 9110 §15.3.2, §15.3.5)."""


class AnswerShape(msgspec.Struct, frozen=True, omit_defaults=True):
    """The shape of an answer.

    Attributes:
        keys: paths of its keys, as `data.id`.
        marks: path and value of each constant that says how it went; the value is JSON.
        is_list: whether it is a list.
        messages: path and text of each message; in a condition, its phrase.
    """

    keys: tuple[str, ...] = ()
    marks: tuple[tuple[str, Any], ...] = ()
    is_list: bool = False
    messages: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.keys or self.marks or self.is_list)


def shape_of(answer: Any) -> AnswerShape:
    """The shape of a JSON value; empty for one that is neither an object nor a list."""
    if isinstance(answer, list):
        return AnswerShape(is_list=True)
    if not isinstance(answer, dict):
        return AnswerShape()
    keys: list[str] = []
    marks: list[tuple[str, Any]] = []
    _collect(answer, "", 1, keys, marks)
    messages = [
        (key, " ".join(text.split()))
        for key in keys[:MAX_KEYS]
        if key.rpartition(".")[2].lower() in _MESSAGES and isinstance(text := _at(answer, key), str)
    ]
    short = [each for each in messages if 0 < len(each[1]) <= MAX_MESSAGE]
    return AnswerShape(tuple(keys[:MAX_KEYS]), tuple(marks[:MAX_KEYS]), messages=tuple(short))


def common_shape(
    shapes: Sequence[AnswerShape],
    values: Collection[str],
    entered: Sequence[Sequence[tuple[str, str]]] = (),
    choices: Sequence[Sequence[str]] = (),
) -> AnswerShape:
    """What the answers of several recordings have in common, without constants that are a parameter's value.

    Args:
        shapes: of each recording.
        values: recorded values of parameters.
        entered: name and recorded value of each parameter, of each recording.
        choices: recorded values of choices, of each recording.
    """
    first, *others = shapes
    given = {each.casefold() for each in values}
    keys = [each for each in first.keys if all(each in other.keys for other in others)]
    marks = [
        mark
        for mark in first.marks
        if all(mark in other.marks for other in others) and str(mark[1]).casefold() not in given
    ]
    is_list = first.is_list and all(each.is_list for each in others)
    return AnswerShape(tuple(keys), tuple(marks), is_list, tuple(_common_messages(shapes, entered, choices)))


def _common_messages(
    shapes: Sequence[AnswerShape], entered: Sequence[Sequence[tuple[str, str]]], choices: Sequence[Sequence[str]]
) -> Iterator[tuple[str, str]]:
    """Path and phrase of the messages that all answers have, as far as they are alike."""
    phrases = [
        {key: phrase_of(text, given, chosen) for key, text in each.messages}
        for each, given, chosen in zip(
            shapes, entered or [()] * len(shapes), choices or [()] * len(shapes), strict=True
        )
    ]
    for key, phrase in phrases[0].items():
        for other in phrases[1:]:
            phrase = phrase if other.get(key) == phrase else common_phrase(phrase, other.get(key, ""))
        if phrase and is_telling(phrase) and not is_masked(phrase):
            yield key, phrase


def expected_shape(shape: AnswerShape) -> dict[str, Any]:
    """The shape as a script has it."""
    parts = {
        "keys": list(shape.keys),
        "marks": dict(shape.marks),
        "list": shape.is_list,
        "messages": dict(shape.messages),
    }
    return {key: value for key, value in parts.items() if value}


def confirm_answer(answer: Any, expected: Mapping[str, Any]) -> str:
    """What of an answer is as it was recorded, in words; "" where it does not confirm anything.

    Every constant has to be there, and half of the keys.
    """
    marks = dict(expected.get("marks", {})) if isinstance(expected.get("marks", {}), dict) else {}
    keys = [str(each) for each in expected.get("keys", [])]
    if contradictions(answer, expected):
        return ""
    found = [key for key in keys if _at(answer, key) is not None]
    if expected.get("list") and isinstance(answer, list):
        return "the answer is a list"
    if (not keys and not marks) or len(found) * 2 < len(keys):
        return ""
    said = [f"{key} {msgspec.json.encode(value).decode()}" for key, value in marks.items()]
    return f"the answer has {', '.join([*said, *found])}"[:200]


def plain_success(answer: Any) -> str:
    """What of an answer says that it was done where none was recorded, as `ok true`; "" for nothing."""
    if not isinstance(answer, dict):
        return ""
    said = [f"{key} true" for key, value in answer.items() if str(key).lower() in _SWITCHES and value is True]
    return f"the answer has {', '.join(said)}" if said else ""


def contradictions(answer: Any, expected: Mapping[str, Any]) -> tuple[str, ...]:
    """Constants that differ, as `ok false`."""
    marks = expected.get("marks", {})
    if not isinstance(marks, dict) or not isinstance(answer, dict):
        return ()
    differ = []
    for key, wanted in marks.items():
        now = _at(answer, key)
        if now != wanted and (bool(now) or bool(wanted)):
            differ.append(f"{key} {msgspec.json.encode(now).decode()[:60]}")
    return tuple(differ)


def other_message(answer: Any, expected: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    """What an answer says in place of a message that it was recorded with; "" where it says the same, or nothing."""
    messages = expected.get("messages", {})
    for key, phrase in messages.items() if isinstance(messages, dict) and isinstance(answer, dict) else ():
        said, pattern = _at(answer, key), phrase_pattern(str(phrase), arguments)
        text = " ".join(said.split()) if isinstance(said, str) else ""
        if text and pattern is not None and not pattern.fullmatch(text):
            return text
    return ""


def describe_shape(shape: AnswerShape) -> str:
    """The shape in words; "" for an empty one."""
    said = [f"{key} {msgspec.json.encode(value).decode()}" for key, value in (*shape.marks, *shape.messages)]
    if shape.is_list:
        return "the answer is a list"
    keys = [key for key in shape.keys if key not in dict(shape.messages)]
    return f"the answer has {', '.join([*said, *keys])}" if said or keys else ""


def _collect(answer: Mapping[str, Any], path: str, depth: int, keys: list[str], marks: list[tuple[str, Any]]) -> None:
    for key, value in answer.items():
        if not isinstance(key, str) or not _KEY.fullmatch(key) or is_masked(key):
            continue
        place, word = f"{path}{key}", key.lower()
        if _is_mark(word, value):
            marks.append((place, value))
        elif value is not None and word not in _ERRORS:
            keys.append(place)
        if isinstance(value, dict) and depth < MAX_DEPTH:
            _collect(value, f"{place}.", depth + 1, keys, marks)


def _is_mark(word: str, value: Any) -> bool:
    if word in _ERRORS:
        return not value
    if isinstance(value, bool):
        return word in _SWITCHES or word in _CODES
    if isinstance(value, int):
        return word in _CODES and abs(value) < 1000
    return isinstance(value, str) and word in _CODES and _WORD.fullmatch(value) is not None


def _at(answer: Any, path: str) -> Any:
    for part in path.split("."):
        if not isinstance(answer, dict):
            return None
        answer = answer.get(part)
    return answer
