"""Grids of drawn lines: long steps of brightness that cross each other.

Sizes are CSS px. Thresholds are chosen by hand; guarded by `tests/unit/fusion/test_grids.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.geometry import Grid
from perception.types import Pixels

LEAST_STEP = 6
"""Least difference of brightness, of 255, between a line and what is beside it: sheets draw `#e6e6e6` on white, and in
a picture that was compressed those between headers differ by 7."""
LEAST_LENGTH = 60
"""Least length of a line, px."""
LEAST_CELL = 12
"""Smallest side of a cell: two lines that are closer are the two sides of one."""
LEAST_CELLS = 3
"""Least rows and columns of a grid."""
EDGE = 4
"""How far a line may end from the edge of the image that it runs on to."""
SPAN = 0.6
"""Least share of a grid's side for a line that divides it."""


def find_grids(pixels: Pixels, scale: float) -> tuple[Grid, ...]:
    """The grids of an image, largest first.

    Args:
        pixels: (H, W, 3).
        scale: image px for each CSS px.

    Returns:
        Grids in CSS px of the image.
    """
    grey = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), np.uint8)
    across = _lines(grey, scale)
    down = _lines(np.ascontiguousarray(grey.T), scale) if len(across) > LEAST_CELLS else across
    if len(down) <= LEAST_CELLS:
        return ()
    slack = 4 * scale
    crosses = (
        (down[None, :, 0] >= across[:, None, 1] - slack)
        & (down[None, :, 0] <= across[:, None, 2] + slack)
        & (across[:, None, 0] >= down[None, :, 1] - slack)
        & (across[:, None, 0] <= down[None, :, 2] + slack)
    )
    row_groups, column_groups = _groups(crosses)
    found = []
    for number in np.unique(row_groups).tolist():
        rows_of, columns_of = across[row_groups == number], down[column_groups == number]
        y, x = _dividers(rows_of, columns_of, scale), _dividers(columns_of, rows_of, scale)
        y, x = _divided(y, columns_of, x[1:-1], scale), _divided(x, rows_of, y[1:-1], scale)
        height, width = grey.shape
        y, x = _to_edges(y, columns_of, x, height, scale), _to_edges(x, rows_of, y, width, scale)
        if min(len(x), len(y)) > LEAST_CELLS:
            found.append(Grid(tuple(at / scale for at in x), tuple(at / scale for at in y)))
    return tuple(sorted(found, key=lambda grid: -grid.box.area))


def _groups(crosses: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Which lines hang together: (R,) and (C,) the least row that each row and each column is joined to by crosses of
    other lines; R for a column that crosses none."""
    rows = np.arange(len(crosses))
    while True:
        columns = np.where(crosses, rows[:, None], len(crosses)).min(axis=0, initial=len(crosses))
        least = np.minimum(rows, np.where(crosses, columns[None], len(crosses)).min(axis=1, initial=len(crosses)))
        if (least == rows).all():
            return rows, columns
        rows = least


def _lines(grey: NDArray[np.uint8], scale: float) -> NDArray[np.float64]:
    """(N, 3) horizontal lines of an image (H, W): their y, left and right end, px."""
    step = cv2.absdiff(grey[1:], grey[:-1])
    # Where two lines cross, neither differs from what is beside it.
    edge = cv2.morphologyEx(
        np.asarray(step >= LEAST_STEP, np.uint8), cv2.MORPH_CLOSE, np.ones((1, 2 * round(2 * scale) + 1), np.uint8)
    )
    long = cv2.morphologyEx(edge, cv2.MORPH_OPEN, np.ones((1, max(3, round(LEAST_LENGTH * scale))), np.uint8))
    # Most rows are empty: one is left behind each group of others.
    filled: NDArray[np.bool_] = np.asarray(long.any(axis=1), bool)
    filled[1:] |= filled[:-1].copy()
    kept = np.flatnonzero(filled)
    if not len(kept):
        return np.zeros((0, 3))
    _, _, stats, _ = cv2.connectedComponentsWithStats(long[kept], connectivity=4)
    left, top, width, height = (stats[1:, column] for column in range(4))
    thin = height <= 2 * scale
    return np.stack([kept[top] + height / 2 + 0.5, left, left + width], axis=1)[thin]


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


def _divided(sides: list[float], crossing: NDArray[np.float64], dividers: Sequence[float], scale: float) -> list[float]:
    """The sides of rows without those of the first and last ones that are not divided: the bar of tools above a sheet,
    in the frame of its window, is no row of cells.

    Args:
        sides: positions of the lines between rows.
        crossing: (N, 3) the lines that divide rows.
        dividers: positions of those between columns, without the outer ones.
    """
    near = np.abs(crossing[:, :1] - np.asarray(dividers)[None]) < LEAST_CELL * scale
    inner = crossing[near.any(axis=1)]

    def is_divided(row: int) -> bool:
        low, high = sides[row], sides[row + 1]
        shared = np.minimum(inner[:, 2], high) - np.maximum(inner[:, 1], low)
        return bool((shared >= SPAN * (high - low)).any())

    rows = [row for row in range(len(sides) - 1) if is_divided(row)]
    return sides[rows[0] : rows[-1] + 2] if rows else []


def _to_edges(
    sides: list[float], crossing: NDArray[np.float64], dividers: Sequence[float], size: int, scale: float
) -> list[float]:
    """The sides of rows, and the edges of the image where most lines between columns run on to them: the outer cells of
    a canvas or a picture may end where it ends, without a line.

    Args:
        sides, crossing: as `_divided`.
        dividers: positions of the lines between columns.
        size: of the image across the rows, px.
    """
    if not sides or not len(dividers):
        return sides
    near = np.abs(crossing[:, :1] - np.asarray(dividers)[None]) < LEAST_CELL * scale / 2
    starts, ends = crossing[:, 1] <= EDGE * scale, crossing[:, 2] >= size - EDGE * scale
    runs_on = [float((near & touches[:, None]).any(axis=0).mean()) >= SPAN for touches in (starts, ends)]
    first = [0.0] if runs_on[0] and sides[0] >= LEAST_CELL * scale else []
    last = [float(size)] if runs_on[1] and size - sides[-1] >= LEAST_CELL * scale else []
    return [*first, *sides, *last]
