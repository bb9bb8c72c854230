"""State of real sessions: exported, imported, exchanged with Playwright."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import urlsplit

import pytest

from perception.bench.pages.local_site import serve_handler
from perception.browser import browser_session
from perception.browser.cdp.cdp_link import CdpLink
from perception.browser.chromium.browser_host import BrowserHost
from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.server.app import Service

WRITE = """async () => {
    localStorage.setItem('token', 't0k3n');
    const open = indexedDB.open('app', 3);
    open.onupgradeneeded = () => {
        const users = open.result.createObjectStore('users', {keyPath: 'id'});
        users.createIndex('by name', ['name', 'born'], {unique: true});
        users.put({id: 1, name: 'Ada', born: new Date(Date.UTC(1815, 11, 10))});
        const blobs = open.result.createObjectStore('bytes', {autoIncrement: true});
        blobs.put(new Uint8Array([1, 2, 250]));
        blobs.put(new Map([['a', new Set([1n, NaN, undefined])]]));
        blobs.put([1, , -0]);
    };
    await new Promise((resolve, reject) => { open.onsuccess = resolve; open.onerror = reject; });
    open.result.close();
}"""

READ = """async () => {
    const open = indexedDB.open('app');
    await new Promise((resolve, reject) => { open.onsuccess = resolve; open.onerror = reject; });
    const all = name => new Promise(resolve => {
        const asked = open.result.transaction(name).objectStore(name).getAll();
        asked.onsuccess = () => resolve(asked.result);
    });
    const [users, bytes] = [await all('users'), await all('bytes')];
    const index = open.result.transaction('users').objectStore('users').index('by name');
    const [version, key] = [open.result.version, index.keyPath];
    open.result.close();
    return [localStorage.getItem('token'), version, key, index.unique, users[0].born.getTime(), [...bytes[0]],
        [...bytes[1].get('a')].map(String), Object.is(bytes[2][2], -0)];
}"""

WRITTEN = [
    "t0k3n",
    3,
    ["name", "born"],
    True,
    -4861728000000,
    [1, 2, 250],
    ["1", "NaN", "undefined"],
    True,
]


FORGET = """async () => {
    delete localStorage.more;
    for (const { name } of await indexedDB.databases()) {
        if (name !== 'app') await new Promise(done => { indexedDB.deleteDatabase(name).onsuccess = done; });
    }
}"""
"""Leaves what WRITE has written."""


class _Shop(BaseHTTPRequestHandler):
    """A site with a login: `/in` sets the cookie, `/` says whether it came, and `/wait` answers when it may."""

    asked, may_answer = threading.Event(), threading.Event()

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path == "/wait":
            self.asked.set()
            self.may_answer.wait(60)
        body = "<title>in</title>" if "sid=s3cret" in self.headers.get("Cookie", "") else "<title>out</title>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        if path == "/in":
            self.send_header("Set-Cookie", "sid=s3cret; HttpOnly; Path=/; Max-Age=3600")
            self.send_header("Set-Cookie", "session=1; Path=/")
        self.end_headers()
        self.wfile.write(f"<!doctype html>{body}<p>Hello</p>".encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    with serve_handler(_Shop) as origin:
        yield origin


@pytest.fixture(scope="module")
async def user(client: AsyncClient, shop: str) -> AsyncIterator[AsyncPage]:
    page = await client.open(f"{shop}/in", allow_evaluate=True)
    await page.evaluate(WRITE)
    yield page
    await page.close()


@pytest.fixture
async def logged_in(user: AsyncPage) -> AsyncIterator[AsyncPage]:
    yield user
    await user.evaluate(FORGET)


async def _title(page: AsyncPage) -> str:
    return (await page.snapshot(mode="text", view="digest")).title


async def test_login_moves_to_another_session(client: AsyncClient, logged_in: AsyncPage, shop: str) -> None:
    exported = await logged_in.export_state()
    assert (exported.cookie_count, exported.origin_count, list(exported.omitted)) == (2, 1, [])
    async with await client.open(f"{shop}/", state=exported.state, allow_evaluate=True) as other:
        assert await _title(other) == "in"
        assert await other.evaluate(READ) == WRITTEN
        again = await other.export_state()
        assert json.loads(again.state)["origins"] == json.loads(exported.state)["origins"]
        assert [tab.url for tab in await other.tabs()] == [f"{shop}/"]


async def test_state_of_playwright_and_ours_are_the_same_file(
    host: BrowserHost, client: AsyncClient, logged_in: AsyncPage, shop: str
) -> None:
    ours = json.loads((await logged_in.export_state()).state)
    context = await host._browser.new_context(storage_state=ours)
    page = await context.new_page()
    await page.goto(f"{shop}/")
    assert await page.title() == "in"
    assert await page.evaluate(READ) == WRITTEN
    theirs: Any = await context.storage_state(indexed_db=True)
    await context.close()
    assert _comparable(theirs) == _comparable(ours)
    async with await client.open(f"{shop}/", state=theirs, allow_evaluate=True) as back:
        assert await back.evaluate(READ) == WRITTEN


def _comparable(state: Any) -> Any:
    """Cookies in any order, their times as whole seconds; databases without Playwright's ids of shared values."""
    cookies = sorted(({**each, "expires": int(each["expires"])} for each in state["cookies"]), key=lambda c: c["name"])
    databases = [
        (each["name"], each["version"], sorted(store["name"] for store in each["stores"]))
        for each in state["origins"][0]["indexedDB"]
    ]
    return cookies, state["origins"][0]["localStorage"], databases


async def test_storage_that_was_imported_and_not_visited_is_exported(client: AsyncClient, shop: str) -> None:
    state = {
        "cookies": [],
        "origins": [{"origin": "https://never.example", "localStorage": [{"name": "a", "value": "b"}]}],
    }
    async with await client.open(state=state) as page:
        exported = json.loads((await page.export_state()).state)
    assert exported["origins"] == [{**state["origins"][0], "indexedDB": []}]


async def test_import_into_an_open_session_keeps_what_it_has(
    client: AsyncClient, logged_in: AsyncPage, shop: str
) -> None:
    state = {
        "cookies": [],
        "origins": [{"origin": shop, "localStorage": [{"name": "more", "value": "m"}], "indexedDB": []}],
    }
    done = await logged_in.import_state(json.dumps(state))
    assert (done.origin_count, list(done.omitted)) == (1, [])
    assert await logged_in.evaluate("[localStorage.token, localStorage.more]") == ["t0k3n", "m"]
    assert await logged_in.evaluate(READ) == WRITTEN


async def test_database_that_a_page_holds_open_is_reported_and_kept(logged_in: AsyncPage, shop: str) -> None:
    await logged_in.evaluate(
        "new Promise(done => { const open = indexedDB.open('app'); open.onsuccess = () => {"
        " window.held = open.result; held.onversionchange = () => 0; done() } })"
    )
    store = {"name": "users", "records": [], "indexes": [], "autoIncrement": False, "keyPath": "id"}
    newer = {"name": "app", "version": 9, "stores": [store]}
    origin = {"origin": shop, "localStorage": [], "indexedDB": [newer]}
    done = await logged_in.import_state(json.dumps({"cookies": [], "origins": [origin]}))
    assert "a page of the session has it open" in done.omitted[0]
    assert "untrusted-page" in done.omitted[0]
    await logged_in.evaluate("held.close()")
    assert await logged_in.evaluate(READ) == WRITTEN


async def test_databases_over_the_limit_are_left_out_with_a_note(logged_in: AsyncPage) -> None:
    await logged_in.evaluate(
        """async () => {
            const open = indexedDB.open('huge', 1);
            open.onupgradeneeded = () => {
                const store = open.result.createObjectStore('s', {autoIncrement: true});
                for (let i = 0; i < 12; i++) store.put('x'.repeat(2 ** 20));
            };
            await new Promise(done => { open.onsuccess = done; });
            open.result.close();
        }"""
    )
    exported = await logged_in.export_state()
    assert "too large" in exported.omitted[0]
    assert [each["name"] for each in json.loads(exported.state)["origins"][0]["indexedDB"]] == ["app"]


async def test_values_that_no_state_holds_are_counted(logged_in: AsyncPage) -> None:
    await logged_in.evaluate(
        """async () => {
            const open = indexedDB.open('keys', 1);
            const pair = await crypto.subtle.generateKey({name: 'AES-GCM', length: 128}, false, ['encrypt']);
            open.onupgradeneeded = () => {
                const store = open.result.createObjectStore('s', {autoIncrement: true});
                store.put({pair});
                store.put(1);
            };
            await new Promise(done => { open.onsuccess = done; });
            open.result.close();
        }"""
    )
    exported = await logged_in.export_state()
    assert "1 records are left out, as a state holds no CryptoKey" in exported.omitted[0]


async def test_hung_page_does_not_keep_a_state_from_being_exported(logged_in: AsyncPage) -> None:
    hang = "const r = new XMLHttpRequest(); r.open('GET', '/wait', false); r.send(); r.status"
    hanging = asyncio.ensure_future(logged_in.evaluate(hang, timeout_s=60))
    try:
        assert await asyncio.to_thread(_Shop.asked.wait, 30)
        exported = await logged_in.export_state(timeout_s=30)
        assert (exported.cookie_count, hanging.done()) == (2, False)
    finally:
        _Shop.may_answer.set()
    assert await hanging == 200


async def test_page_sees_nothing_of_an_export(logged_in: AsyncPage) -> None:
    await logged_in.evaluate(
        "window.seen = []; ['storage', 'blur', 'visibilitychange'].forEach("
        "each => addEventListener(each, () => seen.push(each)))"
    )
    await logged_in.export_state()
    assert await logged_in.evaluate("[seen, document.visibilityState, document.hasFocus()]") == [[], "visible", True]


async def test_foreign_cookies_are_refused_and_nothing_is_taken(client: AsyncClient, shop: str) -> None:
    cookies = [
        {"name": "sid", "value": "s3cret", "domain": "127.0.0.1"},
        {"name": "x", "value": "h1dden", "domain": "other.example"},
    ]
    async with await client.open(allowed_origins=[shop]) as page:
        with pytest.raises(RemoteError, match=r"other\.example") as raised:
            await page.import_state(json.dumps(cookies))
        assert raised.value.reason == "STATE_ORIGIN_REFUSED"
        assert "h1dden" not in str(raised.value)
        await page.navigate(f"{shop}/")
        assert await _title(page) == "out"
    before = {each.session_id for each in await client.open_sessions()}
    with pytest.raises(RemoteError) as raised:
        await client.open(f"{shop}/", state=json.dumps(cookies), allowed_origins=[shop])
    assert raised.value.reason == "STATE_ORIGIN_REFUSED"
    assert {each.session_id for each in await client.open_sessions()} <= before  # older ones may end meanwhile


async def test_export_of_one_origin_has_nothing_of_others(client: AsyncClient, shop: str) -> None:
    state = {
        "cookies": [
            {"name": "a", "value": "1", "domain": "a.example"},
            {"name": "b", "value": "2", "domain": ".b.example"},
        ],
        "origins": [
            {"origin": f"https://{host}.example", "localStorage": [{"name": "k", "value": "v"}]} for host in "ab"
        ],
    }
    async with await client.open(state=state) as page:
        exported = json.loads((await page.export_state(origins=["https://x.b.example", "https://b.example"])).state)
    assert [each["name"] for each in exported["cookies"]] == ["b"]
    assert [each["origin"] for each in exported["origins"]] == ["https://b.example"]


async def test_expired_and_refused_cookies_are_reported(client: AsyncClient) -> None:
    async with await client.open() as page:
        old = [{"name": "old", "value": "1", "domain": "a.example", "expirationDate": time.time() - 5}]
        done = await page.import_state(json.dumps(old))
        assert (done.cookie_count, "expired" in done.omitted[0]) == (0, True)
        bad = [{"name": "__Host-a", "value": "s3cret", "domain": ".a.example", "hostOnly": False, "secure": True}]
        with pytest.raises(RemoteError, match="__Host-a") as raised:
            await page.import_state(json.dumps(bad))
        assert raised.value.reason == "STATE_INVALID"


async def test_session_takes_a_bare_cookie_of_http_and_says_what_it_leaves_out(client: AsyncClient, shop: str) -> None:
    bare: dict[str, Any] = {"name": "sid", "value": "s3cret", "domain": "127.0.0.1", "secure": False, "session": True}
    old = {"name": "old", "value": "1", "domain": "a.example", "expirationDate": time.time() - 5}
    async with await client.open(f"{shop}/", state=json.dumps([bare, old])) as page:
        assert await _title(page) == "in"
        assert page.state_omitted == ("1 cookies have expired: log in again for new ones",)


async def test_partitioned_cookie_keeps_its_partition(client: AsyncClient) -> None:
    cookie = {
        "name": "p",
        "value": "1",
        "domain": "widget.example",
        "path": "/",
        "secure": True,
        "sameSite": "None",
        "partitionKey": "https://top.example",
        "_crHasCrossSiteAncestor": True,
        "expires": -1,
        "httpOnly": True,
    }
    async with await client.open(state={"cookies": [cookie], "origins": []}) as page:
        assert json.loads((await page.export_state()).state)["cookies"] == [cookie]


async def test_state_is_not_in_the_answers_about_a_session(client: AsyncClient, shop: str) -> None:
    async with await client.open(state=json.dumps([{"name": "a", "value": "s3cret", "domain": "127.0.0.1"}])) as page:
        assert b"s3cret" not in (await page.state()).SerializeToString()


async def test_a_late_export_leaves_no_hidden_page_to_end_the_browser_with(
    service: Service, client: AsyncClient, shop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = await client.open(f"{shop}/in", allow_evaluate=True)
    await page.evaluate("localStorage.setItem('a', 'b')")
    link = _link_of(service)
    start, is_late = link.start, asyncio.Event()

    def start_late(session_id: str, method: str, params: dict[str, Any]) -> asyncio.Future[dict[str, Any]]:
        answer = start(session_id, method, params)
        return asyncio.ensure_future(_after(is_late, answer)) if method == "Target.createTarget" else answer

    monkeypatch.setattr(link, "start", start_late)
    with pytest.raises(RemoteError) as caught:
        await page.export_state(timeout_s=0.5)
    assert caught.value.reason == "DEADLINE"
    is_late.set()
    await page.close()
    async with asyncio.timeout(20):
        while any(each["type"] == "other" for each in await _targets(link)):  # noqa: ASYNC110  (the browser closes it)
            await asyncio.sleep(0.05)


async def test_a_session_is_closed_after_its_hidden_page_that_opens_late(
    service: Service, client: AsyncClient, shop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser_session, "SESSION_CLOSE_SECONDS", 0.2)
    bystander = await client.open(f"{shop}/in")
    page = await client.open(f"{shop}/in", allow_evaluate=True)
    await page.evaluate("localStorage.setItem('a', 'b')")
    link, events, is_late = _link_of(service), list[str](), asyncio.Event()
    start = link.start
    context = next(each for each in service.context.sessions.sessions if each.session_id == page.session_id)
    context.browser.context.on("close", lambda _: events.append("context"))

    def start_late(session_id: str, method: str, params: dict[str, Any]) -> asyncio.Future[dict[str, Any]]:
        if method == "Target.closeTarget":
            events.append("page")
        answer = start(session_id, method, params)
        return asyncio.ensure_future(_after(is_late, answer)) if method == "Target.createTarget" else answer

    monkeypatch.setattr(link, "start", start_late)
    with pytest.raises(RemoteError) as caught:
        await page.export_state(timeout_s=0.5)
    assert caught.value.reason == "DEADLINE"
    await page.close()
    assert events == []
    is_late.set()
    async with asyncio.timeout(20):
        while len(events) < 2:  # noqa: ASYNC110  (the browser closes both)
            await asyncio.sleep(0.02)
    assert events == ["page", "context"]
    assert json.loads((await bystander.export_state()).state)["origins"] == []
    await bystander.close()


async def _after(event: asyncio.Event, answer: asyncio.Future[dict[str, Any]]) -> dict[str, Any]:
    await event.wait()
    return await answer


def _link_of(service: Service) -> CdpLink:
    (host,) = service.context.sessions.browsers.all
    return host.link


async def _targets(link: CdpLink) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await link.session().start("Target.getTargets"))["targetInfos"]
    return found
