"""The placement over modeled workers: the order of preference, and that nothing grows with the number of workers."""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from perception.errors import (
    PerceptionError,
    SessionLimitError,
    SessionLostError,
    ShuttingDownError,
    WorkerUnreachableError,
)
from perception.server.auth.session_ids import ClusterKey, SessionId, worker_number, write_session_id
from perception.server.placement import worker_index
from perception.server.placement.affinity import Ring
from perception.server.placement.folder_id import folder_id
from perception.server.placement.ranking import Rank, Ranking
from perception.server.placement.simulation.model import ModeledLink
from perception.server.placement.worker_link import WorkerLink
from perception.server.placement.worker_status import (
    RARE_HEARTBEAT_SECONDS,
    SILENT_SECONDS,
    Wanted,
    WorkerStatus,
    heartbeat_of,
)
from perception.server.placement.workers import DOUBTED, DOUBTED_FOR_A_REQUEST, Workers

KEYS = (ClusterKey(b"k" * 32),)


class House:
    """Workers, and the placement over them."""

    def __init__(self, count: int = 0) -> None:
        self.now_s = 1000.0
        self.workers = Workers(
            lambda: KEYS,
            lambda address, on_change, beat_s: ModeledLink(
                address, lambda: KEYS, on_change, clock=self.clock, heartbeat_s=beat_s
            ),
        )
        self.links: list[WorkerLink] = []
        self.expect(count)

    def clock(self) -> float:
        return self.now_s

    def expect(self, count: int) -> None:
        self.workers.expect([f"w:{number}" for number in range(count)])
        self.links = list(self.workers.links)

    def say(self, number: int, **fields: Any) -> WorkerLink:
        link = self.links[number]
        name = fields.pop("name", f"w{number}")
        link.hear(WorkerStatus(name, worker_number(name), 7, **{"slots": 4, **fields}))
        return link


def expected_order(links: Collection[WorkerLink]) -> list[WorkerLink]:
    """The documented order, from nothing: by load, then those whose browser runs, then the younger browser."""

    def rank(link: WorkerLink) -> tuple[Any, ...]:
        status = link.status
        assert status is not None
        free = status.slots - status.taken - link.pending
        load = round(max(1 - free / status.slots, status.memory_share), 2)
        return load, status.browser_age_s is None, status.browser_age_s or 0.0, int(link.address[2:])

    return sorted((each for each in links if each.up and each.status and not each.status.is_draining), key=rank)


@pytest.mark.parametrize("seed", range(20))
def test_claims_go_in_the_order_of_load_warmth_and_age_whatever_happened_before(seed: int) -> None:
    dice = random.Random(seed)
    house = House(30)
    for _ in range(400):
        number = dice.randrange(30)
        link = house.links[number]
        match dice.randrange(5):
            case 0 if link.up:
                link.up = False
                link.on_change(link)
            case 1 if house.workers.up:
                tried = dice.sample(list(house.workers.up), k=min(len(house.workers.up), dice.randrange(4)))
                fit = [each for each in expected_order(house.workers.up) if each not in tried]
                fit = [each for each in fit if _has_room(each)] or (fit if len(tried) < DOUBTED else [])
                if fit:
                    assert house.workers.claim(tried) is fit[0]
                else:
                    with pytest.raises(PerceptionError):
                        house.workers.claim(tried)
            case 2 if link.pending:
                house.workers.release(link)
            case _:
                house.say(
                    number,
                    taken=dice.randrange(5),
                    memory_share=dice.choice([0, 0, 0.3, 1.2]),
                    browser_age_s=dice.choice([None, 5.0, 60.0]),
                    closes_by_s=dice.choice([None] * 5 + [1.0]),
                )


def _has_room(link: WorkerLink) -> bool:
    assert link.status is not None
    return link.status.slots - link.status.taken - link.pending > 0 and link.status.memory_share < 1


def test_a_key_leads_to_the_same_workers_at_each_edge_whoever_else_comes_and_goes() -> None:
    one, two = House(20), House(20)
    for number in range(20):
        one.say(number)
    for number in reversed(range(20)):
        two.say(number, taken=number % 4)
    keys = [f"p\0r{number}" for number in range(200)]
    first = {key: one.workers.claim((), key).name for key in keys}
    assert first == {key: two.workers.claim((), key).name for key in keys}
    assert len(set(first.values())) > 15
    gone = two.links[3]
    gone.up = False
    gone.on_change(gone)
    moved = [key for key in keys if two.workers.claim((), key).name != first[key]]
    assert {first[key] for key in moved} == {"w3"}


def test_a_key_leads_to_full_workers_first_and_then_to_one_with_room() -> None:
    house = House(100)
    for number in range(100):
        house.say(number, taken=4)
    order = list(house.workers._index.by_affinity("p\0r"))
    roomy = house.say(house.links.index(order[70]), name=order[70].name, taken=3)
    tried: list[WorkerLink] = []
    while roomy not in tried:
        tried.append(house.workers.claim(tried, "p\0r"))
    assert tried == [*order[:DOUBTED_FOR_A_REQUEST], roomy]
    with pytest.raises(SessionLimitError, match="all 400 sessions of 100 workers are in use"):
        house.workers.claim(tried, "p\0r")


def test_a_request_is_looked_for_where_it_may_be_and_not_everywhere() -> None:
    house = House(200)
    wanted = Wanted("ana", "r1")
    for number in range(200):
        house.say(number, requests=(wanted.digest,) if number == 150 else ())
    asked = house.workers._index.may_have(wanted)
    assert house.links[150] in asked
    assert len(asked) <= worker_index.FIRST_ASKED + 1
    house.say(150, requests=())
    assert house.workers._index.may_have(wanted)[: worker_index.FIRST_ASKED] == asked[: worker_index.FIRST_ASKED]
    old = house.say(7)  # of a version that does not say its requests
    assert old in house.workers._index.may_have(wanted)
    assert not {Wanted("ana", "r2").digest, Wanted("bob", "r1").digest} & {wanted.digest}


def test_a_heartbeat_without_news_forgets_claims_and_keeps_the_status() -> None:
    house = House(2)
    link = house.say(0, taken=1, browser_age_s=3.0)
    house.say(1, taken=4)
    said = link.status
    for _ in range(3):
        house.workers.claim()
    assert link.pending == 3
    link.hear_again()
    assert (link.pending, link.status) == (0, said)
    link.up = False
    link.on_change(link)
    assert len(house.workers.up) == 1
    link.hear_again()
    assert len(house.workers.up) == 2


def test_of_two_workers_of_one_name_the_later_one_is_not_used_until_the_first_is_gone() -> None:
    house = House(2)
    first, second = house.say(0, name="same"), house.say(1, name="same")
    assert list(house.workers.up) == [first]
    first.up = False
    first.on_change(first)
    second.hear_again()
    assert list(house.workers.up) == [second]
    assert house.workers.claim((), "p\0r") is second


def test_a_session_of_a_restarted_worker_is_not_lost_before_the_worker_is_reached() -> None:
    house = House(1)
    link = house.say(0)
    before, after = (write_session_id(SessionId(worker_number("w0"), epoch, 0, 1), KEYS[0]) for epoch in (7, 8))
    assert house.workers.locate(before) is link
    link.note_down(refused=True)
    with pytest.raises(SessionLostError):
        house.workers.locate(before)
    with pytest.raises(WorkerUnreachableError):  # another edge has opened it
        house.workers.locate(after)
    link.hear(WorkerStatus("w0", worker_number("w0"), 8, slots=4))
    assert house.workers.locate(after) is link
    with pytest.raises(SessionLostError):
        house.workers.locate(before)
    link.note_down(refused=False)
    with pytest.raises(WorkerUnreachableError):
        house.workers.locate(after)
    link.hear(WorkerStatus("w0", worker_number("w0"), 8, ended=True))
    link.note_down(refused=True)
    with pytest.raises(WorkerUnreachableError):  # of its next start
        house.workers.locate(before)
    house.now_s += 60
    for each in (before, after):
        with pytest.raises(SessionLostError):
            house.workers.locate(each)


def test_a_worker_that_is_no_longer_reached_is_not_claimed() -> None:
    house = House(2)
    for number in range(2):
        house.say(number)
    house.links[0].note_down(refused=False)
    assert {house.workers.claim().name for _ in range(3)} == {"w1"}


async def test_a_forgotten_worker_leaves_nothing_behind() -> None:
    house = House(3)
    for number in range(3):
        house.say(number, requests=(Wanted("ana", f"r{number}").digest,))
    leaving = house.links[2]
    house.expect(2)
    assert leaving in house.workers.up  # for as long as it is reached
    leaving.up = False
    leaving.on_change(leaving)
    house.now_s += 60
    house.expect(2)
    leaving.hear_again()
    index = house.workers._index
    assert len(house.workers.up) == 2
    assert {len(each) for each in (index._seen, index._orders, index._names, index._by_request, index._ranking)} == {2}
    assert leaving not in index._ring.after("x")
    await house.workers.close()


def test_refusals_say_why() -> None:
    house = House(2)
    with pytest.raises(WorkerUnreachableError, match="none of the 2 workers is reached"):
        house.workers.claim()
    for number in range(2):
        house.say(number, closes_by_s=1.0)
    with pytest.raises(ShuttingDownError, match="all 2 workers are shutting down"):
        house.workers.claim()
    house.say(1, taken=4)
    with pytest.raises(SessionLimitError, match="all 4 sessions of 1 workers are in use"):
        house.workers.claim(house.links[1:] + house.links[:1])
    assert house.workers.any() is house.links[1]  # a worker that ends comes last


def test_a_ranking_does_not_grow_with_changes() -> None:
    ranking: Ranking[int] = Ranking()
    rank = Rank(False, False, 0.0, False, 0.0, 0)
    for turn, worker in itertools.product(range(200), range(10)):
        ranking.put(worker, rank._replace(load=(turn * 7 + worker) % 11 / 10, order=worker))
    assert len(ranking._heap) <= 2 * len(ranking) + 65
    while len(ranking):
        found = ranking.first()
        assert found is not None
        ranking.drop(found[0])
    assert ranking.first() is None


def test_a_ring_shares_keys_among_its_workers() -> None:
    ring: Ring[int] = Ring()
    for number in range(100):
        ring.put(f"host-{number}:50061", number)
    counts = [0] * 100
    for key in range(20_000):
        counts[next(ring.after(str(key)))] += 1
    assert min(counts) > 60
    assert max(counts) < 400
    assert sorted(ring.after("x")) == list(range(100))
    assert list(Ring[int]().after("x")) == []


@pytest.mark.parametrize(("workers", "seconds"), [(0, 1.0), (1, 1.0), (500, 1.0), (750, 1.5), (10_000, 2.0)])
def test_many_workers_say_less_often_that_they_are_there(workers: int, seconds: float) -> None:
    assert heartbeat_of(workers) == seconds
    assert 2 * RARE_HEARTBEAT_SECONDS < SILENT_SECONDS


def test_an_edge_and_a_worker_of_neighboring_versions_understand_each_other() -> None:
    said = msgspec.json.encode(WorkerStatus("w", 1, 2, slots=3, requests=("a",)))
    old: Any = msgspec.defstruct("OldStatus", [("name", str), ("number", int), ("epoch", int), ("slots", int)])
    assert msgspec.json.decode(said, type=old).slots == 3
    assert msgspec.json.decode(b'{"name":"w","number":1,"epoch":2}', type=WorkerStatus).requests is None


def test_workers_without_a_shared_data_folder_are_said_once_for_each_folder() -> None:
    house = House(4)
    with capture_logs() as logs:
        for _ in range(2):
            for number, folder in enumerate(("a", "a", "b", "")):
                house.say(number, folder=folder)
    (said,) = [each for each in logs if "different folders" in each["event"]]
    assert (said["log_level"], said["worker"]) == ("warning", "w2")
    assert "PERCEPTION_DATA_DIR" in said["event"]


def test_a_folder_has_one_id_whoever_asks_first(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as threads:
        (shared,) = set(threads.map(folder_id, [tmp_path / "shared"] * 40))
    assert len(shared) == 32
    assert os.listdir(tmp_path / "shared") == ["folder-id"]
    assert folder_id(tmp_path / "other") not in ("", shared)
    (tmp_path / "file").touch()
    assert folder_id(tmp_path / "file") == ""
