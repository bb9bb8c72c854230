"""Ways to hang, crash or stall a page, and the site that serves them."""

from __future__ import annotations

import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from urllib.parse import quote, unquote, urlsplit

STALL_SECONDS = 30.0
"""How long the site keeps a connection open that it never answers: longer than any way is looked at."""

TRICKLE_SECONDS = 0.1

PRESSED, TYPED = "was pressed", "was typed"
"""What a page says once its button was clicked, and what is typed into its field."""

_CONTROLS = f"<button id=b onclick='this.textContent = \"{PRESSED}\"'>Press</button><input id=i aria-label=Field>"
_AFTER = f"<!doctype html><title>After</title>{_CONTROLS}"
_FRAME = (
    "<!doctype html><title>Frame</title><button>Inside</button>"
    "<script>addEventListener('message', () => setTimeout(() => { for (;;); }, 0))</script>"
)
_FILES = {
    "/after": (_AFTER, "text/html"),
    "/frame": (_FRAME, "text/html"),
    "/worker.js": ("for (;;);", "text/javascript"),
    "/serviced/page": (_AFTER, "text/html"),
    "/serviced/worker.js": ("addEventListener('fetch', () => { for (;;); })", "text/javascript"),
}


class Call(StrEnum):
    """What runs into it."""

    EVALUATE = "evaluate"
    CLICK = "click"
    CLICK_AT = "click-at"
    PRESS = "press"
    TYPE = "type"
    HOVER = "hover"
    SCROLL = "scroll"
    SNAPSHOT = "snapshot"
    NAVIGATE = "navigate"
    RELOAD = "reload"
    LEAVE = "leave"


class Outside(StrEnum):
    """What is done to the page's process from outside."""

    NOTHING = ""
    STOP = "stop"
    KILL = "kill"
    KILL_LATER = "kill later"


@dataclass(frozen=True, slots=True)
class Way:
    """See hangs.toml."""

    id: str
    call: Call
    body: str = ""
    head: str = ""
    path: str = ""
    before: str = ""
    script: str = ""
    target: str = "#b"
    awaits: bool = False
    outside: Outside = Outside.NOTHING
    stays: bool = True

    def url(self, origin: str) -> str:
        return origin + (self.path or f"/way/{quote(self.id)}")


@cache
def ways() -> tuple[Way, ...]:
    """All of them."""
    table = tomllib.loads(files(__package__).joinpath("hangs.toml").read_text("utf-8"))
    return tuple(
        Way(**row | {"call": Call(row["call"]), "outside": Outside(row.get("outside", ""))}) for row in table["way"]
    )


class _Site(ThreadingHTTPServer):
    daemon_threads = True
    ended: threading.Event

    def handle_error(self, request: object, client_address: object) -> None:
        """Browsers hang up in the middle of answers."""


class _Handler(BaseHTTPRequestHandler):
    server: _Site

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        port = self.server.server_address[1]
        if path.startswith("/way/"):
            way = next(each for each in ways() if each.id == path.removeprefix("/way/"))
            other = f"http://localhost:{port}"
            self._send(f"<!doctype html><title>Way</title>{way.head}{_CONTROLS}{way.body.replace('OTHER', other)}")
        elif path in _FILES:
            self._send(*_FILES[path])
        elif path == "/around":
            self.send_response(302)
            self.send_header("Location", "/around")
            self.end_headers()
        elif path in ("/trickle", "/download"):
            self._trickle("application/octet-stream" if path == "/download" else "text/html")
        else:
            self.server.ended.wait(STALL_SECONDS)

    def _send(self, body: str, kind: str = "text/html") -> None:
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def _trickle(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(_AFTER.encode())
        for _ in range(int(STALL_SECONDS / TRICKLE_SECONDS)):
            if self.server.ended.wait(TRICKLE_SECONDS):
                return
            self.wfile.write(b"<p>more</p>")

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serve_ways() -> Iterator[str]:
    """Their origin, `http://127.0.0.1:PORT`; `localhost` is the other site."""
    server = _Site(("127.0.0.1", 0), _Handler)
    server.ended = threading.Event()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
