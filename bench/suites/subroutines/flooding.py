"""A neighbour: another session of the same service, whose page floods it with console messages and requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from perception.bench.pages.local_site import serve_handler
from perception.client import Client

FLOOD = b"""<!doctype html><title>Flood</title><h1>Flood</h1><script>
const text = 'x'.repeat(2000);
setInterval(() => {
  for (let each = 0; each < 20; each++) console.log(each, text);
  for (let each = 0; each < 2; each++) fetch(`/?${each}`, { method: 'POST', body: text }).catch(() => 0);
}, 20);
</script>"""
"""1,000 messages of 2 KB and 100 requests a second: ten times that leaves two cores no time for anything else."""


class _FloodHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send(FLOOD, "text/html")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._send(b"{}", "application/json")

    def _send(self, body: bytes, mime: str) -> None:
        self.send_response(200)
        for name, value in (("Content-Type", mime), ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def flooding_neighbour(client: Client) -> Iterator[None]:
    """Another session of the service shows a page that floods, within the context."""
    with serve_handler(_FloodHandler) as url:
        page = client.open(url)
        try:
            yield
        finally:
            page.close()
