"""Bodies, byte for byte: what a page sent is what a replay with the same values sends."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from perception.subroutines.bodies import read_body
from perception.subroutines.body_writing import write_json, write_multipart, write_urlencoded
from perception.subroutines.create import create_subroutine
from perception.subroutines.infer import infer_parameters
from perception.subroutines.masking import RecordingMasker
from perception.subroutines.plan import PlanKind
from perception.subroutines.recipe import make_recipe
from perception.subroutines.recording import Body
from perception.subroutines.request_template import Given, Recipe
from tests.unit.subroutines.made import event, recording, request, typed

NEEDED = "typed by hand\nin two lines"
"""The value of the parameter, as a text area holds it."""

NOT_CONSTANT = " (is|holds) (a time|a hash|an id|a secret|secret)| says which thing it is| is what the page has of "
"""Obstacles of drawn values and names: rightly none that a replay may send again."""

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
names = st.text("fgh \"&=+%~*'!é\r\n\\;", max_size=6)
pairs = st.lists(st.tuples(names, texts), max_size=4)
leaves = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False), texts
)
values = st.recursive(leaves, lambda inner: st.one_of(st.lists(inner), st.dictionaries(texts, inner)), max_leaves=8)


def resent(content_type: str, body: str) -> str:
    """What a replay sends after a recording in which a page sent this body.

    Raises:
        AssertionError: a request plan is not possible.
    """
    read = read_body(content_type, body, True, None, (), RecordingMasker())
    task = recording(typed("Text", NEEDED, type="textarea"), event(), requests=(request(body=read),))
    recipe, obstacles = make_recipe([task.requests[0]], [task], infer_parameters([task]))
    assume(not any(re.search(NOT_CONSTANT, each) for each in obstacles))
    assert obstacles == ()
    return sent_by(recipe, content_type.partition("boundary=")[2])


def sent_by(recipe: Recipe, boundary: str) -> str:
    """The body that `request.js` sends, with the recorded value in the place of the parameter."""
    if recipe.kind == "json":
        return write_json(filled(recipe.json))
    fields = [(name, filled(value)) for name, value in recipe.fields]
    if recipe.kind == "urlencoded":
        return write_urlencoded(fields, recipe.style)
    blank = [index for index, (_, value) in enumerate(recipe.fields) if value is None]
    return write_multipart(boundary, [(name, value or "") for name, value in fields], blank)


def filled(template: Any) -> Any:
    match template:
        case Given():
            return NEEDED.replace("\n", "\r\n") if template.form == "lines" else NEEDED
        case dict():
            return {key: filled(each) for key, each in template.items()}
        case list():
            return [filled(each) for each in template]
    return template


def lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")


@given(pairs)
@example([("f", ""), ("f", "\n both ends \n"), ("g", "a+b c%20~")])
def test_urlencoded_form_is_sent_again_byte_by_byte(fields: list[tuple[str, str]]) -> None:
    sent = urlencode([(lines(name), lines(value)) for name, value in [*fields, ("text", NEEDED)]], safe="*")
    assert resent("application/x-www-form-urlencoded", sent.replace("~", "%7E")) == sent.replace("~", "%7E")


@given(pairs, st.booleans())
@example([("f", ""), ("f", "\r\n both ends \n\n"), ('"g"', "--b")], True)
def test_multipart_form_is_sent_again_byte_by_byte(fields: list[tuple[str, str]], blank: bool) -> None:
    parts = [
        (name.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22"), "", lines(value))
        for name, value in ((lines(name), value) for name, value in [*fields, ("text", NEEDED)])
    ]
    if blank:
        parts.insert(0, ("cv", '; filename=""\r\nContent-Type: application/octet-stream', ""))
    written = "".join(
        f'--Bx1\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n{value}\r\n'
        for name, file, value in parts
    )
    sent = f"{written}--Bx1--\r\n"
    assert resent("multipart/form-data; boundary=Bx1", sent) == sent


@given(values)
@example({"ID": 0, "rowVersion": 3})
@example({"10": 1, "2": 2, "__proto__": 3, "n": 1e21, "m": 1e-7, "o": 0.1, "p": "\n\u2028/"})
def test_json_is_sent_again_byte_by_byte(value: Any) -> None:
    sent = write_json({"given": value, "text": NEEDED})
    assert json.loads(sent, parse_int=float)["given"] == value
    assert resent("application/json", sent) == sent


STYLES = [
    pytest.param("text=a%20b!", "component", id="encodeURIComponent"),
    pytest.param("text=a+b!", "jquery", id="jquery"),
    pytest.param("text=a+b%21", "", id="form"),
]


@pytest.mark.parametrize(("sent", "style"), STYLES)
def test_form_of_a_script_is_sent_again_as_the_script_writes_it(sent: str, style: str) -> None:
    read = read_body("application/x-www-form-urlencoded", sent, True, None, (), RecordingMasker())
    assert (read.style, read.inexact) == (style, False)
    assert write_urlencoded(read.fields, read.style) == sent


WRITTEN_OTHERWISE = [
    pytest.param("application/x-www-form-urlencoded", "text&x=1", id="pair-without-a-value"),
    pytest.param("application/x-www-form-urlencoded", "text=%E9", id="not-utf-8"),
    pytest.param("application/json", '{"a": 1}', id="spaces"),
    pytest.param("application/json", '{"id":12345678901234567890}', id="number-that-would-be-rounded"),
    pytest.param("application/json", '{"a":1,"a":2}', id="same-key-twice"),
    pytest.param("multipart/form-data; boundary=b", '--b\r\nX: y; name="a"\r\n\r\n1\r\n--b--\r\n', id="other-headers"),
]


@pytest.mark.parametrize(("content_type", "text"), WRITTEN_OTHERWISE)
def test_body_that_browsers_write_otherwise_is_left_to_the_page(content_type: str, text: str) -> None:
    read = read_body(content_type, text, True, None, (), RecordingMasker())
    task = recording(event(), requests=(request(body=read),))
    made = create_subroutine([task], name="Send", description="", wanted=None, now_s=1.0)
    assert (read.inexact, made.plan) == (True, PlanKind.DOM.value)
    assert "not written as browsers write it" in made.plan_reason


def test_file_field_without_a_file_is_no_file() -> None:
    text = write_multipart("b", [("cv", "")], (0,))
    read = read_body("multipart/form-data; boundary=b", text, True, None, (), RecordingMasker())
    assert read == Body("formdata", fields=(("cv", ""),), blank_files=(0,), size=len(text))
