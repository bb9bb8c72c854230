"""Pages that update late or never quite rest, and the site that serves them."""

from __future__ import annotations

import json
import threading
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from urllib.parse import parse_qs, quote, unquote, urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from perception.bench.pages.local_site import QuietServer, SiteHandler, serving

HELD_SECONDS = 25.0
"""How long a long poll is held: as long as those of common chat servers."""

_PAGE = """<!doctype html><title>Case</title>HEAD<button id=b>Go</button><input id=field aria-label=Field><p id=out></p>
<script>const show = (text) => { out.textContent = text };
const slow = (ms, body, more = '') => `/slow?ms=${ms}&body=${encodeURIComponent(body)}${more}`;</script>BODY"""

_WORKER = """addEventListener('install', () => skipWaiting());
addEventListener('activate', (e) => e.waitUntil(clients.claim()));
addEventListener('fetch', (e) => { if (e.request.url.endsWith('/data')) e.respondWith(
new Promise((done) => setTimeout(() => done(new Response('RESULT')), 900))) });"""

_FILES = {
    "/serviced/worker.js": (_WORKER, "text/javascript"),
    "/serviced/page": ("<!doctype html><p>Serviced", "text/html"),
    "/hydrated": (
        "<!doctype html><title>Hydrated</title><div id=root></div><script defer src='/slow?ms=900&type=text/javascript&"
        "body=setTimeout(()=>{root.textContent=%22RESULT%22},200)'></script>",
        "text/html",
    ),
    "/refresh": (
        "<!doctype html><meta http-equiv=refresh content='1;url=/after'><p>You are being taken elsewhere.",
        "text/html",
    ),
    "/after": ("<!doctype html><title>After</title><p>RESULT", "text/html"),
}


@dataclass(frozen=True, slots=True)
class SettlingCase:
    """See settling_cases.toml. `updates` is False for a page at rest."""

    id: str
    body: str
    updates: bool
    act: str = "click"
    expect: str = "RESULT"
    later: str = ""
    kept: bool = False
    still: float = 0.0
    head: str = ""

    @property
    def kind(self) -> str:
        return "update" if self.updates else "rest"

    def url(self, origin: str) -> str:
        return f"{origin}/{self.kind}/{quote(self.id)}"


@cache
def settling_cases() -> tuple[SettlingCase, ...]:
    """All cases."""
    table = tomllib.loads(files(__package__).joinpath("settling_cases.toml").read_text("utf-8"))
    return tuple(
        SettlingCase(**row, updates=kind == "update") for kind in ("update", "rest") for row in table.get(kind, ())
    )


class _Site(QuietServer):
    socket_url: str
    failures: set[str]


class _CaseHandler(SiteHandler):
    server: _Site

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(url.query).items()}
        kind, _, name = unquote(url.path).removeprefix("/").partition("/")
        if kind in ("update", "rest"):
            case = next(each for each in settling_cases() if (each.kind, each.id) == (kind, name))
            page = _PAGE.replace("HEAD", case.head).replace("BODY", case.body)
            self._send(page.replace("SOCKET", json.dumps(self.server.socket_url)))
        elif url.path in _FILES:
            self._send(*_FILES[url.path])
        elif url.path == "/slow":
            self.server.ended.wait(float(asked["ms"]) / 1000)
            self._send(asked.get("body", ""), asked.get("type", "text/plain"))
        elif url.path == "/events":
            self._stream(float(asked["first"]) / 1000, float(asked["each"]) / 1000)
        elif url.path == "/chunks":
            self._chunks()
        elif url.path == "/file":
            self._send("x" * 1000, "application/octet-stream")
        elif url.path == "/once":
            key = asked["key"]
            self._send("RESULT", status=200 if key in self.server.failures else 503)
            self.server.failures.add(key)
        elif url.path == "/fail":
            self._send("", status=503)
        else:
            self.server.ended.wait(HELD_SECONDS)
            self._send("")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.do_GET()

    def _send(self, body: str, kind: str = "text/html", status: int = 200) -> None:
        self.respond(body, f"{kind}; charset=utf-8", status, Cache_Control="no-store")

    def _stream(self, first_s: float, each_s: float) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.flush()
        pause_s = first_s
        while not self.server.ended.wait(pause_s):
            self.wfile.write(f"data: {time.time()}\n\n".encode())
            self.wfile.flush()
            pause_s = each_s or HELD_SECONDS

    def _chunks(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        for part in ("<!doctype html><title>Chunks</title>", *(f"<p>part {n}</p>" for n in range(6)), "<p>RESULT</p>"):
            self.wfile.write(part.encode())
            self.wfile.flush()
            self.server.ended.wait(0.3)


def _answer_socket(connection: ServerConnection) -> None:
    """`{"after": ms, "say": text}` is answered once, `{"each": ms}` again and again."""
    with suppress(ConnectionClosed):
        for message in connection:
            asked = json.loads(message)
            if "say" in asked:
                time.sleep(asked["after"] / 1000)
                connection.send(asked["say"])
            while "each" in asked:
                time.sleep(asked["each"] / 1000)
                connection.send(str(time.time()))


@contextmanager
def serve_settling_cases() -> Iterator[str]:
    """The origin of the site, `http://127.0.0.1:PORT`."""
    with serve(_answer_socket, "127.0.0.1", 0) as sockets:
        server = _Site(("127.0.0.1", 0), _CaseHandler)
        server.failures = set()
        server.socket_url = f"ws://127.0.0.1:{sockets.socket.getsockname()[1]}"
        thread = threading.Thread(target=sockets.serve_forever, daemon=True)
        thread.start()
        try:
            with serving(server) as origin:
                yield origin
        finally:
            sockets.shutdown()
            thread.join()
