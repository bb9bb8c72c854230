"""Tells a worker to end, as an operator does, and waits until it has."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from perception.deadline import Deadline
from perception.errors import DeadlineError
from perception.server.placement.worker_link import WorkerLink, link_by
from perception.server.placement.worker_status import DRAIN, DrainAsked, WorkerStatus

ANSWER_SECONDS = 5.0

ENDING_SECONDS = 60.0
"""For calls and browsers to end after the last session has ended or the grace is over. Chosen by hand."""

LOOK_SECONDS = 0.2
"""Between two looks whether the worker is gone."""


async def ask_to_end(address: str, cluster: Path, grace_s: float | None) -> WorkerStatus:
    """Raises BadInputError for a folder without certificates and keys, and WorkerUnreachableError."""
    async with _linked(address, cluster) as link:
        return await _ask(link, grace_s)


async def ask_and_wait(
    address: str, cluster: Path, grace_s: float | None, asked: Callable[[WorkerStatus], None]
) -> None:
    """As `ask_to_end`; returns when nobody listens there any more, or a worker that was started after it does.

    Args:
        asked: called with what the worker said when it was told to end.

    Raises:
        DeadlineError: it is there a minute after it was to end.
    """
    async with _linked(address, cluster) as link:
        before = await _ask(link, grace_s)
        asked(before)
        link.start()
        while not _has_ended(link, before):
            said = link.status
            if said is not None and said.ended:  # it closes its browsers, and its port last
                await _refused(link)
                return
            if said is not None and said.closes_by_s is not None and time.time() > said.closes_by_s + ENDING_SECONDS:
                raise DeadlineError(
                    f"{before.name} was to end {ENDING_SECONDS:.0f} s ago, and is still there: see its log, or end its "
                    "process",
                    phase="waiting for the worker to end",
                )
            await asyncio.sleep(LOOK_SECONDS)


@contextlib.asynccontextmanager
async def _linked(address: str, cluster: Path) -> AsyncIterator[WorkerLink]:
    link = link_by(cluster, address)
    try:
        yield link
    finally:
        await link.close()


async def _ask(link: WorkerLink, grace_s: float | None) -> WorkerStatus:
    return await link.ask(DRAIN, DrainAsked(grace_s), WorkerStatus, Deadline.of(ANSWER_SECONDS))


def _has_ended(link: WorkerLink, before: WorkerStatus) -> bool:
    """Whether another process is there, or no process is reached any more."""
    said = link.status
    if said is not None and said.ended:
        return False
    return link.is_gone or (said is not None and said.epoch != before.epoch)


async def _refused(link: WorkerLink) -> None:
    """Returns when nobody listens there any more; the machine may be gone, too, and refuse nothing."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(ENDING_SECONDS):
            while link.status is not None and link.status.ended and not link.is_refused:  # noqa: ASYNC110
                await asyncio.sleep(LOOK_SECONDS)
