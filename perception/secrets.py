"""Named secrets: their names, where they may be typed, and how their values are masked in any text.

Rule 1: a client never sees the value of a secret. Every text that leaves has `«secret:NAME»` in its place, in any
spelling: escaped for URLs, HTML, JSON, JavaScript and markdown, in another case, truncated, with zero-width characters
inside, in base64 (from CODED characters on), or, if it consists of letters and digits only, in groups.
Rule 2: a value of less than WHOLE characters is masked only as a whole word, since it may be a part of other words:
ids contain `1234`, too.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html.entities import codepoint2name
from urllib.parse import unquote

MIN_VALUE = 4
"""Characters: a shorter value occurs in texts by chance."""

MAX_VALUE = 4096

WHOLE = 8
"""Characters: a value of this length or more is masked as a part of words, too, and in any case."""

CODED = 6
"""Characters: what base64 makes of a shorter value occurs in texts by chance."""

ESCAPED = 4
"""Maximum number of nested escapes."""

MAX_TYPED_SECRETS = 50
"""Values of one session. Chosen by hand."""

MAX_CUT = 40
"""Characters after the first half of a value at which a truncated text may end."""


NO_WIDTH = "\u00ad\u034f\u180e\u200b\u200c\u200d\u2060\ufeff"
"""Invisible characters that pages insert so that long words can break."""

BETWEEN_GROUPS = "\t \u00a0\u2009\u202f().+/\u2010\u2011\u2012\u2013-"
"""Separators between groups of letters and digits, as in `DE89 3704 0044` or `(555) 123-4567`; `+` is a URL's space."""

MAX_BETWEEN = 3
"""Maximum number of separators in a row."""


@dataclass(frozen=True, slots=True)
class NamedSecret:
    """One secret.

    Attributes:
        name: name by which clients use it.
        value: the secret itself.
        origins: origins of the pages that it may be typed into; empty for all.
        principals: callers that may use it; empty for all.
    """

    name: str
    value: str
    origins: tuple[str, ...] = ()
    principals: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"NamedSecret({self.name!r})"  # tracebacks and logs must not contain the value


def mask_of(name: str) -> str:
    """The text that stands for a secret; one that has no name was typed."""
    return f"«secret:{name}»" if name else "«secret»"


class Masker:
    """Masks the values of secrets in text.

    Args:
        secrets: what is masked.
        truncated: the first half of a value is masked, too, where a text is cut off after it.
    """

    def __init__(self, secrets: Iterable[NamedSecret], *, truncated: bool = True) -> None:
        self.secrets = tuple(sorted(secrets, key=lambda each: len(each.value), reverse=True))
        found_by = [each.value for each in self.secrets]
        found_by += [each.value[: _half(each.value)] for each in self.secrets if truncated]
        needles = [needle for text in found_by if text for needle in _needles(text)]
        needles += [_base64_needle(form) for each in self.secrets for form in base64_forms(each.value)]
        self._needles = tuple(dict.fromkeys(needles))
        self._numbers = {each.value.lstrip("0"): each.name for each in self.secrets if each.value.isdecimal()}
        # A whole value takes precedence over the first half of a longer one.
        spelt = [_patterns(each.value) for each in self.secrets]
        patterns = [whole for whole, _ in spelt] + [cut if truncated else _NEVER for _, cut in spelt]
        patterns += [_base64_pattern(each.value) for each in self.secrets]
        self._pattern = re.compile("|".join(f"({each})" for each in patterns))

    def text(self, text: str) -> str:
        """The text with every secret masked; the same object if it has none."""
        if not self.may_show(text):
            return text
        return self._pattern.sub(self._mask, text)

    def _mask(self, match: re.Match[str]) -> str:
        assert match.lastindex is not None  # one of the patterns matched
        return mask_of(self.secrets[(match.lastindex - 1) % len(self.secrets)].name)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yields start and end of every secret in a text."""
        if self.may_show(text):
            for match in self._pattern.finditer(text):
                yield match.span()

    def number(self, value: float) -> str | None:
        """The mask for a number that is a secret; None for other numbers."""
        name = self._numbers.get(str(abs(int(value)))) if value == value // 1 and abs(value) < 1e300 else None
        return mask_of(name) if name is not None else None

    def may_show(self, text: str) -> bool:
        """A fast test that may return false positives, never false negatives: most texts have no secret."""
        for _ in range(ESCAPED):
            folded = _squeezed(text.casefold())
            if any(needle in folded for needle in self._needles):
                return True
            plain = _unescaped(text)
            if plain == text:
                return False
            text = plain
        return True


class TypedSecrets:
    """What was typed into sensitive fields of a session, for as long as it lasts: masked in what people keep of it."""

    def __init__(self) -> None:
        self._values: dict[str, None] = {}
        self._masker: Masker | None = None

    def add(self, value: str) -> None:
        """A value that was typed. Short and long ones, which texts contain by chance or which are not passwords, do not
        count."""
        if CODED <= len(value) <= MAX_VALUE and value not in self._values:
            self._values[value] = None
            if len(self._values) > MAX_TYPED_SECRETS:
                del self._values[next(iter(self._values))]
            self._masker = Masker((NamedSecret("", each) for each in self._values), truncated=False)

    @property
    def masker(self) -> Masker | None:
        """Masks them; None where nothing was typed."""
        return self._masker


def _needles(value: str) -> set[str]:
    """Texts that every spelling of a value contains after unescaping and squeezing: its longest word, with and without
    backslashes."""
    word = _squeezed(max(value.split() or [value], key=len).casefold())
    return {word, word.replace("\\", "") or word}


def base64_forms(value: str) -> tuple[str, ...]:
    """What base64 makes of a value, by where in a text the value begins, without the characters at either end that
    depend on what is beside it; empty for a value of less than CODED characters.

    >>> base64_forms("correct horse")
    ('Y29ycmVjdCBob3JzZ', 'NvcnJlY3QgaG9yc2', 'jb3JyZWN0IGhvcnNl')
    """
    if len(value) < CODED:
        return ()
    data, forms = value.encode("utf-8", "surrogatepass"), []
    for before in range(3):
        written = base64.b64encode(bytes(before) + data).decode()
        forms.append(written[(0, 2, 3)[before] : (before + len(data)) * 8 // 6])
    return tuple(forms)


def _base64_needle(form: str) -> str:
    """Its longest part without characters that are squeezed out or differ by alphabet."""
    return max(re.split(r"[+/]", form), key=len).casefold()


def _base64_pattern(value: str) -> str:
    """Base64 of a value, in both alphabets, plain and escaped for URLs, with the characters that hold a part of it."""
    spelled = {"+": "(?:[-+]|%(?:25)*2[Bb])", "/": "(?:[_/]|%(?:25)*2[Ff])"}
    size, patterns = len(value.encode("utf-8", "surrogatepass")), []
    for before, form in enumerate(base64_forms(value)):
        middle = "".join(spelled.get(each, each) for each in form)
        end = "[-+/A-Za-z0-9_]?(?:=|%(?:25)*3[Dd]){0,2}" if (before + size) % 3 else ""
        patterns.append(f"{'[-+/A-Za-z0-9_]?' if before else ''}{middle}{end}")
    return "|".join(patterns) or _NEVER


def _squeezed(text: str) -> str:
    """The text without characters that pages may insert into a value."""
    for each in BETWEEN_GROUPS if text.isascii() else NO_WIDTH + BETWEEN_GROUPS:
        text = text.replace(each, "")
    return text


def _unescaped(text: str) -> str:
    """The text with one layer of escapes removed."""
    if "\\" in text:
        text = _CODE.sub(lambda match: chr(int(match[1] or match[2], 16)), text).replace("\\", "")
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if "%" in text:
        text = unquote(text)
    if "&" in text:
        # `html.unescape` fails on numbers of some thousand digits, which are not characters.
        text = html.unescape(_NO_CHARACTER.sub("\ufffd", _ZEROS.sub("&#", text)))
    return text


# Matches from the start of a run of backslashes: matching at each of them would take quadratic time.
_CODE = re.compile(r"(?<!\\)\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")
_ZEROS = re.compile(r"&#0+(?=\d)", re.ASCII)
_NO_CHARACTER = re.compile(r"&#\d{8,};?", re.ASCII)

_SLASHES = rf"\\{{1,{2**ESCAPED - 1}}}"
"""Backslashes before a character after ESCAPED layers of escapes."""


def _half(value: str) -> int:
    """Least length of a truncated value that is masked, characters; 0 for never."""
    return max(WHOLE, (len(value) + 1) // 2) if len(value) > WHOLE else 0


def _patterns(value: str) -> tuple[str, str]:
    """Regular expressions for all spellings of a value, and for those that are truncated after the first half."""
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
    """Pattern between the characters of a value. Values without digits are not matched in groups: `basket ball` is
    text."""
    no_width = f"[{NO_WIDTH}]*"
    is_number = len(value) >= WHOLE and value.isascii() and value.isalnum() and any(map(str.isdigit, value))
    if not is_number:
        return no_width
    escapes = "|".join(escape for each in " \u00a0()" for escape in _escapes(each))
    return rf"(?:{no_width}(?:[{re.escape(BETWEEN_GROUPS)}]|{escapes})){{0,{MAX_BETWEEN}}}{no_width}"


def _spellings(character: str) -> str:
    """Pattern of one character, or of a run of spaces, plain and escaped."""
    if character.isspace():
        escapes = "|".join(escape for each in sorted({*character, " ", "\u00a0"}) for escape in _escapes(each))
        return rf"(?:\s|\+|{_SLASHES}[nrt]|(?i:{escapes}))+"
    literal = re.escape(character)
    return rf"(?:{literal}|{_SLASHES}{literal}|(?i:{'|'.join(_escapes(character))}))"


def _escapes(character: str) -> list[str]:
    """Patterns of a character's escapes in URLs, HTML and JavaScript; URLs and HTML may be escaped more than once."""
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
