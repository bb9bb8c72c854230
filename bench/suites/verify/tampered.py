"""Pages whose pixels show other numbers than their text says, and the font that draws 1 as 7."""

from __future__ import annotations

import struct
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

NUMBERS = ("1250", "4711", "18.40", "1 099,00", "31/12/2021", "617 of 1000", "$41.75", "81%", "100.1.2.13", "5512-9831")
"""Each has a 1, which is painted as a 7."""

FONT_FILES = tuple(
    Path("/usr/share/fonts/truetype") / each
    for each in ("dejavu/DejaVuSans.ttf", "liberation/LiberationSans-Regular.ttf")
)
"""TrueType fonts of Debian's packages, the first of which is changed."""

_HEAD = "<!doctype html><meta charset=utf-8><title>Prices</title><body style='font:16px DejaVu Sans,sans-serif'>"


def other(number: str) -> str:
    """The number as the pixels show it."""
    return number.replace("1", "7")


def _canvas(number: str) -> str:
    return (
        f"<span style='position:relative'>{number}<canvas width=160 height=22 data-n='{other(number)}' "
        "style='position:absolute;left:0;top:0;pointer-events:none'></canvas></span>"
    )


def _image(number: str) -> str:
    svg = (
        "%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 width=%22160%22 height=%2222%22%3E%3Crect width=%22160%22 "
        "height=%2222%22 fill=%22white%22/%3E%3Ctext y=%2216%22 font-size=%2216%22 font-family=%22DejaVu Sans%22%3E"
        f"{other(number).replace('%', '%25')}%3C/text%3E%3C/svg%3E"
    )
    return (
        f"<span style='position:relative'>{number}<img alt='' src=\"data:image/svg+xml,{svg}\" "
        "style='position:absolute;left:0;top:0;pointer-events:none'></span>"
    )


def _reversed(number: str) -> str:
    return f"<bdo dir=rtl>{number}</bdo>"


def _font(number: str) -> str:
    return f"<span style='font-family:Tampered'>{number}</span>"


def _layer(number: str) -> str:
    return (
        f"<span style='position:relative'>{number}<span aria-hidden=true style='position:absolute;left:0;top:0;"
        f"background:#fff;pointer-events:none;white-space:nowrap'>{other(number)}</span></span>"
    )


TRICKS: dict[str, Callable[[str], str]] = {
    "canvas over it": _canvas,
    "image over it": _image,
    "aria-hidden text over it": _layer,
    "font that draws 1 as 7": _font,
    "direction override": _reversed,
}
"""How each trick writes a number."""

_PAINT = """<script>for (const each of document.querySelectorAll("canvas")) { const at = each.getContext("2d")
at.fillStyle = "#fff"; at.fillRect(0, 0, 160, 22); at.fillStyle = "#000"; at.font = "16px DejaVu Sans, sans-serif"
at.fillText(each.dataset.n, 0, 16) }</script>"""


def tampered_page(trick: str, font: str = "") -> str:
    """A page with a paragraph for each number, painted by a trick.

    Args:
        trick: a key of TRICKS.
        font: data URL of the font `Tampered`.
    """
    face = f"<style>@font-face{{font-family:Tampered;src:url({font})}}</style>" if font else ""
    lines = "".join(f"<p>Item {chr(65 + at)}: {TRICKS[trick](each)}</p>" for at, each in enumerate(NUMBERS))
    return _HEAD + face + lines + _PAINT


def tampered_font(data: bytes) -> str:
    """Data URL of a TrueType font whose 1 is drawn as 7.

    Raises:
        ValueError: it has no character map of format 4.
    """
    count = struct.unpack_from(">H", data, 4)[0]
    records = [(data[12 + 16 * at :][:4], 12 + 16 * at) for at in range(count)]
    entry = next(at for tag, at in records if tag == b"cmap")
    glyphs = _glyphs(data[struct.unpack_from(">I", data, entry + 8)[0] :])
    glyphs[ord("1")] = glyphs[ord("7")]
    table = _character_map(glyphs)
    padded = data + b"\0" * (-len(data) % 4)
    made = bytearray(padded + table + b"\0" * (-len(table) % 4))
    struct.pack_into(">III", made, entry + 4, _checksum(table), len(padded), len(table))
    return "data:font/ttf;base64," + b64encode(made).decode()


def _glyphs(table: bytes) -> dict[int, int]:
    """Glyphs of the printable ASCII characters."""
    starts = [struct.unpack_from(">I", table, 4 + 8 * at + 4)[0] for at in range(struct.unpack_from(">H", table, 2)[0])]
    start = next((at for at in starts if struct.unpack_from(">H", table, at)[0] == 4), None)
    if start is None:
        raise ValueError("no character map of format 4")
    doubled = struct.unpack_from(">H", table, start + 6)[0]
    count, ends = doubled // 2, start + 14
    found = {}
    for at in range(count):
        last = struct.unpack_from(">H", table, ends + 2 * at)[0]
        first, delta = (struct.unpack_from(">H", table, ends + 2 + n * doubled + 2 * at)[0] for n in (1, 2))
        place = ends + 2 + 3 * doubled + 2 * at
        offset = struct.unpack_from(">H", table, place)[0]
        for code in range(max(first, 0x20), min(last, 0x7E) + 1):
            glyph = code if not offset else struct.unpack_from(">H", table, place + offset + 2 * (code - first))[0]
            found[code] = (glyph + delta) & 0xFFFF
    return found


def _character_map(glyphs: dict[int, int]) -> bytes:
    """A table `cmap` of format 4 with a segment for each character."""
    codes = sorted(glyphs)
    segments = len(codes) + 1
    power = 1 << (segments.bit_length() - 1)
    deltas = [(glyphs[code] - code) & 0xFFFF for code in codes]
    body = struct.pack(">HHHH", segments * 2, power * 2, power.bit_length() - 1, (segments - power) * 2)
    body += struct.pack(f">{segments}H", *codes, 0xFFFF) + b"\0\0" + struct.pack(f">{segments}H", *codes, 0xFFFF)
    body += struct.pack(f">{segments}H", *deltas, 1) + b"\0\0" * segments
    return struct.pack(">HHHHI", 0, 1, 3, 1, 12) + struct.pack(">HHH", 4, len(body) + 6, 0) + body


def _checksum(table: bytes) -> int:
    padded = table + b"\0" * (-len(table) % 4)
    return int(sum(struct.unpack(f">{len(padded) // 4}I", padded))) & 0xFFFFFFFF
