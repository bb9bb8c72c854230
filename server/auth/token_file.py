"""The token file: who may call, and what they may do. Tokens are kept as their digests alone."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass

import structlog

from perception.errors import BadInputError
from perception.server.auth.rights import Right, parse_right

log = structlog.get_logger(__name__)

MIN_TOKEN = 32
"""Characters. As hexadecimal digits these are 128 bits."""

DEFAULT_PRINCIPAL = "default"
"""The principal of a token without a name."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")

TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
"""The syntax of a bearer token (RFC 6750, section 2.1)."""


@dataclass(frozen=True, slots=True)
class BearerToken:
    """The principal, the SHA-256 and the right of a token. The token itself is not kept."""

    principal: str
    digest: bytes
    right: Right = Right.ALL


def parse_tokens(data: bytes) -> tuple[BearerToken, ...]:
    """A token file: `NAME TOKEN` a line, or one token alone; `#` begins a comment. A name may have several tokens. A
    third word says what the token may do: `view`, `view,control` or `all`, which is the default.

    A file without a token, which may also be a file whose last line was taken away, gives none: nobody may call.

    Raises:
        BadInputError: a line has another form, or a token is too short or a duplicate.
    """
    try:
        lines = data.decode("utf-8-sig").split("\n")  # not splitlines(), which ends a comment at a form feed, too
    except UnicodeDecodeError as exc:
        raise BadInputError("the token file is not text: write NAME TOKEN on each line") from exc
    tokens: list[BearerToken] = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) > 3:
            raise BadInputError(
                f"line {number} of the token file has {len(words)} words: write NAME TOKEN, or NAME TOKEN RIGHTS"
            )
        right = parse_right(words.pop(), f"line {number} of the token file") if len(words) == 3 else Right.ALL
        name = words[0] if len(words) == 2 else DEFAULT_PRINCIPAL
        if not is_name(name):
            raise BadInputError(f"line {number} of the token file names nobody: use letters, digits and . _ @ -")
        if not TOKEN.fullmatch(words[-1]):
            raise BadInputError(f"line {number} of the token file: a token has letters, digits and - . _ ~ + / only")
        if len(words[-1]) < MIN_TOKEN:
            raise BadInputError(
                f"line {number} of the token file: the token has less than {MIN_TOKEN} characters; make one by "
                "`perception token new NAME`"
            )
        token = BearerToken(name, _digest(words[-1]), right)
        if any(each.digest == token.digest for each in tokens):
            raise BadInputError(f"line {number} of the token file repeats a token: give everybody their own")
        if len(words) == 1 and any(each.principal == DEFAULT_PRINCIPAL for each in tokens):
            raise BadInputError(f"line {number} of the token file is a second token without a name: write NAME TOKEN")
        tokens.append(token)
    return tuple(tokens)


def read_tokens(data: bytes) -> tuple[BearerToken, ...]:
    """As `parse_tokens`; says so where there is none."""
    tokens = parse_tokens(data)
    if not tokens:
        log.warning("the token file holds no token: nobody may call")
    return tokens


def is_name(text: str) -> bool:
    """Whether a text may name a principal or a secret."""
    return _NAME.fullmatch(text) is not None


def new_token(name: str, rights: str = "") -> str:
    """A new line for a token file. Raises BadInputError for an invalid name, or rights that there are not."""
    if not is_name(name):
        raise BadInputError(f"{name[:40]!r} is not a name: use letters, digits and . _ @ -")
    if rights:
        parse_right(rights, "--rights")
    return " ".join(filter(None, (name, secrets.token_urlsafe(32), rights)))


def find_token(token: str, tokens: tuple[BearerToken, ...]) -> BearerToken | None:
    """What is known of a token; None for an unknown one. Takes the same time for every token."""
    digest = _digest(token)
    found = None
    for each in tokens:
        if hmac.compare_digest(digest, each.digest):
            found = each
    return found


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
