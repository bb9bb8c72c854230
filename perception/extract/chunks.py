"""Markdown in pieces of a size, each of which stands by itself.

Rule 1: no piece costs more than its budget.
Rule 2: the pieces together say everything once; only a table's header and a code block's fence are said again.
Rule 3: a piece ends between blocks where it can, then between items, rows and lines, then between sentences and words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from perception.errors import BadInputError
from perception.render.tokens import count_tokens

MIN_TOKENS = 50
"""A fence with its language twice takes up to 20, a short table's header about as much: below it they would be most of
a piece."""

FRAME_SHARE = 2
"""What is said again in each piece, a header or fences, may take half of the budget; else it is plain text."""


def check_chunk_budget(max_tokens: int) -> None:
    """Raises BadInputError for a budget that no piece can keep; 0 is none."""
    if max_tokens < 0:
        raise BadInputError(f"max_tokens is {max_tokens}: use 0 for no limit", field="max_tokens")
    if 0 < max_tokens < MIN_TOKENS:
        raise BadInputError(
            f"max_tokens is {max_tokens}, too small for a piece of a page: use {MIN_TOKENS} or more, or 0 for no limit",
            field="max_tokens",
        )


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some lines that stay together.

    Attributes:
        gap: what parts it from the piece before: a line end, or an empty line.
        head: what has to stand before it, and is not said again right after a piece with the same `frame`.
        tail: what has to stand after it.
        frame: number of the table or code block that it is part of, 0 for none.
        leads: it is nothing without what follows: a heading.
    """

    text: str
    gap: str
    head: str = ""
    tail: str = ""
    frame: int = 0
    leads: bool = False


def split_markdown(markdown: str, max_tokens: int) -> list[str]:
    """Markdown as pieces of at most `max_tokens` each.

    Args:
        markdown: as `to_markdown` writes it.
        max_tokens: o200k_base tokens, MIN_TOKENS or more; 0 for one piece.

    Returns:
        One piece or more; one empty piece of nothing.
    """
    if not max_tokens or count_tokens(markdown) <= max_tokens:
        return [markdown]
    pieces = list(_pieces(markdown, max_tokens))
    chunks: list[str] = []
    at = 0
    while at < len(pieces):
        end = _fill(pieces, at, max_tokens)
        chunks.append(_join(pieces[at:end]))
        at = end
    return chunks


def _fill(pieces: list[_Piece], at: int, max_tokens: int) -> int:
    """Index after the last piece that fits with those from `at` on; at least one does."""
    end, cost = at, 0
    while end < len(pieces):
        cost += count_tokens(pieces[end].text) + 1
        if cost > max_tokens and end > at:
            break
        end += 1
    while end > at + 1 and count_tokens(_join(pieces[at:end])) > max_tokens:
        end -= 1
    # Sums of parts are a little more than the whole: a few more may fit.
    while end < len(pieces) and count_tokens(_join(pieces[at : end + 1])) <= max_tokens:
        end += 1
    while end < len(pieces) and end > at + 1 and pieces[end - 1].leads:
        end -= 1
    return end


def _join(pieces: list[_Piece]) -> str:
    written: list[str] = []
    for index, piece in enumerate(pieces):
        before = pieces[index - 1] if index else None
        goes_on = before is not None and before.frame != 0 and before.frame == piece.frame
        if before is not None:
            if before.tail and not goes_on:
                written.append(before.tail)
            written.append(piece.gap)
        written.append(piece.text if goes_on else piece.head + piece.text)
    return "".join(written) + (pieces[-1].tail if pieces else "")


_FENCE = re.compile(r"^([ >]*(?:[-*+] |\d+[.)] )*)(`{3,})(.*)$")
_ROW = re.compile(r"^[ >]*\|.*\|$")
_RULE = re.compile(r"^[ >]*\|( --- \|)+$")
_HEADING = re.compile(r"^#{1,6} ")


def _pieces(markdown: str, max_tokens: int) -> Iterator[_Piece]:
    """Line by line; what is too large for a piece of its own is split further."""
    lines = markdown.split("\n")
    at, gap, frame = 0, "", 0
    while at < len(lines):
        if not lines[at].strip(" >"):
            gap += f"{lines[at]}\n"
            at += 1
            continue
        end = _block_end(lines, at)
        block = lines[at:end]
        frame += 1
        if _FENCE.match(block[0]):
            yield from _fence(block, gap, frame, max_tokens)
        elif len(block) > 1:
            yield from _table(block, gap, frame, max_tokens)
        else:
            leads = _HEADING.match(block[0]) is not None
            yield from _line(block[0], gap, max_tokens, leads=leads)
        at, gap = end, "\n"


def _block_end(lines: list[str], at: int) -> int:
    """Index after the code block or table that begins at a line, or after the line."""
    fence = _FENCE.match(lines[at])
    if fence:
        close = re.compile(rf"^[ >]*{fence[2]}`*$")
        return next((index + 1 for index in range(at + 1, len(lines)) if close.match(lines[index])), len(lines))
    if at + 1 < len(lines) and _ROW.match(lines[at]) and _RULE.match(lines[at + 1]):
        return next((index for index in range(at + 2, len(lines)) if not _ROW.match(lines[index])), len(lines))
    return at + 1


def _fence(block: list[str], gap: str, frame: int, max_tokens: int) -> Iterator[_Piece]:
    """A code block, line by line, opened and closed anew in each piece."""
    match = _FENCE.match(block[0])
    assert match
    closed = len(block) > 1 and block[-1].strip(" >") == match[2]
    indent = re.sub(r"[^ >]", " ", match[1])
    head, tail = f"{block[0]}\n", f"\n{indent}{match[2]}"
    again = f"{indent}{match[2]}{match[3]}\n"
    room = max_tokens - count_tokens(head) - count_tokens(tail)
    if room < max_tokens // FRAME_SHARE:
        yield from _lines(block, gap, max_tokens)
        return
    inside = block[1:-1] if closed else block[1:]
    for index, line in enumerate(inside or [""]):
        for part, (text, glue) in enumerate(_split(line, room)):
            first = index == 0 and part == 0
            yield _Piece(text, gap if first else glue if part else "\n", head if first else again, tail, frame)


def _table(block: list[str], gap: str, frame: int, max_tokens: int) -> Iterator[_Piece]:
    """A table, row by row, with its header in each piece."""
    head = f"{block[0]}\n{block[1]}"
    room = max_tokens - count_tokens(f"{head}\n")
    if room < max_tokens // FRAME_SHARE or len(block) == 2:
        yield from _lines([block[0], *block[2:]] if len(block) > 2 else block, gap, max_tokens)
        return
    for index, row in enumerate(block[2:]):
        if count_tokens(row) <= room:
            yield _Piece(row, gap if index == 0 else "\n", f"{head}\n", "", frame)
        else:
            yield from _line(row, gap if index == 0 else "\n\n", max_tokens)


def _lines(block: list[str], gap: str, max_tokens: int) -> Iterator[_Piece]:
    for index, line in enumerate(block):
        yield from _line(line, gap if index == 0 else "\n", max_tokens)


def _line(line: str, gap: str, max_tokens: int, *, leads: bool = False) -> Iterator[_Piece]:
    for index, (text, glue) in enumerate(_split(line, max_tokens)):
        yield _Piece(text, glue if index else gap, leads=leads)


_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。\uff01\uff1f])")
_WORD = re.compile(r"\s+")


def _split(line: str, max_tokens: int) -> list[tuple[str, str]]:
    """A line in parts that each fit, with what stands before each in the line: at ends of sentences, then of words,
    then anywhere."""
    if count_tokens(line) <= max_tokens:
        return [(line, "")]
    for border in (_SENTENCE, _WORD):
        parts = _parts(line, border)
        if len(parts) > 1:
            packed = _pack(parts, max_tokens)
            return [
                (text, glue if part == 0 else other)
                for whole, glue in packed
                for part, (text, other) in enumerate(
                    _split(whole, max_tokens) if len(packed) > 1 else _halves(whole, max_tokens)
                )
            ]
    return _halves(line, max_tokens)


def _parts(line: str, border: re.Pattern[str]) -> list[tuple[str, str]]:
    """What stands between borders, each with the border before it."""
    parts, start, glue = [], 0, ""
    for match in border.finditer(line):
        if match.start() > start:
            parts.append((line[start : match.start()], glue))
            start, glue = match.end(), match[0]
    if start < len(line):
        parts.append((line[start:], glue))
    return parts


def _pack(parts: list[tuple[str, str]], max_tokens: int) -> list[tuple[str, str]]:
    """Neighbours together as long as they fit."""
    packed: list[tuple[str, str]] = []
    for text, glue in parts:
        if packed and count_tokens(packed[-1][0] + glue + text) <= max_tokens:
            packed[-1] = (packed[-1][0] + glue + text, packed[-1][1])
        else:
            packed.append((text, glue))
    return packed


def _halves(line: str, max_tokens: int) -> list[tuple[str, str]]:
    """Cut in the middle until it fits."""
    if count_tokens(line) <= max_tokens or len(line) < 2:
        return [(line, "")]
    middle = len(line) // 2
    return [*_halves(line[:middle], max_tokens), *_halves(line[middle:], max_tokens)]
