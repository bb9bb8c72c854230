"""Which values of a request are constants, by the scripts of its page and by what the page received."""

from __future__ import annotations

from typing import Any

import pytest

from perception.subroutines.constants import with_origins
from perception.subroutines.received import Received
from perception.subroutines.recording import Body
from perception.subroutines.script_literals import COMPUTED
from perception.subroutines.written_objects import Script, written_objects
from tests.unit.subroutines.made import form_body, json_body, request

TASK = json_body({"kind": "task", "on": True, "tags": [], "title": "x"})

ALL = ("kind", "on", "tags", "title")


def constants(source: str, body: Body = TASK, *, inline: bool = False, answers: Any = None, data: str = "") -> set[str]:
    received = Received()
    if data:
        received.add("about", data)
    sent = request(body=body, at_ms=1000.0, constants=())
    before = [(900.0, answers), (1100.0, {"kind": "task"})]
    (made,) = with_origins((sent,), [Script(source, inline)], before, received)
    return set(made.constants)


SCRIPTS: list[Any] = [
    pytest.param("", set(), id="no scripts"),
    pytest.param("const broken = {{{ kind: 'task'", set(), id="no JavaScript"),
    pytest.param("f({ kind: 'task', on: true, tags: [], title: t() })", {"kind", "on", "tags"}, id="literals"),
    pytest.param("f({title:t,on:!0,kind:`task`,tags:[],x:void 0})", {"kind", "on", "tags"}, id="minified"),
    pytest.param("f({ kind: 'ta' + 'sk', on, tags: [], title })", {"kind", "tags"}, id="computed"),
    pytest.param("f({ kind: a ? 'task' : 'note', on: true, tags: [], title })", {"on", "tags"}, id="chosen"),
    pytest.param("f({ kind: 'note', on: true, tags: [], title })", set(), id="another object"),
    pytest.param("f({ kind: 'task', ...rest, on: true, tags: [], title })", set(), id="replaced by a spread"),
    pytest.param(
        "f({ kind: 'task', on: true, tags: [], title }); g({ kind, on: true, tags: [], title })",
        {"on", "tags"},
        id="one of two computes it",
    ),
    pytest.param(
        "f({ kind: 'task', on: true, tags: [], title }); () => fetch(u, { body: { ...task, title } })",
        set(),
        id="one of two copies it",
    ),
    pytest.param("const state = { kind: 'task', on: true, tags: [], title: 'x' }", set(), id="data"),
    pytest.param("() => { state = { kind: 'task', on: true, tags: [], title: 'x' } }", set(), id="data in a function"),
    pytest.param("() => post({ kind: 'task', on: true, tags: [], title: 'x' })", set(ALL), id="sent as it is"),
    pytest.param("const K = 'task'; f({ kind: K, on: true, tags: [], title })", {"kind", "on", "tags"}, id="named"),
    pytest.param("const K = 'task'; (K) => f({ kind: K, on: true, tags: [], title })", {"on", "tags"}, id="twice"),
]


@pytest.mark.parametrize(("source", "found"), SCRIPTS)
def test_constant_is_what_every_fitting_object_of_the_scripts_writes(source: str, found: set[str]) -> None:
    assert constants(source) == found


WRITTEN = "f({ kind: 'task', on: true, tags: [], title: t() })"


def test_what_was_received_before_is_no_constant() -> None:
    assert constants(WRITTEN, answers=[{"Kind": "task", "on": False, "tags": ["a"]}]) == {"on", "tags"}
    assert constants(WRITTEN, answers={"user": {"on": True, "tags": []}}) == {"kind"}
    assert constants(WRITTEN, answers={"size": True, "other": []}) == {"kind", "on", "tags"}
    assert constants(WRITTEN, data="task") == {"on", "tags"}


def test_what_a_document_names_may_be_data() -> None:
    named = "const KIND = 'task'; f({ kind: KIND, on: true, tags: [], title })"
    assert constants(named, inline=True) == {"on", "tags"}
    state = "const one = { kind: 'task' }; f({ kind: 'task', on: true, tags: [], title })"
    assert (constants(state), constants(state, inline=True)) == ({"kind", "on", "tags"}, {"on", "tags"})


FORM = form_body(("kind", "a b"), ("on", "true"), ("title", "x"))


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("() => { const f = new FormData(); f.append('kind', 'a b'); f.set('on', true) }", id="form data"),
        pytest.param("() => send('kind=a+b&on=true&title=' + encodeURIComponent(t))", id="text"),
        pytest.param("() => send(`title=${t}&on=${true}&kind=${encodeURIComponent('a b')}`)", id="template"),
        pytest.param("post({ kind: 'a b', on: true, title })", id="object"),
        pytest.param("() => { const b = {}; b.kind = 'a b'; b['on'] = true; b.title = t; post(b) }", id="key by key"),
    ],
)
def test_constant_of_a_form_is_found_however_it_is_written(source: str) -> None:
    assert constants(source, FORM) == {"0", "1"}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        pytest.param("mutation Save($u: ID!) { save(u: $u) }", {"query", "operationName"}, id="variables alone"),
        pytest.param('mutation Save { save(country: "Chile") }', {"operationName"}, id="a value written into it"),
        pytest.param("Save", set(), id="no document"),
    ],
)
def test_document_of_a_graphql_request_is_code(query: str, found: set[str]) -> None:
    assert constants("", json_body({"operationName": "Save", "query": query, "variables": {"u": 1}})) == found


@pytest.mark.parametrize(
    ("source", "value"),
    [
        pytest.param(r"'caf\u00e9 \x41\u{1f600} \ud83d\ude00\n'", "café A😀 😀\n", id="escapes"),
        pytest.param("-1_000.50", -1000.5, id="number"),
        pytest.param("0x1F", 31, id="hexadecimal"),
        pytest.param("10n", COMPUTED, id="no number of JSON"),
        pytest.param("[{ 'a': null }, (!1)]", [{"a": None}, False], id="nested"),
        pytest.param("[...all]", COMPUTED, id="spread"),
        pytest.param("{ [key]: 1 }", COMPUTED, id="computed key"),
        pytest.param("""JSON.parse('{"a":[1]}')""", {"a": [1]}, id="JSON"),
        pytest.param("`a${1}b`", "a1b", id="template"),
        pytest.param("'a' - 1", COMPUTED, id="arithmetic"),
        pytest.param("1 + 1", COMPUTED, id="sum"),
        pytest.param("(" * 60 + "1" + ")" * 60, COMPUTED, id="too deep"),
    ],
)
def test_literal_has_the_value_that_javascript_gives_it(source: str, value: Any) -> None:
    (written,) = (each for each in written_objects(Script(f"f({{ key: {source} }})"), {"key"}))
    assert written.entries == {"key": value}
