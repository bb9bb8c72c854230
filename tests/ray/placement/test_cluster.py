"""Workers on a real Ray cluster, with edges as processes: who comes, goes, hangs and is killed."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import psutil

from perception.client import AsyncClient, AsyncPage, RemoteError
from tests.long.server.placement.test_processes import client_of, workers_up
from tests.ray.placement.conftest import RayCluster
from tests.support.waiting import until


def process_of(cluster: RayCluster, *words: str) -> psutil.Process:
    """The process of this cluster with these words on its command line."""
    for process in psutil.process_iter(("cmdline",)):
        line = " ".join(process.info["cmdline"] or ())
        if all(each in line for each in words) and (str(cluster.folder) in line or cluster.address in line):
            return process
    raise AssertionError(f"no process {words}")


def child_of(cluster: RayCluster, worker: str) -> psutil.Process:
    return process_of(cluster, "perception worker", f"--worker-name {worker}.")


async def test_workers_come_to_an_edge_that_was_there_first(ray_cluster: RayCluster, site: str) -> None:
    edge = ray_cluster.start_edge()
    for name, kind in (("worker-hangs", "Hanging"), ("worker-lies", "Lying"), ("worker-other", "Other")):
        ray_cluster.order("actor", name, kind)
    ray_cluster.order("actor", "something-else", "Other")
    ray_cluster.order("actor", "worker-9", "Hanging", "elsewhere")
    lines = await asyncio.to_thread(ray_cluster.start_workers, "--workers", "2")
    assert [each.split(" serves on ")[0] for each in lines] == ["worker-1", "worker-2"]
    client = await client_of(edge)
    await workers_up(client, 2)
    page = await client.open(f"{site}/html?body=<h1>On Ray</h1>")
    assert "On Ray" in (await page.snapshot(mode="MODE_TEXT")).text
    listed = {each["name"]: each for each in await asyncio.to_thread(ray_cluster.workers)}
    assert {listed[each]["state"] for each in ("worker-hangs", "worker-lies", "worker-other")} == {"does not answer"}
    assert (listed["worker-1"]["state"], listed["worker-1"]["slots"]) == ("serving", 2)
    assert {listed["worker-1"]["node"], listed["worker-2"]["node"]} <= {"127.0.0.3", "127.0.0.4"}
    assert "worker-9" not in listed
    assert "something-else" not in listed
    for each in ("worker-hangs", "worker-lies", "worker-other"):
        ray_cluster.order("end_actor", each)
    await page.close()
    await client.close()


def test_a_worker_has_nothing_of_ray_in_its_environment(ray_cluster: RayCluster) -> None:
    child = child_of(ray_cluster, "worker-1")
    environment = child.environ()
    assert not [each for each in environment if each.startswith("RAY_")]
    assert environment["PERCEPTION_MAX_SESSIONS"] == "2"
    assert "OMP_NUM_THREADS" not in environment or "OMP_NUM_THREADS" in os.environ
    folder = environment["PERCEPTION_CLUSTER"]
    assert sorted(os.listdir(folder)) == sorted(
        "authority.pem edge.key edge.pem owner session.keys worker.key worker.pem".split()
    )
    assert os.stat(folder).st_mode & 0o777 == 0o700
    status = Path(f"/proc/{child.pid}/status").read_text("utf-8")
    assert "SigBlk:\t0000000000000000" in status


async def test_a_worker_that_is_killed_is_started_again(ray_cluster: RayCluster) -> None:
    before = {each["name"]: each["address"] for each in await asyncio.to_thread(ray_cluster.workers)}
    client = await client_of(next(iter(ray_cluster.edges)))
    pages = [await client.open() for _ in range(2)]
    child_of(ray_cluster, "worker-1").kill()
    await asyncio.to_thread(
        ray_cluster.until_workers,
        lambda found: (
            all(each["state"] == "serving" for each in found)
            and before["worker-1"] not in {each["address"] for each in found}
        ),
    )
    await workers_up_beside(client, pages)
    await client.close()


async def workers_up_beside(client: AsyncClient, pages: list[AsyncPage]) -> None:
    """One of two sessions is lost with its worker; the other one goes on, and all slots can be taken again."""
    reasons = []
    for page in pages:
        try:
            await page.snapshot(mode="MODE_TEXT")
            await page.close()
        except RemoteError as exc:
            reasons.append(exc.reason)
    assert reasons == ["SESSION_LOST"]
    await workers_up(client, 2)


async def test_an_edge_whose_lookout_is_killed_goes_on(ray_cluster: RayCluster) -> None:
    client = await client_of(next(iter(ray_cluster.edges)))
    page = await client.open()
    first = process_of(ray_cluster, "ray.lookout")
    first.kill()
    async with asyncio.timeout(60):
        while True:
            assert await client.is_serving()
            try:
                if process_of(ray_cluster, "ray.lookout").pid != first.pid:
                    break
            except (AssertionError, psutil.NoSuchProcess):
                pass
            await asyncio.sleep(0.05)
    await page.snapshot(mode="MODE_TEXT")
    await page.close()
    await client.close()


async def test_a_worker_whose_actor_is_killed_drains_and_another_one_starts(ray_cluster: RayCluster) -> None:
    client = await client_of(next(iter(ray_cluster.edges)))
    pages = [await client.open() for _ in range(2)]
    old = child_of(ray_cluster, "worker-2")
    ray_cluster.order("crash", "worker-2")
    await asyncio.to_thread(
        ray_cluster.until_workers,
        lambda found: all(each["state"] == "serving" for each in found) and child_of_other(ray_cluster, old.pid),
    )
    for page in pages:
        await page.snapshot(mode="MODE_TEXT")
        await page.close()
    await asyncio.to_thread(old.wait, 60)
    await workers_up(client, 2)
    await client.close()


def child_of_other(cluster: RayCluster, pid: int) -> bool:
    """Whether worker-2 has another process beside that one."""
    for process in psutil.process_iter(("cmdline",)):
        line = " ".join(process.info["cmdline"] or ())
        if "--worker-name worker-2." in line and str(cluster.folder) in line and process.pid != pid:
            return True
    return False


async def test_a_drained_worker_ends_with_its_last_session_and_is_not_started_again(ray_cluster: RayCluster) -> None:
    client = await client_of(next(iter(ray_cluster.edges)))
    pages = [await client.open() for _ in range(2)]
    child = child_of(ray_cluster, "worker-2")
    on_ray = ("--placement", f"ray={ray_cluster.address}")
    code, said, _ = await asyncio.to_thread(ray_cluster.run, "cluster", "drain", "worker-2", *on_ray)
    assert (code, said) == (0, "worker-2 takes no more sessions; 1 are open\n")
    found = await asyncio.to_thread(ray_cluster.workers)
    assert {each["name"]: each["state"] for each in found}["worker-2"] == "draining"
    for page in pages:
        await page.snapshot(mode="MODE_TEXT")
        await page.close()
    await asyncio.to_thread(child.wait, 60)
    await asyncio.to_thread(ray_cluster.until_workers, lambda found: [each["name"] for each in found] == ["worker-1"])
    code, _, failed = await asyncio.to_thread(ray_cluster.run, "cluster", "drain", "worker-2", *on_ray)
    assert code == 2
    assert "no worker 'worker-2' on this Ray cluster: there are worker-1" in failed
    await client.close()


async def test_options_that_no_worker_can_start_with_are_said(ray_cluster: RayCluster) -> None:
    on_ray = ("worker", "--placement", f"ray={ray_cluster.address}", "--cluster", "cluster")
    code, _, failed = await asyncio.to_thread(ray_cluster.run, *on_ray, "--secrets", "missing.toml")
    assert code == 2
    assert "1 of 1 workers did not start. worker-" in failed
    assert "the secrets file cannot be read: No such file or directory" in failed
    assert {each["state"] for each in await asyncio.to_thread(ray_cluster.workers)} == {"serving"}


async def test_sessions_go_on_without_a_head_and_the_edge_says_that_it_sees_nothing(ray_cluster: RayCluster) -> None:
    client = await client_of(next(iter(ray_cluster.edges)))
    page = await client.open()
    ray_cluster.order("kill_head")
    await until(lambda: any("does not answer any more" in str(each.get("why")) for each in ray_cluster.log_lines()))
    await page.snapshot(mode="MODE_TEXT")
    again = await client.open()
    for each in (page, again):
        await each.close()
    code, _, failed = await asyncio.to_thread(
        ray_cluster.run, "cluster", "workers", "--placement", f"ray={ray_cluster.address}"
    )
    assert code == 1
    assert f"no Ray cluster answers at {ray_cluster.address}" in failed
    await client.close()
