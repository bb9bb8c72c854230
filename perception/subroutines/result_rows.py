"""The rows that a search or a list shows, as JSON: a table by its columns' names, a list by its items.

A place says which table or list of a page has the results. It is learned from the recording: the one whose rows came.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from lxml.html import HtmlElement

from perception.extract.markdown import MARKDOWN_BLOCKS
from perception.extract.tables import arrange_tables
from perception.extract.tree import parse
from perception.invisible import without_invisible

MAX_ROWS, MAX_COLUMNS, MAX_CELL = 500, 40, 1000
"""Limits of a result; characters of a cell. Chosen by hand."""

NO_RESULTS = re.compile(
    r"\bno (?:\w+ ){0,3}(?:results?|hits|matches|entries|records|items|rows|data|match)\b"
    r"|\bno \w+ (?:were |was )?found\b"
    r"|\bnothing (?:was )?found\b|\b0 (?:\w+ )?(?:results?|hits|matches|entries|records|items|rows)\b|\bnot found\b"
    r"|\b(?:did|does) not match any|\bno matching\b|\bkeine (?:treffer|ergebnisse)\b",
    re.I,
)
"""Words of a search without results."""

_BREAKS = MARKDOWN_BLOCKS | {"button", "label", "option", "td", "th"}
"""Elements whose words are not read together with those before and after them."""

_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


class ResultPlace(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a page shows results.

    Attributes:
        kind: table or list; "" where there are no results.
        columns: names of a table's columns; empty for one without a header.
        heading: the heading before a list.
        nth: index among those of the same kind, columns and heading.
    """

    kind: str = ""
    columns: tuple[str, ...] = ()
    heading: str = ""
    nth: int = 0


@dataclass(frozen=True, slots=True)
class ResultRows:
    """A table or a list of a page.

    Attributes:
        place: where it is.
        rows: its rows, JSON: objects by the columns' names, lists of texts, objects with `text` and `url`, or texts.
    """

    place: ResultPlace
    rows: tuple[Any, ...]


def find_rows(html: str) -> tuple[ResultRows, ...]:
    """All tables and lists of clean HTML, in their order; those within another one are left out."""
    root = parse(html)
    arrange_tables(root)
    found: list[ResultRows] = []
    heading = ""
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        if element.tag in _HEADINGS:
            heading = _text(element)
        if element.tag not in ("table", "ul", "ol") or _is_nested(element):
            continue
        columns, rows = _table(element) if element.tag == "table" else ((), _items(element))
        kind = "table" if element.tag == "table" else "list"
        place = ResultPlace(kind, columns, "" if columns else heading)
        same = sum(msgspec.structs.replace(each.place, nth=0) == place for each in found)
        found.append(ResultRows(msgspec.structs.replace(place, nth=same), tuple(rows[:MAX_ROWS])))
    return tuple(found)


def learn_place(before: str, after: str, *, may_be_new: bool = True) -> ResultPlace:
    """The table or list with the most rows that were not shown before; an empty place where there is none.

    Args:
        before: clean HTML of the page at the start.
        after: clean HTML of the page at the end.
        may_be_new: rows that were not shown before may be results; else only fewer rows are.
    """
    known = {_key(row) for each in find_rows(before) for row in each.rows}
    places = {each.place: each.rows for each in find_rows(before)}
    best, most = ResultPlace(), 0
    for each in find_rows(after):
        if places.get(each.place) == each.rows or _is_menu(places.get(each.place, ()), each.rows):
            continue
        new = sum(_key(row) not in known for row in each.rows)
        fewer = each.place in places and len(each.rows) < len(places[each.place])
        if new and not may_be_new:
            continue
        weight = new * 2 + (len(each.rows) if fewer else 0) + (each.place.kind == "table" and bool(new))
        if weight > most:
            best, most = each.place, weight
    return best


def _is_menu(before: Sequence[Any], after: Sequence[Any]) -> bool:
    """Whether a list has the same entries as before, apart from links and counts such as `List (3)`: a menu."""
    old = [str(row.get("text", "") if isinstance(row, dict) else row) for row in before]
    new = [str(row.get("text", "") if isinstance(row, dict) else row) for row in after]
    if len(old) != len(new) or not all(old) or not all(new):
        return False
    same = sum(one == other for one, other in zip(old, new, strict=True))
    return 2 * same >= len(new) and [re.sub(r"\d+", "", each) for each in old] == [
        re.sub(r"\d+", "", each) for each in new
    ]


def rows_at(html: str, place: ResultPlace) -> ResultRows | None:
    """The rows at a place; None where the page has no such table or list. The heading before a list may differ in what
    was searched for: then the list counts whose heading is as long."""
    found = find_rows(html)
    for each in found:
        if each.place == place:
            return each
    if place.kind == "table" and not place.columns:
        return None
    words = len(place.heading.split())
    alike = [
        each
        for each in found
        if each.place.kind == place.kind
        and each.place.columns == place.columns
        and each.place.heading
        and len(each.place.heading.split()) == words
        and each.place.heading.split()[0] == place.heading.split()[0]
    ]
    return alike[place.nth] if place.kind == "list" and place.nth < len(alike) else None


def times_none(html: str) -> int:
    """How often a page says that there are no results."""
    root = parse(html)
    for element in root.iter():
        if element.tag in _BREAKS:
            element.text, element.tail = f"\n{element.text or ''}", f"\n{element.tail or ''}"
    return len(NO_RESULTS.findall(without_invisible("".join(map(str, root.itertext())))))


def place_of(given: Mapping[str, Any]) -> ResultPlace:
    """The place that a script names. Raises msgspec.ValidationError for anything else."""
    return msgspec.convert(dict(given), ResultPlace)


def expected_place(place: ResultPlace) -> dict[str, Any]:
    """The place as a script names it."""
    fields: dict[str, Any] = msgspec.to_builtins(place)
    return {key: list(value) if isinstance(value, tuple) else value for key, value in fields.items()}


def describe_place(place: ResultPlace) -> str:
    """The place in words."""
    if place.kind == "table":
        return f"a table with the columns {', '.join(place.columns)}" if place.columns else "a table"
    return f'a list under "{place.heading}"' if place.heading else "a list"


def _table(table: HtmlElement) -> tuple[tuple[str, ...], list[Any]]:
    """The columns' names and the rows."""
    rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]
    rows = [row for row in rows if row]
    head = rows[0] if rows and all(cell.tag == "th" for cell in rows[0]) else []
    names = _unique([_text(cell) for cell in head])[:MAX_COLUMNS]
    made = [_row(row, names) for row in (rows[1:] if head else rows)]
    return tuple(names), made


def _row(cells: Sequence[HtmlElement], names: Sequence[str]) -> Any:
    texts = [_text(cell) for cell in cells][:MAX_COLUMNS]
    if not names:
        return texts
    row = {name: texts[index] if index < len(texts) else "" for index, name in enumerate(names) if name}
    links = [url for cell in cells for url in _links(cell)]
    return row | ({"url": links[0]} if links and "url" not in row else {})


def _items(element: HtmlElement) -> list[Any]:
    made: list[Any] = []
    for item in element:
        if item.tag == "li" and (text := _text(item)):
            links = _links(item)
            made.append({"text": text, "url": links[0]} if links else text)
    return made


def _unique(names: Sequence[str]) -> list[str]:
    seen: dict[str, int] = {}
    made = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        made.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return made


def _links(element: HtmlElement) -> list[str]:
    return [str(link.get("href")) for link in element.iter("a") if link.get("href")]


def _text(element: HtmlElement) -> str:
    return " ".join("".join(str(text) for text in element.itertext()).split())[:MAX_CELL]


def _is_nested(element: HtmlElement) -> bool:
    return any(each.tag in ("table", "ul", "ol", "nav") for each in element.iterancestors())


def _key(row: Any) -> bytes:
    return msgspec.json.encode(row)
