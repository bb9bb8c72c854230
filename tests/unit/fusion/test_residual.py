"""Regions that the page does not explain."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.fusion.residual import MIN_RESIDUAL_SIDE, find_residual
from perception.geometry import Box
from perception.types import Capture, Element, Opaque, Region, Scroll, Viewport

VIEWPORT = Viewport(1000, 600)


def opaque(box: tuple[float, float, float, float], why: Opaque | None = Opaque.CANVAS, **more: object) -> Element:
    return Element("img", "", Box(*box), opaque=why, **more)  # type: ignore[arg-type]


def capture(*elements: Element) -> Capture:
    return Capture("http://a/", "", "L", VIEWPORT, Scroll(), elements)


def test_a_page_that_explains_itself_has_nothing_to_look_at() -> None:
    assert find_residual(capture(opaque((0, 0, 100, 100), None))) == ()
    assert find_residual(capture()) == ()


def test_a_canvas_is_looked_at_as_far_as_it_shows() -> None:
    page = capture(Element("heading", "Sales", Box(0, 0, 100, 20)), opaque((900, 500, 1200, 900)))
    assert find_residual(page) == (Region(Box(900, 500, 1000, 600), 1, Opaque.CANVAS),)


@pytest.mark.parametrize(
    "element",
    [
        pytest.param(opaque((0, 0, 7, 100)), id="too narrow"),
        pytest.param(opaque((10, 10, 10, 10)), id="no area"),
        pytest.param(opaque((-300, 0, -10, 100)), id="off screen"),
        pytest.param(opaque((996, 0, 1100, 100)), id="a sliver shows"),
        pytest.param(opaque((0, 0, 100, 100), visible=False), id="invisible"),
    ],
)
def test_what_shows_nothing_is_not_looked_at(element: Element) -> None:
    assert find_residual(capture(element)) == ()


def test_a_small_nameless_control_gets_room_around_its_icon() -> None:
    (region,) = find_residual(capture(opaque((100, 100, 120, 120), Opaque.NAMELESS)))
    assert region.box == Box(96, 96, 124, 124)


def test_an_icon_within_a_nameless_button_is_the_buttons() -> None:
    button = opaque((100, 100, 132, 132), Opaque.NAMELESS)
    icon = opaque((108, 108, 124, 124), Opaque.SVG, parent=0)
    assert [region.owner for region in find_residual(capture(button, icon))] == [0]


def test_of_two_alike_the_inner_element_is_looked_at() -> None:
    outer, inner = opaque((0, 0, 200, 100), Opaque.FRAME), opaque((0, 0, 200, 100), parent=0)
    assert [region.owner for region in find_residual(capture(outer, inner))] == [1]


def test_what_two_canvases_share_is_read_once() -> None:
    regions = find_residual(capture(opaque((0, 0, 200, 200)), opaque((150, 50, 250, 150))))
    assert [(region.box, region.owner) for region in regions] == [
        (Box(0, 0, 200, 200), 0),
        (Box(200, 50, 250, 150), 1),
    ]


SIDES = st.floats(-100, 1100, allow_nan=False)


@st.composite
def boxes(draw: st.DrawFn) -> tuple[float, float, float, float]:
    left, top = draw(SIDES), draw(st.floats(-100, 700))
    return left, top, left + draw(st.floats(0, 500)), top + draw(st.floats(0, 500))


@given(st.lists(st.builds(opaque, boxes(), st.sampled_from(Opaque)), max_size=12))
def test_regions_are_in_the_viewport_and_never_overlap(elements: list[Element]) -> None:
    regions = find_residual(capture(*elements))
    for place, region in enumerate(regions):
        assert region.box.intersect(VIEWPORT.box) == region.box
        assert min(region.box.width, region.box.height) >= MIN_RESIDUAL_SIDE
        assert all(region.box.intersect(other.box) is None for other in regions[place + 1 :])
