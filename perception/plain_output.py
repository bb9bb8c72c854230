"""What commands print and how they end, without the libraries that draw tables: a command that is called often needs no
more than this.

Rule 1: a page's text does nothing to the terminal that shows it: its control characters are escaped, not sent.
"""

from __future__ import annotations

import re
import sys

from perception.page_words import UNSAFE, escape_character, unmarked_words

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
"""Exit codes."""

_CONTROL = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f]|{UNSAFE.pattern}")
"""What a terminal may obey, except tabs and line ends: U+009B begins commands as ESC [ does (ECMA-48, 5.4)."""


def tame(text: str) -> str:
    """A text with its control characters escaped, which a terminal only shows."""
    return _CONTROL.sub(escape_character, text)


def write(text: str) -> None:
    """Writes to standard output: unchanged to files and pipes, tame to a terminal."""
    sys.stdout.write(tame(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


def write_error(message: object) -> None:
    """Writes an error as one line on standard error."""
    line = " ".join(unmarked_words(str(message)).split())
    sys.stderr.write(f"error: {tame(line)}\n")
    sys.stderr.flush()
