"""A proxy in front of an application, on loopback, that makes a server's faults: slow, wrong once, lost, changed.

Rule 1: without a fault, requests and answers pass unchanged, except that answers are not compressed.
Rule 2: web sockets are passed through as bytes.
"""

from __future__ import annotations

import http.client
import json
import re
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

from perception.bench.pages.local_site import serve_handler

READ_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
HOP_BY_HOP = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length", "proxy-connection"})

BANNER = (
    b'<div class="deployment"><p>A new version is here.</p><form role="search" action="#"><input type="search" '
    b'aria-label="Search the news"><button type="button">Search the news</button></form></div>'
)
"""What a deployment adds at the top of every document: positions of elements change, ids and names do not."""

LATE_SECONDS = 3.0
"""How long a page that sends late waits: longer than a page is looked at after an action."""

SENDS_LATE = b"""<script>(() => {
  const wait = () => new Promise((resolve) => setTimeout(resolve, %d));
  const changes = (method) => !["GET", "HEAD"].includes((method || "GET").toUpperCase());
  addEventListener("submit", async (event) => {
    const form = event.target, by = event.submitter;
    if (event.defaultPrevented || form.method !== "post") return;
    event.preventDefault();
    await wait();
    if (by && by.name) {
      const given = Object.assign(document.createElement("input"), { type: "hidden", name: by.name, value: by.value });
      form.append(given);
    }
    if (by && by.hasAttribute("formaction")) form.action = by.formAction;
    HTMLFormElement.prototype.submit.call(form);
  });
  const fetchNow = fetch;
  window.fetch = async (request, options) => {
    if (changes(options?.method || request.method)) await wait();
    return fetchNow(request, options);
  };
  const { open, send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (method, ...rest) {
    this.sendsLate = changes(method) && rest[1] !== false;
    return open.call(this, method, ...rest);
  };
  XMLHttpRequest.prototype.send = function (body) {
    if (this.sendsLate) wait().then(() => send.call(this, body));
    else send.call(this, body);
  };
})()</script>""" % int(LATE_SECONDS * 1000)
"""What makes a page send whatever changes something later than the person did it."""

WANTS_MORE = b"""<script>addEventListener("DOMContentLoaded", () => {
  for (const form of document.forms) {
    const more = document.createElement("input");
    more.required = true;
    more.setAttribute("aria-label", "Reference");
    form.append(more);
  }
})</script>"""
"""What adds a field to each form that nobody fills, and without which the browser does not send the form."""

SORRY = "Sorry, we could not do that."
"""What an answer says that lies by its status."""

_BODY = re.compile(rb"<body[^>]*>", re.IGNORECASE)


@dataclass
class Faults:
    """What the proxy does at present; all off by default.

    Attributes:
        delay_s: before an answer to a document or to a request that changes something.
        fail_once: the next request that changes something is answered 500, and does not arrive.
        lose_once: the next request that changes something arrives, and is answered 504.
        refuse_after: so many more requests that change something pass; the one after them is answered 403, and does not
            arrive. None for no such fault.
        lies: requests that change something do not arrive, and are answered 200 with an apology.
        drop_cookies: cookies that neither arrive nor come back.
        added: HTML at the top of every document.
        before_change: called once before the next request that changes something is passed on.
    """

    delay_s: float = 0.0
    fail_once: bool = False
    lose_once: bool = False
    refuse_after: int | None = None
    lies: bool = False
    drop_cookies: tuple[str, ...] = ()
    added: bytes = b""
    before_change: Callable[[], None] | None = None


@dataclass
class FaultProxy:
    """The proxy of one application. Thread-safe.

    Attributes:
        target: the application's origin.
        url: the proxy's own.
        faults: may be replaced at any time.
        changes: requests that may have changed something and arrived: method, path, status.
    """

    target: str
    url: str = ""
    faults: Faults = field(default_factory=Faults)
    changes: list[tuple[str, str, int]] = field(default_factory=list)
    ignored: Callable[[str, str], bool] = lambda method, path: False
    lock: threading.Lock = field(default_factory=threading.Lock)
    open: int = 0

    def take_fault(self, method: str, path: str) -> str:
        """What happens to a request: `fail`, `lose`, `refuse`, `lie` or nothing. A fault happens once, a lie always."""
        if method in READ_METHODS or self.ignored(method, path):
            return ""
        with self.lock:
            faults = self.faults
            meddle, faults.before_change = faults.before_change, None
            once = {"fail": faults.fail_once, "lose": faults.lose_once, "refuse": faults.refuse_after == 0}
            fault = next((name for name, happens in {**once, "lie": faults.lies}.items() if happens), "")
            faults.fail_once = faults.lose_once = False
            if faults.refuse_after is not None:
                faults.refuse_after = faults.refuse_after - 1 if faults.refuse_after else None
        if meddle is not None:
            meddle()
        return fault

    def wait_until_idle(self, quiet_s: float = 0.3, limit_s: float = 10.0) -> None:
        """Waits until no request was open for a time, or the limit."""
        end, since = time.monotonic() + limit_s, time.monotonic()
        while time.monotonic() < end and time.monotonic() - since < quiet_s:
            time.sleep(0.02)
            if self.open:
                since = time.monotonic()


class _ProxyHandler(BaseHTTPRequestHandler):
    proxy: FaultProxy
    protocol_version = "HTTP/1.1"

    def _handle(self) -> None:
        if self.headers.get("Upgrade", "").lower() == "websocket":
            self._tunnel()
            return
        proxy = self.proxy
        with proxy.lock:
            proxy.open += 1
        try:
            self._pass_on()
        finally:
            with proxy.lock:
                proxy.open -= 1

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = _handle
    do_PROPFIND = do_MKCOL = do_PROPPATCH = do_REPORT = do_MKCALENDAR = do_MOVE = _handle

    def _pass_on(self) -> None:
        proxy, faults = self.proxy, self.proxy.faults
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        changes = self.command not in READ_METHODS
        fault = proxy.take_fault(self.command, self.path)
        if fault == "fail":
            self._answer(500, [("Content-Type", "text/html")], b"<h1>Internal Server Error</h1>")
            return
        if fault == "refuse":
            self._answer(403, [("Content-Type", "text/html")], b"<h1>Forbidden</h1>")
            return
        if fault == "lie":
            self._apologize()
            return
        if faults.delay_s and (changes or self.headers.get("Sec-Fetch-Dest") == "document"):
            time.sleep(faults.delay_s)
        try:
            status, headers, content = self._fetch(body)
        except OSError:
            self._answer(502, [("Content-Type", "text/html")], b"<h1>Bad Gateway</h1>")
            return
        if changes:
            proxy.changes.append((self.command, urlsplit(self.path).path, status))
        if fault == "lose":
            # A closed connection would not do: Chromium sends a request again on a new one.
            self._answer(504, [("Content-Type", "text/html")], b"<h1>Gateway Timeout</h1>")
            return
        self._answer(status, headers, content)

    def _apologize(self) -> None:
        if self.headers.get("Sec-Fetch-Dest") == "document":
            self._answer(200, [("Content-Type", "text/html")], f'<title>Sorry</title><p role="status">{SORRY}'.encode())
        else:
            self._answer(200, [("Content-Type", "application/json")], json.dumps({"error": SORRY}).encode())

    def _fetch(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        target = urlsplit(self.proxy.target)
        connection = http.client.HTTPConnection(target.hostname or "", target.port, timeout=60)
        try:
            connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() in HOP_BY_HOP or name.lower() == "accept-encoding":
                    continue
                connection.putheader(name, self._kept_cookies(value) if name.lower() == "cookie" else value)
            if body or self.command not in READ_METHODS:
                connection.putheader("Content-Length", str(len(body)))
            connection.putheader("Accept-Encoding", "identity")
            connection.endheaders(body or None)
            answer = connection.getresponse()
            headers = [(name, value) for name, value in answer.getheaders() if name.lower() not in HOP_BY_HOP]
            return answer.status, headers, answer.read()
        finally:
            connection.close()

    def _kept_cookies(self, line: str) -> str:
        pairs = [each.strip() for each in line.split(";")]
        return "; ".join(pair for pair in pairs if pair.partition("=")[0] not in self.proxy.faults.drop_cookies)

    def _answer(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
        faults = self.proxy.faults
        is_html = any(name.lower() == "content-type" and value.startswith("text/html") for name, value in headers)
        if faults.added and is_html:
            content = _BODY.sub(lambda found: found.group() + faults.added, content, count=1)
        self.send_response_only(status)
        for name, value in headers:
            dropped = name.lower() == "set-cookie" and value.partition("=")[0].strip() in faults.drop_cookies
            if not dropped:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _tunnel(self) -> None:
        target = urlsplit(self.proxy.target)
        self.close_connection = True
        with socket.create_connection((target.hostname or "", target.port or 80)) as upstream:
            lines = [
                f"{self.command} {self.path} HTTP/1.1",
                *(f"{key}: {value}" for key, value in self.headers.items()),
            ]
            upstream.sendall("\r\n".join([*lines, "", ""]).encode())
            ends = {self.connection: upstream, upstream: self.connection}
            while True:
                for end in select.select([*ends], [], [])[0]:
                    data = end.recv(65536)
                    if not data:
                        return
                    ends[end].sendall(data)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serve_proxy(target: str) -> Iterator[FaultProxy]:
    """The proxy at `FaultProxy.url`, valid within the context."""
    proxy = FaultProxy(target)
    with serve_handler(type("Handler", (_ProxyHandler,), {"proxy": proxy})) as proxy.url:
        yield proxy
