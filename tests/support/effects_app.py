"""A web application whose answers look alike whether it did something or not: logins, forms that post to themselves,
messages after a redirect, APIs that refuse with status 200."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from perception.bench.pages.local_site import SiteHandler, serve_handler

GOODS = (("Apple", "1.20", "/goods/1"), ("Apricot", "2.50", "/goods/2"), ("Banana", "0.90", "/goods/3"))


@dataclass
class Effects:
    """The application's state.

    Attributes:
        url: its origin.
        done: what was done, in order.
        flash: message that the next page shows once.
        user: who is logged in.
        fault: status and body that every POST is answered with; empty for none.
        mime: content type of that body.
        is_stuck: the server answers as always and does nothing.
        is_gone: pages are not found.
    """

    url: str = ""
    done: list[str] = field(default_factory=list)
    flash: str = ""
    user: str = ""
    fault: tuple[int, str] = (0, "")
    mime: str = "text/html"
    is_stuck: bool = False
    is_gone: bool = False

    def add(self, what: str) -> bool:
        """Does something once; False where it was done before."""
        if what in self.done or self.is_stuck:
            return False
        self.done.append(what)
        return True

    def listed(self, tag: str = "li") -> str:
        return "".join(f"<{tag}>{html.escape(each)}</{tag}>" for each in self.done)

    def shown_flash(self) -> str:
        flash, self.flash = self.flash, ""
        return f"<div>{html.escape(flash)}</div>" if flash else ""


def _page(title: str, body: str) -> str:
    return f"<!doctype html><title>{title}</title><h1>{title}</h1>{body}"


def _form(label: str, name: str, *, value: str = "", action: str = "") -> str:
    given = html.escape(value, quote=True)
    target = f" action={action}" if action else ""
    field = f'<label>{label} <input name={name} value="{given}"></label>'
    return f"<form method=post{target}>{field}<button>Save</button></form>"


_API = """<label>Tag <input id=tag></label><button>Save</button><script>
const field = document.querySelector('#tag');
document.querySelector('button').onclick = () => fetch('%s', { method: 'POST',
  headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ tag: field.value }) });
</script>"""

_FOLLOW = """<button aria-pressed=%s>Follow</button><script>
const button = document.querySelector('button');
button.onclick = async () => {
  const answer = await fetch('/follow', { method: 'POST' });
  if (await answer.text() === 'followed') button.setAttribute('aria-pressed', 'true');
};</script>"""


class _EffectsHandler(SiteHandler):
    app: Effects
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        app, url = self.app, urlsplit(self.path)
        if app.is_gone:
            self._send(404, _page("Not found", "<p>There is no such page here.</p>"))
            return
        if url.path.startswith("/boxes/"):
            self._redirect(url.path.replace("/boxes/", "/box/"))
            return
        query = {key: values[0] for key, values in parse_qs(url.query, keep_blank_values=True).items()}
        pages = {
            "/login": lambda: _page("Log in", _LOGIN),
            "/home": lambda: _page("Home", f"<p>Welcome {app.user}</p><a href=/logout>Log out</a>"),
            "/portal": lambda: _page("Home", "<a href=/logout>Log out</a>") if app.user else _page("Log in", _LOGIN),
            "/codes": lambda: _page("Codes", f"{_form('Code', 'code')}<ul>{app.listed()}</ul>"),
            "/tickets": lambda: _page(
                "Tickets", f"{app.shown_flash()}{_form('Title', 'title')}<p>{len(app.done)} tickets</p>"
            ),
            "/tags": lambda: _page("Tags", _API % "/api/tags"),
            "/silent": lambda: _page("Silent", _API % "/api/silent"),
            "/rows": lambda: _page("Rows", f"{_API % '/api/silent'}<ul>{app.listed()}</ul>"),
            "/profile": lambda: _page("Profile", _form("City", "city", value=app.done[-1] if app.done else "Rome")),
            "/state": lambda: _page("State", _FOLLOW % "false"),
            "/goods": lambda: _page("Goods", _search(query.get("q"), "table")),
            "/links": lambda: _page("Links", _search(query.get("q"), "list")),
            "/login.css": lambda: "",
        }
        if url.path.startswith("/box/update/"):
            key = url.path.rsplit("/", 1)[1]
            pages[url.path] = lambda: _page("Box", f"<h1>Box {key}</h1>{_form('Shelf', 'shelf')}{app.listed()}")
        page = pages.get(url.path)
        self._send(200 if page else 404, page() if page else "<h1>None</h1>")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        app, path = self.app, urlsplit(self.path).path
        given = {key: values[0] for key, values in parse_qs(body, keep_blank_values=True).items()}
        if app.fault[0]:
            self._send(app.fault[0], app.fault[1], app.mime)
        elif path in ("/login", "/portal"):
            is_right = given["password"] == "right-password"
            app.user = given["user"] if is_right else ""
            self._redirect(path if path == "/portal" else "/home" if is_right else "/login")
        elif path == "/codes":
            code = given["code"]
            is_new = app.add(code)
            said = "" if is_new else f"<p>{html.escape(code)} is a duplicate</p>"
            said = "" if app.is_stuck else said
            form = _form("Code", "code", value="" if is_new else code)
            self._send(200, _page("Codes", f"{said}{form}<ul>{app.listed()}</ul>"))
        elif path == "/tickets":
            app.flash = (
                f"Ticket {given['title']} was created" if app.add(given["title"]) else "You have seen this title before"
            )
            self._redirect("/tickets")
        elif path.startswith("/box/update/"):
            app.add(f"{path.rsplit('/', 1)[1]} to {given['shelf']}")
            self._redirect(path.replace("/box/", "/boxes/"))
        elif path == "/profile":
            app.add(given["city"])
            self._redirect("/profile")
        elif path == "/follow":
            self._send(200, "followed" if app.add("followed") else "no", "text/plain")
        elif path == "/api/tags":
            is_new = app.add(json.loads(body)["tag"])
            self._send(200, json.dumps({"ok": True, "id": 7} if is_new else {"ok": False}), "application/json")
        else:
            app.add(json.loads(body)["tag"])
            self._send(200, "", "text/plain")

    def _redirect(self, path: str) -> None:
        self.respond(b"", status=302, Location=path)

    def _send(self, status: int, text: str, mime: str = "text/html") -> None:
        self.respond(text, f"{mime}; charset=utf-8", status)


_LOGIN = """<form method=post><label>User <input name=user></label>
<label>Password <input type=password name=password></label><button>Log in</button></form>"""


def _search(asked: str | None, kind: str) -> str:
    form = (
        f"<nav><ul><li><a href=/home>Home</a><li><a href=/goods>Goods</a></ul></nav>"
        f"<form><label>Search <input name=q value='{asked or ''}'></label><button>Find</button></form>"
    )
    found = [each for each in GOODS if asked and asked.lower() in each[0].lower()]
    if asked is None:
        return form
    if not found:
        return f"{form}<p>No results</p>"
    if kind == "table":
        rows = "".join(f"<tr><td><a href={url}>{name}</a></td><td>{price}</td></tr>" for name, price, url in found)
        return f"{form}<table><tr><th>Name</th><th>Price</th></tr>{rows}</table>"
    items = "".join(f"<li><a href={url}>{name}</a></li>" for name, _, url in found)
    return f"{form}<h2>Found</h2><ul>{items}</ul>"


@contextmanager
def serve_effects() -> Iterator[Effects]:
    """The application at `Effects.url`, valid within the context."""
    app = Effects()
    with serve_handler(type("Handler", (_EffectsHandler,), {"app": app})) as app.url:
        yield app
