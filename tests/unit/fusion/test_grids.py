"""Grids of drawn lines: told as one, row by row."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from perception.engine.drawn_grids import with_grids
from perception.fusion.fuse import fuse
from perception.fusion.regions import SeenRegion
from perception.geometry import Box
from perception.imaging.grid_lines import find_grids
from perception.testing.scripted_detector import ScriptedDetection, detections_of
from perception.types import Element, NodeKey, Opaque, Pixels, Region, Screenshot

CANVAS = Element("canvas", "", Box(0, 0, 700, 400), opaque=Opaque.CANVAS, node=NodeKey("L", 1))


def sheet(scale: int = 1, *, columns: int = 6, rows: int = 9, line: int = 225) -> Pixels:
    """A sheet at (40, 30) with cells of 80 × 24 CSS px."""
    pixels = np.full((400 * scale, 700 * scale, 3), 255, np.uint8)
    ink = (line, line, line)
    for column in range(columns + 1):
        x = (40 + 80 * column) * scale
        cv2.line(pixels, (x, 30 * scale), (x, (30 + 24 * rows) * scale), ink, scale)
    for row in range(rows + 1):
        y = (30 + 24 * row) * scale
        cv2.line(pixels, (40 * scale, y), ((40 + 80 * columns) * scale, y), ink, scale)
    return pixels


def word(row: int, column: int, text: str) -> ScriptedDetection:
    left, top = 46 + 80 * column, 33 + 24 * row
    return ScriptedDetection((left, top, left + 9 * len(text) + 6, top + 18), text, 0.99)


def look(pixels: Pixels, *seen: ScriptedDetection) -> tuple[Element, ...]:
    texts, boxes = [each for each in seen if each.text], [each for each in seen if not each.text]
    found = detections_of("reader", texts), detections_of("boxer", boxes)
    region = SeenRegion(Region(CANVAS.box, 0, Opaque.CANVAS), 1, found)
    return fuse((CANVAS,), with_grids([region], Screenshot(pixels, 1)))


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("line", [0, 225, 245])
def test_lines_that_cross_are_a_grid(scale: int, line: int) -> None:
    (grid,) = find_grids(sheet(scale, line=line), scale)
    assert (len(grid.x), len(grid.y)) == (7, 10)
    assert np.allclose(grid.x, [40 + 80 * at for at in range(7)], atol=1)
    assert np.allclose(grid.y, [30 + 24 * at for at in range(10)], atol=1)


def test_a_sheet_is_one_grid_with_a_row_for_each_row_that_has_text() -> None:
    heads = [word(0, column, name) for column, name in enumerate(("", "A", "B", "C", "D", "E")) if name]
    _, grid, *rows = look(sheet(), *heads, word(2, 0, "2"), word(2, 2, "Widget"), word(2, 4, "42"))
    assert (grid.role, grid.name, grid.parent, grid.interactive) == ("grid", "9 × 6", 0, False)
    assert grid.text == "columns from x=40, 120, …, 520, rows from y=30, 54, …, 246"
    assert [(row.role, row.name, row.parent) for row in rows] == [
        ("row", "| A | B | C | D | E", 1),
        ("row", "2 |  | Widget |  | 42", 1),
    ]


def test_a_control_in_a_grid_stays_a_control() -> None:
    heads = [word(0, column, name) for column, name in enumerate(("Name", "Size", "Date", "Mode", "Ours", "Next"))]
    box = ScriptedDetection((130, 84, 190, 100), "", 0.9, label="link")
    found = look(sheet(), *heads, box, word(2, 1, "Open"))
    assert ("link", "Open") in [(each.role, each.name) for each in found]
    assert not any("Open" in each.name for each in found if each.role == "row")


def test_lines_behind_a_chart_are_no_grid() -> None:
    labels = [ScriptedDetection((8, 20 + 48 * at, 34, 38 + 48 * at), str(100 - 20 * at), 0.95) for at in range(5)]
    found = look(sheet(), *labels, word(3, 2, "Peak"))
    assert {each.role for each in found} == {"canvas", "text"}


def test_borders_of_cards_are_no_grid() -> None:
    pixels = np.full((400, 700, 3), 255, np.uint8)
    for at in range(3):
        cv2.rectangle(pixels, (20 + 220 * at, 40), (220 + 220 * at, 200), (200, 200, 200), 1)
    assert find_grids(pixels, 1) == ()
