"""Scripts over real gRPC: their values, their errors, and tabs that go on after them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError, ScriptError
from perception.v1 import action_service_pb2 as pb
from perception.v1 import types_pb2
from tests.paths import PAGES
from tests.support.live import Show
from tests.support.processes import children_with
from tests.support.waiting import title_of

FORM = (PAGES / "form.html").read_text(encoding="utf-8")


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


@pytest.fixture
def scripted(shared_scripted: AsyncPage) -> AsyncPage:
    """One session that runs scripts for all: a tab goes on after any of them."""
    return shared_scripted


@pytest.fixture
def show(write_scripted: Show) -> Show:
    return write_scripted


@pytest.mark.parametrize("engine", ["cdp", "playwright"])
@pytest.mark.parametrize(
    ("script", "value"),
    [
        pytest.param("1 + 1", 2, id="expression"),
        pytest.param("() => document.title", "Form", id="function"),
        pytest.param("({a: [1, null, {b: 'x'}]})", {"a": [1, None, {"b": "x"}]}, id="object"),
        pytest.param("undefined", None, id="undefined"),
        pytest.param("-1 / 0", "-Infinity", id="infinity"),
        pytest.param("async () => { await 0; return 7 }", 7, id="promise"),
        pytest.param("function() { return 5 }", 5, id="function without a name"),
        pytest.param("new Date(0)", "1970-01-01T00:00:00.000Z", id="date"),
        pytest.param("({a: [new Date(1)]})", {"a": ["1970-01-01T00:00:00.001Z"]}, id="date in a list"),
        pytest.param("new DOMPoint(1, 2)", {"x": 1, "y": 2, "z": 0, "w": 1}, id="object of the browser"),
    ],
)
async def test_values(scripted: AsyncPage, show: Show, engine: str, script: str, value: Any) -> None:
    await show(FORM)
    assert await scripted.evaluate(script, engine=engine) == value


@pytest.mark.parametrize(
    ("script", "value"),
    [
        pytest.param("// five\n function five() { return 5 };\n", 5, id="function with a name"),
        pytest.param("async function five() { await 0; return 5 } // late", 5, id="promise of a function"),
        pytest.param("function* five() { yield 5 }", {}, id="generator"),
        pytest.param("function five() { return 5 }\nfive() + 1", 6, id="declaration and more"),
        pytest.param("functions = 5", 5, id="a name that begins alike"),
        pytest.param("function() { throw new SyntaxError('thrown') }()", "SyntaxError: thrown", id="call"),
    ],
)
async def test_functions_in_the_long_form(scripted: AsyncPage, show: Show, script: str, value: Any) -> None:
    await show(FORM)
    try:
        found = await scripted.evaluate(script)
    except ScriptError as exc:
        found = str(exc).split("\n")[0]
    assert found == value


RUN = "localStorage.runs = Number(localStorage.runs || 0) + 1; document.title"


async def test_playwright_runs_a_script_once_in_a_page_that_it_does_not_know_of_yet(
    scripted: AsyncPage, site: str
) -> None:
    await scripted.navigate(f"{site}/form.html")
    await scripted.evaluate("localStorage.clear()")
    drivers = children_with("run-driver")
    assert drivers
    for each in drivers:
        each.suspend()
    try:
        await scripted.navigate(f"{site}/form.html")
        running = asyncio.create_task(scripted.evaluate(RUN, engine="playwright"))
        await asyncio.wait([running], timeout=0.1)
    finally:
        for each in drivers:
            each.resume()
    assert await running == "Form"
    assert await scripted.evaluate("localStorage.runs") == "1"


async def test_playwright_does_not_run_a_script_again_that_leaves_the_page(scripted: AsyncPage, site: str) -> None:
    await scripted.navigate(f"{site}/form.html")
    await scripted.evaluate("localStorage.clear()")
    for runs in range(1, 4):
        await scripted.navigate(f"{site}/form.html")
        with pytest.raises(RemoteError) as caught:
            await scripted.evaluate(f"{RUN}; location = '/inner.html'; new Promise(() => {{}})", engine="playwright")
        assert caught.value.reason == "PAGE_CHANGING"
        assert await scripted.evaluate("localStorage.runs") == str(runs)


@pytest.mark.parametrize("engine", ["cdp", "playwright"])
async def test_a_function_is_given_the_element(scripted: AsyncPage, site: str, engine: str) -> None:
    await scripted.navigate(f"{site}/frames.html")
    snapshot = await scripted.snapshot(mode="text", scope="page")
    inner = [each for each in snapshot.elements if each.name == "Inner button"]
    assert len(inner) == 2
    for each in inner:
        assert await scripted.evaluate("element => element.textContent", each.ref, engine=engine) == "Inner button"
    (shadow,) = [each for each in snapshot.elements if each.name == "In shadow"]
    assert await scripted.evaluate("element => element.localName", shadow.ref, engine=engine) == "button"


async def test_a_node_id_and_a_coordinate_name_elements(scripted: AsyncPage, show: Show) -> None:
    await show(FORM)
    save = next(each for each in (await scripted.snapshot(mode="text")).elements if each.name == "Save")
    by_id = types_pb2.Target(backend_node_id=save.backend_node_id)
    for target in (by_id, (save.click_point.x, save.click_point.y)):
        assert await scripted.evaluate("element => element.textContent", target) == "Save"


@pytest.mark.parametrize("engine", ["cdp", "playwright"])
async def test_exceptions_come_with_their_stack(scripted: AsyncPage, engine: str) -> None:
    with pytest.raises(ScriptError) as caught:
        await scripted.evaluate("(() => { throw new TypeError('no way') })()", engine=engine)
    assert "no way" in str(caught.value)
    assert "at " in caught.value.stack
    with pytest.raises(ScriptError, match="rejected"):
        await scripted.evaluate("Promise.reject(new Error('rejected'))", engine=engine)


@pytest.mark.parametrize(
    "script",
    ["({get x() { throw Error('no way') }})", "new Proxy({}, {ownKeys() { throw Error('no way') }})"],
    ids=["getter", "proxy"],
)
async def test_a_value_that_throws_when_it_is_read_is_an_exception(scripted: AsyncPage, script: str) -> None:
    with pytest.raises(ScriptError, match="no way"):
        await scripted.evaluate(script)


@pytest.mark.parametrize("engine", ["cdp", "playwright"])
async def test_a_value_that_contains_itself_is_refused(scripted: AsyncPage, engine: str) -> None:
    with pytest.raises(RemoteError, match="contains itself"):
        await scripted.evaluate("(() => { const own = {}; own.a = own.b = [own, own]; return own })()", engine=engine)


async def test_sessions_run_no_scripts_unless_made_for_it(page: AsyncPage) -> None:
    with pytest.raises(RemoteError) as caught:
        await page.evaluate("1")
    assert caught.value.reason == "EVALUATE_DISABLED"
    assert "allow_evaluate" in str(caught.value)


@pytest.mark.parametrize(
    ("script", "target", "reason", "said"),
    [
        pytest.param("  ", None, "BAD_INPUT", "empty", id="empty"),
        pytest.param("5", "body", "BAD_INPUT", "function", id="no-function"),
        pytest.param("1", "#nothing", "NO_MATCH", "#nothing", id="no-element"),
        pytest.param("window", None, "REPLY_TOO_LARGE", "not a plain value", id="cyclic"),
        pytest.param("'x'.repeat(1.4e7)", None, "REPLY_TOO_LARGE", "12 MiB", id="large"),
        pytest.param("({get a() { for (;;); }})", None, "DEADLINE", "page answers again", id="endless-getter"),
        pytest.param(
            "location = '/inner.html'; new Promise(() => {})", None, "PAGE_CHANGING", "page navigated", id="leaving"
        ),
    ],
)
async def test_scripts_that_come_to_nothing(
    scripted: AsyncPage, show: Show, script: str, target: str | None, reason: str, said: str
) -> None:
    await show(FORM)
    for seconds in (0.5, 4, 15) if reason == "DEADLINE" else (15,):
        with pytest.raises(RemoteError) as caught:
            await scripted.evaluate(script, target, timeout=seconds)
        assert caught.value.reason == reason
        if caught.value.input_dispatched:  # a busy machine may need more before the script begins
            break
    assert said in str(caught.value)
    assert await scripted.evaluate("2") == 2


LOOP = (
    "<title>T</title><iframe src='{0}/inner.html'></iframe>"
    "<input id=own><button onclick='document.title = 1'>B</button>"
)


@pytest.mark.parametrize(
    ("script", "target"),
    [
        pytest.param("for (;;);", None, id="loop"),
        pytest.param("new Promise(() => {})", None, id="promise-that-never-comes"),
        pytest.param("(async () => { for (;;) await null })()", None, id="endless-microtasks"),
        pytest.param("() => { for (;;); }", "#inner", id="loop-in-a-frame-of-another-process"),
        pytest.param(
            "new Worker(URL.createObjectURL(new Blob(['for (;;);']))); new Promise(() => {})",
            None,
            id="loop-in-a-worker",
        ),
    ],
)
async def test_the_tab_goes_on_after_a_script_that_does_not_end(
    scripted: AsyncPage, show: Show, other_site: str, script: str, target: str | None
) -> None:
    await show(LOOP.format(other_site))
    if target:
        snapshot = await scripted.snapshot(mode="text")
        target = next(each.ref for each in snapshot.elements if each.name == "Inner button")
    with pytest.raises(RemoteError) as caught:
        await scripted.evaluate(script, target, timeout=0.5)
    assert caught.value.reason == "DEADLINE"
    await scripted.type_text("#own", "typed")
    await scripted.click("button[onclick*='= 1']")
    assert await title_of(scripted) == "1"
    assert "typed" in (await scripted.snapshot(mode="text")).text


async def test_dialogs_of_a_script_are_dismissed_and_reported(client: AsyncClient, scripted: AsyncPage) -> None:
    request = pb.EvaluateRequest(session_id=scripted.session_id, expression="alert('a'); confirm('b')")
    reply = await client.call(client.actions.Evaluate, request)
    assert reply.value.bool_value is False
    assert [each.message for each in reply.dialogs] == ["a", "b"]


async def test_the_same_request_id_runs_once(scripted: AsyncPage) -> None:
    for _ in range(2):
        assert await scripted.evaluate("window.n = (window.n || 0) + 1", request_id="a") == 1
    assert await scripted.evaluate("window.n") == 1
    with pytest.raises(RemoteError) as caught:
        await scripted.evaluate("window.n = 7", request_id="a")
    assert caught.value.reason == "REQUEST_ID_REUSED"
    assert await scripted.evaluate("window.n") == 1
