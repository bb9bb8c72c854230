"""A web server for test pages: files of a folder, pages from strings, and paths that never answer.

    with PageServer(pages={"/": "<button>Pay</button>"}) as server:
        page.goto(server.url("/"))

It listens on a free port of 127.0.0.1, in threads of its own. Rule 1: nothing is served from outside its folder.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

STALL_SECONDS = 60.0
"""A path that never answers holds its connection for this time at most, or until the server closes."""


class PageServer:
    """Serves test pages over HTTP. Use it as a context manager, or call `start` and `close`.

    Args:
        folder: files to serve; None for none.
        pages: HTML by path, such as `/shop`; these paths take precedence over files. A caller may change the mapping
            while the server runs.
        stalled: paths that accept a request and never answer.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        pages: Mapping[str, str] | None = None,
        stalled: frozenset[str] = frozenset(),
    ) -> None:
        self._pages = {} if pages is None else pages
        self._stalled = stalled
        self._closing = threading.Event()
        self._empty = TemporaryDirectory(prefix="perception-pages-") if folder is None else None
        handler = partial(_PageHandler, self, directory=str(folder or (self._empty and self._empty.name)))
        self._server = _HttpServer(("127.0.0.1", 0), handler)
        self._thread: threading.Thread | None = None
        self.requests: list[str] = []
        """Paths with queries of all requests so far, in order of arrival."""

    @property
    def origin(self) -> str:
        """`http://127.0.0.1:PORT`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def url(self, path: str) -> str:
        """URL of a path. Raises ValueError: the path does not begin with a slash."""
        if not path.startswith("/"):
            raise ValueError(f"path {path!r} does not begin with a slash")
        return self.origin + path

    def start(self) -> Self:
        """Starts to serve. Raises RuntimeError: the server was started before."""
        if self._thread is not None:
            raise RuntimeError("the page server was started before: make another one")
        self._thread = threading.Thread(target=self._server.serve_forever, name="page-server", daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """Stops serving, and closes stalled connections. Does nothing the second time."""
        if self._closing.is_set():
            return
        self._closing.set()
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()
        if self._empty is not None:
            self._empty.cleanup()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _page(self, path: str) -> str | None:
        return self._pages.get(path)

    def _stall(self, path: str) -> bool:
        """Holds the request of a stalled path; returns whether it is one."""
        if path not in self._stalled:
            return False
        self._closing.wait(STALL_SECONDS)
        return True


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignores errors of connections: browsers close them in the middle of responses."""


class _PageHandler(SimpleHTTPRequestHandler):
    def __init__(self, pages: PageServer, *args: object, directory: str) -> None:
        self._pages = pages
        super().__init__(*args, directory=directory)  # type: ignore[arg-type]  # http.server's own arguments

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        self._pages.requests.append(self.path)
        if self._pages._stall(path):
            return
        html = self._pages._page(path)
        if html is None:
            super().do_GET()
            return
        body = html.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def list_directory(self, path: object) -> None:
        """Refuses listings: a folder without index.html is not found."""
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # http.server's own name
        """Logs nothing."""
