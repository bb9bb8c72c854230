"""What a look works with, on the tab of `sheet`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from perception.detectors.frame_cache import DetectionCache
from perception.detectors.pool import DetectorPool
from perception.detectors.registry import Registry
from perception.engine.cache import SnapshotCache
from perception.engine.snapshot import EngineContext
from perception.refs import RefTable
from tests.support.sheet import Sheet


@pytest.fixture(scope="module")
def detectors() -> Iterator[DetectorPool]:
    pool = DetectorPool(Registry.load())
    yield pool
    pool.close()


@pytest.fixture
def context(sheet: Sheet, detectors: DetectorPool) -> EngineContext:
    return EngineContext(sheet.tab, RefTable(), DetectionCache(), SnapshotCache(), detectors)
