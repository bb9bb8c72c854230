"""Elements as messages: what is not served is not converted."""

from __future__ import annotations

import pytest

from perception.engine.changes import changed_elements
from perception.fusion.vision_elements import vision_element
from perception.geometry import Box
from perception.render.diff import Diff, ElementChange
from perception.server.convert.elements import element_messages
from perception.types import Element, Source, replace_fields

LISTED = tuple(Element("button", f"B{number}", box=Box(0, 0, 1, 1)) for number in range(5))
UNSERVED = replace_fields(LISTED[0], confidence="no message takes this")


def test_an_element_that_is_no_message_is_an_error() -> None:
    with pytest.raises(TypeError):
        element_messages([UNSERVED])


def test_only_the_elements_at_the_given_indices_are_converted() -> None:
    listed = [UNSERVED, LISTED[1], UNSERVED, LISTED[3], UNSERVED]
    assert [each.name for each in element_messages(listed, [3, 1])] == ["B3", "B1"]


def test_a_diff_holds_only_what_is_new_or_changed() -> None:
    listed = [UNSERVED, LISTED[1], UNSERVED, LISTED[3], UNSERVED]
    diff = Diff(added=(3,), removed=(0,), changed=(ElementChange(1, 1, ("name",)),), removed_refs=("e9",))
    assert {index: element.name for index, (element, _) in changed_elements(listed, diff).items()} == {1: "B1", 3: "B3"}


def test_an_element_says_whether_a_person_can_act_on_it() -> None:
    control = vision_element("img", "", LISTED[0].box, 0.7, Source.DETECTOR)
    text = vision_element("text", "Total", LISTED[0].box, 0.9, Source.OCR)
    assert [each.interactive for each in element_messages([control, text, LISTED[0]])] == [True, False, False]
