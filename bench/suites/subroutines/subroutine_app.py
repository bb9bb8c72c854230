"""A small web application that is hard to replay: its CSRF tokens and nonces are valid for one request, its scripts
sign what they send, and the ids of its GraphQL-like operations change with every deployment. It also has noise:
analytics, polls, prefetches. Served on loopback for tests and benchmarks of subroutines.

`NotesApp.records` are the accepted requests, `NotesApp.refused` the reasons of refusals: replays are judged by both.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from perception.bench.pages.local_site import SiteHandler, serve_handler

NOISE_MS = 150
"""Interval of polls of a noisy page: some are sent right after every click."""

_STYLE = "<style>label{display:block}</style>"

_FORM = """<h1>Notes</h1>
<form id=form>
<label>Title <input id=title name=title></label>
<label>Text <textarea id=text name=text></textarea></label>
<label>Kind <select name=kind><option value=n>Note<option value=t>Task</select></label>
<input type=hidden name=nonce value="{nonce}">
<button id=save>{save}</button>
</form><a href="{elsewhere}">Elsewhere</a><p role=status id=said></p><ul id=list></ul>"""

_APP_SCRIPT = files(__package__).joinpath("subroutine_app.js").read_text("utf-8")


@dataclass
class NotesApp:
    """The application's state. `deploy` makes new ids, like a new version of the site. `last` is the last accepted
    request: address, headers and body, as in a HAR file."""

    records: list[dict[str, Any]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    doc_id: str = ""
    csrf: set[str] = field(default_factory=set)
    nonces: set[str] = field(default_factory=set)
    key: str = field(default_factory=lambda: secrets.token_hex(16))
    save: str = "Save"
    logged_in: bool = True
    url: str = ""
    last: tuple[str, dict[str, str], bytes] = ("", {}, b"")
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.deploy()

    @property
    def analytics(self) -> str:
        """The same server as another site."""
        return self.url.replace("127.0.0.1", "localhost")

    def deploy(self) -> None:
        self.doc_id = str(secrets.randbelow(10**15) + 10**15)
        self.csrf.clear()
        self.nonces.clear()

    def token(self) -> str:
        token = secrets.token_hex(16)
        self.csrf.add(token)
        return token

    def nonce(self) -> str:
        nonce = secrets.token_urlsafe(18)
        self.nonces.add(nonce)
        return nonce

    def page(self, kind: str, noisy: bool) -> str:
        """`rest` or `graphql`, with or without noise."""
        elsewhere = f"{self.analytics}/login"
        given = {"key": self.key, "docId": self.doc_id if kind == "graphql" else ""}
        noise = {"every": NOISE_MS, "analytics": self.analytics} if noisy else None
        script = f"{_APP_SCRIPT.strip().rstrip(';')}({json.dumps(given)}, {json.dumps(noise)});"
        head = f'<!doctype html><title>Notes</title><meta name=csrf-token content="{self.token()}">{_STYLE}'
        return f"{head}{_FORM.format(nonce=self.nonce(), save=self.save, elsewhere=elsewhere)}<script>{script}</script>"

    def take(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, Any]]:
        """A request that would change something: accepted once, if it is entirely correct."""
        given = json.loads(body)
        with self.lock:
            why, status = self._objection(path, headers, body, given)
            note = given["variables"]["input"] if path == "/graphql" else given
            if not why and any(each["title"] == note["title"] for each in self.records):
                why, status = f"there is a note called {note['title']} already", 409 if path != "/graphql" else 200
            if why:
                self.refused.append(why)
                return status, {"errors": [{"message": why}], "csrf": self.token(), "nonce": self.nonce()}
            kept = ("content-type", "x-csrf-token", "x-signature", "user-agent", "accept")
            self.last = (f"{self.url}{path}", {name: headers[name] for name in kept if name in headers}, body)
            self.records.append({key: note[key] for key in ("title", "text", "kind")})
            number = len(self.records)
        return 201 if path != "/graphql" else 200, {"id": number, "csrf": self.token(), "nonce": self.nonce()}

    def _objection(self, path: str, headers: dict[str, str], body: bytes, given: dict[str, Any]) -> tuple[str, int]:
        signature = hmac.new(self.key.encode(), body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(signature, headers.get("x-signature", "")):
            return "the signature is wrong", 403
        if headers.get("x-csrf-token", "") not in self.csrf:
            return "the CSRF token is not valid any more", 403
        self.csrf.discard(headers["x-csrf-token"])
        if path == "/graphql" and given.get("doc_id") != self.doc_id:
            return "there is no such operation", 400
        if path != "/graphql" and given.get("nonce") not in self.nonces:
            return "the nonce was used before", 403
        self.nonces.discard(str(given.get("nonce")))
        return "", 0


class _NotesHandler(SiteHandler):
    app: NotesApp
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = dict(parse_qsl(url.query, keep_blank_values=True))
        if url.path in ("/rest", "/graphql-app"):
            if not self.app.logged_in:
                self.respond(b"", status=302, Location="/login")
                return
            kind = "rest" if url.path == "/rest" else "graphql"
            self.respond(self.app.page(kind, "noise" in query))
        elif url.path == "/login":
            page = b"<!doctype html><title>Log in</title><h1>Log in</h1><input type=password aria-label=Password>"
            self.respond(page)
        elif url.path == "/prefetch":
            self._json(200, {"next": True})
        else:
            self._json(404, {"error": "there is no such page"})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = urlsplit(self.path).path
        if path in ("/api/notes", "/graphql"):
            self._json(*self.app.take(path, {key.lower(): value for key, value in self.headers.items()}, body))
        else:
            self._json(200, {"ok": True})

    def _json(self, status: int, value: dict[str, Any]) -> None:
        self.respond(json.dumps(value), "application/json", status)


@contextmanager
def serve_app() -> Iterator[NotesApp]:
    """The application at `NotesApp.url`, valid within the context."""
    app = NotesApp()
    with serve_handler(type("Handler", (_NotesHandler,), {"app": app})) as app.url:
        yield app
