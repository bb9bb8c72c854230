"""Small sites of the bench, on loopback."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import PurePosixPath

HTML = "text/html; charset=utf-8"


class QuietServer(ThreadingHTTPServer):
    """Attributes:
    ended: set when the site is shut down, for handlers that wait.
    """

    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.ended = threading.Event()

    def shutdown(self) -> None:
        self.ended.set()
        super().shutdown()

    def handle_error(self, request: object, client_address: object) -> None:
        """Browsers close connections in the middle of answers; that is not an error."""


class SiteHandler(BaseHTTPRequestHandler):
    """A handler that answers with a whole body, and logs nothing."""

    def respond(self, body: bytes | str, kind: str = HTML, status: int = 200, **headers: str) -> None:
        """Sends an answer. `headers`: more of them, `_` for `-`; one of those that are always sent is replaced."""
        data = body.encode() if isinstance(body, str) else body
        sent = {"Content-Type": kind, "Content-Length": str(len(data))}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        self.send_response(status)
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


class _FilesHandler(SiteHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    files: Mapping[str, tuple[str, bytes]]

    def do_GET(self) -> None:
        known = (each for each in (self.path, PurePosixPath(self.path).suffix, "") if each in self.files)
        kind, body = self.files[next(known)]
        self.respond(body, kind, Cache_Control="no-store")


def serve_handler(handler: type[BaseHTTPRequestHandler]) -> AbstractContextManager[str]:
    """The origin of a site, `http://127.0.0.1:PORT`, valid within the context."""
    return serving(QuietServer(("127.0.0.1", 0), handler))


@contextmanager
def serving(server: QuietServer) -> Iterator[str]:
    """As `serve_handler`, of a server that is not serving yet."""
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)  # seconds to notice its end
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def serve_apart(files: Mapping[str, tuple[str, bytes]]) -> Iterator[str]:
    """The origin of a site that a process of its own serves, so that it costs the measuring process nothing.

    Args:
        files: content type and body by path, or by suffix (`.svg`) for all paths that have it; `""`: all others.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve_files, args=(files, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        yield f"http://127.0.0.1:{ours.recv()}"
    finally:
        process.kill()
        process.join()


def _serve_files(files: Mapping[str, tuple[str, bytes]], port: Connection) -> None:
    server = QuietServer(("127.0.0.1", 0), type("Handler", (_FilesHandler,), {"files": files}))
    port.send(server.server_address[1])
    server.serve_forever()
