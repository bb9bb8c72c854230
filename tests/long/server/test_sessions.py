"""Sessions, navigation and tabs over real gRPC, and every way they can be asked wrongly."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import grpc
import pytest

from perception.browser.page import navigation
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.server.app import Service
from perception.server.settings import Settings
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import detection_service_pb2 as detection_pb
from perception.v1 import extraction_service_pb2 as extraction_pb
from perception.v1 import network_service_pb2 as network_pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as pb
from perception.v1 import subroutine_service_pb2 as subroutine_pb
from perception.v1 import types_pb2
from tests.support.early_ends import early_ends
from tests.support.kept_contexts import ending_contexts
from tests.support.lent_browser import borrowing
from tests.support.silent_site import silent_site
from tests.support.waiting import again_and_again, until

pytestmark = pytest.mark.usefixtures("kept_contexts")

CONTRACT = (
    (pb, "SessionService"),
    (perception_pb, "PerceptionService"),
    (detection_pb, "DetectionService"),
    (action_pb, "ActionService"),
    (extraction_pb, "ExtractionService"),
    (subroutine_pb, "SubroutineService"),
    (network_pb, "NetworkService"),
)


@pytest.fixture(scope="module")
async def still(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """One session for the tests that go nowhere."""
    page = await client.open()
    yield page
    await page.close()


async def go(client: AsyncClient, page: AsyncPage, name: str, **fields: Any) -> Any:
    request = getattr(pb, f"{name}Request")(session_id=page.session_id, **fields)
    return (await client.call(getattr(client.sessions, name), request)).result


async def test_a_session_is_listed_until_it_is_closed(client: AsyncClient, site: str) -> None:
    page = await client.open(f"{site}/inner.html", locale="de-DE")
    get = pb.GetSessionRequest(session_id=page.session_id)
    session = (await client.call(client.sessions.GetSession, get)).session
    assert session.tabs[0].url == f"{site}/inner.html"
    assert session.options.locale == "de-DE"
    listed = (await client.call(client.sessions.ListSessions, pb.ListSessionsRequest())).sessions
    assert page.session_id in {each.session_id for each in listed}
    await page.close()
    with pytest.raises(RemoteError) as caught:
        await client.call(client.sessions.GetSession, get)
    assert caught.value.code is grpc.StatusCode.NOT_FOUND
    assert caught.value.reason == "UNKNOWN_SESSION"


async def test_the_limit_on_sessions_is_reported_and_released(service: Service, tmp_path: Path) -> None:
    settings = Settings(address=f"unix:{tmp_path / 'socket'}", data_dir=tmp_path / "data", max_sessions=2)
    async with borrowing(service, settings), await aconnect(settings.address, timeout_s=60) as client:
        pages = [await client.open() for _ in range(2)]
        with pytest.raises(RemoteError) as caught:
            await client.open()
        assert caught.value.code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "all 2 sessions" in str(caught.value)
        for page in pages:
            await page.close()
        await (await client.open()).close()


async def test_the_same_request_id_gives_the_same_session(client: AsyncClient) -> None:
    request = pb.CreateSessionRequest(request_id="once")
    first = (await client.call(client.sessions.CreateSession, request)).session
    again = (await client.call(client.sessions.CreateSession, request)).session
    assert first.session_id == again.session_id
    request.options.locale = "de-DE"
    with pytest.raises(RemoteError, match="by an earlier CreateSession with other parameters") as caught:
        await client.call(client.sessions.CreateSession, request)
    assert caught.value.reason == "REQUEST_ID_REUSED"
    await AsyncPage(client, first.session_id).close()


async def test_navigation_and_history(
    client: AsyncClient, page: AsyncPage, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(navigation, "NAVIGATION_SETTLE_SECONDS", 15.0)  # a busy machine loads a page in more than 5 s
    result = await page.navigate(f"{site}/form.html")
    assert (result.title, result.http_status) == ("Form", 200)
    assert result.settle.verdict == types_pb2.Settle.VERDICT_SETTLED
    await page.navigate(f"{site}/inner.html")
    assert (await go(client, page, "GoBack")).title == "Form"
    assert (await go(client, page, "GoForward")).title == "Inner"
    assert (await go(client, page, "Reload", ignore_cache=True)).title == "Inner"
    with pytest.raises(RemoteError) as caught:
        await go(client, page, "GoForward")
    assert caught.value.reason == "NO_HISTORY"


async def test_navigation_within_a_document(client: AsyncClient, page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/form.html")
    assert (await page.navigate(f"{site}/form.html#address")).url.endswith("#address")
    assert (await go(client, page, "GoBack")).url == f"{site}/form.html"


@pytest.mark.parametrize(
    ("script", "way"),
    [
        pytest.param("location.reload()", "Navigate", id="reloads"),
        pytest.param("location.reload()", "GoBack", id="reloads, back"),
        pytest.param("at.searchParams.set('n', Math.random()); location = at", "Navigate", id="goes on"),
        pytest.param("f.body.value = at.searchParams.get('body'); f.submit()", "Navigate", id="submits a form"),
    ],
)
async def test_a_page_that_goes_away_by_itself_again_and_again_is_left(
    client: AsyncClient, page: AsyncPage, site: str, script: str, way: str
) -> None:
    html = f"<form id=f><input name=body></form><script>const at = new URL(location); {script}</script>"
    for _ in range(3):  # it took the tab back every other time
        await page.navigate(f"{site}/form.html")
        await go(client, page, "Navigate", url=f"{site}/html?body={quote(html)}", wait_until=pb.WAIT_UNTIL_COMMIT)
        await asyncio.sleep(1)
        left = await (page.navigate(f"{site}/form.html") if way == "Navigate" else go(client, page, way))
        assert left.title == "Form"
        await asyncio.sleep(0.1)
        assert (await page.snapshot(mode="text")).title == "Form"


@pytest.mark.parametrize(
    ("script", "way"),
    [
        ("history.replaceState(0, '', at)", "Navigate"),
        ("location.replace(at)", "Navigate"),
        ("history.replaceState(0, '', at)", "Reload"),
    ],
)
async def test_a_page_that_changes_its_address_while_it_leaves_is_not_taken_for_the_next(
    client: AsyncClient, page: AsyncPage, site: str, script: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(navigation, "NAVIGATION_SETTLE_SECONDS", 0.5)
    html = f"""<script>
      if (performance.getEntriesByType('navigation')[0].type == 'reload') document.write('<img src=/never>');
      const busy = () => {{ const end = performance.now() + 60; while (performance.now() < end) ; }};
      setInterval(() => {{ const at = '#' + Math.random(); {script}; busy() }}, 5);
    </script>"""
    for _ in range(3):
        await page.navigate(f"{site}/html?body={quote(html)}")
        result = await (page.navigate(f"{site}/endless") if way == "Navigate" else go(client, page, way))
        assert list(result.settle.pending) == ["load"]


async def test_going_back_to_a_page_that_fails_is_an_error_as_opening_it_is(
    client: AsyncClient, page: AsyncPage, site: str
) -> None:
    await page.navigate(f"{site}/inner.html")
    closed = "http://127.0.0.1:9/"  # nothing listens there
    with contextlib.suppress(RemoteError):
        await page.navigate(closed)
    await page.navigate(f"{site}/form.html")
    for name in ("GoBack", "Reload"):
        with pytest.raises(RemoteError) as caught:
            await go(client, page, name)
        assert caught.value.reason == "NAVIGATION_FAILED"
        assert closed in str(caught.value)
        assert "net::ERR_" in str(caught.value)
    assert (await go(client, page, "GoForward")).title == "Form"
    assert (await page.snapshot(mode="text")).title == "Form"


async def test_an_error_page_is_a_page(page: AsyncPage, site: str) -> None:
    result = await page.navigate(f"{site}/status?code=404")
    assert (result.title, result.http_status) == ("Gone", 404)


async def test_a_load_that_never_comes_is_reported_and_not_waited_for(page: AsyncPage, site: str) -> None:
    result = await page.navigate(f"{site}/endless")
    assert result.settle.verdict == types_pb2.Settle.VERDICT_PENDING
    assert list(result.settle.pending) == ["load"]
    assert '"Here"' in (await page.snapshot(mode="MODE_TEXT")).text


async def test_a_server_that_never_answers_costs_only_the_deadline(
    service: Service, client: AsyncClient, page: AsyncPage, site: str, pace: float
) -> None:
    await page.navigate(f"{site}/inner.html")
    request = pb.NavigateRequest(session_id=page.session_id, url=f"{site}/never")
    start = time.monotonic()
    with early_ends(service) as more, pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.sessions.Navigate(request, timeout=more + 1.5)
    assert time.monotonic() - start < 5 * pace  # far from any timeout of ours
    error = RemoteError.of(caught.value)
    assert error.code is grpc.StatusCode.DEADLINE_EXCEEDED
    assert error.metadata["phase"] == "waiting for the server's response"
    assert (await page.snapshot(mode="MODE_TEXT")).title == "Inner"


async def test_a_page_that_hangs_from_the_start_can_be_left(
    service: Service, client: AsyncClient, page: AsyncPage, site: str
) -> None:
    request = pb.NavigateRequest(session_id=page.session_id, url=f"{site}/html?body=<script>while (true);</script>")
    # Whether Chromium still reports the commit before the script takes over is a matter of chance.
    with early_ends(service) as more:
        await settle(client.sessions.Navigate(request, timeout=more + 1))
    assert (await page.navigate(f"{site}/inner.html")).title == "Inner"


@pytest.mark.parametrize(
    ("way", "shown", "behind", "ahead"),
    [
        ("Navigate", "Other", ["Hung", "First"], []),
        ("GoBack", "First", [], ["Hung"]),
        ("GoForward", "Next", ["Hung", "First"], []),
        ("Reload", "Hung", ["First"], []),
    ],
)
async def test_the_history_of_a_hung_page_has_only_pages_that_were_opened(
    service: Service,
    client: AsyncClient,
    page: AsyncPage,
    site: str,
    way: str,
    shown: str,
    behind: list[str],
    ahead: list[str],
) -> None:
    """The empty page that takes the place of a hung one is no page that a caller has seen."""
    for title in ("First", "Hung", "Next"):
        await page.navigate(f"{site}/html?body=<title>{title}</title>")
    await go(client, page, "GoBack")
    link = service.context.sessions.get(page.session_id).browser.tab().link
    await link.session.start("Runtime.evaluate", expression="setTimeout(() => { while (true); }); 0")
    other = {"url": f"{site}/html?body=<title>Other</title>"} if way == "Navigate" else {}
    assert (await go(client, page, way, **other)).title == shown
    assert [(await go(client, page, "GoBack")).title for _ in behind] == behind
    for title in [*behind[-2::-1], *([shown] if behind else []), *ahead]:
        assert (await go(client, page, "GoForward")).title == title
    with pytest.raises(RemoteError, match="there is no page to go forward to"):
        await go(client, page, "GoForward")


async def test_an_address_without_content_is_no_page_and_the_tab_stays(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/inner.html")
    with pytest.raises(RemoteError, match="has no content"):
        await page.navigate(f"{site}/status?code=204")
    assert (await page.snapshot(mode="MODE_TEXT")).title == "Inner"


@pytest.mark.parametrize(
    ("url", "code", "reason", "said"),
    [
        pytest.param("", "INVALID_ARGUMENT", "BAD_URL", "no scheme", id="empty"),
        pytest.param("example.org", "INVALID_ARGUMENT", "BAD_URL", "https://example.org", id="no-scheme"),
        pytest.param("localhost:8765", "INVALID_ARGUMENT", "BAD_URL", "write http://localhost:8765", id="local"),
        pytest.param("127.0.0.1:80/a", "INVALID_ARGUMENT", "BAD_URL", "write http://127.0.0.1:80/a", id="address"),
        pytest.param("http://", "INVALID_ARGUMENT", "BAD_URL", "names no host", id="no-host"),
        pytest.param("http://a b/", "INVALID_ARGUMENT", "BAD_URL", "host", id="space"),
        pytest.param("http://h:99999/", "INVALID_ARGUMENT", "BAD_URL", "Port", id="port"),
        pytest.param("file:///etc/passwd", "PERMISSION_DENIED", "SCHEME_BLOCKED", "http, https", id="file"),
        pytest.param("chrome://settings", "PERMISSION_DENIED", "SCHEME_BLOCKED", "chrome:", id="chrome"),
        pytest.param("javascript:alert(1)", "PERMISSION_DENIED", "SCHEME_BLOCKED", "javascript:", id="javascript"),
        pytest.param("view-source:http://a/", "PERMISSION_DENIED", "SCHEME_BLOCKED", "view-source", id="view-source"),
        pytest.param("http://10.0.0.1/", "PERMISSION_DENIED", "ORIGIN_BLOCKED", "--allow-host", id="private"),
        pytest.param("http://169.254.169.254/", "PERMISSION_DENIED", "ORIGIN_BLOCKED", "local", id="metadata"),
        pytest.param("http://2130706434/", "PERMISSION_DENIED", "ORIGIN_BLOCKED", "local", id="decimal"),
        pytest.param("http://0x7f.2/", "PERMISSION_DENIED", "ORIGIN_BLOCKED", "local", id="hex"),
        pytest.param("http://[::ffff:10.0.0.1]/", "PERMISSION_DENIED", "ORIGIN_BLOCKED", "local", id="mapped"),
        pytest.param("http://x.localhost:9/", "PERMISSION_DENIED", "ORIGIN_BLOCKED", "local", id="localhost-name"),
        pytest.param("http://10.0.0.1\\@example.com/", "INVALID_ARGUMENT", "BAD_URL", "host", id="backslash"),
        pytest.param("http://loc%61lhost/", "INVALID_ARGUMENT", "BAD_URL", "host", id="escaped-host"),
        pytest.param("http://127.0.0.1:1/", "UNAVAILABLE", "NAVIGATION_FAILED", "not open this port", id="refused"),
        pytest.param("http://no.such.host.invalid/", "UNAVAILABLE", "NAVIGATION_FAILED", "net::ERR", id="unresolved"),
    ],
)
async def test_urls_that_are_not_opened(still: AsyncPage, url: str, code: str, reason: str, said: str) -> None:
    with pytest.raises(RemoteError) as caught:
        await still.navigate(url)
    assert (caught.value.code.name, caught.value.reason) == (code, reason)
    assert said in str(caught.value)
    assert (await still.snapshot(mode="MODE_TEXT")).snapshot_id


async def test_an_address_that_speaks_no_https_is_to_be_opened_without(still: AsyncPage, site: str) -> None:
    with pytest.raises(RemoteError, match=r"ERR_SSL_PROTOCOL_ERROR.*try http://"):
        await still.navigate(site.replace("http:", "https:"))


async def test_a_redirect_to_a_blocked_host_is_taken_back(page: AsyncPage, site: str) -> None:
    port = site.rsplit(":", 1)[1]
    with pytest.raises(RemoteError) as caught:
        await page.navigate(f"{site}/redirect?to=http://127.0.0.2:{port}/inner.html")
    assert caught.value.reason in ("ORIGIN_BLOCKED", "NAVIGATION_FAILED")
    assert (await page.snapshot(mode="MODE_TEXT")).title != "Inner"


async def test_a_link_to_a_blocked_host_leads_nowhere(page: AsyncPage, site: str) -> None:
    port = site.rsplit(":", 1)[1]
    await page.navigate(f"{site}/html?body=<a href='http://127.0.0.1.nip.localhost:{port}/inner.html'>Go</a>")
    with pytest.raises(RemoteError) as caught:
        await page.click("a")
    assert caught.value.reason == "ORIGIN_BLOCKED"
    assert (await page.snapshot(mode="MODE_TEXT")).url == "about:blank"


async def test_a_page_out_of_the_back_forward_cache_keeps_its_refs_apart(
    client: AsyncClient, page: AsyncPage, site: str
) -> None:
    body = "<title>T</title><button>Delete</button><button id=b onclick='document.body.prepend(this)'>Move</button>"
    await page.navigate(f"{site}/html?body={body}")
    before = {each.name: each.ref for each in (await page.snapshot(mode="MODE_TEXT")).elements}
    await page.click("#b")
    await page.navigate(f"{site}/inner.html")
    await go(client, page, "GoBack")
    after = {each.name: each.ref for each in (await page.snapshot(mode="MODE_TEXT")).elements}
    for name, ref in before.items():
        assert after[name] == ref or ref not in after.values()


async def test_closing_a_session_ends_its_navigation_at_once(client: AsyncClient) -> None:
    page = await client.open()
    async with silent_site() as (url, asked):
        going = asyncio.ensure_future(page.navigate(url))
        await asyncio.wait_for(asked.wait(), 30)
        with ending_contexts():
            await page.close()
        with pytest.raises(RemoteError) as caught:
            await going
    assert caught.value.reason == "SESSION_LOST"


async def test_a_script_reports_that_its_session_was_closed(client: AsyncClient) -> None:
    page = await client.open(allow_evaluate=True)
    async with silent_site() as (url, asked):
        running = asyncio.ensure_future(page.evaluate(f"fetch('{url}', {{mode: 'no-cors'}})"))
        await asyncio.wait_for(asked.wait(), 30)
        with ending_contexts():
            await page.close()
        with pytest.raises(RemoteError, match="the session was closed while this call was under way") as caught:
            await running
    assert caught.value.reason == "SESSION_LOST"


async def test_sessions_that_were_cancelled_are_not_kept(service: Service, client: AsyncClient) -> None:
    count = len(service.context.sessions.sessions)
    for _ in range(3):
        async with silent_site() as (url, asked):
            with ending_contexts():
                call = client.sessions.CreateSession(pb.CreateSessionRequest(url=url), timeout=30)
                await asyncio.wait_for(asked.wait(), 30)
                call.cancel()
                await settle(call)
                await until(lambda: len(service.context.sessions.sessions) == count)
    page = await client.open()
    assert len(service.context.sessions.sessions) == count + 1
    await page.close()


@pytest.mark.parametrize(
    ("options", "field"),
    [
        pytest.param({"viewport": {"width": 0, "height": 5}}, "options.viewport", id="no-width"),
        pytest.param({"viewport": {"width": 9000, "height": 5}}, "options.viewport", id="too-wide"),
        pytest.param({"timezone": "Mars/Olympus"}, "options.timezone", id="timezone"),
        pytest.param({"allowed_origins": ["https://ok.example", "a.b"]}, "options.allowed_origins[1]", id="origin"),
        pytest.param({"allowed_origins": ["https://a.example/path"]}, "options.allowed_origins[0]", id="origin-path"),
        pytest.param({"allowed_origins": ["https://*"]}, "options.allowed_origins[0]", id="origin-any"),
    ],
)
async def test_session_options_that_cannot_be(client: AsyncClient, options: dict[str, Any], field: str) -> None:
    request = pb.CreateSessionRequest(options=pb.SessionOptions(**options))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.sessions.CreateSession(request, timeout=20)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert field.encode() in dict(map(tuple, caught.value.trailing_metadata()))["grpc-status-details-bin"]


async def test_unknown_tab(client: AsyncClient, page: AsyncPage) -> None:
    with pytest.raises(RemoteError) as caught:
        await go(client, page, "Navigate", tab_id="t9", url="about:blank")
    assert caught.value.reason == "UNKNOWN_TAB"
    assert "t1" in str(caught.value)


async def test_every_rpc_of_the_contract_is_served(client: AsyncClient) -> None:
    unserved = []
    for service in (module.DESCRIPTOR.services_by_name[name] for module, name in CONTRACT):
        for method in service.methods:
            path = f"/{service.full_name}/{method.name}"
            try:
                if method.server_streaming:
                    await client.channel.unary_stream(path)(b"", timeout=20).read()
                elif method.name != "CreateSession":  # it would make one
                    await client.channel.unary_unary(path)(b"", timeout=20)
            except grpc.aio.AioRpcError as exc:
                unserved += [path] if exc.code() is grpc.StatusCode.UNIMPLEMENTED else []
    assert unserved == []


async def test_a_page_that_hangs_costs_only_its_call(
    service: Service, client: AsyncClient, page: AsyncPage, site: str
) -> None:
    await page.navigate(f"{site}/html?body=<title>Busy</title>")
    link = service.context.sessions.get(page.session_id).browser.tab().link
    await link.session.start("Runtime.evaluate", expression="setTimeout(() => { while (true); }); 0")
    options = perception_pb.SnapshotOptions(mode="MODE_TEXT")
    request = perception_pb.CaptureSnapshotRequest(session_id=page.session_id, options=options)
    with early_ends(service) as more, pytest.raises(grpc.aio.AioRpcError) as caught:
        await again_and_again(lambda: client.perception.CaptureSnapshot(request, timeout=more + 1))
    assert RemoteError.of(caught.value).reason == "DEADLINE"
    assert (await page.snapshot(mode="MODE_TEXT")).title == "Busy"
    assert (await page.navigate(f"{site}/inner.html")).title == "Inner"


async def test_a_frame_that_hangs_is_omitted_and_reported(client: AsyncClient, site: str, other_site: str) -> None:
    with ending_contexts():
        async with silent_site() as (url, asked), await client.open() as page:
            hang = f"const x = new XMLHttpRequest(); x.open('GET', '{url}', false); x.send()"
            script = quote(f"<script>onload = () => setTimeout(() => {{ {hang} }}, 100)</script>")
            body = f"<button>Here</button><iframe title=Busy src='{other_site}/html?body={script}'></iframe>"
            await page.navigate(f"{site}/html?body={quote(body)}")
            await asyncio.wait_for(asked.wait(), 30)
            snapshot = await page.snapshot(mode="MODE_TEXT")
    assert '"Here"' in snapshot.text
    assert [(each.name, each.reason) for each in snapshot.skipped] == [("frame Busy", "it did not answer in time")]


async def test_a_tab_whose_page_crashed_can_be_used_again(
    service: Service, client: AsyncClient, page: AsyncPage, site: str
) -> None:
    await page.navigate(f"{site}/form.html")
    link = service.context.sessions.get(page.session_id).browser.tab().link
    link.session.start("Page.crash").add_done_callback(lambda done: done.exception())
    with pytest.raises(RemoteError) as caught:
        await again_and_again(lambda: page.snapshot(mode="MODE_TEXT"))
    assert caught.value.reason == "PAGE_CRASHED"
    assert (await go(client, page, "Reload")).title == "Form"
    save = next(each for each in (await page.snapshot(mode="MODE_TEXT")).elements if each.name == "Save")
    await page.click(save.ref)
    assert (await page.snapshot(mode="MODE_TEXT")).title == "saved"
    tabs = (await client.call(client.sessions.ListTabs, pb.ListTabsRequest(session_id=page.session_id))).tabs
    assert [tab.tab_id for tab in tabs] == ["t1"]


async def test_tabs_that_are_closed_by_many_at_once(client: AsyncClient, page: AsyncPage) -> None:
    """Whoever comes late hears that the tab is gone, and never of what Chromium says to that."""
    for _ in range(5):
        calls = []
        for name in ("CloseTab", "SelectTab", "CloseTab", "SelectTab"):
            request = getattr(pb, f"{name}Request")(session_id=page.session_id)
            calls.append(client.call(getattr(client.sessions, name), request))
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        reasons = {each.reason for each in outcomes if isinstance(each, RemoteError)}
        assert reasons <= {"UNKNOWN_TAB", "PAGE_CHANGING"}


async def test_cancelled_calls_leave_the_tab_intact(client: AsyncClient, page: AsyncPage, site: str) -> None:
    go_there = pb.NavigateRequest(session_id=page.session_id, url=f"{site}/form.html")
    look = perception_pb.CaptureSnapshotRequest(session_id=page.session_id)
    click = action_pb.ClickRequest(session_id=page.session_id, target=types_pb2.Target(selector="h1"))
    for delay_ms in range(0, 120, 10):
        calls = [
            client.sessions.Navigate(go_there, timeout=20),
            client.perception.CaptureSnapshot(look, timeout=20),
            client.actions.Click(click, timeout=20),
        ]
        await asyncio.sleep(delay_ms / 1000)
        for call in calls:
            call.cancel()
        await asyncio.gather(*map(settle, calls))
    assert (await page.navigate(f"{site}/inner.html")).title == "Inner"
    assert '"Inner button"' in (await page.snapshot()).text


async def settle(call: Any) -> None:
    with contextlib.suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
        await call


async def test_a_hung_tab_does_not_stall_another(service: Service, client: AsyncClient, site: str) -> None:
    with ending_contexts():
        async with silent_site() as (url, asked), await client.open() as page:
            hang = f"const x = new XMLHttpRequest(); x.open('GET', '{url}', false); x.send()"
            button = quote(f'<button onclick="{hang}">Hang</button>')
            await page.navigate(f"{site}/html?body={button}")
            other = await client.open(f"{site}/inner.html")
            click = action_pb.ClickRequest(session_id=page.session_id, target=types_pb2.Target(selector="button"))
            with early_ends(service) as more:
                hung = asyncio.ensure_future(client.actions.Click(click, timeout=more + 3))
                await asyncio.wait_for(asked.wait(), 30)
            assert (await other.snapshot(mode="MODE_TEXT")).title == "Inner"
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await hung
            assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
            assert RemoteError.of(caught.value).metadata["input_dispatched"] == "true"
            await other.close()
