"""Watching: what changes is told, nothing else is, and nothing is left behind."""

from __future__ import annotations

import asyncio
import inspect
from contextlib import aclosing

import grpc
import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.render.diff import apply_diff
from perception.server.app import Service
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

FAST = {"mode": "text", "min_interval": 0.05}
SOON = 30.0


async def following(watching: object) -> pb.Snapshot:
    """The next snapshot of a watch, which must come soon."""
    return await asyncio.wait_for(anext(watching), SOON)  # type: ignore[call-overload,no-any-return]


async def test_first_comes_a_whole_snapshot_and_then_a_diff_for_each_change(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    async with aclosing(page.watch(**FAST)) as watching:
        shown = await following(watching)
        assert not shown.HasField("diff")
        assert 'link "Order 3"' in shown.text
        for _ in range(3):
            await page.click("#add")
            after = await following(watching)
            assert after.diff.since_snapshot_id == shown.snapshot_id
            assert [each.name for each in apply_diff(list(shown.elements), after.diff)] == [
                each.name for each in after.elements
            ]
            shown = after
        assert 'link "Order 6"' in shown.text


async def test_nothing_comes_while_nothing_changes(page: AsyncPage, site: str, service: Service) -> None:
    await page.navigate(f"{site}/changing.html")
    async with aclosing(page.watch(**FAST)) as watching:
        first = await following(watching)
        coming = asyncio.ensure_future(anext(watching))
        for _ in range(5):  # each of these calls waits for a look of the watch, and finds its page as it was
            assert (await page.snapshot(mode="text")).text == first.text
        assert not coming.done()
        await page.click("#add")
        assert (await asyncio.wait_for(coming, SOON)).diff.added


async def test_a_navigation_gives_a_snapshot_of_the_new_page(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    async with aclosing(page.watch(**FAST)) as watching:
        first = await following(watching)
        await page.navigate(f"{site}/form.html")
        after = await following(watching)
        while after.title != "Form":
            after = await following(watching)
        assert after.url.endswith("/form.html")
        assert {each.ref for each in first.elements if each.ref} <= {*after.diff.removed_refs} | {""}


async def test_a_change_between_two_looks_is_reported_once(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    async with aclosing(page.watch(mode="text", min_interval=1.0)) as watching:
        await following(watching)
        for _ in range(4):
            await page.click("#add")
        after = await following(watching)
        while 'link "Order 7"' not in after.text:
            after = await following(watching)
        assert len(after.elements) < 40


async def test_other_calls_go_on_while_a_tab_is_watched(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    async with aclosing(page.watch(**FAST)) as watching:
        await following(watching)
        for step in range(6):  # nobody reads the watch meanwhile
            await page.click("#add")
            assert f'link "Order {step + 4}"' in (await page.snapshot(mode="text")).text
        after = await following(watching)
        while 'link "Order 9"' not in after.text:
            after = await following(watching)


async def test_a_watch_that_is_cancelled_leaves_no_task_no_lock_and_one_snapshot(
    page: AsyncPage, site: str, service: Service
) -> None:
    await page.navigate(f"{site}/changing.html")
    session = service.context.sessions.get(page.session_id)
    before = _running()
    kept = len(session.shown.snapshots)
    watching = page.watch(**FAST)
    await following(watching)
    await page.click("#add", skip_diff=True)
    await following(watching)
    await watching.aclose()
    await _settled(before)
    assert not any(lock.locked() for lock in session._locks.values())
    assert len(session.shown.snapshots) == kept + 1
    for _ in range(3):  # nobody is notified of this any more
        await page.click("#add", skip_diff=True)
    assert len(session.shown.snapshots) == kept + 1


def _running() -> set[asyncio.Task[object]]:
    """Tasks of ours: gRPC's own, which it renews with every call, are compiled."""
    return {task for task in asyncio.all_tasks() if inspect.iscoroutine(task.get_coro()) and not task.done()}


async def _settled(before: set[asyncio.Task[object]]) -> None:
    """Until every task that began since then has ended."""
    async with asyncio.timeout(SOON):
        while late := _running() - before:
            await asyncio.wait(late, timeout=0.05)


async def test_a_watch_ends_when_its_tab_is_closed(page: AsyncPage, client: AsyncClient, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    async with aclosing(page.watch(mode="text", min_interval=30.0)) as watching:
        tab_id = (await following(watching)).tab_id
        request = session_pb.CloseTabRequest(session_id=page.session_id, tab_id=tab_id)
        await client.call(client.sessions.CloseTab, request)
        with pytest.raises(StopAsyncIteration):
            await following(watching)


async def test_a_watch_ends_when_its_session_is_closed(client: AsyncClient, site: str) -> None:
    page = await client.open(f"{site}/changing.html")
    async with aclosing(page.watch(mode="text", min_interval=30.0)) as watching:
        await following(watching)
        await page.close()
        with pytest.raises(StopAsyncIteration):
            await following(watching)


async def test_a_watch_ends_with_its_deadline(page: AsyncPage, site: str) -> None:
    await page.navigate(f"{site}/changing.html")
    with pytest.raises(RemoteError) as caught:
        async for _ in page.watch(timeout_s=1.0, **FAST):
            pass
    assert caught.value.code is grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        pytest.param({"min_interval": -1.0}, "BAD_INPUT", id="negative-interval"),
        pytest.param({"root": "e999"}, "UNKNOWN_REF", id="unknown-root"),
        pytest.param({"max_tokens": -1}, "BAD_INPUT", id="negative-deadline"),
    ],
)
async def test_what_cannot_be_watched_is_refused(page: AsyncPage, options: dict[str, object], reason: str) -> None:
    with pytest.raises(RemoteError) as caught:
        await following(page.watch(**{"mode": "text", **options}))  # type: ignore[arg-type]
    assert caught.value.reason == reason


async def test_a_service_that_ends_does_not_wait_for_watches(site: str, tmp_path: object) -> None:
    from perception.client import aconnect
    from perception.server.settings import Settings

    service = Service(Settings(address=f"unix:{tmp_path}/socket", allow_hosts=("127.0.0.1",), drain_s=60))
    await service.start()
    client = await aconnect(service.context.settings.address, timeout_s=30)
    page = await client.open(f"{site}/changing.html")
    watching = page.watch(mode="text", min_interval=60.0)
    await following(watching)
    ending = asyncio.create_task(service.stop())
    with pytest.raises(RemoteError) as caught:
        await following(watching)
    assert caught.value.reason == "SHUTTING_DOWN"
    await asyncio.wait_for(ending, 30)
    await client.close()
