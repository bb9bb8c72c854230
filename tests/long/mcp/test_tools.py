"""The tools of the default profile, against a real service and a real Chromium."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from mcp import types

from perception.client import AsyncClient
from tests.long.mcp.conftest import ERAS, InProcess, Tools, text_of

pytestmark = pytest.mark.usefixtures("kept_contexts", "patient_service")

BODY = """<title>Orders</title><h1>Orders</h1><p id=told>Ready</p>
<label>Email <input id=email value=old></label><label><input type=checkbox id=express> Express</label>
<label>Country <select><option>Chile</option><option>Norway</option></select></label>
<button onclick="told.textContent = 'Saved ' + email.value">Save</button>
<button onclick="told.textContent = confirm('Really?') ? 'Gone' : 'Kept'">Delete</button>
<input type=file id=cv onchange="told.textContent = cv.files[0].name + ' ' + cv.files[0].size">
<button style="position:absolute;left:300px;top:400px;width:80px;height:40px"
onclick="told.textContent='Hit'">Far</button>"""


@pytest.fixture
def orders(site: str) -> str:
    return f"{site}/html?body={quote(BODY)}"


@pytest.mark.parametrize("era", ERAS)
async def test_tools_are_listed_with_true_annotations_and_no_output_schema(in_process: InProcess, era: str) -> None:
    async with in_process.connect(tools=(), mode=era) as tools:
        listed = {each.name: each for each in (await tools.client.list_tools()).tools}
    assert {"evaluate", "ask_user"}.isdisjoint(listed)
    assert all(each.output_schema is None for each in listed.values())
    hints = {name: each.annotations for name, each in listed.items()}
    assert [name for name, hint in hints.items() if hint and hint.read_only_hint] == [
        *("look", "find", "wait", "read", "screenshot"),
    ]
    assert hints["act"] is not None
    assert hints["act"].destructive_hint


async def test_open_shows_the_page_and_act_answers_with_what_changed(tools: Tools, orders: str) -> None:
    shown = await tools("open", url=orders)
    assert shown.startswith("session: ")
    assert "button Save" in shown
    assert shown.count("<untrusted-page ") == 2
    ref = next(line.split()[0] for line in shown.splitlines() if "button Save" in line)
    changed = await tools("act", steps=[{"do": "click", "target": ref}])
    assert '+ "Saved old"' in changed
    assert "button Delete" not in changed


async def test_a_batch_runs_in_order_and_answers_with_one_diff(tools: Tools, orders: str) -> None:
    await tools("open", url=orders)
    steps = [
        {"do": "fill", "target": "#email", "text": "new"},
        {"do": "type", "target": "#email", "text": "er"},
        {"do": "check", "target": "#express"},
        {"do": "select", "target": "select", "options": "Norway"},
        {"do": "click", "target": "button:first-of-type"},
    ]
    changed = await tools("act", steps=steps)
    assert [line for line in changed.splitlines() if line.endswith(": done")] == [
        *("1. fill #email: done", "2. type #email: done", "3. check #express: done", "4. select select: done"),
        "5. click button:first-of-type: done",
    ]
    assert '"Saved newer"' in changed
    assert changed.count("<untrusted-page ") == 1


async def test_a_batch_stops_at_the_first_failure_and_says_what_was_done(tools: Tools, orders: str) -> None:
    await tools("open", url=orders)
    steps = [
        {"do": "fill", "target": "#email", "text": "x"},
        {"do": "click", "target": "e99"},
        {"do": "press", "text": "a"},
    ]
    told = await tools.refused("act", steps=steps)
    assert "1. fill #email: done" in told
    assert "2. click e99: UNKNOWN_REF: " in told
    assert "1 more steps were not run" in told
    assert 'value "old" → "x"' in told


async def test_nothing_of_a_batch_runs_that_has_a_bad_step(tools: Tools, orders: str) -> None:
    await tools("open", url=orders)
    steps = [{"do": "click", "target": "button:first-of-type"}, {"do": "click", "target": "e 5"}]
    told = await tools.refused("act", steps=steps)
    assert told == "BAD_INPUT: act: steps[1].target is 'e 5': write the ref as e5"
    assert "nothing changed" in await tools("look", since="last")


async def test_a_dialog_in_the_middle_of_a_batch_stops_it_and_is_answered(tools: Tools, orders: str) -> None:
    await tools("open", url=orders)
    steps = [{"do": "click", "target": "button:nth-of-type(2)"}, {"do": "fill", "target": "#email", "text": "x"}]
    told = await tools.refused("act", steps=steps)
    assert "is open (confirm): " in told
    assert "Really?" in told
    assert "1 steps were not run" in told
    assert "DIALOG_OPEN" in await tools.refused("act", steps=steps[1:])
    assert "accepted" in await tools("dialog", accept="true")
    assert '"Gone"' in await tools("look")


async def test_a_look_takes_its_options_and_goes_on_by_cursor(tools: Tools, site: str) -> None:
    rows = "".join(f"<p><button>Button {at}</button></p>" for at in range(200))
    await tools("open", url=f"{site}/html?body={quote(rows)}")
    shown = await tools("look", scope="page", view="Interactive", max_tokens="120")
    cursor = shown.rpartition("look with cursor=")[2].strip()
    assert "px below (scroll, or look with scope=page)" in await tools("look")
    assert "Button 0" in shown
    assert cursor
    assert "Button 0\n" not in await tools("look", cursor=cursor)
    assert "mode is 'blurred': it takes one of text, fused, vision" in await tools.refused("look", mode="blurred")


async def test_what_changed_since_an_action_is_asked_with_the_options_of_its_diff(tools: Tools, orders: str) -> None:
    await tools("open", url=orders)
    await tools("look", root="#told", mode="text")
    assert '"Saved old"' in await tools("act", do="click", target="button:first-of-type")
    assert "nothing changed since" in await tools("look", since="last")
    await tools("look", root="#told", mode="text")
    assert "nothing changed since" in await tools("look", since="last")


async def test_find_read_and_tabs_answer_in_words(tools: Tools, orders: str) -> None:
    await tools("open", url=orders)
    assert ' button "Save" — ' in (await tools("find", query="the Save button")).splitlines()[1]
    assert "nothing on the page fits" in await tools("find", name="No such thing at all")
    assert "# Orders" in await tools("read")
    assert (await tools("tabs")).startswith("* t1 <untrusted-page ")


async def test_points_of_a_small_screenshot_hit_what_they_show(in_process: InProcess, orders: str) -> None:
    async with in_process.connect() as tools:
        caller = in_process.backend
        page = await (await caller.caller()).open(viewport=(2000, 1000, 2))
        handle = page.page.session_id
        try:
            await tools("open", url=orders, session=handle)
            result = await tools.client.call_tool("screenshot", {"session": handle})
            image = next(each for each in result.content if isinstance(each, types.ImageContent))
            assert text_of(result).startswith("1568×784 px, 0.784 image px per CSS px")
            assert len(base64.b64decode(image.data)) > 1000
            x, y = 340 * 0.784, 420 * 0.784
            told = await tools("act", session=handle, steps=[{"do": "click", "target": f"img:{x:.0f},{y:.0f}"}])
            assert '"Hit"' in told
            await tools("screenshot", session=handle, full_page=True)
            refused = await tools.refused("act", session=handle, do="click", target="img:1,1")
            assert "shows the whole page" in refused
        finally:
            await tools("close", session=handle)


async def test_files_are_uploaded_by_their_bytes(tools: Tools, orders: str) -> None:
    await tools("open", url=orders)
    files = [{"name": "cv.txt", "base64": base64.b64encode(b"Worked.").decode()}]
    assert '"cv.txt 7"' in await tools("act", steps=[{"do": "upload", "target": "#cv", "files": files}])
    bad = [{"name": "cv.txt", "base64": "no base64!"}]
    assert "is not base64" in await tools.refused("act", steps=[{"do": "upload", "target": "#cv", "files": bad}])


async def test_a_script_answers_as_the_pages_words_and_one_that_throws_has_no_stack(tools: Tools, orders: str) -> None:
    await tools("open", url=orders)
    assert '"Ready"' in await tools("evaluate", script="told.textContent")
    told = await tools.refused("evaluate", script="(() => { throw new Error('broken') })()")
    assert told.startswith("SCRIPT: ")
    assert "broken" in told
    assert " at " not in told


async def test_two_handles_are_two_sessions_side_by_side(tools: Tools, orders: str, site: str) -> None:
    first = (await tools("open", url=orders)).split()[1]
    second = (await tools("open", url=f"{site}/form.html", session="new")).split()[1]
    assert first != second
    assert "Orders" in await tools("look")
    assert "Orders" not in await tools("look", session=second)
    await tools("close", session=second)
    gone = await tools.refused("look", session=second)
    assert gone.startswith("UNKNOWN_SESSION: ")
    assert "open a new session with open" in gone


async def test_without_a_session_the_error_says_how_to_open_one(tools: Tools, orders: str) -> None:
    assert await tools.refused("look") == "BAD_INPUT: no session is open: call open with a url first"
    await tools("open", url=orders)
    handle = (await tools("close")).split()[1]
    assert "no session is open" in await tools.refused("look")
    assert (await tools("open", url=orders)).split()[1] != handle


async def test_an_unknown_tool_is_named_with_its_likeness(tools: Tools) -> None:
    told = await tools.refused("screenshoot")
    assert "there is no tool 'screenshoot' (did you mean 'screenshot'?)" in told


async def test_a_page_that_opens_with_a_dialog_is_answered_with_its_handle(tools: Tools, site: str) -> None:
    told = await tools.refused("open", url=f"{site}/html?body={quote('<h1>Hi</h1><script>alert(1)</script>')}")
    assert told.startswith("session: ")
    assert "DIALOG_OPEN: " in told
    await tools("dialog", accept=True)
    assert "# Hi" in await tools("look")


async def test_a_session_that_could_not_go_anywhere_is_closed(tools: Tools, client: AsyncClient) -> None:
    before = len(await client.open_sessions())
    await tools.refused("open", url="http://192.168.1.1/", session="new")
    assert len(await client.open_sessions()) == before


async def test_a_private_host_is_refused_with_its_reason(tools: Tools) -> None:
    assert (await tools.refused("open", url="http://192.168.1.1/")).startswith("ORIGIN_BLOCKED: ")
    assert (await tools.refused("open", url="file:///etc/passwd")).startswith("SCHEME_BLOCKED: ")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("action", ["accept", "decline"])
async def test_the_user_is_asked_in_both_eras(in_process: InProcess, era: str, action: str) -> None:
    asked: list[str] = []

    async def answer(_: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action=action, content={"answer": "1234"} if action == "accept" else None)

    async with in_process.connect(mode=era, elicitation_callback=answer) as tools:
        result = await tools.client.call_tool("ask_user", {"question": "Which code?"})
    assert asked == ["Which code?"]
    expected = ("1234", False) if action == "accept" else ("the user declined to answer", True)
    assert (text_of(result), bool(result.is_error)) == expected


async def test_a_client_that_cannot_ask_is_told_so(tools: Tools) -> None:
    assert "cannot ask its user" in await tools.refused("ask_user", question="Which code?")


async def test_a_session_is_opened_and_shown_as_a_device(in_process: InProcess, site: str) -> None:
    async with in_process.connect("default", ("default", "devices", "evaluate")) as tools:
        assert "393 x 659 CSS px at scale 3, with mobile layout and touch" in await tools("devices", device="iPhone 15")
        await tools("open", url=f"{site}/html?body={quote('<button>Go</button>')}")
        assert "iPhone" in await tools("evaluate", script="navigator.userAgent")
        assert "700 x 659" in await tools("devices", width=700, mobile=False, tap="button")
        assert "there is no device 'iFone'" in await tools.refused("devices", device="iFone")
        assert "hold is for tap" in await tools.refused("devices", hold=1)


async def test_requests_are_blocked_and_answered_and_the_network_is_cut_off(in_process: InProcess, site: str) -> None:
    asking = """<script>
    const ask = (url) => fetch(url).then((reply) => reply.text()).catch(() => "failed");
    Promise.all([ask("/ads.js"), ask("/api/items")]).then((told) => { document.body.append(told.join(" and ")); });
    </script>"""
    page = f"{site}/html?body={quote(asking)}"
    async with in_process.connect("default", ("default", "route")) as tools:
        await tools("open", url="about:blank")
        assert await tools("route") == "no request is blocked or answered here"
        told = await tools("route", block="*/ads.js", answer=[{"url": "*/api/items", "body": "[7]"}])
        assert told.splitlines() == ["blocked: */ads.js", "answered with 200, 3 bytes: */api/items"]
        assert "failed and [7]" in await tools("open", url=page)
        assert await tools("route", block=[]) == "answered with 200, 3 bytes: */api/items"
        assert "failed" not in await tools("open", url=page)
        assert "the network is cut off" in await tools("route", offline=True)
        assert "ERR_INTERNET_DISCONNECTED" in await tools.refused("open", url=page)
        assert "the network is as before" in await tools("route", offline=False, answer=[])
        assert "[7]" not in await tools("open", url=page)
        assert "status" in await tools.refused("route", answer=[{"url": "a", "status": 99}])


async def test_rules_for_headers_which_a_program_has_set_are_not_lost(
    in_process: InProcess, client: AsyncClient
) -> None:
    page = await client.open()
    rule = {"url_pattern": "/api", "headers": {"set_request": [{"name": "Authorization", "value": "Bearer 1"}]}}
    await page.set_network_rules([rule])
    async with in_process.connect("default", ("default", "route")) as tools:
        assert await tools("route", session=page.session_id) == "headers are changed: /api"
        assert "rules with headers" in await tools.refused("route", session=page.session_id, block="/ads")


async def test_files_are_listed_read_and_printed(in_process: InProcess, site: str) -> None:
    async with in_process.connect("default", ("default", "files")) as tools:
        await tools(
            "open", url=f"{site}/html?body={quote('<a href=/file?name=a.txt&size=50000>Get</a><input type=file>')}"
        )
        assert await tools("files") == "this session has no download and no open file chooser"
        assert "download d1 " in await tools("act", steps=[{"do": "click", "target": "a"}])
        first = await tools("files", read="d1")
        assert "x" * 40_000 in first
        assert "10000 more bytes: read it with offset 40000" in first
        assert "x" * 10_000 in await tools("files", read="d1", offset=40_000)
        assert "download d2 " in await tools("files", print=True, pages="1")
        assert "download d2 is not text: " in await tools("files", read="d2")
        assert "offset is for read" in await tools.refused("files", offset=1)
        assert "UNKNOWN_DOWNLOAD" in await tools.refused("files", read="d9")
        opened = await tools("act", steps=[{"do": "click", "target": "input"}])
        assert "file chooser t1.f1 is open (one file): an upload without a target answers it" in opened
        refused = await tools.refused("act", steps=[{"do": "click", "target": "a"}])
        assert "answer it with an upload without a target, or dismiss it with dialog" in refused
        assert await tools("dialog", accept=False) == "dismissed the file chooser"
        gone = await tools("open", url=f"{site}/file?name=b.txt&size=9")
        assert "the address is a file: the tab keeps its page" in gone
        assert "b.txt" in gone
        assert "Get" in gone
