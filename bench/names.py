"""Names that the command line knows before anything heavy is loaded."""

from __future__ import annotations

from enum import Enum


class Suite(Enum):
    """What is measured."""

    SPEED = "speed"
    GROWTH = "growth"
    VISION = "vision"
    AGREEMENT = "agreement"
    REACHABILITY = "reachability"
    TOKENS = "tokens"
    DETECTORS = "detectors"
    GROUNDING = "grounding"
    MINIWOB = "miniwob"
    HIDDEN = "hidden"
    CLICKS = "clicks"
    HANGS = "hangs"
    SELECTORS = "selectors"
    CONTENT = "content"
