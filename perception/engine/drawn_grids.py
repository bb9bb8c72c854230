"""The stage that finds grids of drawn lines in what was looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from perception.fusion.regions import SeenRegion, crop_region
from perception.geometry import Grid
from perception.imaging.grid_lines import LEAST_CELLS, LEAST_LENGTH, find_grids
from perception.types import Screenshot


def with_grids(seen: Sequence[SeenRegion], screenshot: Screenshot) -> tuple[SeenRegion, ...]:
    """The same regions with the grids that are drawn in them."""
    return tuple(replace(each, grids=_grids_of(each, screenshot)) if _may_hold(each) else each for each in seen)


def _may_hold(seen: SeenRegion) -> bool:
    box = seen.region.box
    texts = sum(bool(text) for each in seen.detections for text in each.text)
    return min(box.width, box.height) >= LEAST_LENGTH and texts >= LEAST_CELLS


def _grids_of(seen: SeenRegion, screenshot: Screenshot) -> tuple[Grid, ...]:
    scale, box = screenshot.scale, seen.region.box
    found = find_grids(crop_region(screenshot, seen.region), scale)
    return tuple(Grid(tuple(box.left + x for x in each.x), tuple(box.top + y for y in each.y)) for each in found)
