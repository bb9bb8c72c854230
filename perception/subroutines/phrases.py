"""Phrases of a success condition: a page's words with parameters and wildcards, such as `Item {name} was added`.

`{name}` stands for the value of a parameter, and `*` for any words, such as numbers and times.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

# Patterns as text: to compile them takes 50 ms, and few processes use them. See `_compiled`.
_NUMBER = r"[#+-]?\d[\d.,:/'-]*(?:st|nd|rd|th|h|min|ms|s|kb|mb|am|pm)?\b"
_TIME_WORDS = (
    r"\b(?:a|an|one)\s(?:few\s)?(?:second|minute|hour|day|week|month|year)s?\b"
    r"|\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|ago|just now|now|today|yesterday|tomorrow)\b"
    r"|\b[ap]\.m\.(?!\w)"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)"
    r"(?:uary|ruary|ch|il|e|y|ust|tember|ober|ember)?\.?\b"
    r"|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b"
)
"""Words of dates and times: what they say differs in each run."""

_PART = re.compile(r"\{(\w+)\}|(\*)")

MIN_LETTERS = 3
"""Letters that a phrase without a parameter needs, so that it is not found by chance."""

MAX_WHOLE_VALUE = 24
"""Characters: a longer value may be shown shortened, with an ellipsis."""

ERROR_WORDS = (
    r"\b(?:errors?|invalid|incorrect|wrong|fail(?:ed|ure|s)?|den(?:y|ied)|forbidden|unauthori[sz]ed|not allowed|refused"
    r"|rejected|already (?:exists?|taken|used|in use|registered|been)|duplicate|is required|are required|required field"
    r"|missing|must (?:be|have|not|contain|match)|can ?not|can't|could ?n[o']t|couldn't|unable to|did ?n[o']t"
    r"|does ?n[o']t (?:match|exist)"
    r"|not (?:valid|found|saved|sent|possible|permitted|available|supported|correct|enough)"
    r"|too (?:long|short|many|few|large|small|big)|expired|exceed(?:s|ed)?|try again|sorry|problem"
    r"|fehler|ungültig|fehlgeschlagen|erforderlich|erreur|invalide|échec|no válido|inválido|errore)\b"
)
"""Words of refusals."""

_NO_ERRORS = r"\b(?:no|0|without(?: any)?|zero) (?:errors?|problems?|failures?)\b"


def is_complaint(text: str, values: Sequence[str] = ()) -> bool:
    """Whether a text has words of a refusal, apart from values that were entered.

    >>> is_complaint("The name is already taken"), is_complaint("0 errors"), is_complaint("Failed is saved", ["Failed"])
    (True, False, False)
    """
    text = _compiled(_NO_ERRORS).sub(" ", text)
    for value in values:
        if len(value) > 1:
            text = re.sub(re.escape(value), " ", text, flags=re.I)
    return _compiled(ERROR_WORDS).search(text) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled once: the cache of `re` forgets a pattern after 512 others."""
    return re.compile(pattern, re.I)


def given_texts(arguments: Mapping[str, Any]) -> list[str]:
    """The arguments of a run that a page may repeat, as text."""
    return [str(each) for each in arguments.values() if isinstance(each, str | int | float)]


def phrase_of(text: str, values: Sequence[tuple[str, str]], choices: Sequence[str] = ()) -> str:
    """A text as a phrase: entered values become parameters; choices, numbers and times become `*`.

    >>> phrase_of("Item Ana was added at 12:30 today", [("name", "Ana")])
    'Item {name} was added at *'
    """
    phrase = text
    for name, value in sorted(values, key=lambda pair: -len(pair[1])):
        phrase = _outside(phrase, _bounded(value), f"{{{name}}}")
    for choice in sorted(choices, key=len, reverse=True):
        phrase = _outside(phrase, _bounded(choice), "*")
    phrase = _outside(_outside(phrase, _NUMBER, "*"), _TIME_WORDS, "*")
    return " ".join(re.sub(r"\*(?:[\s,.:;/-]*\*)+", "*", phrase).split())


def row_phrase(phrase: str) -> str:
    """The phrase of a row: its parameters alone, since other columns differ with each row; "" without a parameter."""
    names = re.findall(r"\{\w+\}", phrase)
    if not names:
        return ""
    first, last = phrase.startswith(names[0]), phrase.endswith(names[-1])
    return f"{'' if first else '* '}{' * '.join(dict.fromkeys(names))}{'' if last else ' *'}"


def common_phrase(one: str, other: str) -> str:
    """Two phrases with `*` for words that differ; "" where they have not the same number of words.

    >>> common_phrase("Ticket abc was closed", "Ticket def was closed")
    'Ticket * was closed'
    """
    left, right = one.split(), other.split()
    if len(left) != len(right):
        return ""
    return " ".join(a if a == b else "*" for a, b in zip(left, right, strict=True))


def is_telling(phrase: str) -> bool:
    """Whether a phrase has enough words of its own, or a parameter."""
    if has_parameter(phrase):
        return True
    return sum(character.isalpha() for character in _PART.sub("", phrase)) >= MIN_LETTERS


def has_parameter(phrase: str) -> bool:
    return re.search(r"\{\w+\}", phrase) is not None


def phrase_pattern(phrase: str, arguments: Mapping[str, Any]) -> re.Pattern[str] | None:
    """The expression of a phrase for the arguments of a run; None where an argument in it is empty."""
    parts, at = [], 0
    for found in _PART.finditer(phrase):
        parts.append(_literal(phrase[at : found.start()]))
        at = found.end()
        if found[2]:
            parts.append(".*?")
        elif found[1] in arguments:
            value = _value(arguments[found[1]])
            if not value:
                return None
            parts.append(_shown_value(value))
        else:
            parts.append(re.escape(found[0]))
    parts.append(_literal(phrase[at:]))
    return re.compile("".join(parts).replace(r"\s+.*?", r"\s*.*?").replace(r".*?\s+", r".*?\s*"), re.I | re.S)


def _literal(text: str) -> str:
    return r"\s+".join(map(re.escape, re.split(r"\s+", text)))


def _value(value: Any) -> str:
    """A value as a page shows it: in one line, without space at its ends."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, bool):
        return ""
    lines = [line for line in str(value).splitlines() if line.strip()]
    return " ".join(lines[0].split()) if lines else ""


def _shown_value(value: str) -> str:
    before = r"(?<!\w)" if value[0].isalnum() else ""
    after = r"(?!\w)" if value[-1].isalnum() else ""
    whole = f"{before}{_literal(value)}{after}"
    if len(value) <= MAX_WHOLE_VALUE:
        return whole
    return rf"(?:{whole}|{before}{_literal(value[: MAX_WHOLE_VALUE // 2].rstrip())}[^…]*?(?:…|\.\.\.))"


def _bounded(value: str) -> str:
    shown = " ".join(value.split())
    return rf"(?<!\w){_literal(shown)}(?!\w)" if shown else r"(?!)"


def _outside(phrase: str, pattern: str, replacement: str) -> str:
    """Replaces a pattern outside parameters and wildcards."""
    pieces = re.split(r"(\{\w+\}|\*)", phrase)
    return "".join(
        piece if index % 2 else re.sub(pattern, lambda _: replacement, piece, flags=re.I)
        for index, piece in enumerate(pieces)
    )
