"""Listings of code, logs and the like as pictures: every line keeps its words, and no box takes some of them out."""

from __future__ import annotations

import html
import re

import pytest
from rapidfuzz import fuzz

from perception.client import AsyncClient, AsyncPage
from perception.v1 import perception_service_pb2 as pb
from tests.support.live import Show

SAME = 85
"""Least similarity, of 100: OCR takes one sign for another."""

CODE = """const menu = new Menu({ target: document.body, open: true });
menu.on('select', (item) => console.log(item.label));
if (link.href === undefined) { throw new Error("no link"); }
export default function submit(form, button) {
  form.submit();"""
LOG = """2026-03-04 10:15:23,550 WARN  link to https://example.com/help is not reachable
2026-03-04 10:15:24,003 ERROR could not open file: permission denied
10.0.0.7 - - [04/Mar/2026:10:15:26 +0000] "GET /orders?page=2 HTTP/1.1" 200 5120
2026-03-04 10:15:30,000 INFO  checkout button pressed by user 17"""
DIFF = """diff --git a/server/orders.py b/server/orders.py
index 83db48f..bf2a1c0 100644
@@ -12,7 +12,9 @@ class Orders:
     def open(self, number: int) -> Order:
-        return self._orders[number]
+        order = self._orders.get(number)
+        if order is None:"""
JSON = """  "name": "orders",
  "dependencies": {
    "express": "^4.19.2",
    "pino": "^9.0.0",
    "zod": "^3.23.8" },
  "keywords": ["orders", "invoices", "checkout"]"""
PROSE = """Good question. Setting <code>trigger: 'hover'</code> or <code>trigger: 'click'</code> is a shorthand.
The <code>url</code> option: where the list is, with <code>?page=</code> at its end
Use <kbd>Ctrl</kbd> + <kbd>S</kbd> to save the file and press the Save button to publish it."""
STYLE = "margin:24px;font:{size}px/{high} 'DejaVu Sans Mono',monospace;background:{paper};color:{ink}"
CHIPS = """<style>code{background:#e8e8e8;padding:2px 4px;border-radius:3px}
kbd{border:1px solid #999;padding:1px 4px}</style>"""


@pytest.mark.parametrize(
    ("listing", "size", "high", "paper", "ink"),
    [
        pytest.param(f"{CODE}\n}});", 14, 1.5, "#f6f8fa", "#24292e", id="code"),
        pytest.param(CODE, 12, 1.2, "#1e1e1e", "#d4d4d4", id="code-in-narrow-dark-lines"),
        pytest.param(LOG, 12, 1.35, "#fff", "#333", id="log"),
        pytest.param(DIFF, 11, 1.2, "#fff", "#333", id="diff-in-narrow-lines"),
        pytest.param(JSON, 13, 1.4, "#272822", "#e6db74", id="JSON-in-narrow-dark-lines"),
        pytest.param(PROSE, 15, 2, "#fff", "#222", id="prose-with-code-in-it"),
    ],
)
async def test_every_line_of_a_listing_keeps_its_words(
    shared_page: AsyncPage, client: AsyncClient, write: Show, listing: str, size: int, high: float, paper: str, ink: str
) -> None:
    is_prose = listing is PROSE
    style = STYLE.format(size=size, high=high, paper=paper, ink=ink)
    await write(f'<!doctype html>{CHIPS}<pre style="{style}">{listing if is_prose else html.escape(listing)}</pre>')
    shot = await client.call(
        client.perception.CaptureScreenshot, pb.CaptureScreenshotRequest(session_id=shared_page.session_id)
    )
    reply = await client.parse_image(shot.image.data)
    listed = [_letters(each.name) for each in reply.snapshot.elements]
    shown = re.sub("<.*?>", "", listing) if is_prose else listing
    assert [line for line in shown.splitlines() if not _is_listed(_letters(line), listed)] == []


def _is_listed(line: str, listed: list[str]) -> bool:
    return any(fuzz.ratio(line, each) >= SAME for each in listed)


def _letters(text: str) -> str:
    return "".join(text.split())
