"""Masking: what is secret in a recording is replaced where it comes in, before anything is kept.

A mask says what stood there, so that a plan can still be made of it: a parameter's value, a token's place, or neither.
Rule 1: a value that was typed into a secret field, or that the page keeps as a token, is masked wherever it stands.
Rule 2: what is called like a secret is masked even if nobody knows its value.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

SECRET = "«secret»"
"""A value that is called like a secret, and that the page does not hold where it could be read again."""

_MASK = re.compile(r"«(secret|token|given)(?::([^»]*))?»")

_SECRET_WORDS = re.compile(
    r"(^|[^a-z])(pass(word|wd|phrase|code)?|pwd|secret|token|csrf|xsrf|auth(orization|entication)?|session(id)?|sid|jwt"
    r"|bearer|credentials?|api[-_]?key|access[-_]?key|private[-_]?key|signature|sig|hmac|nonce|otp|totp|pin|cvv|cvc"
    r"|verifier|assertion|client[-_]?secret)([^a-z]|$)"
)
"""How APIs call what nobody else may know; matched in snake case."""

_SECRET_PARTS = re.compile(r"csrf|xsrf|password|passwd|secret|apikey|token$")
"""What tells a secret also in the middle of a word (Django's `csrfmiddlewaretoken`)."""

_NOT_SECRET = re.compile(r"(^|_)(token_type|token_count|max_tokens|tokens|auth_type|session_name|pin_to|pinned)$")
"""Names that only sound so."""

_PLAIN = frozenset(["", "true", "false", "on", "off", "yes", "no", "none", "null", "0", "1"])
"""Values that are no secret, however what holds them is called (Django's `usable_password=true`)."""

MIN_IN_TEXT = 6
"""A shorter secret is looked for as a whole value alone: `1234` stands in many texts by chance."""

MIN_TOKEN = 8
"""Shorter values that a page holds are no tokens."""

MIN_TOKEN_IN_TEXT = 16
"""A shorter token may be a word, which other texts hold by chance."""

_RANDOM = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[\w+/=.:~-]{16,}")
"""A value that is a token whatever it is called: from about 80 bits on, in letters and digits."""


def mask_of_param(name: str) -> str:
    return f"«given:{name}»"


def mask_of_token(kind: str, name: str) -> str:
    return f"«token:{kind}:{name}»"


def token_in(text: object) -> tuple[str, str] | None:
    """The place (kind, name) that a mask says, if the text is the mask of a token."""
    match = _MASK.fullmatch(text) if isinstance(text, str) else None
    if match is None or match[1] != "token":
        return None
    kind, _, name = (match[2] or "").partition(":")
    return kind, name


def given_in(text: object) -> str | None:
    """The name of the secret field that a mask stands for, if the text is the mask of one."""
    match = _MASK.fullmatch(text) if isinstance(text, str) else None
    return match[2] or "" if match is not None and match[1] == "given" else None


def is_masked(text: object) -> bool:
    """Whether anything in a text is masked."""
    return isinstance(text, str) and _MASK.search(text) is not None


def sounds_secret(name: str) -> bool:
    """Whether a header, field or parameter is called like something secret.

    >>> sounds_secret("X-CSRFToken"), sounds_secret("accessToken"), sounds_secret("keyboard")
    (True, True, False)
    """
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+", "_", name).strip("_").lower()
    return not _NOT_SECRET.search(snake) and bool(_SECRET_WORDS.search(snake) or _SECRET_PARTS.search(snake))


class Vault:
    """The secrets of one recording while it runs, by value. Never written anywhere, and forgotten with it."""

    def __init__(self) -> None:
        self._given: dict[str, tuple[str, str]] = {}
        self._tokens: dict[str, tuple[str, str]] = {}

    def give(self, field: str, value: str, name: str) -> str:
        """Takes what stands in a secret field now, in place of what stood there before. Returns its mask: a field that
        wants the same once more has that of the first."""
        twin = next(
            (known for key, (given, known) in self._given.items() if given == value != "" and key != field), name
        )
        self._given[field] = (value, twin)
        return mask_of_param(twin)

    def keep_token(self, kind: str, name: str, value: str) -> bool:
        """Takes a value that the page holds. Says whether it is taken for a token."""
        if len(value) < MIN_TOKEN or any(value == given for given, _ in self._given.values()):
            return False
        if not sounds_secret(name) and not _RANDOM.fullmatch(value):
            return False
        # A page may hold the same token twice: the first place found stands, and cookies come last.
        self._tokens.setdefault(value, (kind, name))
        if kind == "cookie" and unquote(value) != value:
            self._tokens.setdefault(unquote(value), ("decoded cookie", name))
        return True

    def mask_value(self, name: str, value: str) -> str:
        """A whole value (of a header, field or parameter) as it may be kept."""
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
        return text

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
        """An address with the secrets in its query and path masked, without user and password; a fragment is kept
        where it is a route of an application."""
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
        query = [(key, self.mask_value(key, value)) for key, value in parse_qsl(parts.query, keep_blank_values=True)]
        plain = "&".join(f"{_quoted(key)}={_quoted(value)}" for key, value in query)
        route = self.mask_text(parts.fragment) if parts.fragment[:1] in ("/", "!") else ""
        return urlunsplit((parts.scheme, host, self.mask_text(parts.path), plain, route))


def _quoted(text: str) -> str:
    """As in a query, with masks left to be read."""
    return quote(text, safe=":,@/-_.~").replace("%C2%AB", "«").replace("%C2%BB", "»")


def mask_answer(value: Any) -> Any:
    """A JSON value with what is called like a secret masked: what a site answers goes to callers and their logs.

    >>> mask_answer({"id": 1, "csrfToken": "x1"})
    {'id': 1, 'csrfToken': '«secret»'}
    """
    return Vault().mask_json(value)
