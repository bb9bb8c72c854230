"""Tables of clean HTML made regular: each value stands under its column, as GFM's tables, which have no spans, need it.

Rule 1: a cell that spans rows or columns is written once, at its first place; its other places are empty.
Rule 2: a column is where some cell begins: `colspan=100` in a table of two columns spans two.
Rule 3: in a data grid, `aria-rowindex` and `aria-colindex` say which row and column a cell is in. The parts of one row
(in the page, pinned columns are rows of their own) become one row, and the parts of one grid one table.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise

from lxml import etree
from lxml.html import HtmlElement

ROW, COLUMN = "aria-rowindex", "aria-colindex"

MARKS = ("rowspan", ROW, COLUMN)
"""Attributes that are of no use to the converter."""


@dataclass(slots=True)
class _PlacedCell:
    """A cell in the columns `start` to `end`, without the last."""

    cell: HtmlElement
    start: int
    end: int


def arrange_tables(root: HtmlElement) -> None:
    """Makes all tables below an element regular, in place."""
    _join_tables(root)
    for table in root.iter("table"):
        _arrange(table)
        _widen_header(table)
        for element in table.iter("tr", "td", "th"):
            for name in MARKS:
                element.attrib.pop(name, None)


def _arrange(table: HtmlElement) -> None:
    rows = list(table.iter("tr"))
    if not any(name in each.attrib for row in rows for each in (row, *row) for name in (*MARKS, "colspan")):
        _drop_empty(rows)
        return
    rows = _join_rows(rows)
    placed = _place(rows)
    starts = sorted({each.start for row in placed for each in row})
    for row, cells in zip(rows, placed, strict=True):
        _write(row, cells, starts)
    _drop_empty(rows)


def _drop_empty(rows: list[HtmlElement]) -> None:
    for row in rows:
        if _is_empty(row):
            row.getparent().remove(row)


def _join_rows(rows: list[HtmlElement]) -> list[HtmlElement]:
    """Joins rows of the same index, in the order of the indices where every row has one."""
    by_index: dict[int, HtmlElement] = {}
    joined = []
    for row in rows:
        index = _number(row, ROW)
        first = by_index.setdefault(index, row) if index else row
        if first is row or not _move_cells(row, first):
            joined.append(row)
    order = sorted(joined, key=lambda row: _number(row, ROW)) if all(ROW in row.attrib for row in joined) else joined
    if order != joined:
        for before, row in pairwise(order):
            before.addnext(row)
    return order


def _move_cells(row: HtmlElement, into: HtmlElement) -> bool:
    """Joins a row with an earlier one. A cell that both have is written once. False, and nothing is done, where the
    columns are not known, or two cells of one place differ: these are not parts of one row."""
    if not all(COLUMN in cell.attrib for each in (row, into) for cell in each):
        return False
    places = {_number(cell, COLUMN): cell for cell in into}
    pairs = [(cell, places.get(_number(cell, COLUMN))) for cell in row]
    if any(
        twin is not None and not _is_empty(cell) and not _is_empty(twin) and _words(cell) != _words(twin)
        for cell, twin in pairs
    ):
        return False
    for cell, twin in pairs:
        if twin is None:
            into.append(cell)
        elif _is_empty(twin):
            into.replace(twin, cell)
    row.getparent().remove(row)
    return True


def _place(rows: list[HtmlElement]) -> list[list[_PlacedCell]]:
    """Where each cell begins and ends, by the rules of HTML; where all cells have an index, by that."""
    indexed = all(COLUMN in cell.attrib for row in rows for cell in row)
    covered: dict[int, int] = {}
    placed = []
    for number, row in enumerate(rows):
        cells: list[_PlacedCell] = []
        at = 0
        for cell in sorted(row, key=lambda each: _number(each, COLUMN)) if indexed else row:
            if indexed:
                at = max(at, _number(cell, COLUMN))
            while covered.get(at, 0) > number:
                at += 1
            end = at + max(1, _number(cell, "colspan"))
            height = max(1, _number(cell, "rowspan"))
            if height > 1:
                covered.update(dict.fromkeys(range(at, end), number + height))
            cells.append(_PlacedCell(cell, at, end))
            at = end
        placed.append(cells)
    return placed


def _write(row: HtmlElement, cells: list[_PlacedCell], starts: list[int]) -> None:
    """Writes a row's cells under their columns, with empty cells for columns that others cover."""
    written: list[HtmlElement] = []
    at = 0
    for each in cells:
        first = bisect_left(starts, each.start)
        written += [row.makeelement("td") for _ in range(first - at)]
        at = bisect_left(starts, each.end)
        each.cell.attrib.pop("colspan", None)
        if at - first > 1:
            each.cell.set("colspan", str(at - first))
        written.append(each.cell)
    row[:] = written


def _widen_header(table: HtmlElement) -> None:
    """Widens the first row to the widest: GFM ignores columns that the first row does not have."""
    rows = list(table.iter("tr"))
    widths = [sum(int(cell.get("colspan", 1)) for cell in row) for row in rows]
    for _ in range(max(widths, default=0) - (widths[0] if widths else 0)):
        cell = rows[0].makeelement("th")
        rows[0].append(cell)


def _join_tables(root: HtmlElement) -> None:
    """Joins tables with nothing between them that are parts of one grid: the same rows, other columns."""
    last: HtmlElement | None = None
    for table in _neighbors(root):
        if last is not None and table is not None and _are_parts(last, table):
            last.extend(list(table))
            table.drop_tree()
        else:
            last = table


def _neighbors(root: HtmlElement) -> list[HtmlElement | None]:
    """The tables in document order, with None where there is something between two."""
    found: list[HtmlElement | None] = []
    inside = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        is_table = element.tag == "table"
        if event == "start":
            if not inside and (element.tag in ("img", "hr") or (not is_table and (element.text or "").strip())):
                found.append(None)
            inside += is_table
            continue
        inside -= is_table
        if is_table and not inside:
            found.append(element)
        if not inside and element is not root and (element.tail or "").strip():
            found.append(None)
    return found


def _are_parts(one: HtmlElement, other: HtmlElement) -> bool:
    tables = [list(table.iter("tr")) for table in (one, other)]
    cells = [[cell for row in rows for cell in row] for rows in tables]
    if not all(ROW in row.attrib for rows in tables for row in rows):
        return False
    if not all(COLUMN in cell.attrib for each in cells for cell in each):
        return False
    of_rows = [{_number(row, ROW) for row in rows} for rows in tables]
    of_columns = [{_number(cell, COLUMN) for cell in each} for each in cells]
    return of_rows[0] == of_rows[1] and of_columns[0].isdisjoint(of_columns[1])


def _number(element: HtmlElement, name: str) -> int:
    """A number from 1 on; 0 for none."""
    value = element.get(name, "")
    return int(value) if value.isdecimal() and len(value) < 8 else 0


def _words(cell: HtmlElement) -> str:
    return " ".join("".join(cell.itertext()).split())


def _is_empty(element: HtmlElement) -> bool:
    return not _words(element) and element.find(".//img") is None
