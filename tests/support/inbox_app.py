"""A web application for replays: pages that a test writes, and every request with a body kept byte by byte."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from urllib.parse import parse_qsl, urlsplit

from perception.bench.pages.local_site import SiteHandler, serve_handler

HELD_SECONDS = 60.0
"""A held answer comes after this time at the latest, so that no thread outlives its test."""


@dataclass
class Inbox:
    """The application's state.

    Attributes:
        url: its origin.
        pages: HTML by path; `{received}` in it is a list of what forms have sent. A path with a page answers a POST
            with that page, any other with JSON.
        received: path, content type and body of each POST, in the order in which they were answered.
        asked: method and address of each request, with its query.
        data: JSON by path, for a GET of a path without a page.
        headers: further headers of the answer to each POST, `_` for `-`.
        delay_s: seconds until a POST is answered.
        held: while it is set, no POST is answered.
        waiting: POSTs that are not answered yet.
    """

    url: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    received: list[tuple[str, str, bytes]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    data: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    held: bool = False
    waiting: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)

    def hold(self) -> None:
        with self.changed:
            self.held = True

    def release(self) -> None:
        with self.changed:
            self.held = False
            self.changed.notify_all()

    def begin_again(self) -> None:
        """Takes back what a test did, once nothing of it can come any more."""
        self.release()
        with self.changed:
            self.changed.wait_for(lambda: not self.waiting, HELD_SECONDS)
            self.delay_s = 0.0
            for each in (self.pages, self.received, self.asked, self.data, self.headers):
                each.clear()  # type: ignore[attr-defined]

    def take(self, path: str, content_type: str, body: bytes) -> None:
        with self.changed:
            self.waiting += 1
            self.changed.wait_for(lambda: False, self.delay_s)
            self.changed.wait_for(lambda: not self.held, HELD_SECONDS)
            self.received.append((path, content_type, body))
            self.waiting -= 1
            self.changed.notify_all()

    def page(self, path: str) -> str | None:
        html = self.pages.get(path)
        values = [value for body in self.bodies for value in dict(parse_qsl(body.decode())).values()]
        return html and html.replace("{received}", "".join(f"<li>{escape(each)}</li>" for each in values))

    @property
    def bodies(self) -> list[bytes]:
        return [body for _, _, body in self.received]


class _InboxHandler(SiteHandler):
    app: Inbox
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        self.app.asked.append(f"GET {self.path}")
        if path in self.app.data:
            self._send(200, self.app.data[path], "application/json")
            return
        page = self.app.page(path)
        self._send(404 if page is None else 200, page or "<title>None</title>")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = urlsplit(self.path).path
        self.app.asked.append(f"{self.command} {self.path}")
        self.app.take(path, self.headers.get("Content-Type", ""), body)
        page = self.app.page(path)
        kind = "application/json" if page is None else "text/html"
        self._send(200, '{"ok":true}' if page is None else page, kind, **self.app.headers)

    do_PUT = do_PATCH = do_DELETE = do_POST

    def _send(self, status: int, text: str, mime: str = "text/html", **headers: str) -> None:
        self.respond(text, f"{mime}; charset=utf-8", status, **headers)


@contextmanager
def serve_inbox() -> Iterator[Inbox]:
    """The application at `Inbox.url`, valid within the context."""
    app = Inbox()
    with serve_handler(type("Handler", (_InboxHandler,), {"app": app})) as app.url:
        try:
            yield app
        finally:
            app.release()
