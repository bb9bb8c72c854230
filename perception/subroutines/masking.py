"""Masks the secrets of a recording when they arrive, before anything is stored.

A mask names what it replaces, so that a plan can still use it: a parameter, the place of a token, or neither.
Rule 1: a value that was typed into a secret field, or that the page stores as a token, is masked wherever it occurs,
the first also in base64, escaped and in other case.
Rule 2: a value with a secret's name is masked even if it is not known as a secret.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

from perception.secrets import Masker, NamedSecret, mask_of

SECRET = mask_of("")
"""Mask of a value with a secret's name that the page does not store where it could be read again."""

_MASK_PATTERN = re.compile(r"«(secret|token|given)(?::([^»]*))?»")

_SECRET_WORDS = re.compile(
    r"(^|[^a-z])(pass(word|wd|phrase|code)?|pwd|secret|token|csrf|xsrf|auth(orization|entication)?|session(id)?|sid|jwt"
    r"|bearer|credentials?|api[-_]?key|access[-_]?key|private[-_]?key|signature|sig|hmac|nonce|otp|totp|pin|cvv|cvc"
    r"|verifier|assertion|client[-_]?secret)([^a-z]|$)"
)
"""Names of secrets in APIs; matched in snake case."""

_SECRET_PARTS = re.compile(r"csrf|xsrf|password|passwd|secret|apikey|token$")
"""Parts of words that mark a secret (Django's `csrfmiddlewaretoken`)."""

_NOT_SECRET = re.compile(r"(^|_)(token_type|token_count|max_tokens|tokens|auth_type|session_name|pin_to|pinned)$")
"""Names that match but are not secrets."""

_PLAIN = frozenset(["", "true", "false", "on", "off", "yes", "no", "none", "null", "0", "1"])
"""Values that are never secrets, with any name (Django's `usable_password=true`)."""

MIN_IN_TEXT = 6
"""Characters: a shorter secret is masked only as a whole value, since `1234` occurs in many texts by chance."""

MIN_PAGE_TOKEN = 8
"""Characters: shorter values that a page stores are not tokens."""

MIN_TOKEN_IN_TEXT = 16
"""Characters: a shorter token may be a word, which other texts contain by chance."""

_PAIR = re.compile(r"([^=&?#/!]+)=([^&#]*)")
"""A pair in a fragment."""

_LOGIN_ANSWERS = frozenset({"code", "state"})
"""What a login service adds to a fragment besides tokens (OpenID Connect)."""

_RANDOM = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[\w+/=.:~-]{16,}")
"""A value that is a token with any name: about 80 bits or more, in letters and digits."""


def mask_of_param(name: str) -> str:
    return f"«given:{name}»"


def mask_of_token(kind: str, name: str) -> str:
    return f"«token:{kind}:{name}»"


def token_in(text: object) -> tuple[str, str] | None:
    """Kind and name of a token's place, if the text is the mask of a token; else None."""
    match = _MASK_PATTERN.fullmatch(text) if isinstance(text, str) else None
    if match is None or match[1] != "token":
        return None
    kind, _, name = (match[2] or "").partition(":")
    return kind, name


def given_in(text: object) -> str | None:
    """Name of a secret field, if the text is the mask of its value; else None."""
    match = _MASK_PATTERN.fullmatch(text) if isinstance(text, str) else None
    return match[2] or "" if match is not None and match[1] == "given" else None


def is_masked(text: object) -> bool:
    """Whether a text contains a mask."""
    return isinstance(text, str) and _MASK_PATTERN.search(text) is not None


def sounds_secret(name: str) -> bool:
    """Whether a header, field or parameter has the name of a secret.

    >>> sounds_secret("X-CSRFToken"), sounds_secret("accessToken"), sounds_secret("keyboard")
    (True, True, False)
    """
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+", "_", name).strip("_").lower()
    return not _NOT_SECRET.search(snake) and bool(_SECRET_WORDS.search(snake) or _SECRET_PARTS.search(snake))


class RecordingMasker:
    """The secrets of one running recording, by value. They are never stored, and are freed with the recording."""

    def __init__(self) -> None:
        self._given: dict[str, tuple[str, str]] = {}
        self._tokens: dict[str, tuple[str, str]] = {}
        self._spelled: Masker | None = None

    def give(self, field: str, value: str, name: str) -> str:
        """Sets the current value of a secret field and returns its mask.

        A field that repeats the value of another one gets the mask of the first.
        """
        twin = next(
            (known for key, (given, known) in self._given.items() if given == value != "" and key != field), name
        )
        self._given[field] = (value, twin)
        return mask_of_param(twin)

    def keep_token(self, kind: str, name: str, value: str) -> bool:
        """Adds a value that the page stores. Returns whether it is a token."""
        if len(value) < MIN_PAGE_TOKEN or any(value == given for given, _ in self._given.values()):
            return False
        if not sounds_secret(name) and not _RANDOM.fullmatch(value):
            return False
        # A page may store the same token twice: the first place counts, and cookies come last.
        self._tokens.setdefault(value, (kind, name))
        if kind == "cookie" and unquote(value) != value:
            self._tokens.setdefault(unquote(value), ("decoded cookie", name))
        return True

    def mask_value(self, name: str, value: str) -> str:
        """The masked form of a whole value of a header, field or parameter."""
        for given, param in self._given.values():
            if given and value == given:
                return mask_of_param(param)
        if value in self._tokens:
            return mask_of_token(*self._tokens[value])
        is_secret = value.lower() not in _PLAIN and sounds_secret(name)
        return SECRET if is_secret else self.mask_text(value)

    def mask_text(self, text: str) -> str:
        """A text with every secret in it masked."""
        for given, param in self._given.values():
            if len(given) >= MIN_IN_TEXT:
                text = text.replace(given, mask_of_param(param)).replace(quote(given, safe=""), mask_of_param(param))
        for token, place in self._tokens.items():
            if len(token) >= MIN_TOKEN_IN_TEXT:
                text = text.replace(token, mask_of_token(*place))
        return self._mask_spelled(text)

    def _mask_spelled(self, text: str) -> str:
        """A text without secrets that were typed in base64 and other spellings, of which a plan cannot make use."""
        values = frozenset(given for given, _ in self._given.values() if len(given) >= MIN_IN_TEXT)
        if self._spelled is None or {each.value for each in self._spelled.secrets} != values:
            self._spelled = Masker((NamedSecret("", value) for value in values), truncated=False)
        if not values or not self._spelled.may_show(text):
            return text
        written, last = "", 0
        for mask in _MASK_PATTERN.finditer(text):
            written += self._spelled.text(text[last : mask.start()]) + mask[0]
            last = mask.end()
        return written + self._spelled.text(text[last:])

    def mask_json(self, value: Any, name: str = "") -> Any:
        """A JSON value with every secret in it masked, by value and by key."""
        if isinstance(value, dict):
            return {self.mask_text(str(key)): self.mask_json(each, str(key)) for key, each in value.items()}
        if isinstance(value, list):
            return [self.mask_json(each, name) for each in value]
        if isinstance(value, str):
            return self.mask_value(name, value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            masked = self.mask_value("", str(value))
            is_secret = str(value) not in _PLAIN and sounds_secret(name)
            return SECRET if is_secret else masked if is_masked(masked) else value
        return value

    def mask_url(self, url: str) -> str:
        """A URL with the secrets in path, query and fragment masked, without user and password."""
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        query = [(key, self.mask_value(key, value)) for key, value in parse_qsl(parts.query, keep_blank_values=True)]
        plain = "&".join(f"{_quoted(key)}={_quoted(value)}" for key, value in query)
        fragment = _PAIR.sub(self._mask_pair, self.mask_text(parts.fragment))
        return urlunsplit((parts.scheme, host, self.mask_text(parts.path), plain, fragment))

    def _mask_pair(self, pair: re.Match[str]) -> str:
        """`name=value` of a fragment, as it is written where it is not a secret: it is the page's own state."""
        name, value = unquote(pair[1]), unquote(pair[2])
        if is_masked(value):
            return pair[0]
        is_login = name in _LOGIN_ANSWERS and len(value) >= MIN_PAGE_TOKEN
        masked = SECRET if is_login else self.mask_value(name, value)
        return pair[0] if masked == value else f"{pair[1]}={masked}"


def local_address(url: str) -> str:
    """Path, query and fragment of a masked URL, without a query or fragment that contains secrets."""
    parts = urlsplit(url)
    query = f"?{parts.query}" if parts.query and not is_masked(parts.query) else ""
    fragment = f"#{parts.fragment}" if parts.fragment and not is_masked(parts.fragment) else ""
    return f"{parts.path or '/'}{query}{fragment}"


def _quoted(text: str) -> str:
    """The text quoted for a query, with masks left readable."""
    return quote(text, safe=":,@/-_.~").replace("%C2%AB", "«").replace("%C2%BB", "»")


def mask_answer(value: Any) -> Any:
    """A JSON value with secrets masked by name: responses of a site go to callers and their logs.

    >>> mask_answer({"id": 1, "csrfToken": "x1"})
    {'id': 1, 'csrfToken': '«secret»'}
    """
    return RecordingMasker().mask_json(value)
