"""An application whose network is looked at: what it sends is known to the byte."""

from __future__ import annotations

import gzip
from contextlib import AbstractContextManager
from urllib.parse import parse_qs, urlsplit

from perception.bench.pages.local_site import SiteHandler, serve_handler
from perception.client import AsyncPage
from perception.server.app import Service

JSON = b'{"items": [{"id": 1, "name": "Milk"}], "accessToken": "t0p-s3cret-value"}'
PIXEL = b"\x89PNG\r\n\x1a\n\x00\x01\x02\xff"


class _Handler(SiteHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = parse_qs(url.query)
        if url.path == "/page":
            self._answer(bytes.fromhex(query["body"][0]), "text/html; charset=utf-8")
        elif url.path == "/items":
            self._answer(JSON, "application/json", {"Set-Cookie": "sid=abc123; Path=/; HttpOnly"})
        elif url.path == "/zipped":
            self._answer(gzip.compress(b"x" * 5000), "text/plain", {"Content-Encoding": "gzip"})
        elif url.path == "/pixel":
            self._answer(PIXEL, "image/png", {"Cache-Control": "max-age=600"})
        elif url.path == "/echo":
            self._answer(str(self.headers).encode(), "text/plain", {"X-Echo-Accept": "yes"})
        elif url.path == "/favicon.ico":
            self._answer(PIXEL, "image/png")
        elif url.path == "/moved":
            self._answer(b"", "text/plain", {"Location": "/items"}, 302)
        elif url.path == "/away":  # the same application as another site
            port = self.headers["Host"].partition(":")[2]
            self._answer(b"", "text/plain", {"Location": f"http://localhost:{port}/echo"}, 302)
        elif url.path == "/large":
            self._stream(int(query["mb"][0]))
        elif url.path == "/status":
            self._answer(b"no", "text/plain", {}, int(query["code"][0]))
        elif url.path == "/worker.js":
            self._answer(b"fetch('/items?by=worker').then(() => postMessage('done'))", "text/javascript")
        elif url.path == "/frame":
            self._answer(b"<script>fetch('/items?by=frame', {mode: 'no-cors'})</script>", "text/html")
        else:
            self._answer(b"", "text/plain", {}, 404)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._answer(b'{"ok": true}', "application/json")

    def _answer(self, body: bytes, kind: str, headers: dict[str, str] | None = None, code: int = 200) -> None:
        self.respond(body, kind, code, **(headers or {}))

    def _stream(self, megabytes: int) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(megabytes * 2**20))
        self.end_headers()
        for _ in range(megabytes):
            self.wfile.write(b"x" * 2**20)


def page_url(app: str, body: str) -> str:
    """The address of a page with this body."""
    return f"{app}/page?body={body.encode().hex()}"


def forget_requests(service: Service, page: AsyncPage) -> None:
    """A session that records its requests has had none."""
    log = service.context.sessions.get(page.session_id).browser.request_log
    assert log is not None
    tabs = log._tab_ids
    log.__init__(log._egress)  # type: ignore[misc]
    log._tab_ids = tabs


def network_app() -> AbstractContextManager[str]:
    """Serves the application; gives its origin."""
    return serve_handler(_Handler)
