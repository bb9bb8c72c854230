"""Interactables as text: one element a line, with its selector."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from perception.browser.page.selector_syntax import Durable
from perception.invisible import INVISIBLE
from perception.page_words import UNSAFE
from perception.render.quoting import clear, quote
from perception.types import Element, Reach

_HIDDEN = re.compile(f"{UNSAFE.pattern}|{INVISIBLE.pattern}")

UNLISTED_STATES = frozenset({"disabled", "clickable", "focused", "mislabelled"})
"""States that other fields say, or that are of this moment alone."""


def render_interactables(found: Iterable[tuple[Element, Durable]]) -> str:
    """A line for each element."""
    return "".join(_line(element, durable) for element, durable in found)


def _line(element: Element, durable: Durable) -> str:
    """`- textbox "Email" `#email`: "a@b.co" [required]`."""
    words = [f"- {element.role}"]
    if element.name:
        words.append(quote(element.name))
    line = " ".join([*words, _code(durable.selector)])
    if element.value:
        line += f": {quote(element.value)}"
    return line + "".join(f" [{mark}]" for mark in _marks(element, durable)) + "\n"


def _code(selector: str) -> str:
    """Between more backticks than it holds itself, and on one line: CSS escapes stand for the same characters."""
    most = max(map(len, re.findall("`+", selector)), default=0)
    ticks = "`" * (most + 1)
    return ticks + _HIDDEN.sub(lambda match: f"\\{ord(match[0]):x} ", selector) + ticks


def _marks(element: Element, durable: Durable) -> Iterator[str]:
    yield from (clear(state) for state in element.states if state == "disabled" or state not in UNLISTED_STATES)
    if not element.visible:
        yield "hidden"
    elif element.reach in (Reach.NEVER, Reach.COVERED):
        yield "unreachable" if element.reach is Reach.NEVER else "covered"
    if not element.name and durable.placeholder:
        yield f"placeholder={clear(durable.placeholder)}"
    elif not element.name and element.hint:
        yield f"hint={clear(element.hint)}"
