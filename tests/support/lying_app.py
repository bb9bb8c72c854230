"""A web application whose page says that something was done before it is, or although it is not: requests that leave late,
answers that contradict their status, buttons that toggle, forms that are not sent, messages over a WebSocket."""

# ruff: noqa: E501  markup reads better unbroken

from __future__ import annotations

import html
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, quote, urlsplit

from perception.bench.pages.local_site import SiteHandler, serve_handler

ROWS = ("Ana", "Ben", "Cid", "Dan", "Eva", "Fay")

DELAY_MS = 3000
"""How long an undo is offered: longer than a ranking of requests looks back."""


@dataclass
class Lies:
    """The application's state.

    Attributes:
        url: its origin.
        log: what the server did, in order.
        refuses: the server refuses what it is asked for from now on.
        is_lazy: pages that are opened from now on never send what they delay.
        is_slow: answers take a second.
        answered: paths of the forms that were answered.
        starred: rows with a star.
        pages: articles by their titles.
    """

    url: str = ""
    log: list[str] = field(default_factory=list)
    refuses: bool = False
    is_lazy: bool = False
    is_slow: bool = False
    answered: list[str] = field(default_factory=list)
    starred: set[str] = field(default_factory=set)
    pages: dict[str, list[str]] = field(default_factory=dict)


_UNDO = """<ul id=rows></ul><p role=status></p><script>
for (const name of %s) {
  const row = document.createElement('li'), button = document.createElement('button');
  row.textContent = name + ' '; button.textContent = 'Delete'; row.append(button); rows.append(row);
  button.onclick = () => {
    row.remove();
    document.querySelector('[role=status]').textContent = name + ' was deleted. Undo?';
    setTimeout(async () => {
      const answer = await fetch('/api/delete', { method: 'POST', headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ name }) });
      if (!answer.ok) { rows.append(row); document.querySelector('[role=status]').textContent = name + ' could not be deleted'; }
    }, %d);
  };
}</script>"""

_SUBSCRIBE = """<label>Email <input id=email></label><button>Subscribe</button><p role=status></p><script>
document.querySelector('button').onclick = async () => {
  const answer = await fetch('/api/subscribe', { method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: email.value }) });
  document.querySelector('[role=status]').textContent = (await answer.json()).message;
};</script>"""

_STARS = """<table><tr><th>Name<th>Star</tr><tbody id=rows></tbody></table><script>
for (const [name, on] of %s) {
  const row = rows.insertRow(), button = document.createElement('button');
  row.insertCell().textContent = name; row.insertCell().append(button); button.textContent = 'Star';
  button.setAttribute('%s', on);
  button.onclick = async () => {
    await fetch('/api/star', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name }) });
    button.setAttribute('%s', button.getAttribute('%s') !== 'true');
  };
}</script>"""

_CHAT = """<ul id=said><li>Welcome</li></ul><label>Message <input id=text></label><button>Send</button><script>
const socket = new WebSocket('ws://' + location.host + '/socket');
document.querySelector('button').onclick = () => {
  const item = document.createElement('li'); item.textContent = text.value; said.append(item);
  socket.send(JSON.stringify({ say: text.value })); text.value = '';
};</script>"""

_NATIVE = """<ul><li>First</li><li>Second</li></ul><form method=post action=/items>
<label>Title <input name=title></label><label>Code <input name=code required></label><button>Add</button></form>"""

_STALE = """<ul id=rows><li>First</li></ul><label>Title <input id=title></label><button>Add</button><script>
document.querySelector('button').onclick = () => { const item = document.createElement('li'); item.textContent = title.value; rows.append(item); };
</script>"""


class _LyingHandler(SiteHandler):
    app: Lies
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path == "/socket":
            self._hear_socket()
            return
        app, query = self.app, {key: values[0] for key, values in parse_qs(url.query).items()}
        left = [each for each in ROWS if f"deleted {each}" not in app.log]
        stars = json.dumps([[each, each in app.starred] for each in ROWS])
        pages = {
            "/undo": lambda: _UNDO % (json.dumps(left), 10**8 if app.is_lazy else DELAY_MS),
            "/subscribe": lambda: _SUBSCRIBE,
            "/stars": lambda: _STARS % (stars, *["aria-pressed"] * 3),
            "/switches": lambda: (_STARS % (stars, *["aria-checked"] * 3)).replace(
                "'Star';", "'Star'; button.setAttribute('role', 'switch');"
            ),
            "/chat": lambda: _CHAT,
            "/native": lambda: _NATIVE,
            "/stale": lambda: _STALE,
        }
        if url.path == "/idx":
            title = html.escape(query.get("title", ""))
            form = f"<form method=post><label>Comment <input name=comment></label><input type=hidden name=title value='{title}'><button>Save</button></form>"
            self._send(200, f"<h1>{title}</h1>{form}")
        elif url.path.startswith("/idx/"):
            title = url.path.removeprefix("/idx/")
            self._send(
                200,
                f"<h1>{title}</h1><p>{len(app.pages.get(title, []))} comments</p><a href=/idx?title={quote(title)}>Edit</a>",
            )
        elif url.path in pages:
            self._send(200, f"<h1>{url.path[1:].capitalize()}</h1>{pages[url.path]()}")
        else:
            self._send(404, "none")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        app, path = self.app, urlsplit(self.path).path
        given = (
            json.loads(body) if path.startswith("/api/") else {key: values[0] for key, values in parse_qs(body).items()}
        )
        if path == "/api/subscribe":
            said = "Sorry, we could not subscribe you" if app.refuses else "Thank you, check your inbox"
            if not app.refuses:
                app.log.append(f"subscribed {given['email']}")
            time.sleep(app.is_slow)
            self._send(200, json.dumps({"status": "ok", "message": said}), "application/json")
            app.answered.append(path)
        elif app.refuses:
            self._send(409, json.dumps({"error": "not now"}), "application/json")
        elif path == "/api/delete":
            app.log.append(f"deleted {given['name']}")
            self._send(200, json.dumps({"ok": True}), "application/json")
        elif path == "/api/star":
            app.starred ^= {given["name"]}
            app.log.append(f"{'starred' if given['name'] in app.starred else 'unstarred'} {given['name']}")
            self._send(200, json.dumps({"ok": True}), "application/json")
        elif path == "/idx":
            app.pages.setdefault(given["title"], []).append(given["comment"])
            self.send_response(302)
            self.send_header("Location", f"/idx/{quote(given['title'])}")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self._send(404, "none")

    def _hear_socket(self) -> None:
        """Reads the messages of one WebSocket."""
        from websockets.server import ServerProtocol

        protocol = ServerProtocol()
        headers = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
        protocol.receive_data(f"GET {self.path} HTTP/1.1\r\n{headers}\r\n".encode())
        request = protocol.events_received()[0]
        protocol.send_response(protocol.accept(request))  # type: ignore[arg-type]
        for each in protocol.data_to_send():
            self.wfile.write(each)
        while data := self.connection.recv(4096):
            protocol.receive_data(data)
            for frame in protocol.events_received():
                said = json.loads(frame.data).get("say", "") if getattr(frame, "data", b"")[:1] == b"{" else ""  # type: ignore[union-attr]
                if said:
                    self.app.log += [] if self.app.refuses else [f"said {said}"]
                    protocol.send_text(json.dumps({"ok": not self.app.refuses, "say": said}).encode())
            for each in protocol.data_to_send():
                self.wfile.write(each)
        self.close_connection = True

    def _send(self, status: int, body: str, mime: str = "text/html") -> None:
        text = f"<!doctype html><title>Lies</title>{body}" if mime == "text/html" else body
        self.respond(text, f"{mime}; charset=utf-8", status)


@contextmanager
def serve_lies() -> Iterator[Lies]:
    app = Lies()
    handler = type("Handler", (_LyingHandler,), {"app": app})
    with serve_handler(handler) as url:
        app.url = url
        yield app
