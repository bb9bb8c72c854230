"""A real service on a real socket, a real Chromium, and pages of our own on loopback."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import structlog
from hypothesis import settings
from playwright.async_api import Error as PlaywrightError

from perception.browser.browser_session import BrowserSession, SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.launch import LaunchOptions
from perception.client import AsyncClient, AsyncPage, aconnect
from perception.deadline import Deadline
from perception.server.app import Service
from perception.server.settings import Settings

settings.register_profile("house", deadline=None)  # speed is measured in bench/, never asserted
settings.load_profile("house")

# Standard output may be that of a command that runs beside a service.
structlog.configure(logger_factory=lambda *_: structlog.PrintLogger(sys.stderr))

PAGES = Path(__file__).parent / "pages"
GOLDENS = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--refresh-goldens", action="store_true", help="write tests/golden again, to be reviewed as a diff"
    )
    parser.addoption("--changes", default=120, help="random changes of tests/engine/test_look_ahead.py")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    from tests.scheduling import make_scheduler

    return make_scheduler(config, log) if config.getoption("dist") == "load" else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, as tests of pages wait a good part of their time; each takes about 1.5 GB."""
    return min(os.cpu_count() or 1, 4) + 1


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput"):  # a worker of pytest-xdist
        from tests.scheduling import order_files

        order_files(items)


@pytest.fixture
def check_golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Holds a text to the file of that name in tests/golden, or writes it with --refresh-goldens."""

    def check(name: str, text: str) -> None:
        path = GOLDENS / name
        if request.config.getoption("--refresh-goldens"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        assert text == path.read_text("utf-8")

    return check


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
            max_sessions=4,
            upload_dir=uploads,
            max_download_mib=1,
            max_session_uploads_mib=1,
            data_dir=data,
        )
    )
    await service.start()
    yield service
    await service.stop()


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
