"""Splits markdown into chunks of a token budget, each of them valid markdown.

Rule 1: no chunk exceeds the budget.
Rule 2: the chunks contain everything once; only a table's header and a code block's fences are repeated.
Rule 3: a chunk ends between blocks if possible, else between items, rows and lines, else between sentences and words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from perception.errors import BadInputError
from perception.render.tokens import count_tokens

MIN_CHUNK_TOKENS = 50
"""Least budget. Two fences with a language take up to 20 tokens, a short table's header about as many: they would be
most of a smaller chunk."""

FRAME_SHARE = 2
"""A repeated header or fence may take this fraction of the budget, one half; a larger one is split as plain text."""


def check_chunk_budget(max_tokens: int) -> None:
    """Checks a token budget; 0 means no limit. Raises BadInputError: it is negative or too small for a chunk."""
    if max_tokens < 0:
        raise BadInputError(f"max_tokens is {max_tokens}: use 0 for no limit", field="max_tokens")
    if 0 < max_tokens < MIN_CHUNK_TOKENS:
        raise BadInputError(
            f"max_tokens is {max_tokens}, too small for a piece of a page: "
            f"use {MIN_CHUNK_TOKENS} or more, or 0 for no limit",
            field="max_tokens",
        )


@dataclass(frozen=True, slots=True)
class _ChunkPiece:
    """Lines that stay together.

    Attributes:
        text: the lines.
        gap: separator from the piece before: a line end or an empty line.
        head: text that is needed before it, and is not repeated right after a piece with the same `frame`.
        tail: text that is needed after it.
        frame: number of its table or code block; 0 for none.
        leads: whether it needs the next piece, as a heading does.
    """

    text: str
    gap: str
    head: str = ""
    tail: str = ""
    frame: int = 0
    leads: bool = False


def split_markdown(markdown: str, max_tokens: int) -> list[str]:
    """Splits markdown into chunks of at most `max_tokens` each.

    Args:
        markdown: output of `to_markdown`.
        max_tokens: o200k_base tokens, MIN_CHUNK_TOKENS or more; 0 for one chunk.

    Returns:
        One chunk or more; one empty chunk for an empty text.
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


def _fill(pieces: list[_ChunkPiece], at: int, max_tokens: int) -> int:
    """Index after the last piece that fits into a chunk with those from `at`; the chunk has at least one."""
    end, cost = at, 0
    while end < len(pieces):
        cost += count_tokens(pieces[end].text) + 1
        if cost > max_tokens and end > at:
            break
        end += 1
    while end > at + 1 and count_tokens(_join(pieces[at:end])) > max_tokens:
        end -= 1
    # The sum of the parts is a little more than the whole: a few more pieces may fit.
    while end < len(pieces) and count_tokens(_join(pieces[at : end + 1])) <= max_tokens:
        end += 1
    while end < len(pieces) and end > at + 1 and pieces[end - 1].leads:
        end -= 1
    return end


def _join(pieces: list[_ChunkPiece]) -> str:
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
_TABLE_ROW = re.compile(r"^[ >]*\|.*\|$")
_RULE = re.compile(r"^[ >]*\|( --- \|)+$")
_HEADING = re.compile(r"^#{1,6} ")


def _pieces(markdown: str, max_tokens: int) -> Iterator[_ChunkPiece]:
    """The lines as pieces; lines that exceed the budget are split."""
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
    """Index after the code block or table that starts at a line, or after the line itself."""
    fence = _FENCE.match(lines[at])
    if fence:
        close = re.compile(rf"^[ >]*{fence[2]}`*$")
        return next((index + 1 for index in range(at + 1, len(lines)) if close.match(lines[index])), len(lines))
    if at + 1 < len(lines) and _TABLE_ROW.match(lines[at]) and _RULE.match(lines[at + 1]):
        return next((index for index in range(at + 2, len(lines)) if not _TABLE_ROW.match(lines[index])), len(lines))
    return at + 1


def _fence(block: list[str], gap: str, frame: int, max_tokens: int) -> Iterator[_ChunkPiece]:
    """A code block, line by line, with its fences in each chunk."""
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
            yield _ChunkPiece(text, gap if first else glue if part else "\n", head if first else again, tail, frame)


def _table(block: list[str], gap: str, frame: int, max_tokens: int) -> Iterator[_ChunkPiece]:
    """A table, row by row, with its header in each chunk."""
    head = f"{block[0]}\n{block[1]}"
    room = max_tokens - count_tokens(f"{head}\n")
    if room < max_tokens // FRAME_SHARE or len(block) == 2:
        yield from _lines([block[0], *block[2:]] if len(block) > 2 else block, gap, max_tokens)
        return
    for index, row in enumerate(block[2:]):
        if count_tokens(row) <= room:
            yield _ChunkPiece(row, gap if index == 0 else "\n", f"{head}\n", "", frame)
        else:
            yield from _line(row, gap if index == 0 else "\n\n", max_tokens)


def _lines(block: list[str], gap: str, max_tokens: int) -> Iterator[_ChunkPiece]:
    for index, line in enumerate(block):
        yield from _line(line, gap if index == 0 else "\n", max_tokens)


def _line(line: str, gap: str, max_tokens: int, *, leads: bool = False) -> Iterator[_ChunkPiece]:
    for index, (text, glue) in enumerate(_split(line, max_tokens)):
        yield _ChunkPiece(text, glue if index else gap, leads=leads)


_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。\uff01\uff1f])")
_WORD = re.compile(r"\s+")


def _split(line: str, max_tokens: int) -> list[tuple[str, str]]:
    """A line in parts that fit, each with its separator: split after sentences, else after words, else anywhere."""
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
    """The parts between borders, each with the border before it."""
    parts, start, glue = [], 0, ""
    for match in border.finditer(line):
        if match.start() > start:
            parts.append((line[start : match.start()], glue))
            start, glue = match.end(), match[0]
    if start < len(line):
        parts.append((line[start:], glue))
    return parts


def _pack(parts: list[tuple[str, str]], max_tokens: int) -> list[tuple[str, str]]:
    """Joins adjacent parts as long as they fit."""
    packed: list[tuple[str, str]] = []
    for text, glue in parts:
        if packed and count_tokens(packed[-1][0] + glue + text) <= max_tokens:
            packed[-1] = (packed[-1][0] + glue + text, packed[-1][1])
        else:
            packed.append((text, glue))
    return packed


def _halves(line: str, max_tokens: int) -> list[tuple[str, str]]:
    """Splits a line in half until the parts fit."""
    if count_tokens(line) <= max_tokens or len(line) < 2:
        return [(line, "")]
    middle = len(line) // 2
    return [*_halves(line[:middle], max_tokens), *_halves(line[middle:], max_tokens)]
