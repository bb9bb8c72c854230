"""The pages of the floods and of their neighbors, and the servers that some floods talk to, in a separate process."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from perception.bench.pages.local_site import SiteHandler
from perception.bench.suites.neighbours.floods import CONTROLS, FLOODS

SMALL = """<!doctype html><title>Small</title><h1>Neighbor</h1><p>A page that changes when it is clicked.</p>
<button onclick="this.textContent = Number(this.textContent) + 1">0</button><a href="#x">Link</a>"""

SERVICE_WORKER = "onmessage = event => event.source && event.source.postMessage(event.data)"


class FloodHandler(SiteHandler):
    """`/small`, `/flood/<name>`, `/worker.js` and `/events`, a stream without an end. `scripts`: by name."""

    scripts: dict[str, str] = {}  # noqa: RUF012  (set once, before the server starts)

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        if path == "/events":
            self._stream()
        elif path == "/worker.js":
            self._send(SERVICE_WORKER, "text/javascript")
        elif path.startswith("/flood/"):
            script = self.scripts[path.removeprefix("/flood/")]
            self._send(f"<!doctype html><title>Flood</title><button>Press</button><script>{script}</script>")
        elif path == "/small":
            self._send(SMALL)
        else:
            self.send_error(404)

    def _send(self, text: str, kind: str = "text/html") -> None:
        with contextlib.suppress(OSError):  # a page that has gone on
            self.respond(text, f"{kind}; charset=utf-8")

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        with contextlib.suppress(OSError):
            while True:
                self.wfile.write(b"data: x\n\n" * 100)


def _send_frames(connection: ServerConnection) -> None:
    with contextlib.suppress(ConnectionClosed):
        while True:
            for _ in range(100):
                connection.send("x")
            connection.recv()


def _fill_in(script: str, ports: Mapping[str, int]) -> str:
    """A script with the ports of the servers in place of their names."""
    for name, port in ports.items():
        script = script.replace(name, str(port))
    return script


def serve_floods() -> None:
    """Serves until the process is ended; prints the port first."""
    wire = serve(_send_frames, "127.0.0.1", 0, compression=None)
    threading.Thread(target=wire.serve_forever, daemon=True).start()
    refusing = socket.create_server(("127.0.0.1", 0))
    ports = {"WEBSOCKET_PORT": wire.socket.getsockname()[1], "REFUSED_PORT": refusing.getsockname()[1]}
    refusing.close()
    FloodHandler.scripts = {name: _fill_in(script, ports) for name, script in {**CONTROLS, **FLOODS}.items()}
    server = ThreadingHTTPServer(("127.0.0.1", 0), FloodHandler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


@contextmanager
def open_flood_site() -> Iterator[str]:
    """The site's address, valid within the context. It is not served by the measuring process."""
    with subprocess.Popen(
        [sys.executable, "-c", f"from {__name__} import serve_floods; serve_floods()"], stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.kill()
