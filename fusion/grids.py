"""A grid of drawn lines, as a spreadsheet, a month or a table with borders, is listed as one element, row by row.

It is one if its first row or its first column is filled, as that of a sheet with headers is, and a chart's is not.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from perception.geometry import Grid, Point, union
from perception.types import Element

FILLED = 0.6
"""Least share of cells with text in the first row, or in the first column. Chosen by hand, as is EVEN; guarded by
`tests/unit/fusion/test_grids.py`."""
EVEN = 1.5
"""Largest difference between the sides of cells that count as equal, CSS px."""
LEAST_SHORTENED = 5
"""Least number of lines whose positions are written shorter."""


def is_told(grid: Grid, centers: Iterable[Point]) -> bool:
    """Whether a grid with texts at these points is listed as one: its first row or column is filled."""
    filled = {cell for center in centers if (cell := grid.cell_at(center)) is not None}
    rows, columns = len(grid.y) - 1, len(grid.x) - 1
    first_row = sum((0, column) in filled for column in range(columns))
    first_column = sum((row, 0) in filled for row in range(rows))
    return bool(filled) and (first_row >= FILLED * (columns - 1) or first_column >= FILLED * (rows - 1))


def tell_grid(grid: Grid, texts: Sequence[Element]) -> tuple[Element, ...] | None:
    """A grid as elements: itself, and one for each row with text, whose parent is the first.

    Args:
        texts: elements of role `text` whose centers are in it, in reading order.

    Returns:
        None if too few cells hold text.
    """
    if not is_told(grid, [text.box.center for text in texts]):
        return None
    cells: dict[tuple[int, int], list[Element]] = defaultdict(list)
    for text in texts:
        if (cell := grid.cell_at(text.box.center)) is not None:
            cells[cell].append(text)
    rows, columns = len(grid.y) - 1, len(grid.x) - 1
    whole = replace(
        texts[0], role="grid", name=f"{rows} × {columns}", text=_places(grid), box=grid.box, click_point=None, parent=-1
    )
    told = [whole]
    for row in sorted({row for row, _ in cells}):
        inside = [text for column in range(columns) for text in cells.get((row, column), ())]
        words = " | ".join(" ".join(text.name for text in cells.get((row, column), ())) for column in range(columns))
        told.append(
            replace(
                inside[0],
                role="row",
                name=words.rstrip(" |").lstrip(),
                box=union([text.box for text in inside]),
                click_point=None,
                parent=0,
            )
        )
    return tuple(told)


def with_places_at(told: Element, zoom: float) -> Element:
    """A listed grid, with the places of its cells in other units, `zoom` of them for each of the old."""
    return replace(told, text=re.sub(r"\d+", lambda at: f"{int(at[0]) * zoom:.0f}", told.text))


def _places(grid: Grid) -> str:
    """Where the cells are, for a click on one of them by coordinates."""
    return f"columns from x={_sides(grid.x)}, rows from y={_sides(grid.y)}"


def _sides(lines: Sequence[float]) -> str:
    """The positions of lines, shorter if they are even: `40, 120, …, 840`."""
    steps = np.diff(lines)
    if len(lines) >= LEAST_SHORTENED and float(np.ptp(steps[:-1])) <= EVEN:  # the last cell may be cut off
        return f"{lines[0]:.0f}, {lines[1]:.0f}, …, {lines[-1]:.0f}"
    return ", ".join(f"{at:.0f}" for at in lines)
