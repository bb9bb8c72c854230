"""Blocks, tiles, heat maps and ink, without a model."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from perception.detectors.line_rows import Ink
from perception.detectors.text_lines import (
    OVERLAP,
    STRIP_PIXELS,
    TILE_PIXELS,
    Line,
    cut_strips,
    cut_tiles,
    find_blocks,
    find_glyphs,
    find_ink,
    join_seams,
    lines_of,
    snap,
    snapped,
)


def ink_at(*boxes: tuple[int, int, int, int], height: int = 400, width: int = 600) -> Ink:
    ink = np.zeros((height, width), np.uint8)
    for left, top, right, bottom in boxes:
        ink[top:bottom, left:right] = 1
    return ink


def test_a_blank_image_has_no_ink_and_no_blocks() -> None:
    ink = find_ink(np.full((300, 400, 3), 77, np.uint8))
    assert not ink.any()
    assert find_blocks(ink) == []


def test_blocks_hold_all_ink_with_a_margin_and_do_not_overlap() -> None:
    ink = ink_at((10, 10, 60, 20), (500, 350, 520, 360))
    blocks = find_blocks(ink)
    assert len(blocks) == 2
    held = sum(int(ink[top:bottom, left:right].sum()) for left, top, right, bottom in blocks)
    assert held == ink.sum()
    assert blocks[1][0] <= 500 - 16
    assert blocks[1][3] >= 360 + 16


def test_a_full_image_is_one_block() -> None:
    assert find_blocks(np.ones((400, 600), np.uint8)) == [(0, 0, 600, 400)]


@pytest.mark.parametrize(
    ("width", "height"),
    [(1, 1), (96, 100), (1280, 1025), (1280, 9000), (4096, 300), (9000, 50), (100_000, 40), (50, 100_000)],
)
def test_tiles_cover_every_pixel_overlap_and_are_bounded(width: int, height: int) -> None:
    seen = np.zeros((height, width), bool)
    tiles = list(cut_tiles((0, 0, width, height)))
    for left, top, right, bottom in tiles:
        seen[top:bottom, left:right] = True
        assert 0 < (right - left) * (bottom - top) <= TILE_PIXELS
    assert seen.all()
    tops = sorted({top for _, top, _, _ in tiles})
    assert all(after + OVERLAP <= before + max(b - t for _, t, _, b in tiles) for before, after in pairwise(tops))


@pytest.mark.parametrize(("height", "width"), [(1, 1), (800, 1280), (100_000, 400), (400, 100_000), (7000, 7000)])
def test_strips_cover_every_row_are_bounded_and_each_row_is_ones_own(height: int, width: int) -> None:
    strips = list(cut_strips(height, width))
    assert (strips[0][0], strips[-1][1]) == (0, height)
    assert strips[0][2] == 0
    assert strips[-1][3] > height
    for (top, bottom, first, last), after in pairwise(strips):
        assert (bottom - top) * width <= max(STRIP_PIXELS, 4 * OVERLAP * width)
        assert after[0] <= bottom - OVERLAP
        assert last == after[2]
        assert top <= first < last <= bottom


def test_a_line_in_the_heat_is_grown_by_its_core() -> None:
    heat = np.zeros((100, 300), np.float32)
    heat[40:52, 50:250] = 0.9
    (line,) = lines_of(heat)
    left, top, right, bottom = line.box
    assert line.quad is None
    # 201 x 13 after widening by a pixel: 201 * 13 * 1.6 / (2 * 214) = 9.8 px.
    assert (left, top) == (50 - 10, 40 - 10)
    assert (right, bottom) in {(260, 62), (261, 62), (260, 61), (261, 63)}


def test_a_lukewarm_or_tiny_core_is_no_line() -> None:
    heat = np.zeros((100, 300), np.float32)
    heat[10:22, 20:120] = 0.35
    heat[60:61, 60:61] = 0.99
    assert lines_of(heat) == []


def test_a_slanted_core_keeps_its_corners() -> None:
    heat = np.zeros((200, 300), np.float32)
    for x in range(40, 240):
        y = 60 + (x - 40) // 4
        heat[y : y + 12, x] = 0.9
    (line,) = lines_of(heat)
    assert line.quad is not None
    slope = (line.quad[1] - line.quad[0])[1] / (line.quad[1] - line.quad[0])[0]
    assert abs(slope - 0.25) < 0.05


def test_a_box_is_snapped_to_its_ink_at_any_position() -> None:
    for dx, dy in [(0, 0), (7, 3), (31, 64)]:
        ink = ink_at((100 + dx, 50 + dy, 180 + dx, 62 + dy))
        snapped = snap(Line((88 + dx, 42 + dy, 193 + dx, 70 + dy)), ink)
        assert snapped is not None
        left, top, right, bottom = snapped.box
        assert (left - dx, top - dy, right - dx, bottom - dy) == (88, 42, 194, 70)


def test_a_box_without_ink_is_no_line() -> None:
    assert snap(Line((10, 10, 50, 30)), ink_at()) is None
    assert snap(Line((700, 10, 750, 30)), ink_at()) is None


def test_parts_of_a_line_in_two_tiles_are_joined_and_others_are_not() -> None:
    parts = [Line((0, 10, 1000, 40)), Line((940, 12, 1900, 41)), Line((0, 60, 500, 90)), Line((510, 60, 900, 90))]
    assert {line.box for line in join_seams(parts)} == {(0, 10, 1900, 41), (0, 60, 500, 90), (510, 60, 900, 90)}


def test_lone_glyphs_are_found_and_letters_of_words_are_not() -> None:
    word = [(100 + 9 * place, 100, 107 + 9 * place, 114) for place in range(6)]
    ink = ink_at((300, 200, 307, 212), *word)
    found = find_glyphs(ink, [])
    assert [line.box[0] < 300 < 307 < line.box[2] for line in found] == [True]
    assert find_glyphs(ink, [Line((290, 190, 320, 220))]) == []


def rows_at(*tops: int, left: int = 30, width: int = 200, high: int = 9) -> Ink:
    """Rows of letters, each 4 px wide and 2 px apart."""
    letters = [(x, top, x + 4, top + high) for top in tops for x in range(left, left + width, 6)]
    return ink_at(*letters)


@pytest.mark.parametrize("rows", [(27, 40, 53), (40, 53), (27, 40)])
def test_a_line_ends_where_the_lines_above_and_below_it_begin(rows: tuple[int, ...]) -> None:
    line = snap(Line((22, 33, 240, 56)), rows_at(*rows))
    assert line is not None
    _, top, _, bottom = line.box
    assert (36 if 27 in rows else 32) <= top <= 40
    assert 49 <= bottom <= (53 if 53 in rows else 57)


def test_dots_accents_and_underlines_are_parts_of_a_line() -> None:
    ink = rows_at(40) | ink_at((50, 36, 52, 38), (30, 51, 100, 52))
    line = snap(Line((22, 32, 240, 58)), ink)
    assert line is not None
    assert line.box[1] <= 36
    assert line.box[3] >= 52


@pytest.mark.parametrize(
    ("ink", "box", "tops"),
    [
        pytest.param(rows_at(40, 53), (22, 34, 240, 68), [40, 53], id="two lines"),
        pytest.param(rows_at(40, 53) | ink_at((24, 0, 26, 400)), (22, 34, 240, 68), [40, 53], id="beside a rule"),
        pytest.param(rows_at(40, 60, 80, width=10), (24, 34, 48, 95), [40, 60, 80], id="numbers of lines"),
        pytest.param(rows_at(40, 50, 60, width=4, high=8), (24, 34, 40, 74), [40], id="turned letters"),
        pytest.param(rows_at(40, high=24) | ink_at((30, 34, 36, 38)), (22, 28, 240, 70), [34], id="an accent"),
    ],
)
def test_a_box_of_several_rows_is_as_many_lines(ink: Ink, box: tuple[int, int, int, int], tops: list[int]) -> None:
    found = [line.box for line in snapped([Line(box)], ink) if not line.lone]
    assert len(found) == len(tops)
    assert all(above <= top < below for (_, above, _, below), top in zip(found, tops, strict=True))
