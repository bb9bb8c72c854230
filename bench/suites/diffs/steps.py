"""The page of the `diffs` suite, and the steps that change it: little, a part, or all of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from perception.bench.pages.local_site import SiteHandler, serve_handler


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an agent.

    Attributes:
        name: what it is called in the report.
        target: selector of what is clicked, or typed into.
        text: what is typed; empty for a click.
    """

    name: str
    target: str
    text: str = ""


STEPS = (
    Step("nothing changes", "#nothing"),
    Step("typing", "#search", "anna"),
    Step("message appears", "#toast"),
    Step("row deleted", "tbody tr:nth-child(2) button"),
    Step("row renamed", "#rename"),
    Step("all rows disabled", "#disable"),
    Step("section opens", "#open"),
    Step("filter", "#filter"),
    Step("sort", "#sort"),
    Step("tab of a panel", "#tab2"),
    Step("dialog over all", "#modal"),
    Step("dialog and all drawn again", "#redraw"),
    Step("virtual list scrolled", "#virtual"),
    Step("next page of a table", "#next"),
    Step("next page, drawn again", "#fresh"),
    Step("navigation", "#leave"),
)

_WORDS = ("Anna", "Ben", "Carla", "Deniz", "Emre", "Fay", "Goran", "Hanna", "Ivo", "Jana")

_PAGE = """<!doctype html><meta charset=utf-8><title>Orders</title>
<style>body{font:14px sans-serif;margin:8px} td{padding:2px 8px} #cover{position:fixed;inset:0;background:#fff}</style>
<nav><a id=leave href="/other?size=SIZE">Reports</a> <a href=#a>Settings</a> <a href=#b>Help</a></nav><h1>Orders</h1>
<p id=note></p><label>Search <input id=search></label>
<div>BUTTONS<button role=tab id=tab2>Archive</button></div>
<details id=d><summary id=open>More filters</summary><label>From <input></label><label>To <input></label></details>
<table><thead><tr><th>Number<th>Name<th>Sum<th></tr></thead><tbody></tbody></table>
<script>
const names = NAMES, size = SIZE, body = document.querySelector('tbody'), at = id => document.getElementById(id);
const line = n => `<td>${1000 + n}<td>${names[n % names.length]} ${n}<td>${(n * 37) % 900}.50<td><button>Edit</button>`;
let shown = [...Array(size).keys()];
const draw = () => { body.innerHTML = shown.map(n => `<tr>${line(n)}</tr>`).join('') };
const fill = by => [...body.rows].forEach((row, index) => { const n = shown[index] + by;
  [...row.cells].slice(0, 3).forEach((cell, k) => { cell.firstChild.data = [1000 + n, names[n % 10] + ' ' + n,
    (n * 37) % 900 + '.50'][k] }) });
const cover = () => { const box = document.createElement('div'); box.id = 'cover'; box.setAttribute('role', 'dialog');
  box.setAttribute('aria-label', 'Confirm');
  box.innerHTML = '<p>Delete all?</p><button>Yes</button><button>No</button>'; document.body.append(box) };
draw();
body.onclick = event => event.target.closest('tr').remove();
const act = { nothing() {}, toast() { at('note').textContent = 'Saved'; at('note').role = 'status' },
  rename() { body.rows[0].cells[1].textContent = 'Renamed' },
  disable() { body.querySelectorAll('button').forEach(each => { each.disabled = true }) },
  filter() { [...body.rows].forEach((row, n) => { if (n % 3) row.remove() }) },
  sort() { body.append(...[...body.rows].reverse()) },
  tab2() { body.parentNode.replaceWith(Object.assign(document.createElement('p'), { textContent: 'Nothing here' })) },
  modal: cover, redraw() { draw(); cover() }, virtual() { fill(3) }, next() { fill(size) },
  fresh() { shown = shown.map(n => n + size); draw() } };
for (const [id, run] of Object.entries(act)) at(id).onclick = run;
</script>"""


def page_html(size: int) -> str:
    """The page with that many rows."""
    ids = ("nothing", "toast", "rename", "disable", "filter", "sort", "modal", "redraw", "virtual", "next", "fresh")
    buttons = "".join(f"<button id={each}>{each.capitalize()}</button>" for each in ids)
    return _PAGE.replace("BUTTONS", buttons).replace("NAMES", json.dumps(_WORDS)).replace("SIZE", str(size))


def other_html(size: int) -> str:
    """Where the link leads."""
    rows = "".join(f"<li><a href=#{n}>Report {n} of {_WORDS[n % 10]}</a>" for n in range(size))
    return f"<!doctype html><meta charset=utf-8><title>Reports</title><h1>Reports</h1><ul>{rows}</ul>"


class _Handler(SiteHandler):
    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        size = int(parse_qs(parts.query).get("size", ["1"])[0])
        self.respond(other_html(size) if parts.path == "/other" else page_html(size))


@contextmanager
def serve_steps() -> Iterator[str]:
    """The origin of the page, `/?size=20`, valid within the context."""
    with serve_handler(_Handler) as url:
        yield url
