"""A web application with lists of its own: a component's select, suggestions while one types, and a feed that loads its
rows as it is scrolled. `saved` is what its server was sent."""

# ruff: noqa: E501  markup reads better unbroken

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from perception.bench.pages.local_site import SiteHandler, serve_handler

_SAVE = """<button id=save>Save</button><p role=status></p><script>
const send = async (what) => {
  const answer = await fetch('/api', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ what }) });
  document.querySelector('[role=status]').textContent = (await answer.json()).message;
};
</script>"""

_SELECT = f"""{_SAVE}<style>#menu {{ display: none }} .open #menu {{ display: block }}</style>
<div id=select><div role=combobox tabindex=0 aria-label=Country id=box>Choose</div><div role=listbox id=menu></div></div><script>
box.onclick = () => {{
  document.querySelector('#select').classList.toggle('open'); menu.innerHTML = '';
  for (const name of ['Austria', 'Belgium', 'Chile']) {{
    const option = document.createElement('div'); option.setAttribute('role', 'option'); option.textContent = name;
    option.onmouseenter = () => option.classList.add('active');
    option.onclick = () => {{ box.textContent = name; document.querySelector('#select').classList.remove('open'); }};
    menu.append(option);
  }}
}};
save.onclick = () => send(box.textContent);</script>"""

_SUGGESTIONS = f"""{_SAVE}<label>City <input role=combobox id=city></label><ul role=listbox id=list></ul><script>
let chosen = '';
city.oninput = () => {{
  list.innerHTML = '';
  for (const name of ['Berlin', 'Bern', 'Bergen', 'Paris', 'Palermo'].filter((each) => each.toLowerCase().startsWith(city.value.toLowerCase()))) {{
    const option = document.createElement('li'); option.setAttribute('role', 'option'); option.textContent = name;
    option.onclick = () => {{ city.value = chosen = name; list.innerHTML = ''; }};
    list.append(option);
  }}
}};
save.onclick = () => send(chosen);</script>"""

_RADIO = f"""{_SAVE}<fieldset><legend>Size</legend><label><input type=radio name=size value=s> Small</label><label><input type=radio name=size value=m> Medium</label><label><input type=radio name=size value=l> Large</label></fieldset><script>
save.onclick = () => send(document.querySelector(':checked').value);</script>"""

_FEED = f"""{_SAVE}<ul id=list style="height: 200px; overflow: auto"></ul><script>
let count = 0;
const more = () => {{
  for (let index = 0; index < 20; index++) {{
    const row = document.createElement('li'), button = document.createElement('button'), name = 'Item ' + ++count;
    row.textContent = name + ' '; button.textContent = 'Pick'; button.onclick = () => send(name);
    row.append(button); list.append(row);
  }}
}};
more();
list.onscroll = () => {{ if (count < 100 && list.scrollTop + list.clientHeight > list.scrollHeight - 10) setTimeout(more, 200); }};</script>"""

_PAGES = {"/select": _SELECT, "/suggestions": _SUGGESTIONS, "/radio": _RADIO, "/feed": _FEED}


@dataclass
class Lists:
    """Origin, and what the server was sent."""

    url: str = ""
    saved: list[str] = field(default_factory=list)


class _ListsHandler(SiteHandler):
    app: Lists

    def do_GET(self) -> None:
        body = _PAGES.get(urlsplit(self.path).path, "")
        self._send(f"<!doctype html><title>Lists</title>{body}", "text/html")

    def do_POST(self) -> None:
        what = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["what"]
        self.app.saved.append(what)
        self._send(json.dumps({"ok": True, "message": f"{what} was saved"}), "application/json")

    def _send(self, body: str, mime: str) -> None:
        self.respond(body, f"{mime}; charset=utf-8")


@contextmanager
def serve_lists() -> Iterator[Lists]:
    app = Lists()
    with serve_handler(type("Handler", (_ListsHandler,), {"app": app})) as url:
        app.url = url
        yield app
