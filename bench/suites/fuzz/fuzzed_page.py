"""The page for fuzzed requests: some of every kind of element, served on loopback."""

from __future__ import annotations

from contextlib import AbstractContextManager

from perception.bench.pages.local_site import SiteHandler, serve_handler

FUZZED_HTML = """<!doctype html><meta charset=utf-8><title>Fuzzed</title>
<h1>Fuzzed</h1><form onsubmit="return false"><label>Name <input id=name></label>
<input type=password value=hunter2><input type=date id=date><input type=file id=file multiple>
<label><input type=checkbox id=check> Agree</label>
<select id=list><option>One<option>Two<option disabled>Three</select>
<select id=many multiple><option>A<option>B</select><textarea id=area>text</textarea>
<button id=save>Save</button></form>
<a href=/other id=link>Other</a> <a href=/other target=_blank id=new>New tab</a>
<a href=/file download id=file2>File</a>
<button id=ask onclick="confirm('Sure?')">Ask</button>
<button id=later onclick="setTimeout(() => { this.remove() }, 50)">
Later</button><div id=edit contenteditable>Editable</div><canvas id=canvas width=200 height=60></canvas>
<iframe srcdoc="<button id=inner>Inner</button><p>Framed"></iframe><div id=host></div>
<table><tr><th>A<th>B<tr><td>1<td>2</table><div style="height:3000px"></div><button id=far>Far</button>
<div role=button tabindex=0 aria-label="\ufffd\u202e odd" id=odd>Odd</div>
<script>
document.getElementById('host').attachShadow({mode: 'closed'}).innerHTML = '<button id=shut>Shut</button>';
const area = document.getElementById('canvas').getContext('2d'); area.fillText('Painted', 10, 30);
const half = document.createElement('button'); half.textContent = 'half \\ud800 pair'; document.body.append(half);
</script>"""


class _FuzzedPageHandler(SiteHandler):
    def do_GET(self) -> None:
        is_file = self.path.startswith("/file")
        self.respond(*(("x" * 2000, "application/octet-stream") if is_file else (FUZZED_HTML,)))

    def do_POST(self) -> None:
        self.do_GET()


def serve_page() -> AbstractContextManager[str]:
    """Serves the page at every path; yields its origin."""
    return serve_handler(_FuzzedPageHandler)
