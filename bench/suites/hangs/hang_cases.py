"""Ways to hang, crash or stall a page, and the site that serves them."""

from __future__ import annotations

import tomllib
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from urllib.parse import quote, unquote, urlsplit

from perception.bench.pages.local_site import QuietServer, SiteHandler, serve_handler

STALL_SECONDS = 30.0
"""How long the site keeps an unanswered connection open: longer than any case takes."""

TRICKLE_SECONDS = 0.1

PRESSED, TYPED = "was pressed", "was typed"
"""The page's text after a click on its button, and the text typed into its field."""

_CONTROLS = f"<button id=b onclick='this.textContent = \"{PRESSED}\"'>Press</button><input id=i aria-label=Field>"
_AFTER_PAGE = f"<!doctype html><title>After</title>{_CONTROLS}"
_FRAME_PAGE = (
    "<!doctype html><title>Frame</title><button>Inside</button>"
    "<script>addEventListener('message', () => setTimeout(() => { for (;;); }, 0))</script>"
)
_FILES = {
    "/after": (_AFTER_PAGE, "text/html"),
    "/frame": (_FRAME_PAGE, "text/html"),
    "/worker.js": ("for (;;);", "text/javascript"),
    "/serviced/page": (_AFTER_PAGE, "text/html"),
    "/serviced/worker.js": ("addEventListener('fetch', () => { for (;;); })", "text/javascript"),
}


class HangCall(StrEnum):
    """The call that encounters it."""

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


class ProcessFault(StrEnum):
    """The external action on the page's process."""

    NOTHING = ""
    STOP = "stop"
    KILL = "kill"
    KILL_LATER = "kill later"


@dataclass(frozen=True, slots=True)
class HangCase:
    """See hangs.toml."""

    id: str
    call: HangCall
    body: str = ""
    head: str = ""
    path: str = ""
    before: str = ""
    script: str = ""
    target: str = "#b"
    awaits: bool = False
    outside: ProcessFault = ProcessFault.NOTHING
    stays: bool = True

    def url(self, origin: str) -> str:
        return origin + (self.path or f"/way/{quote(self.id)}")


@cache
def hang_cases() -> tuple[HangCase, ...]:
    """All cases."""
    table = tomllib.loads(files(__package__).joinpath("hang_cases.toml").read_text("utf-8"))
    return tuple(
        HangCase(**row | {"call": HangCall(row["call"]), "outside": ProcessFault(row.get("outside", ""))})
        for row in table["way"]
    )


class _HangHandler(SiteHandler):
    server: QuietServer

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        port = self.server.server_address[1]
        if path.startswith("/way/"):
            way = next(each for each in hang_cases() if each.id == path.removeprefix("/way/"))
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
        self.respond(body, f"{kind}; charset=utf-8")

    def _trickle(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(_AFTER_PAGE.encode())
        for _ in range(int(STALL_SECONDS / TRICKLE_SECONDS)):
            if self.server.ended.wait(TRICKLE_SECONDS):
                return
            self.wfile.write(b"<p>more</p>")


def serve_hang_cases() -> AbstractContextManager[str]:
    """The origin of the site, `http://127.0.0.1:PORT`; `localhost` is the other site."""
    return serve_handler(_HangHandler)
