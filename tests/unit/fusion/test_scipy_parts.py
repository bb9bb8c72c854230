"""The compiled parts of SciPy answer as its public functions do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import ndimage, optimize

from perception import compiled_modules
from perception.fusion import scipy_parts
from perception.fusion.photographs import _dilate, _erode


@pytest.fixture(params=["compiled", "public"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """With the private modules, and as with a SciPy that has them elsewhere."""

    def missing(package: str, name: str) -> Any:
        raise ModuleNotFoundError(name)

    if request.param == "public":
        monkeypatch.setattr(scipy_parts, "compiled_module", missing)
    loaded = (scipy_parts._assignment, scipy_parts._label, scipy_parts._find_objects)
    for each in loaded:
        each.cache_clear()
    yield
    for each in loaded:
        each.cache_clear()


@pytest.mark.parametrize("seed", range(20))
def test_they_answer_as_the_public_functions(seed: int) -> None:
    source = np.random.default_rng(seed)
    mask = source.random((source.integers(1, 30), source.integers(1, 30))) < source.random()
    cost = source.random(mask.shape)
    for ours, theirs in zip(scipy_parts.linear_sum_assignment(cost), optimize.linear_sum_assignment(cost), strict=True):
        assert np.array_equal(ours, theirs)
    for corners, near in ((True, np.ones((3, 3))), (False, None)):
        pieces, count = scipy_parts.label(mask, corners=corners)
        expected, number = ndimage.label(mask, near)
        assert count == number
        assert np.array_equal(pieces, expected)
        assert scipy_parts.find_objects(pieces, count) == ndimage.find_objects(expected)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_squares_open_and_close_a_mask(size: int) -> None:
    square = np.ones((size, size), bool)
    for seed in range(20):
        mask = np.random.default_rng(seed).random((17, 12)) < 0.5
        assert np.array_equal(_dilate(_erode(mask, size), size), ndimage.binary_opening(mask, square))
        assert np.array_equal(_erode(_dilate(mask, size), size), ndimage.binary_closing(mask, square))


def test_a_module_that_is_missing_is_named() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"no scipy\.optimize\._none: install scipy again"):
        compiled_modules.compiled_module("scipy.optimize", "_none")
