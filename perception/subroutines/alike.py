"""Which values a request may send as they are: those that look like the recorded ones.

A page's script may change what is entered before it sends it, by `trim`, `toLowerCase` or `split(",")`, or refuse it. A
recording shows only that it left the recorded values as they were.

Rule: what only the recorded values have in common, or only the new one has, may be what the script looks at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from perception.subroutines.request_values import as_text, json_leaves

_UPPER, _LOWER, _DIGIT, _LETTER, _BLANK, _BLANKS = "A", "a", "9", "ä", " ", "  "

_WORDS = {
    _UPPER: "a capital letter",
    _LOWER: "a small letter",
    _DIGIT: "a digit",
    _LETTER: "a letter beyond a to z",
    _BLANK: "a space",
    _BLANKS: "blanks that may be removed",
    "\n": "a line end",
}

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?")
"""A number as JSON writes it: of another text a request has another one, or null."""

_OPTIONAL = frozenset({_UPPER, _BLANK})
"""A word is as good as several, and a small letter as a capital one."""


def unlike_value(schema: Mapping[str, Any], arguments: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    """What keeps a request from being sent as it is, in words; "" for nothing.

    Args:
        schema: JSON Schema of the parameters; its examples are the recorded values.
        arguments: the parameters of this run.
        options: the request's; a value counts where it stands in the body as it was given, or may be the number or null
            there.
    """
    leaves = [leaf for key in ("json", "form", "formData") for _, leaf in json_leaves(options.get(key))]
    sent = {_plain(as_text(each)) for each in leaves}
    has_number = any(each is None or (isinstance(each, int | float) and not isinstance(each, bool)) for each in leaves)
    for name, property_ in schema.get("properties", {}).items():
        value, recorded = arguments.get(name), property_.get("examples", ())
        if not recorded or "enum" in property_ or not isinstance(value, str | int | float) or isinstance(value, bool):
            continue
        text, known = _plain(as_text(value)), [_plain(as_text(each)) for each in recorded]
        is_sent = text in sent or (has_number and all(map(_NUMBER.fullmatch, known)) and not _NUMBER.fullmatch(text))
        if is_sent and (differs := unlike(text, known)):
            return f"{name} {differs}"
    return ""


def unlike(text: str, recorded: Sequence[str]) -> str:
    """How a text differs from the recorded ones, in words; "" if it is like them.

    >>> unlike("12", ["1234"]), unlike("Bea", ["Ann"])
    ('has another form than 1234', '')
    >>> unlike("nomail", ["ana@x.io"])
    "lacks '.', which every recorded one has"
    """
    if text in recorded:
        return ""
    if not text:
        return "is empty"
    if all(_is_code(each) for each in recorded):
        is_known = _form(text) in map(_form, recorded)
        return "" if is_known else f"has another form than {recorded[0][:40]}"
    kinds = [_kinds(each) for each in recorded]
    further = _kinds(text) - frozenset().union(*kinds)
    if further:
        return f"has {_said(min(further))}, and no recorded one has"
    lacking = frozenset.intersection(*kinds) - _kinds(text) - _OPTIONAL
    return f"lacks {_said(min(lacking))}, which every recorded one has" if lacking else ""


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _said(kind: str) -> str:
    return _WORDS.get(kind, repr(kind))


def _is_code(text: str) -> bool:
    """Whether it is a number, a date, a code or the like, which has its form."""
    return any(each.isdigit() for each in text) and not any(each.isspace() for each in text)


def _form(text: str) -> str:
    return "".join(map(_kind, text))


def _kinds(text: str) -> frozenset[str]:
    """The kinds of characters that a text has."""
    found = {_kind(each) for each in text}
    return frozenset(found | ({_BLANKS} if text != text.strip() or "  " in text else set()))


def _kind(character: str) -> str:
    if character.isascii():
        named = {"isupper": _UPPER, "islower": _LOWER, "isdigit": _DIGIT}
        return next((kind for test, kind in named.items() if getattr(character, test)()), character)
    return _LETTER if character.isalnum() else character
