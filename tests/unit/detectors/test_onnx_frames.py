"""An image in a model's input, and boxes back in the image."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.detectors.onnx_frames import InputForm, Order, Resize, place, to_tensor

WHITE = np.full((50, 200, 3), 255, np.uint8)


@pytest.mark.parametrize(("resize", "top"), [(Resize.LETTERBOX, 19), (Resize.CORNER, 0)])
def test_around_an_image_is_grey(resize: Resize, top: int) -> None:
    framed, placement = place(WHITE, 100, 64, resize)
    assert (placement.scale, placement.offset) == ((0.5, 0.5), (0, top))
    assert set(framed[top : top + 25].ravel()) == {255}
    assert set(np.delete(framed, slice(top, top + 25), axis=0).ravel()) == {114}


def test_a_stretched_image_fills_the_input() -> None:
    framed, placement = place(WHITE, 100, 100, Resize.STRETCH)
    assert framed.shape == (100, 100, 3)
    assert set(framed.ravel()) == {255}
    assert (placement.scale, placement.offset) == ((0.5, 2), (0, 0))


@given(
    st.sampled_from(Resize),
    st.tuples(st.integers(1, 300), st.integers(1, 300)),
    st.tuples(st.integers(32, 300), st.integers(32, 300)),
)
def test_the_part_of_the_input_that_is_the_image_comes_back_as_all_of_it(
    resize: Resize, image: tuple[int, int], size: tuple[int, int]
) -> None:
    framed, placement = place(np.zeros((image[1], image[0], 3), np.uint8), *size, resize)
    assert framed.shape == (size[1], size[0], 3)
    scaled = np.array(image) * placement.scale
    box = np.concatenate([placement.offset, placement.offset + scaled])[None]
    assert placement.undo(box, *image)[0] == pytest.approx([0, 0, *image], abs=0.01)
    everything = placement.undo(np.array([[-1e6, -1e6, 1e6, 1e6]]), *image)
    assert everything.tolist() == [[0, 0, *image]]


def test_colors_come_in_the_order_and_range_asked_for() -> None:
    pixels = np.array([[[0, 51, 255]]], np.uint8)
    values = to_tensor(pixels, InputForm(), np.float32, channels_last=False)
    assert values.shape == (1, 3, 1, 1)
    assert values.ravel().tolist() == pytest.approx([1, 0.2, 0])
    form = InputForm(order=Order.BGR, low=-1, high=1, mean=(1, 0, 0), std=(1, 1, 0.5))
    last = to_tensor(pixels, form, np.float16, channels_last=True)
    assert (last.shape, last.dtype) == ((1, 1, 1, 3), np.float16)
    assert last.ravel().tolist() == pytest.approx([-2, -0.6, 2], abs=0.01)
    assert to_tensor(pixels, InputForm(), np.uint8, channels_last=False).ravel().tolist() == [255, 51, 0]
