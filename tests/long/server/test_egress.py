"""What a page may reach, through a real service and Chromium: hosts, origins, schemes, and how a refusal is told."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

import pytest
from prometheus_client import REGISTRY

from perception.client import AsyncClient, AsyncPage, RemoteError, steps
from perception.server.app import Service
from perception.v1 import session_service_pb2 as pb
from tests.support.kept_contexts import ending_contexts
from tests.support.live import Show
from tests.support.waiting import title_of

pytestmark = pytest.mark.usefixtures("kept_contexts")


@pytest.fixture
def page(shared_page: AsyncPage) -> AsyncPage:
    return shared_page


@pytest.fixture(scope="module")
async def leaving(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """A session whose pages try to open what they may not."""
    page = await client.open()
    yield page
    await page.close()


class Outside:
    """A server at 127.0.0.2, which the service does not allow. It counts connections."""

    def __init__(self) -> None:
        self.hits = 0
        outside = self

        class Handler(BaseHTTPRequestHandler):
            def setup(self) -> None:
                outside.hits += 1
                super().setup()

            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.2", 0), Handler)
        self.server.daemon_threads = True
        self.place = f"127.0.0.2:{self.server.server_address[1]}"


@pytest.fixture
def outside() -> Iterator[Outside]:
    outside = Outside()
    thread = threading.Thread(target=outside.server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield outside
    outside.server.shutdown()
    outside.server.server_close()
    thread.join()


def shown(site: str, body: str) -> str:
    return f"{site}/html?body={quote(body)}"


def blocked(why: str) -> float:
    return REGISTRY.get_sample_value("perception_egress_blocked_total", {"reason": why}) or 0.0


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("fetch('http://BAD/', {mode: 'no-cors'})", id="fetch"),
        pytest.param("fetch('https://BAD/', {mode: 'no-cors'})", id="https"),
        pytest.param("fetch('/redirect?to=http://BAD/', {mode: 'no-cors'})", id="redirect"),
        pytest.param("new Promise(done => { new WebSocket('ws://BAD/').onerror = done })", id="socket"),
        pytest.param(
            "new Promise(done => { const i = new Image(); i.onerror = done; i.src = 'http://BAD/' })", id="image"
        ),
    ],
)
async def test_what_a_page_asks_of_a_private_host_never_arrives(
    shared_scripted: AsyncPage, write_scripted: Show, outside: Outside, script: str
) -> None:
    await write_scripted("<title>Here</title>")
    before = blocked("loopback")
    await shared_scripted.evaluate(f"Promise.resolve({script.replace('BAD', outside.place)}).then(() => 1, () => 0)")
    assert outside.hits == 0
    assert blocked("loopback") > before


async def look_until_refused(page: AsyncPage, url: str) -> None:
    await page.navigate(url)
    while True:
        await page.snapshot(mode="MODE_TEXT")


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
async def test_a_redirect_to_a_private_host_is_reported_and_not_followed(
    page: AsyncPage, site: str, outside: Outside, code: int
) -> None:
    with pytest.raises(RemoteError) as caught:
        await page.navigate(f"{site}/redirect?to=http://{outside.place}/&code={code}")
    assert (caught.value.code.name, caught.value.reason) == ("PERMISSION_DENIED", "ORIGIN_BLOCKED")
    assert caught.value.metadata == {"host": "127.0.0.2", "why": "loopback"}
    assert "--allow-host 127.0.0.2" in str(caught.value)
    assert outside.hits == 0
    assert (await page.snapshot(mode="MODE_TEXT")).url == "about:blank"


async def test_a_page_that_goes_there_by_itself_is_left_and_the_next_call_reports_it(
    page: AsyncPage, site: str, outside: Outside
) -> None:
    script = f"setTimeout(() => {{ location = 'http://{outside.place}/' }}, 500)"
    with pytest.raises(RemoteError) as caught:
        await look_until_refused(page, shown(site, f"<title>Here</title><script>{script}</script>"))
    assert caught.value.reason == "ORIGIN_BLOCKED"
    assert outside.hits == 0


async def test_back_to_a_forbidden_origin_is_reported(client: AsyncClient, site: str) -> None:
    port = site.rpartition(":")[2]
    async with await client.open(allowed_origins=[site], url="") as page:
        await page.navigate(shown(site, f"<a href='http://localhost:{port}/inner.html'>Go</a>"))
        with pytest.raises(RemoteError) as caught:
            await page.click("a")
        assert caught.value.reason == "ORIGIN_BLOCKED"
        assert "allowed_origins" in str(caught.value)
        assert caught.value.metadata == {"host": "localhost", "why": "origin"}


async def test_a_session_with_origins_sends_nothing_elsewhere(client: AsyncClient, site: str, other_site: str) -> None:
    """The other site is allowed to the service, and to other sessions."""
    script = f"fetch('{other_site}/inner.html', {{mode: 'no-cors'}}).then(() => 'reached', () => 'failed')"
    async with await client.open(f"{site}/inner.html", allow_evaluate=True) as page:
        assert await page.evaluate(script) == "reached"
    before = blocked("origin")
    async with await client.open(f"{site}/inner.html", allow_evaluate=True, allowed_origins=[site]) as page:
        assert await page.evaluate(script) == "failed"
        with pytest.raises(RemoteError) as caught:
            await page.navigate(f"{other_site}/inner.html")
        assert caught.value.reason == "ORIGIN_BLOCKED"
        request = pb.GetSessionRequest(session_id=page.session_id)
        assert list((await client.call(client.sessions.GetSession, request)).session.options.allowed_origins) == [site]
    assert blocked("origin") > before


async def test_a_session_is_not_created_for_a_url_outside_its_origins(
    service: Service, client: AsyncClient, site: str, other_site: str
) -> None:
    count = len(service.context.sessions.sessions)
    with pytest.raises(RemoteError) as caught:
        await client.open(f"{other_site}/inner.html", allowed_origins=[site])
    assert caught.value.reason == "ORIGIN_BLOCKED"
    assert len(service.context.sessions.sessions) == count


async def test_the_browsers_and_the_proxies_ports_are_out_of_reach(
    service: Service, client: AsyncClient, site: str
) -> None:
    async with await client.open(f"{site}/inner.html", allow_evaluate=True) as page:
        session = service.context.sessions.get(page.session_id)
        assert session.browser.egress is not None
        for port in (session.host.endpoint.rpartition(":")[2], session.browser.egress.port):
            for name in ("127.0.0.1", "localhost"):
                script = f"fetch('http://{name}:{port}/json/version', {{mode: 'no-cors'}}).then(() => 1, () => 0)"
                assert await page.evaluate(script) == 0


@pytest.mark.parametrize("url", ["tel:+4930123", "zoommtg://example.org/join", "ftp://127.0.0.1/"])
async def test_a_link_that_asks_for_a_program_leaves_the_tab_as_it_is(leaving: AsyncPage, site: str, url: str) -> None:
    """Chromium asks whoever sits before it, after a moment, and its question would take all input from then on."""
    await leaving.navigate(shown(site, f"<a href='{url}'>Call</a><button onclick='document.title += 1'>Count</button>"))
    for wanted in ("1", "11", "111"):
        await leaving.click(steps.named("link", "Call"), skip_diff=True)
        await asyncio.sleep(0.7)
        await leaving.click(steps.named("button", "Count"), skip_diff=True)
        assert await title_of(leaving) == wanted
    assert len(await leaving.tabs()) == 1


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "chrome://version",
        "chrome://crash",
        "chrome-untrusted://terminal",
        "devtools://devtools/bundled/inspector.html",
        "view-source:http://127.0.0.1/",
        "filesystem:http://127.0.0.1/temporary/x",
        "data:text/html,<title>Data</title>",
        "ftp://127.0.0.1/",
    ],
)
async def test_no_page_leads_to_another_scheme(service: Service, leaving: AsyncPage, site: str, url: str) -> None:
    """By itself, in a window, in a frame, or where somebody clicks."""
    ways = (
        f"window.open('{url}')",
        f"document.body.append(Object.assign(document.createElement('iframe'), {{src: '{url}'}}))",
        f"const a = Object.assign(document.createElement('a'), {{href: '{url}'}}); document.body.append(a); a.click()",
        f"location = '{url}'",
    )
    browser = service.context.sessions.get(leaving.session_id).browser
    buttons = (f'<button onclick="document.title = {at}; {way}">Go</button>' for at, way in enumerate(ways))
    scheme = url.partition(":")[0]
    here = shown(site, "<title>Here</title>" + "".join(buttons))
    for at, way in enumerate(ways):
        if at == 0 or not browser.tab().link.url.startswith(site):  # Chromium may show an error in its place
            await leaving.navigate(here)
        await leaving.click(steps.named("button", "Go", at), skip_diff=True)
        assert await browser.tab().page.title() == str(at) or not browser.tab().page.url.startswith(site)
        await asyncio.gather(*(tab.page.title() for tab in browser.tabs))
        frames = [frame.url for tab in browser.tabs for frame in tab.page.frames]
        in_tab = [tab.page.url for tab in browser.tabs]
        assert not [each for each in in_tab if not each.startswith((site, "about:blank", "chrome-error:"))], way
        assert scheme == "data" or not [each for each in frames if each.startswith(f"{scheme}:")], way
    for tab in await leaving.tabs():
        if tab.opener_tab_id:
            await leaving.close_tab(tab.tab_id)


async def test_what_a_page_makes_itself_is_shown(page: AsyncPage, site: str) -> None:
    body = (
        "<iframe srcdoc='<button>Inside</button>'></iframe><iframe src='data:text/html,<button>Data</button>'></iframe>"
    )
    await page.navigate(shown(site, body))
    text = (await page.snapshot(mode="MODE_TEXT")).text
    assert '"Inside"' in text
    assert '"Data"' in text


async def test_a_closed_session_leaves_no_proxy(service: Service, client: AsyncClient, site: str) -> None:
    page = await client.open(f"{site}/inner.html")
    egress = service.context.sessions.get(page.session_id).browser.egress
    assert egress is not None
    with ending_contexts():
        await page.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", egress.port)
    assert not egress.connections
