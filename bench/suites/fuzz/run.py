"""Runs the parts of the campaign one after another, each with its share of the cases."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from perception.bench.suites.fuzz.cdp_messages import fuzz_cdp
from perception.bench.suites.fuzz.clients_cut import fuzz_clients
from perception.bench.suites.fuzz.fields_sent import fuzz_fields
from perception.bench.suites.fuzz.fuzzed_page import serve_page
from perception.bench.suites.fuzz.fuzzed_sessions import FuzzedSessions, error_lines, resident_mib
from perception.bench.suites.fuzz.image_files import fuzz_images
from perception.bench.suites.fuzz.outcomes import PartOutcome
from perception.bench.suites.fuzz.parsers import fuzz_parsers
from perception.bench.suites.fuzz.requests_sent import fuzz_messages
from perception.bench.suites.fuzz.tools_called import fuzz_tools
from perception.bench.suites.fuzz.wire_bytes import fuzz_bytes
from perception.client import aconnect
from perception.client.child import ServiceChild
from perception.host_os import open_file_count

FILES_MORE = 40
"""Allowed increase of a service's descriptors: sockets of frames, running detectors."""

MIB_MORE = 300
"""Allowed growth of a service's resident memory: models, the tokenizer, stored snapshots of open sessions."""

FUZZ_CALL_SECONDS = 30.0


@asynccontextmanager
async def tried_service(tally_of: list[PartOutcome]) -> AsyncIterator[FuzzedSessions]:
    """A service with sessions. Its logged errors, open files and memory count for the last outcome."""
    with tempfile.TemporaryDirectory() as folder, serve_page() as origin:
        log = Path(folder) / "log"
        with log.open("wb") as file:
            child = await asyncio.to_thread(ServiceChild.start, ("127.0.0.1", "localhost"), (), file)
        try:
            client = await aconnect(child.address, timeout_s=FUZZ_CALL_SECONDS)
            try:
                world = FuzzedSessions(client, origin)
                await world.renew()
                before = open_file_count(child.process.pid), resident_mib(child.process.pid)
                yield world
                await world.renew()
                _hold(tally_of[-1], child.process.pid, before, log)
            finally:
                await client.close()
        finally:
            await asyncio.to_thread(child.stop)


def _hold(outcome: PartOutcome, pid: int, before: tuple[int, float], log: Path) -> None:
    files, mib = open_file_count(pid) - before[0], resident_mib(pid) - before[1]
    outcome.notes.append(f"the service has {files:+d} files open and {mib:+.0f} MiB resident")
    if files > FILES_MORE:
        outcome.fail(outcome.cases, "files of the service", f"{files} more are open than at first")
    if mib > MIB_MORE:
        outcome.fail(outcome.cases, "memory of the service", f"{mib:.0f} MiB more are resident than at first")
    for line in error_lines(log):
        outcome.fail(outcome.cases, "log of the service", line)


async def messages(cases: int, seed: int) -> PartOutcome:
    done: list[PartOutcome] = []
    async with tried_service(done) as world:
        done.append(await fuzz_messages(world, cases, seed))
    return done[0]


async def fields(cases: int, seed: int) -> PartOutcome:
    done: list[PartOutcome] = []
    async with tried_service(done) as world:
        done.append(await fuzz_fields(world, cases, seed))
    return done[0]


async def raw_bytes(cases: int, seed: int) -> PartOutcome:
    done: list[PartOutcome] = []
    async with tried_service(done) as world:
        done.append(await fuzz_bytes(world, cases, seed))
    return done[0]


PARTS: dict[str, tuple[float, Callable[[int, int], Awaitable[PartOutcome]]]] = {
    "messages": (0.04, messages),
    "fields": (0.04, fields),
    "bytes": (0.15, raw_bytes),
    "images": (0.26, fuzz_images),
    "cdp": (0.1, fuzz_cdp),
    "parsers": (0.45, fuzz_parsers),
    "tools": (0.04, fuzz_tools),
    "clients": (0.001, fuzz_clients),
}
"""Each part's share of the cases: the more expensive a part is, the fewer it has."""


async def run_parts(names: Sequence[str], cases: int, seed: int) -> list[PartOutcome]:
    """The named parts, with cases in proportion to their shares."""
    whole = sum(PARTS[name][0] for name in names)
    outcomes = []
    for name in names:
        share, run = PARTS[name]
        start = time.monotonic()
        outcome = await run(round(cases * share / whole), seed)
        outcome.seconds = time.monotonic() - start
        outcomes.append(outcome)
    return outcomes
