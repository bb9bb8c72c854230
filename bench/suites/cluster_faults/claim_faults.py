"""Faults of claims: two at once, one whose caller has gone, and one that is repeated elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import random
import secrets
import time

from perception.bench.suites.cluster_faults.callers import UNTOUCHED, reason_of
from perception.bench.suites.cluster_faults.fault import cluster_fault
from perception.bench.suites.cluster_faults.lab import CALLERS, ClusterLab
from perception.bench.suites.cluster_faults.placements import SLOTS, WORKERS
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect

FREE = WORKERS * SLOTS - CALLERS
"""Slots that callers leave."""

_DICE = random.Random(1)


@cluster_fault("two edges claim the last slot")
async def _last(lab: ClusterLab) -> None:
    async with lab.paused():
        assert all(each.held is not None for each in lab.callers)
    first = [await lab.edges[index % 2].client.open() for index in range(FREE - 1)]
    found = await asyncio.gather(*(_claim(lab, each.client) for each in lab.edges))
    for page in (*first, *(each for each in found if isinstance(each, AsyncPage))):
        await page.close()
    answers = sorted("OK" if isinstance(each, AsyncPage) else each for each in found)
    assert answers == ["OK", "SESSION_LIMIT"], f"the answers were {answers}"


@cluster_fault("a claim whose caller goes away")
async def _gone(lab: ClusterLab) -> None:
    """One cancels its call; the other one's connection closes."""
    await asyncio.gather(_cancelled(lab.edges[0].client), _hung_up(lab, f"127.0.0.1:{lab.edges[1].port}"))


@cluster_fault("a claim repeated through the other edge at once")
async def _repeated(lab: ClusterLab) -> None:
    request_id = secrets.token_hex(8)
    found = await asyncio.gather(*(_claim(lab, each.client, request_id) for each in lab.edges))
    pages = [each for each in found if isinstance(each, AsyncPage)]
    ids = {each.session_id for each in pages}
    for page in pages[:1]:
        await page.close()
    assert len(pages) == 2, f"the answers were {[each for each in found if isinstance(each, str)]}"
    assert len(ids) == 1, "one request has opened two sessions"


@cluster_fault("edge killed with a claim under way, which is repeated through the other")
async def _moved(lab: ClusterLab) -> None:
    request_id = secrets.token_hex(8)
    lab.hit = {each for each in lab.callers if each.edge == 0}
    first = asyncio.create_task(_claim(lab, lab.edges[0].client, request_id))
    await asyncio.sleep(_DICE.uniform(0, 0.3))
    start = time.monotonic()
    await lab.edges[0].run.kill()
    second = await _claim(lab, lab.edges[1].client, request_id)
    answer = await first
    await lab.edges[0].again()
    await lab.served(start)
    assert isinstance(second, AsyncPage), f"the repeated claim was answered with {second}"
    if isinstance(answer, AsyncPage):
        assert answer.session_id == second.session_id, "one request has opened two sessions"
    await second.close()


async def _claim(lab: ClusterLab, client: AsyncClient, request_id: str = "") -> AsyncPage | str:
    """The session, or why there is none."""
    try:
        page = await client.open(request_id=request_id)
    except RemoteError as exc:
        lab.account.note(exc, UNTOUCHED | {"no answer (UNAVAILABLE)"})
        return f"{reason_of(exc)}: {exc}" if request_id else reason_of(exc)
    lab.account.told["OK"] += 1
    return page


async def _cancelled(client: AsyncClient) -> None:
    claim = asyncio.create_task(client.open())
    await asyncio.sleep(_DICE.uniform(0, 0.3))
    claim.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await (await claim).close()  # it was quicker


async def _hung_up(lab: ClusterLab, address: str) -> None:
    """The connection closes in the middle of a claim."""
    client = await aconnect(address)
    claim = asyncio.create_task(client.open())
    await asyncio.sleep(_DICE.uniform(0, 0.3))
    await client.close()
    try:
        page = await claim
    except (RemoteError, asyncio.CancelledError):
        return
    await (await lab.edges[0].client.attach(page.session_id)).close()
