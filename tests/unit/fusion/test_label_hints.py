"""Hints for controls without a name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perception.fusion.label_hints import hint_by_labels
from perception.fusion.regions import PlacedDetection
from perception.geometry import Box
from perception.types import Element, NodeKey, Opaque, Region


def control(role: str, box: Box, name: str = "", hint: str = "") -> Element:
    return Element(role, name, box, interactive=True, hint=hint, node=NodeKey("l", 1))


def text(words: str, box: Box) -> Element:
    return Element("text", words, box, node=NodeKey("l", 2))


FIELD = control("textbox", Box(100, 100, 300, 130))
TICK = control("checkbox", Box(100, 100, 116, 116))
ICON = control("button", Box(100, 100, 132, 132))


@pytest.mark.parametrize(
    ("element", "label", "hint"),
    [
        pytest.param(FIELD, text("Email", Box(50, 105, 90, 121)), "Email", id="field-left"),
        pytest.param(FIELD, text("Email", Box(100, 78, 140, 94)), "Email", id="field-above"),
        pytest.param(FIELD, text("Email", Box(320, 105, 360, 121)), "", id="field-right-is-not-its-label"),
        pytest.param(FIELD, text("Email", Box(0, 105, 40, 121)), "", id="too-far"),
        pytest.param(TICK, text("Remember me", Box(122, 100, 220, 116)), "Remember me", id="tick-right"),
        pytest.param(TICK, text("Remember me", Box(10, 100, 96, 116)), "Remember me", id="tick-left"),
        pytest.param(TICK, text("Remember me", Box(110, 98, 220, 120)), "Remember me", id="tick-right-overlapping"),
        pytest.param(FIELD, text("Email", Box(50, 105, 106, 125)), "Email", id="field-left-overlapping"),
        pytest.param(FIELD, text("Email", Box(96, 84, 150, 106)), "Email", id="field-above-overlapping"),
        pytest.param(FIELD, text("you@mail.example", Box(104, 104, 220, 126)), "", id="what-is-in-a-field-is-no-label"),
        pytest.param(ICON, text("Trash", Box(98, 136, 134, 150)), "Trash", id="icon-caption"),
        pytest.param(ICON, text("Next to it", Box(136, 108, 200, 124)), "", id="beside-an-icon-is-something-else"),
        pytest.param(replace(FIELD, name="Mail"), text("Email", Box(50, 105, 90, 121)), "", id="named"),
        pytest.param(replace(FIELD, hint="mm/dd"), text("Email", Box(50, 105, 90, 121)), "mm/dd", id="hinted"),
        pytest.param(replace(FIELD, visible=False), text("Email", Box(50, 105, 90, 121)), "", id="unseen"),
        pytest.param(FIELD, text("a " * 40, Box(50, 105, 90, 121)), "", id="a-sentence"),
    ],
)
def test_a_nameless_control_is_hinted_at_by_its_label(element: Element, label: Element, hint: str) -> None:
    page = hint_by_labels((element, label), ())
    assert (page[0].name, page[0].hint) == (element.name, hint)


def test_a_label_that_only_vision_reads_is_one_as_well() -> None:
    region = Region(Box(0, 0, 800, 600), 0, Opaque.CANVAS)
    sights = [PlacedDetection(Box(50, 105, 90, 121), "Email", 0.9, region)]
    assert hint_by_labels((FIELD,), sights)[0].hint == "Email"


def test_nothing_to_hint_at_changes_nothing() -> None:
    page = (replace(FIELD, name="Mail"),)
    assert hint_by_labels(page, ()) is page
    assert hint_by_labels((), ()) == ()
    assert hint_by_labels((FIELD,), ()) == (FIELD,)


def test_the_nearest_label_counts_however_it_overlaps() -> None:
    labels = text("Cookies", Box(92, 99, 99, 117)), text("Remember me", Box(116, 100, 220, 116))
    assert hint_by_labels((TICK, *labels), ())[0].hint == "Remember me"
    labels = text("Remember me", Box(118, 100, 220, 116)), text("Remember", Box(109, 100, 220, 116))
    assert hint_by_labels((TICK, *labels), ())[0].hint == "Remember me"
