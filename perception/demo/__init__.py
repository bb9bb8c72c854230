"""The bundled demo page: DOM controls, an icon without a name, a frame of another site, a toolbar painted in a canvas.

with serve_demo() as demo:
    print(demo.url)
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

POLICY = "default-src 'self' 'unsafe-inline'; frame-src http://localhost:*"
"""Content-Security-Policy of the pages: strict about where things come from, as good sites are."""


@dataclass(frozen=True, slots=True)
class Demo:
    """The demo page while it is served. Its hosts are `127.0.0.1` and, for the frame, `localhost`."""

    url: str


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # browsers hang up in the middle of answers
            super().handle_error(request, client_address)


@contextmanager
def serve_demo() -> Iterator[Demo]:
    """Serves the demo page on two loopback origins, until the end of the `with` block."""
    with ExitStack() as stack:
        payment = stack.enter_context(_serving("payment.html", ""))
        orders = stack.enter_context(_serving("orders.html", f"http://localhost:{payment}/"))
        yield Demo(f"http://127.0.0.1:{orders}/")


@contextmanager
def _serving(page: str, frame_url: str) -> Iterator[int]:
    """One page at the root of an origin of its own; gives the port."""
    text = files(__name__).joinpath(page).read_text(encoding="utf-8").replace("{{FRAME_URL}}", frame_url)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path.partition("?")[0] == "/"
            body = text.encode() if found else b"not found"
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Security-Policy", POLICY)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """The caller's standard error is not ours."""

    server = _Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, name=f"demo-{page}", daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
