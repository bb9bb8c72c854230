"""Matching rules of other projects, as they describe them."""

from __future__ import annotations

import pytest

from perception.bench.rivals.matchers import match_as_omniparser, match_as_ufo2
from perception.bench.variant import load_variant
from perception.fusion.fuse import fuse
from perception.fusion.parameters import FusionParameters, MatchRule
from perception.fusion.regions import SeenRegion
from perception.geometry import Box
from perception.testing.scripted_detector import ScriptedDetection, detections_of
from perception.types import Element, NodeKey, Opaque, Region, Source

REGION = Region(Box(0, 0, 800, 600), -1, Opaque.FRAME)
BUTTON = Element("button", "", Box(100, 100, 200, 140), interactive=True, reachable=True, node=NodeKey("l", 1))


def fused(rule: MatchRule | None, *sightings: ScriptedDetection) -> list[tuple[str, str]]:
    seen = SeenRegion(REGION, 1.0, (detections_of("eye", sightings),))
    return [(element.role, element.name) for element in fuse((BUTTON,), (seen,), FusionParameters(rule=rule))]


SAVE = ScriptedDetection((120, 110, 180, 130), "Save")
FRAME = ScriptedDetection((98, 98, 202, 142))
AWAY = ScriptedDetection((400, 300, 480, 320), "Away")


def test_ours_names_the_control_by_the_text_in_it() -> None:
    assert fused(None, SAVE, FRAME, AWAY) == [("button", "Save"), ("text", "Away")]


def test_ufo2_drops_what_overlaps_a_control_and_so_its_text() -> None:
    assert fused(match_as_ufo2, SAVE, FRAME, AWAY) == [("button", ""), ("text", "Away")]


def test_omniparser_gives_a_box_the_text_in_it() -> None:
    assert fused(match_as_omniparser, SAVE, FRAME, AWAY) == [("button", "Save"), ("text", "Away")]


def test_omniparser_drops_a_box_in_a_text_and_the_larger_of_two_boxes() -> None:
    in_text = ScriptedDetection((405, 302, 425, 318))
    around = ScriptedDetection((90, 90, 210, 150))
    assert fused(match_as_omniparser, AWAY, in_text, around) == [("button", ""), ("text", "Away")]


@pytest.mark.parametrize("rule", [None, match_as_ufo2, match_as_omniparser])
def test_every_rule_takes_nothing_at_all(rule: MatchRule | None) -> None:
    assert fuse((), (), FusionParameters(rule=rule)) == ()
    assert fused(rule) == [("button", "")]


@pytest.mark.parametrize(("name", "rule"), [("fused-ufo2", match_as_ufo2), ("fused-omniparser", match_as_omniparser)])
def test_a_variant_of_the_repository_has_a_rivals_rule(name: str, rule: MatchRule) -> None:
    assert load_variant(name).fusion == FusionParameters(rule=rule)


def test_a_name_by_another_rule_has_its_source() -> None:
    seen = SeenRegion(REGION, 1.0, (detections_of("eye", [SAVE]),))
    (button,) = fuse((BUTTON,), (seen,), FusionParameters(rule=match_as_omniparser))
    assert button.sources == (Source.DOM, Source.OCR)
