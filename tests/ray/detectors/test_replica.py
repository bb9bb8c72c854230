"""A replica without a cluster: how it forms batches, in which order, and whom it answers."""

from __future__ import annotations

import asyncio
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from perception.deadline import Deadline
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.detectors.ray_serve.messages import WIRE_VERSION, ReplicaAnswer
from perception.detectors.registry import Registry
from perception.types import Detections, Pixels

pytest.importorskip("ray", reason="Ray is not installed: .ci/ray runs these tests")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of Ray's own code
    from perception.detectors.ray_serve import replica
    from perception.detectors.ray_serve.replica import DetectorReplica

GATE = 1


class Eye:
    """Sees nothing, and keeps what it was shown. A picture of shade GATE keeps it until `open` is set."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.open = threading.Event()

    def detect(self, pixels: Pixels, deadline: Deadline) -> Detections:
        (found,) = self.detect_all([pixels], [deadline])
        if found is None:
            raise deadline.error("looking")
        return found

    def detect_all(self, images: Sequence[Pixels], deadlines: Sequence[Deadline]) -> Iterator[Detections | None]:
        self.batches.append([int(pixels[0, 0, 0]) for pixels in images])
        for pixels, deadline in zip(images, deadlines, strict=True):
            while int(pixels[0, 0, 0]) == GATE and not self.open.wait(0.01) and not deadline.spent():
                pass
            yield None if deadline.spent() else Detections.empty("eye")


@pytest.fixture
def eye() -> Eye:
    return Eye()


@pytest.fixture
def made(eye: Eye, monkeypatch: pytest.MonkeyPatch) -> DetectorReplica:
    plugin = Plugin(lambda: DetectorInfo("eye", "", "Apache-2.0", ("box",)), lambda: "", lambda: eye)
    monkeypatch.setattr(replica.Registry, "load", lambda: Registry.of(eye=plugin))
    config = SimpleNamespace(_deployment_config=SimpleNamespace(max_ongoing_requests=100))
    monkeypatch.setattr(replica.serve, "get_replica_context", lambda: config)
    made = DetectorReplica("eye", 3, 0.0)
    eye.batches.clear()  # its first look was at a blank picture
    return made


async def ask(
    made: DetectorReplica, *shades: int, seconds: float = 30.0, yields: bool = False, version: int = WIRE_VERSION
) -> ReplicaAnswer:
    pictures = [np.full((2, 2, 3), shade, np.uint8) for shade in shades]
    answer = await made.detect(version, pictures, [""] * len(pictures), seconds, yields)
    return msgspec.msgpack.decode(answer, type=ReplicaAnswer)


async def begun(eye: Eye) -> None:
    async with asyncio.timeout(30):
        while not eye.batches:  # noqa: ASYNC110  of another thread
            await asyncio.sleep(0.005)


async def test_calls_that_wait_form_batches_by_deadline_and_those_that_can_wait_are_last(
    made: DetectorReplica, eye: Eye
) -> None:
    first = asyncio.create_task(ask(made, GATE))
    await begun(eye)
    others = [
        asyncio.create_task(ask(made, 10, seconds=20, yields=True)),
        asyncio.create_task(ask(made, 11, 12, seconds=25)),
        asyncio.create_task(ask(made, 13, seconds=21)),
        asyncio.create_task(ask(made, 14)),
    ]
    for _ in range(20):
        await asyncio.sleep(0)
    eye.open.set()
    answers = await asyncio.gather(first, *others)
    assert eye.batches[:2] in ([[GATE], [13, 11, 12, 10]], [[GATE], [13, 11, 12]])
    assert [[each.late for each in answer.results] for answer in answers[2:]] == [[False, False], [False], [False]]


async def test_a_call_is_answered_before_its_batch_is_done(made: DetectorReplica, eye: Eye) -> None:
    first = asyncio.create_task(ask(made, GATE, seconds=1.0))
    await begun(eye)
    quick, slow = asyncio.create_task(ask(made, 5, seconds=20)), asyncio.create_task(ask(made, GATE, seconds=25))
    assert [each.late for each in (await first).results] == [True]
    assert [each.late for each in (await quick).results] == [False]
    assert not slow.done()
    eye.open.set()
    assert [each.late for each in (await slow).results] == [False]


async def test_what_was_found_by_the_deadline_is_returned_then(made: DetectorReplica, eye: Eye) -> None:
    answer = await ask(made, 5, GATE, 6, seconds=0.5)
    assert [each.late for each in answer.results] == [False, True, True]


async def test_a_call_that_can_wait_makes_way(made: DetectorReplica, eye: Eye) -> None:
    ahead = asyncio.create_task(ask(made, GATE, yields=True))
    await begun(eye)
    assert [each.late for each in (await ask(made, 5)).results] == [False]
    assert [each.late for each in (await ahead).results] == [True]


async def test_a_caller_who_leaves_stops_its_work(made: DetectorReplica, eye: Eye) -> None:
    leaving = asyncio.create_task(ask(made, GATE))
    await begun(eye)
    leaving.cancel()
    assert [each.late for each in (await ask(made, 5)).results] == [False]


async def test_another_version_is_told_so(made: DetectorReplica) -> None:
    answer = await ask(made, 5, version=WIRE_VERSION + 1)
    assert answer.results == []
    assert answer.failure == (
        f"its application on Ray speaks version {WIRE_VERSION} and this service {WIRE_VERSION + 1}: deploy it again "
        "from the service's version of perception"
    )


async def test_a_replica_is_unwell_while_its_detector_runs_on_after_its_deadlines(
    made: DetectorReplica, eye: Eye, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = asyncio.create_task(ask(made, GATE))
    await begun(eye)
    await made.check_health()
    ahead_s = time.monotonic() + 30 + replica.PATIENCE_SECONDS
    monkeypatch.setattr(time, "monotonic", lambda: ahead_s)
    with pytest.raises(RuntimeError, match="runs on long after its deadline"):
        await made.check_health()
    monkeypatch.undo()
    eye.open.set()
    await running
    await made.check_health()
