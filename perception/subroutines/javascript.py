"""Writes values and expressions of a script as JavaScript."""

from __future__ import annotations

import json
import re
from typing import Any

from perception.subroutines.form_recipe import PageField
from perception.subroutines.parameter import slug
from perception.subroutines.request_template import Given, PageToken

_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")


def write_js(value: Any, names: dict[PageToken, str] | None = None, depth: int | None = None) -> str:
    """A value as a JavaScript expression. With a depth, objects and lists of lists take a line for each part."""
    if isinstance(value, PageToken):
        return (names or {})[value]
    if isinstance(value, PageField):
        return f"Number({field_variable(value)})" if value.number else field_variable(value)
    if isinstance(value, Given):
        return _given(value)
    inner = None if depth is None else depth + 1
    if isinstance(value, dict):
        parts = [f"{_key(key)}: {write_js(each, names, inner)}" for key, each in value.items()]
        return _group("{ ", " }", parts, depth)
    if isinstance(value, list | tuple):
        nested = any(isinstance(each, list | tuple | dict) for each in value)
        return _group("[", "]", [write_js(each, names, inner) for each in value], depth if nested else None)
    return js_text(value)


def _group(start: str, end: str, parts: list[str], depth: int | None) -> str:
    line = f"{start}{', '.join(parts)}{end}" if parts else (start + end).replace(" ", "")
    if depth is None or len(line) < 80:
        return line
    inner = "  " * (depth + 1)
    return f"{start.strip()}\n" + "".join(f"{inner}{part},\n" for part in parts) + "  " * depth + end.strip()


def _given(given: Given) -> str:
    name = given.code or f"params.{given.parameter}"
    if given.form == "address" or (given.code and given.form == "text"):
        return name
    if given.form == "choice":
        return f"{write_js(dict(given.values))}[{name}]"
    if given.form == "lines":
        return f'String({name}).replace(/\\r\\n?|\\n/g, "\\r\\n")'
    return {"number": f"Number({name})", "boolean": name}.get(given.form, f"String({name})")


def _key(key: str) -> str:
    if key == "__proto__":  # which would set the prototype
        return '["__proto__"]'
    return key if _IDENTIFIER.fullmatch(key) else js_text(key)


def js_text(value: Any) -> str:
    """A value as JSON, which is valid JavaScript."""
    return json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def in_template(text: str) -> str:
    """A text within a JavaScript template."""
    return re.sub(r"([`\\]|\$(?={))", r"\\\1", text)


def field_variable(field: PageField) -> str:
    """The variable of a field that was read."""
    return f"{slug(field.name) or 'field'}_now"
