"""The page for sessions under load, served from a separate process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler
from importlib.resources import files


class PageHandler(BaseHTTPRequestHandler):
    """Answers every request with one page. `body`: its HTML."""

    body = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: object) -> None:
        pass


PAGE_SERVER = """
import sys
from http.server import ThreadingHTTPServer
from perception.bench.suites.load.load_page import PageHandler
PageHandler.body = sys.stdin.buffer.read()
server = ThreadingHTTPServer(("127.0.0.1", 0), PageHandler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


def serve_load_page() -> AbstractContextManager[str]:
    """As `serve_page`, the page of this suite."""
    return serve_page(files(__package__).joinpath("load_page.html").read_bytes())


@contextmanager
def serve_page(body: bytes) -> Iterator[str]:
    """The address of a page, valid within the context. It is not served by the measuring process."""
    with subprocess.Popen([sys.executable, "-c", PAGE_SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(body)
        server.stdin.close()
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/"
        finally:
            server.kill()
