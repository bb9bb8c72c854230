"""The text of a list of elements as it was last written, line by line. Pure, except for what it keeps.

Rule 1: a line is written again unless its element is the same object, in the same style, at the same depth, and nothing
in the lines around it says a part of it.
Rule 2: only lines between the first and the last that changed are counted again. Tokens never join across a line end,
unless the next line begins with a slash, or with a line end, be it after spaces (o200k_base).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from perception.render.element_lines import NOTHING, Known
from perception.render.outline import Outline
from perception.render.tokens import count_tokens
from perception.types import Element

_JOINING = re.compile(r"/|\s*[\r\n]")


class _Line(NamedTuple):
    element: Element
    depth: int
    is_unnamed: bool
    text: str


class WrittenText:
    """The text of one tab."""

    def __init__(self) -> None:
        self._form: tuple[object, ...] = ()
        self._lines: dict[int, _Line] = {}
        self._counted: list[str] = []
        self._token_count = 0

    def write(self, lines: Outline, known: Mapping[int, Known], instead: Mapping[int, str]) -> list[str]:
        """The lines of an outline.

        Args:
            known: what other lines say of a line, by its position.
            instead: what is written in place of a line, by its position; empty for nothing.
        """
        form = (lines.style, lines.boxed, lines.is_digest)
        last, now = self._lines if form == self._form else {}, {}
        written: list[str] = []
        for at, index in enumerate(lines.index):
            if at in instead:
                written.append(instead[at])
                continue
            if at in known or at in lines.joined:
                written.append(lines.whole_text(at, known.get(at, NOTHING)))
                continue
            element = lines.elements[index]
            line = last.get(id(element))
            if line is None or line.depth != lines.depth[at] or line.is_unnamed != (index in lines.unnamed):
                line = _Line(element, lines.depth[at], index in lines.unnamed, lines.whole_text(at))
            now[id(element)] = line
            written.append(line.text)
        self._form, self._lines = form, now
        return written

    def count(self, written: Sequence[str]) -> int:
        """Tokens of these lines as one text."""
        lines = [line for line in written if line]
        old = self._counted
        start = 0
        while start < min(len(old), len(lines)) and old[start] == lines[start]:
            start += 1
        end = 0
        while end < min(len(old), len(lines)) - start and old[-1 - end] == lines[-1 - end]:
            end += 1
        gone, new = old[start : len(old) - end], lines[start : len(lines) - end]
        if any(_joins(text, at) for text in (old, lines) for at in (start, len(text) - end)):
            self._token_count = count_tokens("".join(lines))
        else:
            self._token_count += count_tokens("".join(new)) - count_tokens("".join(gone))
        self._counted = lines
        return self._token_count


def _joins(lines: Sequence[str], at: int) -> bool:
    """Whether a token may begin before a line and end in it."""
    return 0 < at < len(lines) and (_JOINING.match(lines[at]) is not None or not lines[at - 1].endswith("\n"))
