"""What detectors work with in one look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from perception.deadline import Deadline
from perception.detectors.frame_cache import FrameCache
from perception.detectors.pool import CropCache, DetectorPool
from perception.instrumentation.stages import Stages


@dataclass(frozen=True, slots=True)
class DetectContext:
    """What detectors work with in one look.

    Attributes:
        names: of the detectors that were asked for; each runs once.
        pool: runs them.
        crops: what they saw in images before; it is updated.
        frame: what the tab's last frame showed; it is updated.
        stages: takes the time that they need.
        deadline: of the look.
    """

    names: Sequence[str]
    pool: DetectorPool
    crops: CropCache
    frame: FrameCache
    stages: Stages
    deadline: Deadline
