"""Converts clean HTML to markdown (GitHub's flavor) with html-to-markdown.

The library writes the blocks and marks. This module adds what it lacks: it escapes text that would be read as a mark,
and only that (`snake_case` stays unchanged); it makes tables regular (`tables.py`); it marks what is raised or lowered
(`10^6`, `H_2O`); it keeps other tags without a markdown mark as HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from lxml.html import HtmlElement

from perception.extract.tables import arrange_tables
from perception.extract.tree import parse, serialize
from perception.invisible import without_invisible
from perception.page_words import UNSAFE, escape_character
from perception.render.quoting import MAX_MARK, quote

ESCAPE = "\ue000"
"""Placeholder for a backslash, which the library would double. It occurs in no text, since the walker omits characters
of icon fonts."""

NUMBER = "\ue002"
"""Placeholder around the number of a list's item, where the library would write another one."""

BRACKET = "\ue001"
"""Placeholder for the bracket that begins a line of ours; a page's own text that looks like one gets a backslash."""

FRAME_NAME, FRAME_ORIGIN = "data-frame", "data-origin"
"""Attributes of the element around a frame's content (`browser/capture/page_content.py`)."""

KEPT_TAGS = ("mark",)

RAISED = {"sup": "^", "sub": "_"}
"""Marks of what stands higher or lower, the same as in a snapshot (`walker/semantics/run_text.js`)."""

MARKDOWN_BLOCKS = frozenset(
    "address article aside blockquote body br caption dd details dialog div dl dt figcaption figure footer form h1 h2 "
    "h3 h4 h5 h6 header hr li main nav ol p pre search section summary table tbody td tfoot th thead tr ul".split()
)

CODE = frozenset(("code", "pre"))


def to_markdown(html: str) -> str:
    """Converts clean HTML to markdown without blank lines at its ends; "" if there is no text."""
    root = parse(html)
    arrange_tables(root)
    _name_pictures(root)
    _mark_frames(root)
    _mark_raised(root)
    _number_items(root)
    for group in _groups(root):
        _escape(group)
    _keep_tags(root)
    from html_to_markdown import convert

    converted = _NUMBERED.sub(r"\1\2.", str(convert(serialize(root), _options()).content))
    return UNSAFE.sub(escape_character, _tidy(without_invisible(converted.replace(ESCAPE, "\\").replace(BRACKET, "["))))


def plain_text(html: str) -> str:
    """All text of clean HTML, unchanged except for characters that nobody sees, or that reorder a line."""
    text = without_invisible("".join(str(text) for text in parse(html).itertext()).strip("\n"))
    return UNSAFE.sub(escape_character, text)


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
    """Removes blanks at the ends of lines, and consecutive blank lines outside code."""
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
            lines.append("")  # the library writes no blank line around quotations
        if fence or line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines).strip("\n")


def _is_quote(line: str) -> bool:
    return line.lstrip().startswith(">")


def _name_pictures(root: HtmlElement) -> None:
    """Writes a picture without an address as its alternative text: there is nothing to link to."""
    for picture in list(root.iter("img")):
        if not picture.get("src"):
            picture.tag, picture.text = "span", picture.get("alt", "")


def _mark_frames(root: HtmlElement) -> None:
    """Writes a line before and after the content of each frame."""
    for frame in list(root.iter("div")):
        if FRAME_NAME not in frame.attrib:
            continue
        name, origin = frame.attrib[FRAME_NAME].replace('"', "'"), frame.get(FRAME_ORIGIN, "")
        start, end = frame.makeelement("p"), frame.makeelement("p")
        start.text = (
            f"{BRACKET}frame{f' {quote(name, MAX_MARK)}' if name else ''}{f' from {origin}' if origin else ''}]"
        )
        start.tail, frame.text = frame.text, None
        end.text = f"{BRACKET}end of frame]"
        frame.insert(0, start)
        frame.append(end)


_NUMBERED = re.compile(f"^([ >]*)\\d+[.)] +{NUMBER}(-?\\d+){NUMBER}", re.M)


def _number_items(root: HtmlElement) -> None:
    """Numbers the items of lists in which the count jumps or goes down."""
    for numbered in root.iter("ol"):
        items = numbered.findall("li")
        step = -1 if "reversed" in numbered.attrib else 1
        first = int(numbered.get("start", len(items) if step < 0 else 1))
        numbers: list[int] = []
        for item in items:
            numbers.append(int(item.attrib.pop("value", numbers[-1] + step if numbers else first)))
        if all(after - before == 1 for before, after in pairwise(numbers)) and step > 0:
            if numbers:
                numbered.set("start", str(numbers[0]))
            continue
        for item, number in zip(items, numbers, strict=True):
            holder = next((each for each in item if each.tag == "p" and not (item.text or "").strip()), item)
            holder.text = f"{NUMBER}{number}{NUMBER} {holder.text or ''}"


def _mark_raised(root: HtmlElement) -> None:
    """Turns superscripts and subscripts into text: `2^64`, `x^(n + 1)`, `1/2`."""
    for element in reversed(list(root.iter(*RAISED))):
        if element.tag not in RAISED:
            continue  # the upper part of a fraction
        inner = str(element.text_content()).strip()
        mark = RAISED[element.tag] if _WORD_CHARACTER.search(inner) else ""
        if mark == "_" and inner.isdigit() and _join_fraction(element):
            mark = ""
        goes_on = _GOES_ON.search(f"{inner[-1:]}\0{_following(element)[:2]}")
        start, end = ("(", ")") if mark and (goes_on or not _SINGLE.fullmatch(inner)) else ("", "")
        element.text = f"{mark}{start}{element.text or ''}"
        if len(element):
            element[-1].tail = f"{element[-1].tail or ''}{end}"
        else:
            element.text += end
        element.tag = "span"


_WORD_CHARACTER = re.compile(r"[^\W_]")
_SINGLE = re.compile(r"[+\u2212\u2013±-]?[\d.,:]+|[^\W\d_]+|\[[^\[\]]*\]|\([^()]*\)")
"""One word, of digits or of letters, or something with brackets of its own."""

_GOES_ON = re.compile(r"\d\0[.,]?\d|[^\W\d_]\0[^\W\d_]")
"""What follows would read as a part of what is raised."""


def _following(element: HtmlElement) -> str:
    """The text after an element in its block."""
    each = element
    while each.tag not in MARKDOWN_BLOCKS:
        after = each.getnext()
        if each.tail or after is not None:
            return str(each.tail or after.text_content())
        each = each.getparent()
    return ""


def _join_fraction(lower: HtmlElement) -> bool:
    """Whether digits are the lower part of a fraction, whose upper part is then not a power; a space separates it from
    a number before it."""
    upper = lower.getprevious()
    if upper is None or upper.tag != "sup" or (upper.tail or "") not in ("/", "\u2044"):
        return False
    if not str(upper.text_content()).strip().isdigit():
        return False
    before, parent = upper.getprevious(), upper.getparent()
    text = (parent.text if before is None else before.tail) or ""
    upper.tag = "span"
    if _WORD_CHARACTER.search(text[-1:]):
        upper.text = f" {upper.text or ''}"
    return True


def _keep_tags(root: HtmlElement) -> None:
    """Turns tags without a markdown mark into text."""
    for element in list(root.iter(*KEPT_TAGS)):
        tag = element.tag
        element.text = f"<{tag}>{element.text or ''}"
        if len(element):
            element[-1].tail = f"{element[-1].tail or ''}</{tag}>"
        else:
            element.text += f"</{tag}>"
        element.tag = "span"


@dataclass(frozen=True, slots=True)
class _TextNode:
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


def _groups(root: HtmlElement) -> Iterator[list[_TextNode]]:
    """Groups the texts of each block, without code."""
    group: list[_TextNode] = []
    stack: list[tuple[HtmlElement, bool]] = [(root, False)]
    while stack:
        element, is_end = stack.pop()
        is_block = element.tag in MARKDOWN_BLOCKS
        if is_block and group:
            yield group
            group = []
        if is_end:
            if element is not root and element.tail:
                group.append(_TextNode(element, True))
            continue
        stack.append((element, True))
        if element.tag in CODE:
            continue
        if element.text:
            group.append(_TextNode(element, False))
        stack.extend((child, False) for child in reversed(element))
    if group:
        yield group


def _escape(group: list[_TextNode]) -> None:
    """Escapes the characters of a block's text that would be read as marks."""
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

_HTML_MARKS = re.compile(
    r"<(?=[A-Za-z/!?][^<]*>)|^\s*<(?=[A-Za-z/!?])|&(?=#?\w{1,31};)|^\s*\[(?=[^\]]+\]:)|^=(?==*\s*$)"
    r"|\[(?=(?:end of )?frame\b)",
    re.M,
)
"""The start of a tag, an entity, a link's definition, the underline of a heading, or a line that marks a frame."""

_LINK_TARGET = re.compile(r"(?<=\])\([^()]*\)")

_RUN = re.compile(r"\*+|_+|~{1,2}(?!~)|`+")


def _with_backslashes(text: str, places: set[int]) -> set[int]:
    """Adds the backslashes before these places, which the library does not double before ESCAPE."""
    for place in list(places):
        while place and text[place - 1] == "\\":
            place -= 1
            places.add(place)
    return places


def _places(text: str) -> Iterator[int]:
    """Places that get a backslash: where a mark starts that ends later in the text (CommonMark 0.31 §6). So does its
    end, which would do without: half of a pair reads as a mistake."""
    for match in _HTML_MARKS.finditer(text):
        yield match.end() - 1
    for match in _LINK_TARGET.finditer(text):
        yield from (match.start(), match.end() - 1)
    runs = list(_RUN.finditer(text))
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for run in runs:
        if _can_open(text, run):
            first.setdefault(_kind(run), run.start())
        if _can_close(text, run):
            last[_kind(run)] = run.start()
    for run in runs:
        opens = _can_open(text, run) and last.get(_kind(run), -1) > run.start()
        if opens or (_can_close(text, run) and first.get(_kind(run), run.start()) < run.start()):
            yield from range(run.start(), run.end())


def _kind(run: re.Match[str]) -> str:
    """Kind of a run; a run closes one of the same kind. Backticks and tildes need the same length."""
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
