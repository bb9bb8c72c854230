"""The rules of others, as they describe them."""

from __future__ import annotations

from perception.detectors.scripted import Sighting, detections_of
from perception.fusion.frames import SeenRegion
from perception.fusion.fuse import fuse
from perception.fusion.parameters import FusionParameters, Rule
from perception.geometry import Box
from perception.types import Element, NodeKey, Opaque, Region, Source

REGION = Region(Box(0, 0, 800, 600), -1, Opaque.FRAME)
BUTTON = Element("button", "", Box(100, 100, 200, 140), interactive=True, reachable=True, node=NodeKey("l", 1))


def fused(rule: Rule, *sightings: Sighting) -> list[tuple[str, str]]:
    seen = SeenRegion(REGION, 1.0, (detections_of("eye", sightings),))
    return [(element.role, element.name) for element in fuse((BUTTON,), (seen,), FusionParameters(rule=rule))]


SAVE = Sighting((120, 110, 180, 130), "Save")
FRAME = Sighting((98, 98, 202, 142))
AWAY = Sighting((400, 300, 480, 320), "Away")


def test_ours_names_the_control_by_the_text_in_it() -> None:
    assert fused(Rule.ASSIGN, SAVE, FRAME, AWAY) == [("button", "Save"), ("text", "Away")]


def test_ufo2_drops_what_overlaps_a_control_and_so_its_text() -> None:
    assert fused(Rule.UFO2, SAVE, FRAME, AWAY) == [("button", ""), ("text", "Away")]


def test_omniparser_gives_a_box_the_text_in_it() -> None:
    assert fused(Rule.OMNIPARSER, SAVE, FRAME, AWAY) == [("button", "Save"), ("text", "Away")]


def test_omniparser_drops_a_box_in_a_text_and_the_larger_of_two_boxes() -> None:
    in_text = Sighting((405, 302, 425, 318))
    around = Sighting((90, 90, 210, 150))
    assert fused(Rule.OMNIPARSER, AWAY, in_text, around) == [("button", ""), ("text", "Away")]


def test_every_rule_takes_nothing_at_all() -> None:
    for rule in Rule:
        assert fuse((), (), FusionParameters(rule=rule)) == ()
        assert fused(rule) == [("button", "")]


def test_a_name_by_another_rule_tells_its_source() -> None:
    seen = SeenRegion(REGION, 1.0, (detections_of("eye", [SAVE]),))
    (button,) = fuse((BUTTON,), (seen,), FusionParameters(rule=Rule.OMNIPARSER))
    assert button.sources == (Source.DOM, Source.OCR)
