"""The parts of the campaign, one after the other, and what they share of the cases."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from perception.bench.fuzz.cdp import fuzz_cdp
from perception.bench.fuzz.images import fuzz_images
from perception.bench.fuzz.messages import fuzz_messages
from perception.bench.fuzz.page import serve_page
from perception.bench.fuzz.parsers import fuzz_parsers
from perception.bench.fuzz.raw import fuzz_bytes
from perception.bench.fuzz.verdict import Tally
from perception.bench.fuzz.world import World, error_lines, open_files, resident_mib
from perception.child import ServiceChild
from perception.client import aconnect

FILES_MORE = 40
"""Descriptors that a service may have open beside those at first: sockets of frames, detectors at work."""

MIB_MORE = 300
"""Resident memory that a service may have grown by: models, the tokenizer, kept snapshots of open sessions."""

CALL_SECONDS = 30.0


@asynccontextmanager
async def tried_service(tally_of: list[Tally]) -> AsyncIterator[World]:
    """A service of its own with its world. What it logged, opened and kept meanwhile is held against the last tally."""
    with tempfile.TemporaryDirectory() as folder, serve_page() as origin:
        log = Path(folder) / "log"
        with log.open("wb") as file:
            child = await asyncio.to_thread(ServiceChild.start, ("127.0.0.1", "localhost"), (), file)
        try:
            client = await aconnect(child.address, timeout_s=CALL_SECONDS)
            try:
                world = World(client, origin)
                await world.renew()
                before = open_files(child.process.pid), resident_mib(child.process.pid)
                yield world
                await world.renew()
                _hold(tally_of[-1], child.process.pid, before, log)
            finally:
                await client.close()
        finally:
            await asyncio.to_thread(child.stop)


def _hold(tally: Tally, pid: int, before: tuple[int, float], log: Path) -> None:
    files, mib = open_files(pid) - before[0], resident_mib(pid) - before[1]
    tally.notes.append(f"the service has {files:+d} files open and {mib:+.0f} MiB resident")
    if files > FILES_MORE:
        tally.fail(tally.cases, "files of the service", f"{files} more are open than at first")
    if mib > MIB_MORE:
        tally.fail(tally.cases, "memory of the service", f"{mib:.0f} MiB more are resident than at first")
    for line in error_lines(log):
        tally.fail(tally.cases, "log of the service", line)


async def messages(cases: int, seed: int) -> Tally:
    done: list[Tally] = []
    async with tried_service(done) as world:
        done.append(await fuzz_messages(world, cases, seed))
    return done[0]


async def raw_bytes(cases: int, seed: int) -> Tally:
    done: list[Tally] = []
    async with tried_service(done) as world:
        done.append(await fuzz_bytes(world, cases, seed))
    return done[0]


PARTS: dict[str, tuple[float, Callable[[int, int], Awaitable[Tally]]]] = {
    "messages": (0.04, messages),
    "bytes": (0.15, raw_bytes),
    "images": (0.26, fuzz_images),
    "cdp": (0.1, fuzz_cdp),
    "parsers": (0.45, fuzz_parsers),
}
"""Each part's share of the cases: the dearer one of them is, the fewer it has."""


async def run_parts(names: Sequence[str], cases: int, seed: int) -> list[Tally]:
    """The parts that are named, with as many cases as their shares of all are worth."""
    whole = sum(PARTS[name][0] for name in names)
    tallies = []
    for name in names:
        share, run = PARTS[name]
        start = time.monotonic()
        tally = await run(round(cases * share / whole), seed)
        tally.seconds = time.monotonic() - start
        tallies.append(tally)
    return tallies
