"""The vocabulary of roles."""

from __future__ import annotations

import re

from perception.fusion.detector_classes import CLASS_ROLES as DETECTOR_ROLES
from perception.server.convert.role_names import ROLES, SYNONYMS


def test_roles_are_names_of_roles_and_nothing_else() -> None:
    assert [role for role in sorted(ROLES) if not re.fullmatch(r"[a-z]+(-[a-z]+)?", role)] == []


def test_graphics_roles_and_media_are_roles() -> None:
    assert {"graphics-document", "graphics-object", "graphics-symbol", "audio", "video"} <= ROLES
    assert "object" not in ROLES


def test_every_role_that_a_synonym_or_a_detector_label_stands_for_is_a_role() -> None:
    assert set(SYNONYMS.values()) <= ROLES
    assert {role for role in DETECTOR_ROLES.values() if role} <= ROLES
