"""Recording a real page: what is done, what is sent, what must not be kept, and what the page must not notice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import pytest

from perception.subroutines.recording import Body, RecordedRequest, encode
from tests.support.sheet import Sheet
from tests.support.stage import Stage

FORM = """<!doctype html><meta name=csrf-token content=c5rf-91ab82cd73ef64><title>New</title>
<label>Name <input id=name name=name placeholder="First and last"></label>
<label>Password <input type=password name=pw></label>
<label>Role <select name=role><option value=a>Admin<option value=u>User</select></label>
<label><input type=checkbox name=news> News</label>
<div contenteditable aria-label=Note role=textbox></div>
<button id=save>Save</button> <button class=row>Edit</button> <button class=row>Edit</button>
<div id=host></div><iframe srcdoc="<button>Inside</button>"></iframe>"""


@pytest.fixture
async def stage(sheet: Sheet, site: str) -> AsyncIterator[Stage]:
    stage = Stage(sheet.tab, site)
    yield stage
    await stage.close()


async def sent_by(stage: Stage, script: str) -> RecordedRequest:
    """What was recorded of the one request that a script makes."""
    await stage.record("<!doctype html><title>Sends</title>")
    await stage.page.evaluate(script)
    sent = [each for each in (await stage.stop()).requests if each.method == "POST"]
    assert len(sent) == 1, sent
    return sent[0]


async def test_actions_are_reported_by_role_and_name(stage: Stage) -> None:
    await stage.record(FORM)
    page = stage.page
    await page.click("#name")
    await page.keyboard.type("Jane")
    await page.select_option("select", "u")
    await page.check("[name=news]")
    await page.click("[role=textbox]")
    await page.keyboard.type("hello")
    await page.click("#save")
    await page.click("button.row >> nth=1")
    await page.dblclick("#save")
    await page.press("#name", "Enter")
    done = [(each.kind, each.target.role, each.target.name, each.value) for each in (await stage.stop()).events]
    assert done[0][0] == "goto"
    assert done[1:] == [
        ("type", "textbox", "Name", "Jane"),
        ("select", "combobox", "Role", ["User"]),
        ("check", "checkbox", "News", True),
        ("type", "textbox", "Note", "hello"),
        ("click", "button", "Save", ""),
        ("click", "button", "Edit", ""),
        ("dblclick", "button", "Save", ""),
        ("press", "textbox", "Name", "Enter"),
    ]


async def test_one_of_several_equal_elements_is_identified_by_its_place(stage: Stage) -> None:
    await stage.record(FORM)
    await stage.page.click("button.row >> nth=1")
    target = (await stage.stop()).events[-1].target
    assert (target.nth, target.of, target.name) == (1, 2, "Edit")


async def test_element_in_a_frame_has_its_frame(stage: Stage) -> None:
    await stage.record(f"<iframe src='/html?body={quote('<button>Inside</button>')}'></iframe>")
    await stage.page.frame_locator("iframe").locator("button").click()
    assert (await stage.stop()).events[-1].target.frame == "/html"


async def test_frame_of_another_process_is_recorded_from_its_first_script_on(stage: Stage, other_site: str) -> None:
    inner = "<script>fetch('/early', {method: 'POST', body: '{}'})</script><button>Inside</button>"
    await stage.record(f"<iframe src='{other_site}/html?body={quote(quote(inner))}'></iframe>".replace("%25", "%"))
    await stage.page.frame_locator("iframe").locator("button").click()
    recording = await stage.stop()
    assert recording.events[-1].target.name == "Inside"
    assert [each.by for each in recording.requests if each.url.endswith("/early") and each.method == "POST"] == [
        "patch"
    ]


async def test_frame_of_another_process_that_an_action_opens_is_not_waited_for(stage: Stage, other_site: str) -> None:
    await stage.record(
        f"<button onclick=\"f.src='{other_site}/inner.html'\">Open</button><iframe id=f name=f></iframe>"
    )
    await stage.page.click("button")
    await stage.page.frame_locator("iframe").locator("body").wait_for()
    assert (await stage.stop()).open_requests == ()
    assert stage.deadline.remaining() > 20, "it waited for what had ended"


async def test_enter_that_sends_a_form_is_reported_once(stage: Stage) -> None:
    await stage.record("<form onsubmit='return false'><input aria-label=Find><button>Go</button></form>")
    await stage.page.fill("input", "x")
    await stage.page.press("input", "Enter")
    assert [each.kind for each in (await stage.stop()).events] == ["goto", "type", "press"]


async def test_click_on_a_label_is_reported_as_its_effect(stage: Stage) -> None:
    await stage.record("<label for=c>Agree</label><input type=checkbox id=c>")
    await stage.page.click("label")
    assert [(each.kind, each.target.name) for each in (await stage.stop()).events[1:]] == [("check", "Agree")]


async def test_secrets_are_never_kept(stage: Stage) -> None:
    await stage.record(FORM)
    await stage.page.fill("[name=pw]", "geheim-1234")
    await stage.page.evaluate(
        """() => fetch('/login?key=geheim-1234', {method: 'POST', headers: {Authorization: 'Bearer zxcvbnm1',
        'X-CSRF-Token': document.querySelector('meta').content}, body: JSON.stringify({pw: 'geheim-1234',
        csrf: document.querySelector('meta').content, session_token: 'abc'})}).then(() => 0)"""
    )
    recording = await stage.stop()
    text = encode(recording).decode()
    for secret in ("geheim", "zxcvbnm1", "c5rf-91ab82cd73ef64", '"abc"'):
        assert secret not in text
    login = next(each for each in recording.requests if "/login" in each.url)
    assert dict(login.headers)["x-csrf-token"] == "«token:meta:csrf-token»"
    assert login.body.json == {"pw": "«given:pw»", "csrf": "«token:meta:csrf-token»", "session_token": "«secret»"}


BODIES = [
    pytest.param("JSON.stringify({a: 1})", Body("json", json={"a": 1}, size=7), id="json"),
    pytest.param("new URLSearchParams({a: '1'})", Body("urlencoded", fields=(("a", "1"),), size=3), id="urlencoded"),
    pytest.param("'plain'", Body("text", text="plain", size=5), id="text"),
    pytest.param("new Uint8Array([1, 2, 3])", Body("bytes", size=3), id="bytes"),
    pytest.param("new Uint8Array([1, 2, 3]).buffer", Body("bytes", size=3), id="buffer"),
    pytest.param("new Blob(['abcd'], {type: 'image/png'})", Body("blob", size=4), id="blob"),
    pytest.param("undefined", Body(), id="none"),
]
SENDERS = [
    pytest.param("fetch('/x', {{method: 'POST', body: {0}}}).then(() => 0)", "fetch", id="fetch"),
    pytest.param(
        "new Promise((done) => {{ const x = new XMLHttpRequest(); x.open('POST', '/x'); x.onload = () => done(0); "
        "x.send({0}); }})",
        "xhr",
        id="xhr",
    ),
    pytest.param(
        "(() => {{ const x = new XMLHttpRequest(); x.open('POST', '/x', false); x.send({0}); return x.status; }})()",
        "xhr",
        id="sync-xhr",
    ),
]


@pytest.fixture(scope="module")
async def all_sent(sheet: Sheet, site: str) -> dict[tuple[str, str], list[RecordedRequest]]:
    """What was recorded of a page that sends every body in every way, by sender and body."""
    stage = Stage(sheet.tab, site)
    await stage.record("<!doctype html><title>Sends</title>")
    cases = {f"/x?case={sender.id}-{body.id}": (sender, body) for sender in SENDERS for body in BODIES}
    for url, (sender, body) in cases.items():
        await stage.page.evaluate(sender.values[0].format(body.values[0]).replace("'/x'", f"'{url}'"))
    requests = (await stage.stop()).requests
    return {
        (sender.values[0], body.values[0]): [each for each in requests if each.url == f"{site}{url}"]
        for url, (sender, body) in cases.items()
    }


@pytest.mark.parametrize(("sender", "kind"), SENDERS)
@pytest.mark.parametrize(("given", "body"), BODIES)
async def test_body_is_reported_by_kind(
    all_sent: dict[tuple[str, str], list[RecordedRequest]], sender: str, kind: str, given: str, body: Body
) -> None:
    sent = [(each.kind, each.method, each.by, each.status, each.body) for each in all_sent[sender, given]]
    assert sent == [(kind, "POST", "patch", 200, body)]


async def test_formdata_reports_its_files_by_name_and_size(stage: Stage) -> None:
    sent = await sent_by(
        stage,
        "() => { const f = new FormData(); f.append('a', '1'); f.append('cv', new File(['12345'], 'cv.txt', {type: "
        "'text/plain'})); return fetch('/x', {method: 'POST', body: f}).then(() => 0); }",
    )
    assert (sent.body.kind, sent.body.fields) == ("formdata", (("a", "1"),))
    assert sent.body.files == (("cv", "cv.txt", "text/plain", 5),)


async def test_beacon_is_reported(stage: Stage) -> None:
    sent = await sent_by(stage, "() => navigator.sendBeacon('/x', 'bye')")
    assert (sent.kind, sent.by, sent.body.text) == ("beacon", "patch", "bye")


async def test_worker_is_seen_by_the_network_alone(stage: Stage) -> None:
    sent = await sent_by(
        stage,
        """() => new Promise((done) => { const source = `fetch('${location.origin}/x', {method: 'POST', body: 'w'})
        .then(() => postMessage(0))`; const worker = new Worker(URL.createObjectURL(new Blob([source])));
        worker.onmessage = () => done(0); })""",
    )
    assert (sent.by, sent.status, sent.body.text) == ("network", 200, "w")


async def test_form_that_is_sent_by_a_person_or_a_script_is_reported_with_its_fields(stage: Stage) -> None:
    form = "<form method=post action='/x'><input name=a value=1><button>Send</button></form>"
    for send in ("document.querySelector('button').click()", "document.querySelector('form').submit()"):
        await stage.record(form)
        async with stage.page.expect_navigation():
            await stage.page.evaluate(send)
        sent = next(each for each in (await stage.stop()).requests if each.method == "POST")
        assert (sent.kind, sent.body.fields, sent.status) == ("document", (("a", "1"),), 200)


async def test_redirect_is_a_request_of_its_own(stage: Stage) -> None:
    await stage.record("<title>x</title>")
    await stage.page.evaluate("fetch('/redirect?to=/form.html').then(() => 0)")
    hops = [each for each in (await stage.stop()).requests if each.kind == "fetch"]
    assert [(each.status, bool(each.location)) for each in hops] == [(302, True), (200, False)]


UNNOTICED = """() => {
  const native = (f, name) => String(f) === `function ${name}() { [native code] }` && f.name === name;
  const found = [];
  const say = (what, ok) => { if (!ok) found.push(what); };
  say('fetch', native(fetch, 'fetch') && fetch.length === 1);
  say('open', native(XMLHttpRequest.prototype.open, 'open') && XMLHttpRequest.prototype.open.length === 2);
  say('send', native(XMLHttpRequest.prototype.send, 'send'));
  say('sendBeacon', native(Navigator.prototype.sendBeacon, 'sendBeacon'));
  say('submit', native(HTMLFormElement.prototype.submit, 'submit'));
  const shown = Function.prototype.toString;
  say('toString', native(shown, 'toString') && native(shown.toString, 'toString'));
  say('own', !('prototype' in fetch) && Object.getOwnPropertyNames(fetch).sort().join() === 'length,name');
  const about = Object.getOwnPropertyDescriptor(window, 'fetch');
  say('descriptor', about.writable && about.enumerable && about.configurable);
  say('globals', !Object.getOwnPropertyNames(window).some((name) => /^[0-9a-f]{12,}|perception/i.test(name)));
  const thrown = (f) => { try { f(); return ''; } catch (error) { return `${error.name}: ${error.message}`; } };
  say('new', thrown(() => new fetch('/x')) === 'TypeError: fetch is not a constructor');
  say('this', thrown(() => XMLHttpRequest.prototype.send.call({})) === 'TypeError: Illegal invocation');
  say('state', thrown(() => new XMLHttpRequest().send()).startsWith('InvalidStateError'));
  let read = 0;
  const init = { method: 'POST', get body() { read++; return 'x'; } };
  fetch('/x', init).catch(() => 0);
  say('getter', read === 1);
  return found.join();
}"""


async def test_page_does_not_notice_the_patch(stage: Stage) -> None:
    await stage.record("<title>Watches</title>")
    assert await stage.page.evaluate(UNNOTICED) == ""
    await stage.stop()


async def test_page_that_would_notice_a_patch_does(stage: Stage) -> None:
    await stage.open("<title>Watches</title>")
    assert await stage.page.evaluate(UNNOTICED) == ""
    await stage.page.evaluate(
        "() => { const plain = fetch; window.fetch = (...given) => plain(...given); window.perceptionX = 1; }"
    )
    assert {"fetch", "globals"} <= set((await stage.page.evaluate(UNNOTICED)).split(","))


BEHAVIOR: list[Any] = [
    pytest.param("fetch('http://[').catch((e) => e.name)", "TypeError", id="rejects-as-before"),
    pytest.param(
        "fetch('/form.html').then((r) => r.body.getReader().read()).then((r) => r.value.length > 0)", True, id="streams"
    ),
    pytest.param(
        "(() => { const c = new AbortController(); c.abort(); "
        "return fetch('/x', {signal: c.signal}).catch((e) => e.name); })()",
        "AbortError",
        id="aborts",
    ),
    pytest.param(
        "(async () => { const r = new Request('/x', {method: 'POST', body: 'b'}); await fetch(r); "
        "return r.bodyUsed; })()",
        True,
        id="takes-a-request",
    ),
    pytest.param("fetch.call(undefined, '/form.html').then((r) => r.status)", 200, id="this-undefined"),
]


@pytest.fixture(scope="module")
async def outcomes(sheet: Sheet, site: str) -> dict[str, tuple[Any, Any]]:
    """What each script comes to on a page that is not recorded, and on one that is."""
    stage = Stage(sheet.tab, site)
    await stage.open("<title>Plain</title>")
    plain = [await stage.page.evaluate(each.values[0]) for each in BEHAVIOR]
    await stage.record("<title>Recorded</title>")
    recorded = [await stage.page.evaluate(each.values[0]) for each in BEHAVIOR]
    await stage.stop()
    return {each.values[0]: (one, other) for each, one, other in zip(BEHAVIOR, plain, recorded, strict=True)}


@pytest.mark.parametrize(("script", "value"), BEHAVIOR)
async def test_patched_fetch_does_what_it_did(outcomes: dict[str, tuple[Any, Any]], script: str, value: Any) -> None:
    assert outcomes[script] == (value, value)


async def test_nothing_is_left_in_the_page_after_a_recording(stage: Stage) -> None:
    await stage.record("<title>x</title>")
    await stage.stop()
    await stage.open("<button>Later</button>")
    await stage.page.click("button")
    assert (
        await stage.page.evaluate("Object.getOwnPropertyNames(window).filter((name) => /perception/i.test(name))") == []
    )
    assert stage.recorder is not None
    assert stage.recorder.event_count == 1  # the page that was opened while it ran


async def test_page_that_is_recorded_a_second_time_is_reported_once(stage: Stage) -> None:
    await stage.record("<button onclick=\"fetch('/x', {method: 'POST', body: 'b'})\">Send</button>")
    await stage.stop()
    await stage.record_here("r2")
    async with stage.page.expect_response("**/x"):
        await stage.page.click("button")
    recording = await stage.stop()
    assert [each.kind for each in recording.events] == ["click"]
    assert [(each.by, each.body.text) for each in recording.requests] == [("patch", "b")]
    assert await stage.page.evaluate("String(fetch)") == "function fetch() { [native code] }"
