"""Grids of lines that are drawn: a spreadsheet, a month, a table with borders. One is told as one, row by row.

Lines are found in the pixels: long steps of brightness in one direction. Lines that cross each other are one grid if
its first row or its first column is filled, as that of a sheet with headers is, and a chart's or a map's is not.

Sizes are CSS px. Thresholds that name no source are chosen by hand; guarded by `tests/fusion/test_grids.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from perception.fusion.regions import Grid, SeenRegion, crop_region
from perception.geometry import union
from perception.types import Element, Pixels, Screenshot

LEAST_STEP = 8
"""Least difference of brightness, of 255, between a line and what is beside it: sheets draw `#e6e6e6` on white."""
LEAST_LENGTH = 60
"""Of a line."""
LEAST_CELL = 12
"""Smallest side of a cell: two lines that are closer are the two sides of one."""
LEAST_CELLS = 3
"""Least rows and columns of a grid."""
SPAN = 0.6
"""Least share of a grid's side for a line that divides it."""
FILLED = 0.6
"""Least share of cells with text in the first row, or in the first column."""
EVEN = 1.5
"""Largest difference between the sides of cells that are told as equal."""


def with_grids(seen: Sequence[SeenRegion], screenshot: Screenshot) -> tuple[SeenRegion, ...]:
    """The same regions with the grids that are drawn in them."""
    return tuple(replace(each, grids=_grids_of(each, screenshot)) if _may_hold(each) else each for each in seen)


def _may_hold(seen: SeenRegion) -> bool:
    box = seen.region.box
    texts = sum(bool(text) for each in seen.detections for text in each.text)
    return min(box.width, box.height) >= LEAST_LENGTH and texts >= LEAST_CELLS


def _grids_of(seen: SeenRegion, screenshot: Screenshot) -> tuple[Grid, ...]:
    scale, box = screenshot.scale, seen.region.box
    found = find_grids(crop_region(screenshot, seen.region), scale)
    return tuple(Grid(tuple(box.left + x for x in each.x), tuple(box.top + y for y in each.y)) for each in found)


def find_grids(pixels: Pixels, scale: float) -> tuple[Grid, ...]:
    """The grids of an image, largest first.

    Args:
        pixels: (H, W, 3).
        scale: image px for each CSS px.

    Returns:
        Grids in CSS px of the image.
    """
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), np.uint8)
    across, down = _lines(grey, scale), _lines(np.ascontiguousarray(grey.T), scale)
    if min(len(across), len(down)) <= LEAST_CELLS:
        return ()
    slack = 4 * scale
    crosses = (
        (down[None, :, 0] >= across[:, None, 1] - slack)
        & (down[None, :, 0] <= across[:, None, 2] + slack)
        & (across[:, None, 0] >= down[None, :, 1] - slack)
        & (across[:, None, 0] <= down[None, :, 2] + slack)
    )
    rows, columns = np.nonzero(crosses)
    size = len(across) + len(down)
    joined = coo_matrix((np.ones(len(rows)), (rows, len(across) + columns)), (size, size))
    group = connected_components(joined, directed=False)[1]
    found = []
    for number in np.unique(group[: len(across)]).tolist():
        rows_of, columns_of = across[group[: len(across)] == number], down[group[len(across) :] == number]
        y, x = _dividers(rows_of, columns_of, scale), _dividers(columns_of, rows_of, scale)
        if min(len(x), len(y)) > LEAST_CELLS:
            found.append(Grid(tuple(at / scale for at in x), tuple(at / scale for at in y)))
    return tuple(sorted(found, key=lambda grid: -grid.box.area))


def _lines(grey: NDArray[np.uint8], scale: float) -> NDArray[np.float64]:
    """(N, 3) horizontal lines of an image (H, W): their y, left and right end, px."""
    step = cv2.absdiff(grey[1:], grey[:-1])
    # Where two lines cross, neither differs from what is beside it.
    edge = cv2.morphologyEx(
        np.asarray(step >= LEAST_STEP, np.uint8), cv2.MORPH_CLOSE, np.ones((1, 2 * round(2 * scale) + 1), np.uint8)
    )
    long = cv2.morphologyEx(edge, cv2.MORPH_OPEN, np.ones((1, max(3, round(LEAST_LENGTH * scale))), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(long, connectivity=4)
    left, top, width, height = (stats[1:, column].astype(np.float64) for column in range(4))
    thin = height <= 2 * scale
    return np.stack([top + height / 2 + 0.5, left, left + width], axis=1)[thin]


def _dividers(lines: NDArray[np.float64], crossing: NDArray[np.float64], scale: float) -> list[float]:
    """Positions of the lines that go through most of a grid; those close to each other are one."""
    if not len(lines) or not len(crossing):
        return []
    begin, end = crossing[:, 0].min(), crossing[:, 0].max()
    length: dict[float, float] = defaultdict(float)
    kept: list[float] = []
    for at, low, high in lines[np.argsort(lines[:, 0])].tolist():
        if not kept or at - kept[-1] >= LEAST_CELL * scale:
            kept.append(at)
        length[kept[-1]] += min(high, end) - max(low, begin)
    return [at for at in kept if length[at] >= SPAN * (end - begin)]


def tell_grid(grid: Grid, texts: Sequence[Element]) -> tuple[Element, ...] | None:
    """A grid as elements: itself, and one for each row with text, whose parent is the first.

    Args:
        texts: elements of role `text` whose centres are in it, in reading order.

    Returns:
        None if too few cells hold text.
    """
    cells: dict[tuple[int, int], list[Element]] = defaultdict(list)
    for text in texts:
        if (cell := grid.cell_at(text.box.center)) is not None:
            cells[cell].append(text)
    rows, columns = len(grid.y) - 1, len(grid.x) - 1
    first_row = sum((0, column) in cells for column in range(columns))
    first_column = sum((row, 0) in cells for row in range(rows))
    if first_row < FILLED * (columns - 1) and first_column < FILLED * (rows - 1):
        return None
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


def _places(grid: Grid) -> str:
    """Where the cells are, for a click on one of them by coordinates."""
    return f"columns from x={_sides(grid.x)}, rows from y={_sides(grid.y)}"


def _sides(lines: Sequence[float]) -> str:
    """The positions of lines, shorter if they are even: `40, 120, …, 840`."""
    steps = np.diff(lines)
    inner = steps[1:-1] if len(steps) > LEAST_CELLS else steps
    if len(lines) > LEAST_CELLS + 1 and float(np.ptp(inner)) <= EVEN and abs(steps[0] - inner[0]) <= EVEN:
        return f"{lines[0]:.0f}, {lines[1]:.0f}, …, {lines[-1]:.0f}"
    return ", ".join(f"{at:.0f}" for at in lines)
