"""What of SciPy is used, by its compiled modules: to import the packages around them takes 0.4 s of processor time and
50 MB (SciPy 1.16).

The modules are private, and only this one knows them. Where a SciPy keeps them elsewhere, the public functions are
imported; tests/unit/fusion/test_scipy_parts.py holds both to the same answers.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perception.compiled_modules import compiled_module


def linear_sum_assignment(cost: NDArray[np.floating]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The pairs of rows and columns of (N, M) that cost least together: (min(N, M),) rows and their columns."""
    rows, columns = _assignment()(cost)
    return rows, columns


def label(mask: NDArray[Any], *, corners: bool = False) -> tuple[NDArray[np.intp], int]:
    """(H, W) the number of the connected piece that each pixel which is not 0 is in, from 1, 0 for the others; and how
    many there are.

    Args:
        corners: pixels that touch at a corner are connected.
    """
    near = np.ones((3, 3), bool) if corners else np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)
    pieces = np.zeros(mask.shape, np.intp)
    if not mask.size:
        return pieces, 0
    return pieces, int(_label()(mask, near, pieces))


def find_objects(pieces: NDArray[np.intp], count: int) -> list[tuple[slice, slice]]:
    """The rows and columns that each piece of `label` lies in."""
    return list(_find_objects()(pieces, count))


@cache
def _assignment() -> Any:
    try:
        return compiled_module("scipy.optimize", "_lsap").linear_sum_assignment
    except (ImportError, AttributeError):
        from scipy import optimize

        return optimize.linear_sum_assignment


@cache
def _label() -> Any:
    """Fills its third argument, and returns the count."""
    try:
        return compiled_module("scipy.ndimage", "_ni_label")._label
    except (ImportError, AttributeError):
        from scipy import ndimage

        return lambda mask, near, pieces: ndimage.label(mask, near, pieces)


@cache
def _find_objects() -> Any:
    try:
        return compiled_module("scipy.ndimage", "_nd_image").find_objects
    except (ImportError, AttributeError):
        from scipy import ndimage

        return ndimage.find_objects
