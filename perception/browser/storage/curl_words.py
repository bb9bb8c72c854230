"""The words of a cURL command that browsers copy: for a POSIX shell, or for Windows' cmd. Pure."""

from __future__ import annotations

import re

from perception.errors import StateInvalidError

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}

_ANSI_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{1,4})|x([0-9a-fA-F]{1,2})|(.))", re.DOTALL)

_PIECE = re.compile(
    r"""
    (?P<space> \s+ | \\\r?\n )
    | \$'(?P<ansi> (?:[^'\\]|\\.)* )'
    | '(?P<single> [^']* )'
    | "(?P<double> (?:[^"\\]|\\.)* )"
    | \\(?P<escaped> . )
    | (?P<plain> [^\s'"\\$]+ | \$ )
    """,
    re.VERBOSE | re.DOTALL,
)

_CMD_CARET = re.compile(r"\^(\r?\n|.)", re.DOTALL)


def split_words(command: str) -> list[str]:
    """The words of a command, without quotes.

    Raises:
        StateInvalidError: a quote does not end, as in a command of which only a part was copied.
    """
    text = command.strip()
    if '^"' in text:  # Chrome's "Copy as cURL (cmd)" puts a caret before each quote
        text = _CMD_CARET.sub(lambda found: " " if found[1].endswith("\n") else found[1], text)
    words, word, place = [], None, 0
    while place < len(text):
        piece = _PIECE.match(text, place)
        if piece is None:
            raise StateInvalidError("the cURL command has a quote that does not end: copy all of it")
        place = piece.end()
        if piece["space"] is not None:
            if word is not None:
                words.append(word)
            word = None
        else:
            word = (word or "") + _text_of(piece)
    return words if word is None else [*words, word]


def _text_of(piece: re.Match[str]) -> str:
    if (ansi := piece["ansi"]) is not None:
        return _ANSI_ESCAPE.sub(_ansi_character, ansi)
    if (double := piece["double"]) is not None:
        return re.sub(r'\\(["\\$`])', r"\1", double).replace("\\\n", "")
    return next(part for part in (piece["single"], piece["escaped"], piece["plain"]) if part is not None)


def _ansi_character(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else _ESCAPES.get(found[3], found[0])
