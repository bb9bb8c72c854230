"""The vocabulary's own rules."""

from __future__ import annotations

import numpy as np
import pytest

from perception.types import Detections

ONE = (np.zeros((1, 4), np.float32), np.ones(1, np.float32), ("box",), ("",))


def test_boxes_without_a_class_have_an_empty_label_each() -> None:
    assert Detections("d", *ONE).label == ("",)
    assert Detections("d", *ONE, ("button",)).label == ("button",)
    assert Detections.empty("d").label == ()


@pytest.mark.parametrize("column", range(5))
def test_columns_of_unequal_length_are_refused(column: int) -> None:
    columns = [*ONE, ("button",)]
    columns[column] = columns[column][:1].repeat(2, axis=0) if column < 2 else columns[column] * 2
    with pytest.raises(ValueError, match="d: columns of unequal length"):
        Detections("d", *columns)
