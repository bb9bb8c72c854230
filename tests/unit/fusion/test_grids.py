"""Grids of drawn lines: told as one, row by row."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from perception.engine.drawn_grids import with_grids
from perception.fusion.cell_boxes import drop_in_cells
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
    region, shot = SeenRegion(Region(CANVAS.box, 0, Opaque.CANVAS), 1, found), Screenshot(pixels, 1)
    return fuse((CANVAS,), drop_in_cells(with_grids([region], shot), shot))


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("line", [0, 225, 245])
def test_lines_that_cross_are_a_grid(scale: int, line: int) -> None:
    (grid,) = find_grids(sheet(scale, line=line), scale)
    assert (len(grid.x), len(grid.y)) == (7, 10)
    assert np.allclose(grid.x, [40 + 80 * at for at in range(7)], atol=1)
    assert np.allclose(grid.y, [30 + 24 * at for at in range(10)], atol=1)


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("line", [225, 248])
def test_the_outer_cells_of_a_grid_may_end_where_the_image_does(scale: int, line: int) -> None:
    pixels = sheet(scale, line=line)[40 * scale : 236 * scale, 60 * scale : 500 * scale]
    (grid,) = find_grids(np.ascontiguousarray(pixels), scale)
    assert np.allclose(grid.x, [0, 60, 140, 220, 300, 380, 440], atol=1)
    assert np.allclose(grid.y, [0, *range(14, 190, 24), 196], atol=1)


@pytest.mark.parametrize("scale", [1, 2])
def test_a_bar_of_tools_in_the_frame_of_a_sheet_is_no_row_of_it(scale: int) -> None:
    pixels = sheet(scale)
    cv2.rectangle(pixels, (40 * scale, 2 * scale), (520 * scale, 30 * scale), (225, 225, 225), scale)
    (grid,) = find_grids(pixels, scale)
    assert grid.y[0] == pytest.approx(30, abs=1)
    assert (len(grid.x), len(grid.y)) == (7, 10)


def test_a_sheet_is_one_grid_with_a_row_for_each_row_that_has_text() -> None:
    heads = [word(0, column, name) for column, name in enumerate(("", "A", "B", "C", "D", "E")) if name]
    _, grid, *rows = look(sheet(), *heads, word(2, 0, "2"), word(2, 2, "Widget"), word(2, 4, "42"))
    assert (grid.role, grid.name, grid.parent, grid.interactive) == ("grid", "9 × 6", 0, False)
    assert grid.text == "columns from x=40, 120, …, 520, rows from y=30, 54, …, 246"
    assert [(row.role, row.name, row.parent) for row in rows] == [
        ("row", "| A | B | C | D | E", 1),
        ("row", "2 |  | Widget |  | 42", 1),
    ]


HEADS = [word(0, column, name) for column, name in enumerate(("Name", "Size", "Date", "Mode", "Ours", "Next"))]
CELL = 122, 80, 196, 100
"""Inside of the third row's second cell."""
BLACK, BLUE, GRAY = (30, 30, 30), (220, 110, 20), (150, 150, 150)


def written(pixels: Pixels, ink: tuple[int, int, int]) -> Pixels:
    cv2.putText(pixels, "Open", (132, 97), cv2.FONT_HERSHEY_SIMPLEX, 0.5, ink, 1, cv2.LINE_AA)
    return pixels


def framed(pixels: Pixels, box: tuple[int, int, int, int]) -> Pixels:
    cv2.rectangle(pixels, box[:2], (box[2] - 1, box[3] - 1), GRAY, 1)
    return written(pixels, BLACK)


def filled(pixels: Pixels) -> Pixels:
    cv2.rectangle(pixels, (126, 82), (184, 98), (235, 235, 235), -1)
    return written(pixels, BLACK)


@pytest.mark.parametrize(
    "pixels",
    [
        pytest.param(written(sheet(), BLUE), id="a link"),
        pytest.param(framed(sheet(), (126, 82, 185, 100)), id="a frame"),
        pytest.param(filled(sheet()), id="a filled area"),
    ],
)
def test_a_control_that_is_drawn_in_a_grid_stays_a_control(pixels: Pixels) -> None:
    box = ScriptedDetection((126, 82, 186, 100), "", 0.9, label="link")
    found = look(pixels, *HEADS, box, word(2, 1, "Open"))
    assert ("link", "Open") in [(each.role, each.name) for each in found]
    assert not any("Open" in each.name for each in found if each.role == "row")


@pytest.mark.parametrize(
    "pixels",
    [
        pytest.param(written(sheet(), BLACK), id="plain words"),
        pytest.param(framed(sheet(), CELL), id="the frame of a chosen cell"),
    ],
)
@pytest.mark.parametrize("label", ["link", "button", "menuitem"])
def test_words_of_a_grid_that_a_detector_takes_for_a_control_stay_in_their_row(pixels: Pixels, label: str) -> None:
    box = ScriptedDetection((126, 82, 186, 100), "", 0.9, label=label)
    found = look(pixels, *HEADS, box, word(2, 1, "Open"))
    assert [each.name for each in found if each.role == "row"][1:] == ["| Open"]
    assert not any(each.interactive for each in found)


def test_a_letter_in_a_cell_is_no_icon_and_an_icon_is_no_letter() -> None:
    pixels = sheet()
    cv2.putText(pixels, "B", (152, 97), cv2.FONT_HERSHEY_SIMPLEX, 0.6, BLACK, 2, cv2.LINE_AA)
    cv2.circle(pixels, (240, 90), 7, BLACK, 2, cv2.LINE_AA)
    boxes = [ScriptedDetection((x, 80, x + 20, 100), "", 0.9, label="icon button") for x in (148, 230)]
    letter = ScriptedDetection((144, 80, 172, 100), "B", 0.99)
    found = look(pixels, *HEADS, *boxes, letter)
    assert [each.name for each in found if each.role == "row"][1:] == ["| B"]
    assert [each.box.left for each in found if each.role == "button"] == [230]


@pytest.mark.parametrize("letter", "BDE")
def test_a_letter_with_straight_sides_is_no_frame_of_itself(letter: str) -> None:
    pixels = sheet()
    cv2.putText(pixels, letter, (152, 97), cv2.FONT_HERSHEY_SIMPLEX, 0.45, BLACK, 1, cv2.LINE_AA)
    ink = np.argwhere((pixels[80:100, 140:180] < 128).all(axis=2)) + np.array([80, 140])
    (top, left), (bottom, right) = ink.min(axis=0).tolist(), (ink.max(axis=0) + 1).tolist()
    box = ScriptedDetection((left, top, right, bottom), "", 0.9, label="button")
    found = look(pixels, *HEADS, box, ScriptedDetection((left - 4, top - 3, right + 4, bottom + 3), letter, 0.99))
    assert [each.name for each in found if each.role == "row"][1:] == [f"| {letter}"]


def test_a_checkbox_in_a_grid_stays_one() -> None:
    box = ScriptedDetection((126, 83, 142, 99), "", 0.9, label="checkbox")
    assert "checkbox" in [each.role for each in look(sheet(), *HEADS, box)]


def test_lines_behind_a_chart_are_no_grid() -> None:
    labels = [ScriptedDetection((8, 20 + 48 * at, 34, 38 + 48 * at), str(100 - 20 * at), 0.95) for at in range(5)]
    found = look(sheet(), *labels, word(3, 2, "Peak"))
    assert {each.role for each in found} == {"canvas", "text"}


def test_borders_of_cards_are_no_grid() -> None:
    pixels = np.full((400, 700, 3), 255, np.uint8)
    for at in range(3):
        cv2.rectangle(pixels, (20 + 220 * at, 40), (220 + 220 * at, 200), (200, 200, 200), 1)
    assert find_grids(pixels, 1) == ()
