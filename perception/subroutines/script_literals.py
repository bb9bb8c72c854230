"""Values of JavaScript literals in a syntax tree. What is not a literal is COMPUTED; nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

import msgspec
from tree_sitter import Node


class _Mark:
    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


COMPUTED: Final[Any] = _Mark("COMPUTED")
"""The value of an expression that is not a literal."""

UNDEFINED: Final[Any] = _Mark("UNDEFINED")
"""JavaScript's `undefined`: JSON leaves such a key out."""

COMPUTED_TEXT = "\0"
"""Stands for a computed part of a text."""

_SIMPLE: Mapping[str, Any] = {"true": True, "false": False, "null": None, "undefined": UNDEFINED}

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": "", "\r": ""}

_READ = frozenset({"String", "encodeURIComponent", "JSON.parse"})
"""Functions of which the value is known where it is that of their argument."""

MAX_DEPTH = 40
"""Nested literals and texts that are read; deeper ones are COMPUTED. Chosen by hand."""


def literal(node: Node | None, known: Mapping[str, Any], depth: int = 0) -> Any:
    """The value of an expression as JSON has it, UNDEFINED, or COMPUTED.

    Args:
        node: the expression; None where the tree has an error.
        known: values of constants by their names.
        depth: of nesting so far.
    """
    if node is None or depth > MAX_DEPTH or node.has_error:
        return COMPUTED
    match node.type:
        case "true" | "false" | "null" | "undefined":
            return _SIMPLE[node.type]
        case "number":
            return _number(source_of(node))
        case "string" | "template_string" | "binary_expression":
            text = written_text(node, known, depth)
            return COMPUTED if COMPUTED_TEXT in text else text
        case "identifier" | "member_expression":
            return known.get(source_of(node), COMPUTED)
        case "unary_expression":
            return _unary(node, known, depth)
        case "parenthesized_expression":
            inner = node.named_children
            return literal(inner[0], known, depth + 1) if len(inner) == 1 else COMPUTED
        case "array":
            items = [literal(each, known, depth + 1) for each in node.named_children if each.type != "comment"]
            return COMPUTED if any(each is COMPUTED or each is UNDEFINED for each in items) else items
        case "object":
            return _object(node, known, depth)
        case "call_expression":
            return _call(node, known, depth)
    return COMPUTED


def written_text(node: Node, known: Mapping[str, Any], depth: int = 0) -> str:
    """A text expression with COMPUTED_TEXT for each part that is computed."""
    if depth > MAX_DEPTH:
        return COMPUTED_TEXT
    if node.type == "string":
        return _joined("".join(_fragment(each) for each in node.named_children))
    if node.type == "template_string":
        parts = []
        for each in node.named_children:
            inner = each.named_children if each.type == "template_substitution" else []
            if each.type == "template_substitution":
                parts.append(_as_text(literal(inner[0], known, depth + 1)) if len(inner) == 1 else COMPUTED_TEXT)
            else:
                parts.append(_fragment(each))
        return _joined("".join(parts))
    if node.type == "binary_expression":
        return _sum(node, known, depth)
    return _as_text(literal(node, known, depth + 1))


def key_of(node: Node | None) -> str | None:
    """The name of a key of an object; None for a computed one."""
    if node is None:
        return None
    if node.type == "computed_property_name":
        inner = node.named_children
        node = inner[0] if len(inner) == 1 else None
        return None if node is None or node.type != "string" else written_text(node, {})
    if node.type == "string":
        return written_text(node, {})
    if node.type == "number":
        value = _number(source_of(node))
        return None if value is COMPUTED else str(value)
    return _joined(re.sub(r"\\u\{?[0-9a-fA-F]+\}?", lambda found: _unescaped(found[0]), source_of(node)))


def called_name(node: Node) -> str:
    """The last name of what a call or `new` calls, as `stringify`; "" for another expression."""
    called = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    if called is not None and called.type == "member_expression":
        called = called.child_by_field_name("property")
        return source_of(called) if called is not None else ""
    return source_of(called) if called is not None and called.type == "identifier" else ""


def _path(node: Node | None) -> str:
    if node is None:
        return ""
    if node.type == "member_expression":
        name = node.child_by_field_name("property")
        return f"{_path(node.child_by_field_name('object'))}.{source_of(name) if name is not None else ''}"
    return source_of(node) if node.type in ("identifier", "this", "super", "import") else ""


def source_of(node: Node) -> str:
    """The text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def _object(node: Node, known: Mapping[str, Any], depth: int) -> Any:
    made: dict[str, Any] = {}
    for each in node.named_children:
        if each.type == "comment":
            continue
        key = key_of(each.child_by_field_name("key")) if each.type == "pair" else None
        value = literal(each.child_by_field_name("value"), known, depth + 1) if key is not None else COMPUTED
        if key is None or value is COMPUTED:
            return COMPUTED
        made.pop(key, None)
        if value is not UNDEFINED:
            made[key] = value
    return made


def _call(node: Node, known: Mapping[str, Any], depth: int) -> Any:
    given = node.child_by_field_name("arguments")
    values = [each for each in given.named_children if each.type != "comment"] if given is not None else []
    name = _path(node.child_by_field_name("function"))
    if len(values) != 1 or name not in _READ:
        return COMPUTED
    value = literal(values[0], known, depth + 1)
    if value is COMPUTED or value is UNDEFINED:
        return COMPUTED
    if name == "String":
        text = _as_text(value)
        return COMPUTED if text == COMPUTED_TEXT else text
    if name == "encodeURIComponent":
        text = _as_text(value)
        return COMPUTED if text == COMPUTED_TEXT else quote(text, safe="-_.!~*'()")
    try:
        return msgspec.json.decode(value) if isinstance(value, str) else COMPUTED
    except msgspec.DecodeError:
        return COMPUTED


def _unary(node: Node, known: Mapping[str, Any], depth: int) -> Any:
    sign, value = node.child_by_field_name("operator"), node.child_by_field_name("argument")
    said = source_of(sign) if sign is not None else ""
    if said == "void":
        return UNDEFINED
    held = literal(value, known, depth + 1)
    is_number = isinstance(held, int | float) and not isinstance(held, bool)
    if said == "!" and (is_number or isinstance(held, bool)):
        return not held
    return COMPUTED if not is_number or said not in "+-" else -held if said == "-" else held


def _sum(node: Node, known: Mapping[str, Any], depth: int) -> str:
    """The text of `a + b + …`: such a tree is as deep as it has parts."""
    parts: list[str] = []
    is_text = False
    left: Node | None = node
    while left is not None and left.type == "binary_expression":
        sign, right = left.child_by_field_name("operator"), left.child_by_field_name("right")
        if sign is None or right is None or source_of(sign) != "+":
            return COMPUTED_TEXT
        is_text = is_text or right.type in ("string", "template_string")
        parts.append(written_text(right, known, depth + 1))
        left = left.child_by_field_name("left")
    is_text = is_text or (left is not None and left.type in ("string", "template_string"))
    parts.append(written_text(left, known, depth + 1) if left is not None else COMPUTED_TEXT)
    return _joined("".join(reversed(parts))) if is_text else COMPUTED_TEXT


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else COMPUTED_TEXT


def _number(text: str) -> Any:
    plain = text.replace("_", "")
    try:
        if re.fullmatch(r"0[xXoObB][\da-fA-F]+", plain):
            return int(plain, 0)
        number = float(plain)
    except ValueError:  # a BigInt, which JSON does not have
        return COMPUTED
    return int(number) if number.is_integer() and abs(number) < 1e21 else number


def _fragment(node: Node) -> str:
    source = source_of(node)
    return _unescaped(source) if node.type == "escape_sequence" else source


def _unescaped(sequence: str) -> str:
    said = sequence[1:]
    code = re.fullmatch(r"[xu]\{?([0-9a-fA-F]+)\}?", said)
    if code is not None:
        return chr(min(int(code[1], 16), 0x10FFFF))
    return _ESCAPES.get(said, said)


def _joined(text: str) -> str:
    """The text with pairs of surrogates as the character that they stand for."""
    if not any("\ud800" <= letter <= "\udfff" for letter in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
