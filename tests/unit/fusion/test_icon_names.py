"""Names for controls whose only content is an icon."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perception.fusion.icon_names import LEAST_CONFIDENCE, IconReading, add_icon_names, find_icons
from perception.geometry import Box
from perception.types import Element, NameSource, NodeKey, Opaque, Reach, Source

BUTTON = Element(
    "button", "", Box(10, 10, 42, 42), interactive=True, opaque=Opaque.NAMELESS, node=NodeKey("l", 1), reach=Reach.NOW
)
SEEN = Element("img", "", Box(10, 10, 30, 30), interactive=True, sources=(Source.DETECTOR,))


@pytest.mark.parametrize(
    ("element", "expected"),
    [
        pytest.param(BUTTON, True, id="button-of-the-page"),
        pytest.param(replace(BUTTON, role="link"), True, id="link-of-the-page"),
        pytest.param(SEEN, True, id="only-vision-sees-it"),
        pytest.param(replace(BUTTON, name="Save"), False, id="named-by-the-page"),
        pytest.param(replace(BUTTON, name="Q", sources=(Source.DOM, Source.OCR)), True, id="a-letter-was-read"),
        pytest.param(replace(BUTTON, name="Search", sources=(Source.DOM, Source.OCR)), False, id="a-word-was-read"),
        pytest.param(replace(BUTTON, name="Q"), False, id="a-letter-of-the-page"),
        pytest.param(replace(SEEN, name="x", sources=(Source.OCR, Source.DETECTOR)), True, id="a-letter-on-a-picture"),
        pytest.param(replace(SEEN, name="Sign in", sources=(Source.OCR,)), False, id="words-on-a-picture"),
        pytest.param(replace(BUTTON, hint="gears"), False, id="hinted-at-by-the-page"),
        pytest.param(replace(BUTTON, opaque=None), False, id="its-pixels-were-not-looked-at"),
        pytest.param(replace(BUTTON, role="checkbox"), False, id="a-tick-box"),
        pytest.param(replace(BUTTON, role="textbox"), False, id="a-field"),
        pytest.param(replace(BUTTON, visible=False), False, id="unseen"),
        pytest.param(replace(BUTTON, in_viewport=False), False, id="off-screen"),
        pytest.param(replace(BUTTON, reach=Reach.COVERED), False, id="covered"),
        pytest.param(replace(BUTTON, sensitive=True), False, id="private"),
        pytest.param(replace(BUTTON, box=Box(0, 0, 400, 32)), False, id="too-wide"),
        pytest.param(replace(BUTTON, box=Box(0, 0, 300, 300)), False, id="too-large"),
        pytest.param(replace(BUTTON, box=Box(0, 0, 0, 0)), False, id="without-area"),
    ],
)
def test_only_controls_with_nothing_but_an_icon_are_asked_about(element: Element, expected: bool) -> None:
    assert find_icons((element,)) == ((0,) if expected else ())


def test_a_sure_name_is_said_to_come_from_the_icon() -> None:
    named = add_icon_names((BUTTON, SEEN), {0: IconReading("search", 0.99)})
    assert (named[0].name, named[0].name_source) == ("search", NameSource.ICON)
    assert named[0].sources == (Source.DOM, Source.DETECTOR)
    assert named[1] == SEEN


def test_a_doubtful_name_is_not_used() -> None:
    assert add_icon_names((BUTTON,), {0: IconReading("search", LEAST_CONFIDENCE - 0.01)}) == (BUTTON,)
    assert add_icon_names((), {}) == ()
