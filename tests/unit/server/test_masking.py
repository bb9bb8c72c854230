"""No picture that leaves the service shows what must not leave the page. Secrets are green, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

from perception.geometry import Box
from perception.imaging.mask import FILL, cover_moves, mask_boxes


@pytest.mark.parametrize(
    ("box", "rows", "columns"),
    [
        pytest.param(Box(1, 2, 3, 4), (2, 4), (1, 3), id="whole-pixels"),
        pytest.param(Box(1.4, 2.4, 2.6, 3.6), (2, 4), (1, 3), id="outwards"),
        pytest.param(Box(-5, -5, 2, 2), (0, 2), (0, 2), id="cut-at-the-corner"),
        pytest.param(Box(8, 8, 50, 50), (8, 10), (8, 10), id="cut-at-the-far-corner"),
        pytest.param(Box(20, 20, 30, 30), (0, 0), (0, 0), id="outside"),
        pytest.param(Box(-9, -9, -1, -1), (0, 0), (0, 0), id="before"),
        pytest.param(Box(3, 3, 3, 3), (0, 0), (0, 0), id="no-area"),
    ],
)
def test_boxes_are_filled(box: Box, rows: tuple[int, int], columns: tuple[int, int]) -> None:
    pixels = np.zeros((10, 10, 3), np.uint8)
    expected = pixels.copy()
    expected[slice(*rows), slice(*columns)] = FILL
    assert np.array_equal(mask_boxes(pixels, [box], 1.0), expected)
    assert not pixels.any()


def test_boxes_are_scaled_to_the_picture() -> None:
    masked = mask_boxes(np.zeros((20, 20, 3), np.uint8), [Box(1, 1, 3, 3)], 2.0)
    assert np.array_equal(np.argwhere(masked[..., 0]).min(0), [2, 2])
    assert np.array_equal(np.argwhere(masked[..., 0]).max(0), [5, 5])


def test_picture_without_boxes_is_unchanged() -> None:
    pixels = np.zeros((4, 4, 3), np.uint8)
    assert mask_boxes(pixels, [], 1.0) is pixels


def test_moves_are_covered_from_start_to_end() -> None:
    here, there, between = Box(0, 0, 2, 2), Box(0, 8, 2, 10), Box(0, 5, 2, 7)
    assert cover_moves([[here], [here]]) == [here]
    assert cover_moves([[here], [between], [there]]) == [Box(-5, -5, 7, 15)]
    assert cover_moves([[], [there]]) == [there]
    assert cover_moves([[here, there], [there]]) == [here, there, there]
    assert cover_moves([[], []]) == []
