"""`perception cluster workers`: what operators see of workers at fixed addresses."""

from __future__ import annotations

from pathlib import Path

import pytest

from perception.errors import BadInputError
from perception.server.placement.listing import as_json, as_table, list_workers
from perception.server.placement.new_cluster import make_cluster
from tests.long.server.placement.test_processes import held_port
from tests.support.scripted_workers import ScriptedWorker, write_keys


async def test_workers_say_their_slots_and_who_is_not_reached_is_listed_too(tmp_path: Path) -> None:
    cluster = tmp_path / "cluster"
    make_cluster(cluster)
    worker = ScriptedWorker("127.0.0.1:0", write_keys(tmp_path / "unused", b"k" * 32), slots=3, cluster=cluster)
    await worker.start()
    worker.placement.claim()
    nobody = f"127.0.0.1:{held_port()}"
    found = await list_workers(f"static={worker.address},{nobody}", cluster)
    await worker.kill()
    assert [(each.state, each.taken, each.slots) for each in found] == [("serving", 1, 3), ("not reached", 0, 0)]
    lines = as_table(found).splitlines()
    assert lines[0].split() == ["NAME", "ADDRESS", "NODE", "SESSIONS", "STATE"]
    assert lines[1].split()[1:] == [worker.address, "127.0.0.1", "1/3", "serving"]
    assert lines[2].split() == [nobody, nobody, "127.0.0.1", "-", "not", "reached"]
    assert as_json(found)[0]["address"] == worker.address
    assert as_table([]) == "there are no workers"


async def test_what_names_no_workers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="names no workers: write ray=auto, ray=HOST:PORT or static="):
        await list_workers("local", tmp_path)
    with pytest.raises(BadInputError, match="give --cluster with the folder"):
        await list_workers("static=127.0.0.1:1", None)
