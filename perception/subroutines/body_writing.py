"""Writes bodies as browsers do, byte for byte: by this a recorded body is held against what a replay would send.

`request.js` has the other side: it sends what these functions write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any
from urllib.parse import quote, quote_plus

Pairs = Sequence[tuple[str, str]]


def write_urlencoded(pairs: Pairs, style: str = "") -> str:
    """A form body.

    Args:
        pairs: names and values.
        style: "" as forms and URLSearchParams write it, `component` with encodeURIComponent, `jquery` the same with `+`
            for spaces.
    """
    return "&".join(f"{_encoded(name, style)}={_encoded(value, style)}" for name, value in pairs)


def style_of(text: str, pairs: Pairs) -> str | None:
    """The style in which a form body is written; None for another style."""
    return next((each for each in STYLES if write_urlencoded(pairs, each) == text), None)


STYLES = ("", "component", "jquery")


def _encoded(text: str, style: str) -> str:
    if not style:
        return quote_plus(text, safe="*-._", errors="replace").replace("~", "%7E")
    encoded = quote(text, safe="!'()*~-._", errors="replace")
    return encoded.replace("%20", "+") if style == "jquery" else encoded


def write_multipart(boundary: str, pairs: Pairs, blank_files: Collection[int] = ()) -> str:
    """A multipart body without files (HTML, "multipart/form-data encoding algorithm").

    Args:
        boundary: separates the parts.
        pairs: names and values.
        blank_files: indices in `pairs` of file fields without a file.
    """
    parts = []
    for index, (name, value) in enumerate(pairs):
        is_file = index in blank_files
        file = '; filename=""\r\nContent-Type: application/octet-stream' if is_file else ""
        head = f'Content-Disposition: form-data; name="{_escape_name(name)}"{file}'
        parts.append(f"--{boundary}\r\n{head}\r\n\r\n{'' if is_file else with_crlf(value)}\r\n")
    return f"{''.join(parts)}--{boundary}--\r\n"


def with_crlf(text: str) -> str:
    """A text with the line ends that forms send."""
    return re.sub(r"\r\n?|\n", "\r\n", text)


def _escape_name(name: str) -> str:
    return with_crlf(name).replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")


def unescape_name(name: str) -> str:
    """The name of a part. A name that holds `%22` itself is written in the same way as one that holds a quote."""
    return name.replace("%0D", "\r").replace("%0A", "\n").replace("%22", '"')


def write_json(value: Any) -> str:
    """A JSON value as JSON.stringify writes it once JSON.parse has read it."""
    if isinstance(value, Mapping):
        keys = sorted((key for key in value if _is_index(key)), key=int) + [key for key in value if not _is_index(key)]
        return "{" + ",".join(f"{write_json(key)}:{write_json(value[key])}" for key in keys) + "}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(write_json, value))}]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _number(float(value))
    return json.dumps(value, ensure_ascii=False)


def _is_index(key: str) -> bool:
    """JavaScript objects have such keys first, in their order."""
    return re.fullmatch(r"0|[1-9][0-9]{0,9}", key) is not None and int(key) < 2**32 - 1


def _number(value: float) -> str:
    """A number as JavaScript writes it (ECMA-262, Number::toString)."""
    _, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    if not value:
        return "0"
    text, point = "".join(map(str, digits)), len(digits) + int(exponent)
    if len(text) <= point <= 21:
        text += "0" * (point - len(text))
    elif 0 < point <= 21:
        text = f"{text[:point]}.{text[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{text}"
    else:
        text = f"{text[0]}{'.' if text[1:] else ''}{text[1:]}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return f"-{text}" if value < 0 else text
