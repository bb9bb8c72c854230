"""Fixtures of the lanes that use a browser: a real service on a real socket, a real Chromium, and pages on loopback.

A plugin of pytest, which those lanes load: its fixtures are the same for all of them, so a process has one service.
"""

from __future__ import annotations

import statistics
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, urlsplit

import pytest
import structlog
from playwright.async_api import Error as PlaywrightError

from perception.browser.browser_session import BrowserSession, SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.launch import LaunchOptions
from perception.client import AsyncClient, AsyncPage, aconnect
from perception.deadline import Deadline
from perception.server.app import Service
from perception.server.settings import Settings
from tests.paths import PAGES
from tests.support.kept_contexts import keeping_contexts
from tests.support.patience import FOR_ANSWERS, FOR_LOOKS, long_patience
from tests.support.processes import FORKED_SERVICES, NO_MODELS
from tests.support.shared_sessions import SharedSession
from tests.support.sheet import Sheet

# Standard output may be that of a command that runs beside a service.
structlog.configure(logger_factory=lambda *_: structlog.PrintLogger(sys.stderr))

QUIET_SUM_SECONDS = 0.065
"""What the sum in `pace` takes on a core of an AMD EPYC with nothing beside (Python 3.11)."""

Show = Callable[[str], Awaitable[None]]
"""Opens a page of that HTML in the test's session."""


class _Handler(SimpleHTTPRequestHandler):
    """Files of tests/pages, `/html?body=…`, and paths that misbehave."""

    stalled = threading.Event()

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path == "/never":  # accepts, and never answers
            self.stalled.wait(60)
        elif url.path == "/late":  # answers after `ms`
            asked = parse_qs(url.query)
            self.stalled.wait(int(asked["ms"][0]) / 1000)
            self._send(asked.get("body", [""])[0].encode())
        elif url.path == "/endless":  # a document whose picture never comes
            self._send(b"<title>Endless</title><button>Here</button><img src=/never>")
        elif url.path == "/sheet":  # an empty page, to be written into
            self._send(b"<!doctype html>")
        elif url.path == "/html":
            self._send(parse_qs(url.query)["body"][0].encode())
        elif url.path == "/redirect":
            asked = parse_qs(url.query)
            self.send_response(int(asked.get("code", ["302"])[0]))
            self.send_header("Location", asked["to"][0])
            self.end_headers()
        elif url.path == "/file":
            name, size = parse_qs(url.query)["name"][0], int(parse_qs(url.query)["size"][0])
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Disposition", f'attachment; filename="{name}"')
            self.send_header("Content-Length", str(size))
            self.end_headers()
            self.wfile.write(b"x" * size)
        elif url.path == "/status":
            self._send(b"<title>Gone</title><p>Gone</p>", int(parse_qs(url.query)["code"][0]))
        else:
            super().do_GET()

    def do_POST(self) -> None:
        """Whatever is sent is taken; with `code=` in the query the answer has that status."""
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        codes = parse_qs(urlsplit(self.path).query).get("code", ["200"])
        self._send(b"{}", int(codes[0]))

    def _send(self, body: bytes, code: int = 200) -> None:
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Browsers hang up in the middle of answers."""


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Origin of the test pages, `http://127.0.0.1:PORT`."""
    server = _Server(("127.0.0.1", 0), lambda *args: _Handler(*args, directory=str(PAGES)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    _Handler.stalled.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def pace() -> float:
    """How many times longer than on two quiet cores something takes here and now, at least 1.

    For the few tests whose claim is a time: they multiply what they allow by it.
    """
    took = []
    for _ in range(5):
        begun = time.perf_counter()
        sum(range(2_000_000))
        took.append(time.perf_counter() - begun)
    return max(1.0, statistics.median(took) / QUIET_SUM_SECONDS)


@pytest.fixture(scope="session")
def other_site(site: str) -> str:
    """The same pages as another site, so that frames of it are in another process."""
    return site.replace("127.0.0.1", "localhost")


@pytest.fixture(scope="session")
async def host() -> AsyncIterator[BrowserHost]:
    host = await BrowserHost.start(LaunchOptions(), Deadline.of(30))
    yield host
    await host.close()


@pytest.fixture
async def browser(host: BrowserHost) -> AsyncIterator[BrowserSession]:
    session = await host.new_session(SessionOptions(), lambda _: None, Deadline.of(20))
    yield session
    await session.close()


@pytest.fixture(scope="session")
async def shared_session(host: BrowserHost) -> AsyncIterator[BrowserSession]:
    session = await host.new_session(SessionOptions(), lambda _: None, Deadline.of(20))
    yield session
    await session.close()


@pytest.fixture
async def shared_browser(shared_session: BrowserSession) -> BrowserSession:
    """One session for all tests that only read pages: a session costs three times what a page costs.

    A module whose tests leave nothing behind in the session calls it `browser`. Each test begins with an empty page of
    its own: `set_content` alone would keep the last page's globals. Whatever crashes, hangs, stores, or opens tabs
    takes a session of its own.
    """
    page = shared_session.tab().page
    try:
        await page.goto("about:blank")
    except PlaywrightError:  # "interrupted": it has only now heard of the last test's, over our own connection
        await page.wait_for_url("about:blank")
    return shared_session


@pytest.fixture(scope="session")
async def sheet(host: BrowserHost, site: str) -> AsyncIterator[Sheet]:
    """A tab for all tests that write a page and read it. What hangs, stores or opens tabs takes another one."""
    session = await host.new_session(SessionOptions(), lambda _: None, Deadline.of(60))
    yield Sheet(session, site)
    await session.close()


@pytest.fixture(scope="session")
async def service(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Service]:
    address = f"unix:{tmp_path_factory.mktemp('service') / 'socket'}"
    uploads = tmp_path_factory.mktemp("uploads")
    (uploads / "cv.txt").write_text("Worked.")
    (uploads / "photo.png").write_bytes(b"\x89PNG")
    allowed = ("127.0.0.1", "localhost")
    data = tmp_path_factory.mktemp("data")
    service = Service(
        Settings(
            address=address,
            allow_hosts=allowed,
            max_sessions=8,  # some are kept for tests that share them
            upload_dir=uploads,
            max_download_mib=1,
            max_session_uploads_mib=1,
            data_dir=data,
        )
    )
    await service.start()
    yield service
    await service.stop()


@pytest.fixture(scope="module")
async def quick_services(service: Service) -> AsyncIterator[dict[str, str]]:
    """Environment of a `perception(...)` whose services start at once: they are forked, use the browser of the tests'
    service, and load no models. For tests that say nothing of a service's start, and nothing of its browser."""
    browsers = service.context.sessions.browsers
    host = await browsers.take_shared(Deadline.of(60))
    yield {**FORKED_SERVICES, "PERCEPTION_CDP_ENDPOINT": host.endpoint, **NO_MODELS}
    await browsers.release(host)


@pytest.fixture(scope="session")
async def client(service: Service) -> AsyncIterator[AsyncClient]:
    client = await aconnect(service.context.settings.address, timeout_s=30)
    yield client
    await client.close()


@pytest.fixture
async def page(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """A session of its own for one test."""
    page = await client.open()
    yield page
    await page.close()


@pytest.fixture(scope="session")
async def shared_sessions(service: Service, client: AsyncClient, site: str) -> AsyncIterator[dict[str, SharedSession]]:
    shared = {
        "plain": SharedSession(service, client, site),
        "scripted": SharedSession(service, client, site, allow_evaluate=True),
    }
    yield shared
    for each in shared.values():
        await each.close()


@pytest.fixture
async def shared_page(shared_sessions: dict[str, SharedSession]) -> AsyncIterator[AsyncPage]:
    """A session that other tests used before. A module whose tests need no new one calls it `page`."""
    yield await shared_sessions["plain"].take()
    await shared_sessions["plain"].give_back()


@pytest.fixture
async def shared_scripted(shared_sessions: dict[str, SharedSession]) -> AsyncIterator[AsyncPage]:
    """As `shared_page`, and it runs scripts."""
    yield await shared_sessions["scripted"].take()
    await shared_sessions["scripted"].give_back()


@pytest.fixture(scope="module")
async def kept_contexts() -> AsyncIterator[None]:
    """Sessions begin in browser contexts of earlier ones. For modules whose tests open a session each."""
    async with keeping_contexts():
        yield


@pytest.fixture(scope="module")
def patient_service() -> Iterator[None]:
    """Answers have all that comes, however busy the machine is. For modules whose pages answer, and leave nothing out
    that is waited for."""
    with long_patience(*FOR_ANSWERS, *FOR_LOOKS):
        yield


@pytest.fixture
def patient_answers() -> Iterator[None]:
    """What an action set off, such as a tab, a download or a line of the console, is in its answer on a busy machine
    too. For modules whose tests read it there, and some of whose pages do not answer."""
    with long_patience(*FOR_ANSWERS):
        yield


@pytest.fixture
def write(shared_sessions: dict[str, SharedSession], shared_page: AsyncPage) -> Show:
    """Shows a page of that HTML in the session of `shared_page`, without a navigation (see `Sheet`)."""
    return shared_sessions["plain"].write


@pytest.fixture
def write_scripted(shared_sessions: dict[str, SharedSession], shared_scripted: AsyncPage) -> Show:
    """As `write`, for `shared_scripted`."""
    return shared_sessions["scripted"].write


@pytest.fixture
async def show(page: AsyncPage, site: str) -> Show:
    async def open_page(html: str) -> None:
        await page.navigate(f"{site}/html?body={quote(html)}")

    return open_page


@pytest.fixture
async def scripted(client: AsyncClient) -> AsyncIterator[AsyncPage]:
    """A session that runs scripts."""
    page = await client.open(allow_evaluate=True)
    yield page
    await page.close()
