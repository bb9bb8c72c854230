"""Generated pages that never rest, each in a way of its own, beside one that does.

Their facts and pixels change by themselves for as long as they are shown: no two looks at one need show the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from perception.datasets.sources.site_server import serve_folder

RESTLESS = "restless"
"""The name of the family, and what its pages' ids begin with."""

_STYLE = (
    "body { margin: 16px; font: 15px sans-serif } table { border-collapse: collapse } "
    "td { border: 1px solid #bbb; padding: 3px 8px } section { display: inline-block; margin: 8px; width: 180px } "
    ".bar { height: 16px; background: #36c } .track { background: #ddd } "
    ".spin { width: 40px; height: 40px; border: 6px solid #ddd; border-top-color: #36c; border-radius: 50%; "
    "animation: turn 1s linear infinite } @keyframes turn { to { transform: rotate(360deg) } } "
    ".belt { overflow: hidden; white-space: nowrap } .belt span { display: inline-block; "
    "animation: run 9s linear infinite } @keyframes run { to { transform: translateX(-50%) } }"
)

_ROWS = "".join(
    f"<tr><td>Order {row}</td><td>{row * 37 % 900} EUR</td><td><button>Pay {row}</button></td>"
    f'<td><a href="#{row}">Details {row}</a></td><td><input aria-label="Note {row}"></td></tr>'
    for row in range(18)
)
"""What every page has beside what moves: a look has to list it."""

_PARTS = {
    "still": "<p>No part of this page moves.</p>",
    # The text of one element, each second and ten times a second.
    "clock": "<p>Time: <b id=now></b></p><script>"
    "const tick = () => { now.textContent = new Date().toISOString().slice(11, 19) }; tick(); setInterval(tick, 1000)"
    "</script>",
    "stopwatch": "<p>Elapsed: <b id=now></b></p><script>"
    "setInterval(() => { now.textContent = (performance.now() / 1000).toFixed(1) + ' s' }, 100)</script>",
    # Widths and texts of eight elements with every frame.
    "gauges": "<div>"
    + "".join(
        f"<section><div>Load {each}: <b>0 %</b></div><div class=track><div class=bar></div></div></section>"
        for each in range(8)
    )
    + "</div><script>const bars = [...document.querySelectorAll('.bar')], texts = [...document.querySelectorAll("
    "'section b')]; const draw = (now) => { bars.forEach((bar, at) => { const share = Math.round(50 + 50 * "
    "Math.sin(now / 400 + at)); bar.style.width = share + '%'; texts[at].textContent = share + ' %' }); "
    "requestAnimationFrame(draw) }; requestAnimationFrame(draw)</script>",
    # A canvas with every frame; the words in it stay.
    "chart": "<canvas id=chart width=600 height=200></canvas><script>"
    "const ink = chart.getContext('2d'); const draw = (now) => { ink.fillStyle = '#fff'; ink.fillRect(0, 0, 600, 200); "
    "ink.fillStyle = '#222'; ink.font = '16px sans-serif'; ink.fillText('Requests per minute', 20, 24); "
    "ink.fillText('Monday', 60, 190); ink.fillText('Tuesday', 260, 190); ink.beginPath(); "
    "for (let x = 20; x < 580; x += 4) ink.lineTo(x, 110 + 50 * Math.sin(x / 40 + now / 300)); ink.stroke(); "
    "requestAnimationFrame(draw) }; requestAnimationFrame(draw)</script>",
    # The compositor alone.
    "spinner": "<div class=spin role=progressbar aria-label=Loading></div>",
    "ticker": "<div class=belt><span>" + "ACME 12.30 +0.4 % &nbsp; Initech 99.10 -1.2 % &nbsp; " * 8 + "</span></div>",
}

RESTLESS_PAGES = tuple(f"{RESTLESS}-{name}" for name in _PARTS)
"""Ids of the pages; `restless-still` is the one that rests."""


def restless_html(page_id: str) -> str:
    """The page with an id of RESTLESS_PAGES."""
    part = _PARTS[page_id.removeprefix(f"{RESTLESS}-")]
    head = f"<!doctype html><html lang=en><title>{page_id}</title><style>{_STYLE}</style>"
    return f"{head}<body><h1>Orders</h1>{part}<table>{_ROWS}</table></body></html>\n"


@contextmanager
def serve_restless(page_ids: Sequence[str]) -> Iterator[dict[str, str]]:
    """Serves these of RESTLESS_PAGES on loopback within the context; addresses by page id."""
    with TemporaryDirectory(prefix="restless-") as folder:
        for page_id in page_ids:
            Path(folder, f"{page_id}.html").write_text(restless_html(page_id), "utf-8")
        with serve_folder(Path(folder)) as origin:
            yield {page_id: f"{origin}/{page_id}.html" for page_id in page_ids}
