"""Secrets that are known by name: what they are called, where they may be typed, and how they are masked in any text.

Rule 1: whoever asks by name never sees the value: a text that leaves has `«secret:NAME»` in its place, in whatever
spelling pages and URLs have: escaped for URLs, HTML, JSON, JavaScript and markdown, in other case, cut off, with marks
between its characters that have no width, or, where it has letters and digits alone, in groups.
Rule 2: a value of less than WHOLE characters is masked as a whole word alone, for as a part of others it is anything:
`1234` stands in ids, too.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html.entities import codepoint2name
from urllib.parse import unquote

MIN_VALUE = 4
"""Characters: a shorter value is found in every text by chance."""

MAX_VALUE = 4096

WHOLE = 8
"""Characters from which on a value is masked as a part of words, too, and whatever its case."""

ESCAPED = 4
"""Layers of escapes that are looked through."""

MAX_CUT = 40
"""Characters after the first half at which a text that was cut off may end."""


NO_WIDTH = "\u00ad\u034f\u180e\u200b\u200c\u200d\u2060\ufeff"
"""What pages put between characters so that long words can break; nobody sees it."""

BETWEEN_GROUPS = "\t \u00a0\u2009\u202f().+/\u2010\u2011\u2012\u2013-"
"""Between groups of letters and digits, as in `DE89 3704 0044` or `(555) 123-4567`; `+` is a URL's space."""

MAX_BETWEEN = 3
"""Of those in a row."""


@dataclass(frozen=True, slots=True)
class NamedSecret:
    """One secret.

    Attributes:
        origins: those of pages that it may be typed into; empty for all.
        principals: who may use it; empty for all.
    """

    name: str
    value: str
    origins: tuple[str, ...] = ()
    principals: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"NamedSecret({self.name!r})"  # a traceback, or a log, is no place for its value


def mask_of(name: str) -> str:
    return f"«secret:{name}»"


class Masker:
    """Masks some secrets."""

    def __init__(self, secrets: Iterable[NamedSecret]) -> None:
        self.secrets = tuple(sorted(secrets, key=lambda each: len(each.value), reverse=True))
        found_by = [each.value for each in self.secrets] + [each.value[: _half(each.value)] for each in self.secrets]
        self._needles = tuple(dict.fromkeys(needle for text in found_by if text for needle in _needles(text)))
        self._numbers = {each.value.lstrip("0"): each.name for each in self.secrets if each.value.isdecimal()}
        # A whole one counts before the beginning of a longer one.
        spelt = [_patterns(each.value) for each in self.secrets]
        patterns = [whole for whole, _ in spelt] + [cut for _, cut in spelt]
        self._pattern = re.compile("|".join(f"({each})" for each in patterns))

    def text(self, text: str) -> str:
        """A text with every secret in it masked; the text itself where there is none."""
        if not self.may_show(text):
            return text
        return self._pattern.sub(self._mask, text)

    def _mask(self, match: re.Match[str]) -> str:
        assert match.lastindex is not None  # one of the patterns matched
        return mask_of(self.secrets[(match.lastindex - 1) % len(self.secrets)].name)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where secrets stand in a text."""
        if self.may_show(text):
            for match in self._pattern.finditer(text):
                yield match.span()

    def number(self, value: float) -> str | None:
        """The mask of a number that is a secret; None of others."""
        name = self._numbers.get(str(abs(int(value)))) if value == value // 1 and abs(value) < 1e300 else None
        return mask_of(name) if name is not None else None

    def may_show(self, text: str) -> bool:
        """A quick look, which may be wrong in saying yes: most texts have none."""
        for _ in range(ESCAPED):
            folded = _squeezed(text.casefold())
            if any(needle in folded for needle in self._needles):
                return True
            plain = _unescaped(text)
            if plain == text:
                return False
            text = plain
        return True


def _needles(value: str) -> set[str]:
    """What stands in every spelling of a value, once that is unescaped and squeezed: its longest word, with and without
    what escapes begin with."""
    word = _squeezed(max(value.split() or [value], key=len).casefold())
    return {word, word.replace("\\", "") or word}


def _squeezed(text: str) -> str:
    """Without what pages may put between the characters of a value."""
    for each in BETWEEN_GROUPS if text.isascii() else NO_WIDTH + BETWEEN_GROUPS:
        text = text.replace(each, "")
    return text


def _unescaped(text: str) -> str:
    """One layer of escapes less."""
    if "\\" in text:
        text = _CODE.sub(lambda match: chr(int(match[1] or match[2], 16)), text).replace("\\", "")
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if "%" in text:
        text = unquote(text)
    if "&" in text:
        # Python's own reader fails at numbers of some thousand digits, which no character has.
        text = html.unescape(_NO_CHARACTER.sub("\ufffd", _ZEROS.sub("&#", text)))
    return text


# From where a run of backslashes begins: a try at each of them would take its length squared.
_CODE = re.compile(r"(?<!\\)\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")
_ZEROS = re.compile(r"&#0+(?=\d)", re.ASCII)
_NO_CHARACTER = re.compile(r"&#\d{8,};?", re.ASCII)

_SLASHES = rf"\\{{1,{2**ESCAPED - 1}}}"
"""What so many layers put before one character."""


def _half(value: str) -> int:
    """Characters of a value that was cut off from which on it is masked; 0 for never."""
    return max(WHOLE, (len(value) + 1) // 2) if len(value) > WHOLE else 0


def _patterns(value: str) -> tuple[str, str]:
    """Regular expressions of all spellings of a value, and of the same cut off after its first half."""
    characters = [_spellings(each) for each in re.findall(r"\s+|.", value, re.DOTALL)]
    between = _between(value)
    whole = between.join(characters)
    if len(value) < WHOLE:
        return rf"(?<![^\W_]){whole}(?![^\W_])", _NEVER
    half = _half(value)
    if not half or half >= len(characters):
        return f"(?i:{whole})", _NEVER
    rest = ""
    for each in reversed(characters[half : half + MAX_CUT]):
        rest = f"(?:{between}{each}{rest})?"
    return f"(?i:{whole})", rf"(?i:{between.join(characters[:half])}{rest}(?=…|\.\.\.|['\"»]|\Z))"


_NEVER = r"(?!)"


def _between(value: str) -> str:
    """What may stand between characters of a value. Words alone are not looked for in groups: `basket ball` is text."""
    no_width = f"[{NO_WIDTH}]*"
    is_number = len(value) >= WHOLE and value.isascii() and value.isalnum() and any(map(str.isdigit, value))
    if not is_number:
        return no_width
    escapes = "|".join(escape for each in " \u00a0()" for escape in _escapes(each))
    return rf"(?:{no_width}(?:[{re.escape(BETWEEN_GROUPS)}]|{escapes})){{0,{MAX_BETWEEN}}}{no_width}"


def _spellings(character: str) -> str:
    """One character, or a run of spaces, as it is and as escapes write it."""
    if character.isspace():
        escapes = "|".join(escape for each in sorted({*character, " ", "\u00a0"}) for escape in _escapes(each))
        return rf"(?:\s|\+|{_SLASHES}[nrt]|(?i:{escapes}))+"
    literal = re.escape(character)
    return rf"(?:{literal}|{_SLASHES}{literal}|(?i:{'|'.join(_escapes(character))}))"


def _escapes(character: str) -> list[str]:
    """Of URLs, HTML and JavaScript; URLs and HTML may be escaped more than once."""
    code, units = ord(character), character.encode("utf-16-be")
    escapes = [
        "".join(f"%(?:25)*{byte:02x}" for byte in character.encode()),
        "".join(rf"{_SLASHES}u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)),
        f"&(?:amp;)*#0*{code};?",
        f"&(?:amp;)*#x0*{code:x};?",
    ]
    name = {**codepoint2name, ord("'"): "apos"}.get(code)
    if name is not None:
        escapes.append(f"&(?:amp;)*{name};?")
    if code < 256:
        escapes.append(rf"{_SLASHES}x{code:02x}")
    return escapes
