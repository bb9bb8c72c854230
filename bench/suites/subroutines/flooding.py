"""A neighbor: another session of the same service, whose page floods it with console messages and requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from perception.bench.pages.local_site import SiteHandler, serve_handler
from perception.client import Client

FLOOD = b"""<!doctype html><title>Flood</title><h1>Flood</h1><script>
const text = 'x'.repeat(2000);
setInterval(() => {
  for (let each = 0; each < 20; each++) console.log(each, text);
  for (let each = 0; each < 2; each++) fetch(`/?${each}`, { method: 'POST', body: text }).catch(() => 0);
}, 20);
</script>"""
"""1,000 messages of 2 KB and 100 requests a second: ten times that leaves two cores no time for anything else."""


class _FloodHandler(SiteHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.respond(FLOOD, "text/html")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.respond(b"{}", "application/json")


@contextmanager
def flooding_neighbor(client: Client) -> Iterator[None]:
    """Another session of the service shows a page that floods, within the context."""
    with serve_handler(_FloodHandler) as url:
        page = client.open(url)
        try:
            yield
        finally:
            page.close()
