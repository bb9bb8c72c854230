"""Clean HTML as markdown (GitHub's flavour), by html-to-markdown.

That library writes the blocks and marks. What it leaves to be said here: text that would be read as a mark is escaped,
and only there (`snake_case` stays as it is); a table's first row is as wide as its widest; subscripts and the like, for
which markdown has no mark, stay HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from lxml.html import HtmlElement

from perception.extract.tree import parse, serialize

ESCAPE = "\ue000"
"""Stands for a backslash until the library, which would double one, is done: no text has it, as the walker leaves out
what icon fonts draw."""

NOWHERE = "nowhere:"
"""Stands for the address of a picture that has none."""

KEPT_TAGS = ("sub", "sup", "mark")

BLOCKS = frozenset(
    "address article aside blockquote body br caption dd details dialog div dl dt figcaption figure footer form h1 h2 "
    "h3 h4 h5 h6 header hr li main nav ol p pre search section summary table tbody td tfoot th thead tr ul".split()
)

CODE = frozenset(("code", "pre"))


def to_markdown(html: str) -> str:
    """Clean HTML as markdown, without blank lines at its ends; empty for nothing to read."""
    root = parse(html)
    for table in root.iter("table"):
        _widen_header(table)
    for group in _groups(root):
        _escape(group)
    _keep_tags(root)
    for picture in root.iter("img"):
        picture.set("src", picture.get("src") or NOWHERE)
    from html_to_markdown import convert

    converted = str(convert(serialize(root), _options()).content)
    return _tidy(converted.replace(ESCAPE, "\\").replace(f"]({NOWHERE})", "]()"))


def plain_text(html: str) -> str:
    """All text of clean HTML, as it stands."""
    return "".join(str(text) for text in parse(html).itertext()).strip("\n")


@cache
def _options() -> Any:
    from html_to_markdown import ConversionOptions, PreprocessingOptions

    return ConversionOptions(
        bullets="-",
        newline_style="backslash",
        highlight_style="none",
        compact_tables=True,
        br_in_tables=True,
        autolinks=False,
        expand_abbreviations=False,
        extract_metadata=False,
        preprocessing=PreprocessingOptions(enabled=False),
    )


def _tidy(markdown: str) -> str:
    """Without blanks at the ends of lines, and without several blank lines in a row outside of code."""
    lines: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        line = line.rstrip()
        mark = line.lstrip(" >")
        if fence:
            fence = "" if mark.startswith(fence) and not mark.strip("`") else fence
        elif mark.startswith("```"):
            fence = mark[: len(mark) - len(mark.lstrip("`"))]
        elif line and lines and lines[-1] and _is_quote(line) != _is_quote(lines[-1]):
            lines.append("")  # the library leaves no line around quotations
        if fence or line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines).strip("\n")


def _is_quote(line: str) -> bool:
    return line.lstrip().startswith(">")


def _widen_header(table: HtmlElement) -> None:
    """GFM reads no more columns than the first row has."""
    rows = list(table.iter("tr"))
    widths = [sum(int(cell.get("colspan", 1)) for cell in row) for row in rows]
    for _ in range(max(widths, default=0) - (widths[0] if widths else 0)):
        cell = rows[0].makeelement("th")
        rows[0].append(cell)


def _keep_tags(root: HtmlElement) -> None:
    """What the library has no mark for becomes text that is HTML."""
    for element in list(root.iter(*KEPT_TAGS)):
        tag = element.tag
        element.text = f"<{tag}>{element.text or ''}"
        if len(element):
            element[-1].tail = f"{element[-1].tail or ''}</{tag}>"
        else:
            element.text += f"</{tag}>"
        element.tag = "span"


@dataclass(frozen=True, slots=True)
class _Piece:
    """A text of an element: the one before its first child, or the one after the element."""

    element: HtmlElement
    is_tail: bool

    @property
    def text(self) -> str:
        return str((self.element.tail if self.is_tail else self.element.text) or "")

    def replace(self, text: str) -> None:
        if self.is_tail:
            self.element.tail = text
        else:
            self.element.text = text


def _groups(root: HtmlElement) -> Iterator[list[_Piece]]:
    """Texts that stand together in a block, code apart."""
    group: list[_Piece] = []
    stack: list[tuple[HtmlElement, bool]] = [(root, False)]
    while stack:
        element, is_end = stack.pop()
        is_block = element.tag in BLOCKS
        if is_block and group:
            yield group
            group = []
        if is_end:
            if element is not root and element.tail:
                group.append(_Piece(element, True))
            continue
        stack.append((element, True))
        if element.tag in CODE:
            continue
        if element.text:
            group.append(_Piece(element, False))
        stack.extend((child, False) for child in reversed(element))
    if group:
        yield group


def _escape(group: list[_Piece]) -> None:
    """Marks the characters of a block's text that would not be read as they are."""
    text = "".join(piece.text for piece in group)
    if not _SUSPECT.search(text):
        return
    places = sorted(_with_backslashes(text, set(_places(text))), reverse=True)
    if not places:
        return
    start = len(text)
    for piece in reversed(group):
        own = piece.text
        start -= len(own)
        while places and places[0] >= start:
            at = places.pop(0) - start
            own = own[:at] + ESCAPE + own[at:]
        piece.replace(own)


_SUSPECT = re.compile(r"[*_`~<&\[=]")

_HTML = re.compile(
    r"<(?=[A-Za-z/!?][^<]*>)|^\s*<(?=[A-Za-z/!?])|&(?=#?\w{1,31};)|(?<=\])\((?=[^()]*\))|^\s*\[(?=[^\]]+\]:)|^=(?==*\s*$)",
    re.M,
)
"""What begins a tag, an entity, a link's target, a link's definition, the underline of a heading."""

_RUN = re.compile(r"\*+|_+|~{1,2}(?!~)|`+")


def _with_backslashes(text: str, places: set[int]) -> set[int]:
    """The library doubles a backslash before a sign, but not before a mark of ours: those need their own."""
    for place in list(places):
        while place and text[place - 1] == "\\":
            place -= 1
            places.add(place)
    return places


def _places(text: str) -> Iterator[int]:
    """Where a backslash has to go: before what begins a mark that is ended later on (CommonMark 0.31 §6)."""
    for match in _HTML.finditer(text):
        yield match.end() - 1
    runs = list(_RUN.finditer(text))
    last: dict[str, int] = {}
    for run in runs:
        if _can_close(text, run):
            last[_kind(run)] = run.start()
    for run in runs:
        if _can_open(text, run) and last.get(_kind(run), -1) > run.start():
            yield from range(run.start(), run.end())


def _kind(run: re.Match[str]) -> str:
    """Runs of one kind end each other: backticks and tildes only if there are as many."""
    return run[0] if run[0][0] in "`~" else run[0][0]


def _can_open(text: str, run: re.Match[str]) -> bool:
    after = text[run.end() : run.end() + 1]
    if run[0][0] == "`":
        return True
    if not after or after.isspace():
        return False
    return run[0][0] != "_" or not text[run.start() - 1 : run.start()].isalnum() or run.start() == 0


def _can_close(text: str, run: re.Match[str]) -> bool:
    before = text[run.start() - 1 : run.start()] if run.start() else ""
    if run[0][0] == "`":
        return True
    if not before or before.isspace():
        return False
    return run[0][0] != "_" or not text[run.end() : run.end() + 1].isalnum()
