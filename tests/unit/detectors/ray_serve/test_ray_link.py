"""The service's end of the client process, with clients that misbehave in its place. Needs no Ray."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator

import numpy as np
import psutil
import pytest

from perception.deadline import Deadline
from perception.detectors.detector_queue import DetectorJob
from perception.detectors.ray_serve import ray_link
from perception.detectors.ray_serve.messages import Answer, client_environment
from perception.detectors.ray_serve.ray_link import ENDED, TOO_MANY, RayLink
from perception.detectors.ray_serve.ray_queue import RayQueue, share_link
from perception.types import Detections, Pixels

pytestmark = pytest.mark.real_time  # real processes

IMPORTS = """
import socket, sys, time, msgspec
from multiprocessing.connection import Connection
from perception.detectors.ray_serve.messages import Answer, Ask
from perception.detectors.worker import WorkerResult, decode_image
link = Connection(socket.socket(fileno=int(sys.argv[1])).detach())
"""
SPEAKS = "link.send_bytes(msgspec.msgpack.encode(Answer(0)))\n"
ANSWERS = """
while True:
    ask = msgspec.msgpack.decode(link.recv_bytes(), type=Ask)
    if ask.images and decode_image(ask.images[0])[0, 0, 0] == 9:
        sys.exit(1)
    results = [WorkerResult(b"", b"", detector=ask.detector) for _ in ask.images]
    link.send_bytes(msgspec.msgpack.encode(Answer(ask.id, results)))
"""
SILENT = "time.sleep(3600)"
ANSWERS_ONCE = ANSWERS.replace("while True", "for _ in range(1)")

Make = Callable[[str], RayLink]


@pytest.fixture
def make() -> Iterator[Make]:
    links: list[RayLink] = []

    def make(script: str) -> RayLink:
        links.append(RayLink(("-c", IMPORTS + script)))
        return links[-1]

    yield make
    for link in links:
        link.close()


def picture(shade: int = 0) -> Pixels:
    return np.full((4, 4, 3), shade, np.uint8)


class Caller:
    """What one caller hears."""

    def __init__(self, link: RayLink, shade: int = 0, seconds: float = 30.0) -> None:
        self.answers: list[Answer] = []
        self._come = threading.Event()
        self.number = link.ask("eye", [(picture(shade), "")], Deadline.of(seconds), self._take)

    def _take(self, answer: Answer) -> None:
        self.answers.append(answer)
        self._come.set()

    def answer(self) -> Answer:
        assert self._come.wait(30)
        return self.answers[0]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110  of another process
            await asyncio.sleep(0.01)


def job(shade: int = 0, seconds: float = 30.0) -> tuple[DetectorJob, list[Detections]]:
    kept: list[Detections] = []
    images = {b"key": (picture(shade), "")}
    return DetectorJob(images, Deadline.of(seconds), lambda _, found: kept.append(found)), kept


async def test_answers_reach_their_callers(make: Make) -> None:
    queue = RayQueue("eye", make(SPEAKS + ANSWERS))
    asked, kept = job()
    assert await queue.run(asked, 1.0) == ""
    assert [found.detector for found in kept] == ["eye"]


async def test_a_client_that_never_reads_ends_no_call_late_and_is_killed(make: Make) -> None:
    """More pixels than a socket holds: the thread that sends is stuck, too."""
    link = make(SPEAKS + ANSWERS_ONCE + SILENT)
    assert Caller(link).answer().failure == ""  # it has started
    queue = RayQueue("eye", link)
    images = {b"key": (np.zeros((2000, 2000, 3), np.uint8), "")}
    assert await queue.run(DetectorJob(images, Deadline.of(2.0), lambda *_: None), 0.0) == ""
    first = link.pid
    await until(lambda: not first or not psutil.pid_exists(first))


async def test_a_client_that_only_starts_is_given_time(make: Make) -> None:
    link = make(SILENT)
    asked, _ = job(seconds=0.3)
    assert await RayQueue("eye", link).run(asked, 0.0) == ""
    await until(lambda: link.pid != 0)
    link.kill_if_silent(1)
    assert psutil.pid_exists(link.pid)


def test_a_client_that_ends_fails_its_asks_and_the_next_ask_starts_another(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_link, "RESTART_SECONDS", 3600.0)
    link = make(SPEAKS + ANSWERS)
    assert Caller(link, shade=9).answer().failure == ENDED
    assert Caller(link).answer().failure == ENDED, "it was started a moment ago"
    monkeypatch.setattr(ray_link, "RESTART_SECONDS", 0.0)
    assert Caller(link).answer().failure == ""


def test_a_caller_who_has_left_hears_nothing_more(make: Make) -> None:
    link = make(SPEAKS + ANSWERS)
    left = Caller(link)
    link.drop(left.number)
    assert Caller(link).answer().failure == ""
    link.drop(left.number)
    assert len(left.answers) <= 1


def test_asks_are_bounded(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_link, "MAX_ASKS", 2)
    link = make(SPEAKS + SILENT)
    callers = [Caller(link) for _ in range(3)]
    assert callers[2].answer().failure == TOO_MANY
    assert [each.answers for each in callers[:2]] == [[], []]


def test_closing_ends_the_process_and_all_asks(make: Make) -> None:
    link = make(SPEAKS + SILENT)
    waiting = Caller(link)
    link.close()
    assert waiting.answer().failure == ENDED
    assert Caller(link).answer().failure == ENDED
    assert link.pid == 0


def test_detectors_of_one_pool_share_a_process(make: Make) -> None:
    first = RayQueue("eye", make(ANSWERS))
    assert share_link([object(), first]) is first.link


def test_a_client_is_no_part_of_the_actor_that_started_the_service() -> None:
    given = {"RAY_JOB_ID": "01", "RAY_ADDRESS": "10.0.0.1:6379", "RAY_AUTH_TOKEN": "t", "HOME": "/h"}
    kept = {"RAY_ADDRESS": "10.0.0.1:6379", "RAY_AUTH_TOKEN": "t", "HOME": "/h", "RAY_USAGE_STATS_ENABLED": "0"}
    assert client_environment(given) == kept
