"""A contact sheet of a data set: one HTML file with every sample and its ground truth, for visual inspection.

Rule 1: one sample is in memory at a time.
Rule 2: the file loads nothing, and text of pages is escaped.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

import cv2

from perception.datasets.sample import Item, Sample, split_of
from perception.errors import BadInputError
from perception.imaging.codec import MAX_FILE_BYTES, decode_image, encode_jpeg
from perception.render.overlay import OVERLAY_STYLE, OverlayBox, draw_overlay

MAX_SHEET_SIDE = 1000
"""Image px of a thumbnail's longer side: words of 11 px can still be read on a laptop's screenshot."""

QUALITY = 60

SHEET_KINDS = {
    "reachable": "reachable",
    "unreachable": "not reachable",
    "line": "line of text",
    "task": "task",
    "unknown": "picture that nobody describes",
}

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --quiet: #59636e; --line: #d1d9e0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --paper: #14171a; --quiet: #9aa4ae; --line: #363d45; } }
body { margin: 0 auto; max-width: 110rem; padding: 1rem 2vw 4rem; color: var(--ink); background: var(--paper);
  font: 14px/1.45 system-ui, "Segoe UI", "Noto Sans", sans-serif; overflow-wrap: anywhere; }
h1 { margin: .3rem 0; }
form { position: sticky; top: 0; z-index: 2; background: var(--paper); display: flex; flex-wrap: wrap; gap: .3rem 1rem;
  padding: .6rem 0; border-bottom: 1px solid var(--line); align-items: center; }
form input[type=search] { font: inherit; padding: .3rem .6rem; width: 20rem; max-width: 100%; }
label { white-space: nowrap; } i { display: inline-block; width: 1.3em; height: .8em; border: 2px solid; }
main { columns: 24rem; column-gap: 1rem; margin-top: 1rem; }
figure { margin: 0 0 1rem; border: 1px solid var(--line); border-radius: 6px; padding: .5rem; break-inside: avoid; }
figure.large { column-span: all; }
.picture { position: relative; cursor: zoom-in; } .large .picture { cursor: zoom-out; }
img { display: block; width: 100%; } .overlay rect:hover { fill: rgb(255 235 59 / .35); }
.reachable { stroke: #0072b2; color: #0072b2; } .unreachable { stroke: #d55e00; color: #d55e00; stroke-dasharray: 7 3; }
.line { stroke: #009e73; color: #009e73; stroke-width: 1; } .task { stroke: #cc79a7; color: #cc79a7; stroke-width: 3; }
.unknown { stroke: #8a8a8a; color: #8a8a8a; stroke-dasharray: 2 3; }
figcaption span { color: var(--quiet); display: block; }
"""

SCRIPT = """
const rules = document.body.appendChild(document.createElement("style"));
const boxes = [...document.querySelectorAll("form input[type=checkbox]")];
const hide = (box) => `rect.${box.value} { display: none }`;
const apply = () => rules.textContent = boxes.filter((box) => !box.checked).map(hide).join("");
for (const box of boxes) box.addEventListener("change", apply);
apply();
const figures = [...document.querySelectorAll("figure")];
document.querySelector("form input[type=search]").addEventListener("input", (event) => {
  const wanted = event.target.value.toLowerCase();
  for (const figure of figures) figure.hidden = !figure.textContent.toLowerCase().includes(wanted);
});
document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
for (const picture of document.querySelectorAll(".picture")) {
  picture.addEventListener("click", () => picture.parentElement.classList.toggle("large"));
}
"""


def write_sheet(items: Iterable[Item], out: Path, *, title: str, limit: int) -> int:
    """Writes the sheet and returns the number of its samples. Samples after `limit` are counted at its end."""
    out.parent.mkdir(parents=True, exist_ok=True)
    shown = left = 0
    with out.open("w", encoding="utf-8") as file:
        file.write(_head(title))
        for item in items:
            if shown < limit:
                file.writelines(_figure(item))
                shown += 1
            else:
                left += 1
        more = f"<p>Not shown: {left} more. Raise --limit.</p>" if left else ""
        file.write(f"</main>{more}<script>{SCRIPT}</script></body></html>\n")
    return shown


def _head(title: str) -> str:
    toggles = "".join(
        f'<label><input type="checkbox" value="{kind}"{"" if kind in ("line", "unknown") else " checked"}> '
        f'<i class="{kind}"></i> {name}</label>'
        for kind, name in SHEET_KINDS.items()
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{OVERLAY_STYLE}{STYLE}</style></head><body>"
        f'<h1>{escape(title)}</h1><form><input type="search" placeholder="Filter" aria-label="Filter samples">'
        f"{toggles}</form><main>\n"
    )


def _figure(item: Item) -> Iterator[str]:
    sample = item.sample
    viewport = sample.viewport
    try:
        thumbnail = base64.b64encode(_thumbnail(item.image)).decode()
    except BadInputError as exc:
        yield f"<figure><figcaption><strong>{escape(sample.name)}</strong><span>{escape(str(exc))}</span></figcaption>"
        yield "</figure>\n"
        return
    yield '<figure><div class="picture"><img loading="lazy" alt="" src="data:image/jpeg;base64,'
    yield thumbnail
    yield f'">{draw_overlay(_boxes(sample), viewport.width, viewport.height)}</div>'
    facts = (
        f"{viewport.width} × {viewport.height} @ {viewport.scale:g}",
        sample.color_scheme,
        sample.group,
        split_of(sample.group),
        sample.category,
        sample.stratum,
        item.id[:12],
    )
    reachable = sum(bool(each.reachable) for each in sample.truth)
    counts = f"{len(sample.truth)} true, {reachable} reachable, {len(sample.lines)} lines, {len(sample.tasks)} tasks"
    yield f"<figcaption><strong>{escape(sample.name)}</strong>"
    yield f"<span>{escape(' · '.join(filter(None, facts)))}</span><span>{counts}</span></figcaption></figure>\n"


def _boxes(sample: Sample) -> Iterator[OverlayBox]:
    for box in sample.unknown:
        yield OverlayBox(box, "unknown", "a picture that nobody describes")
    for line in sample.lines:
        yield OverlayBox(line.box, "line", line.text)
    for each in sample.truth:
        if each.reachable is not None:
            why = ", ".join(each.evidence)
            label = f'{each.role} "{each.name}" ({why})'
            yield OverlayBox(each.box, "reachable" if each.reachable else "unreachable", label)
    for task in sample.tasks:
        yield OverlayBox(task.box, "task", task.instruction)


def _thumbnail(path: Path) -> bytes:
    pixels = decode_image(path.read_bytes(), max_bytes=MAX_FILE_BYTES)
    factor = MAX_SHEET_SIDE / max(pixels.shape[:2])
    if factor < 1:
        pixels = cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA).astype(pixels.dtype)
    return encode_jpeg(pixels, QUALITY)
