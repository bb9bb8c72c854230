"""Services that suites measure: one alone, or an edge with workers, each in processes of their own.

A placement is a word with a value, as `static=3`, or `ray=10.0.0.5:6379` for workers on a Ray cluster that runs and has
none. What starts it is in one table, so that another one is one function more.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from perception.bench.suite_options import LOCAL
from perception.client import RemoteError, aconnect
from perception.errors import BadInputError, PerceptionError

WORKERS = 2
"""Of a placement that does not say how many."""

MAX_WORKERS = 64

START_SECONDS = 60.0

READY_SECONDS = 0.05
"""Between two looks whether a process is ready."""


class NotStartedError(PerceptionError):
    """A process did not start; its own messages are on standard error."""


@dataclass(frozen=True, slots=True)
class MeasuredService:
    """A service that runs.

    Attributes:
        address: where clients call it.
        pids: of its processes on this machine; their children are its browsers.
    """

    address: str
    pids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a service is started.

    Attributes:
        value: of the placement, what follows its `=`; empty for none.
        allow_hosts: private hosts that its pages may reach.
        sessions: that it takes at least, wherever they open.
        options: further ones of whatever has the sessions.
    """

    value: str
    allow_hosts: Sequence[str]
    sessions: int
    options: Sequence[str] = ()

    @property
    def words(self) -> list[str]:
        """The options of what has the sessions."""
        hosts = [word for host in self.allow_hosts for word in ("--allow-host", host)]
        return [*hosts, "--max-sessions", str(self.sessions), *self.options]


Start = Callable[[Wanted, Path], AbstractAsyncContextManager[MeasuredService]]


def started_service(
    placement: str, *, allow_hosts: Sequence[str], sessions: int = 32, options: Sequence[str] = ()
) -> AbstractAsyncContextManager[MeasuredService]:
    """Starts a service, and returns when it takes sessions; it ends with the `with` block.

    Args:
        placement: `local`, or another one of `STARTS`.
        allow_hosts, sessions, options: see `Wanted`.

    Raises:
        BadInputError: there is no such placement.
        NotStartedError: a process ended, or was not ready in time.
    """
    check_placement(placement)
    name, _, value = placement.partition("=")
    return _in_folder(STARTS[name], Wanted(value, allow_hosts, sessions, options))


def check_placement(placement: str) -> None:
    """Raises BadInputError for one that cannot be started."""
    name, _, value = placement.partition("=")
    if name not in STARTS:
        raise BadInputError(f"--placement {placement[:40]!r}: there are {', '.join(STARTS)}")
    if name == LOCAL and value:
        raise BadInputError(f"--placement {placement[:40]!r}: local takes no value")
    if name == "ray" and not value:
        raise BadInputError("--placement ray: name a Ray cluster that runs, ray=HOST:PORT or ray=auto")
    if name == "static":
        workers_of(value)


def workers_of(value: str) -> int:
    """How many workers a value asks for. Raises BadInputError."""
    if not value:
        return WORKERS
    if not value.isdecimal() or not 1 <= int(value) <= MAX_WORKERS:
        raise BadInputError(f"--placement static={value[:20]}: give a number of workers, 1 to {MAX_WORKERS}")
    return int(value)


@asynccontextmanager
async def _in_folder(start: Start, wanted: Wanted) -> AsyncIterator[MeasuredService]:
    with tempfile.TemporaryDirectory(prefix="perception-bench-", ignore_cleanup_errors=True) as folder:
        async with start(wanted, Path(folder)) as service:
            await _until_serving(service.address)
            yield service


@asynccontextmanager
async def _alone(wanted: Wanted, folder: Path) -> AsyncIterator[MeasuredService]:
    words = ["serve", "--address", f"unix:{folder / 'socket'}", *wanted.words]
    async with running(words, folder / "address") as (pid, address):
        yield MeasuredService(address, (pid,))


@asynccontextmanager
async def _static(wanted: Wanted, folder: Path) -> AsyncIterator[MeasuredService]:
    """As docs/scaling.md starts them: with a cluster's certificates, on loopback."""
    cluster = ["--cluster", str(folder / "cluster"), "--address", "127.0.0.1:0"]
    worker = [*wanted.words, "--grace", "0"]
    await _run("cluster", "init", str(folder / "cluster"))
    async with AsyncExitStack() as stack:
        workers = [
            await stack.enter_async_context(running(["worker", *cluster, *worker], folder / f"worker{number}"))
            for number in range(workers_of(wanted.value))
        ]
        placement = f"static={','.join(address for _, address in workers)}"
        edge = ["serve", *cluster, "--placement", placement]
        pid, address = await stack.enter_async_context(running(edge, folder / "edge"))
        yield MeasuredService(address, (pid, *(each for each, _ in workers)))


@asynccontextmanager
async def _ray(wanted: Wanted, folder: Path) -> AsyncIterator[MeasuredService]:
    """As docs/scaling.md starts them, on a cluster that its user has started, and that has no workers."""
    place = ["--placement", f"ray={wanted.value}"]
    cluster = ["--cluster", str(folder / "cluster")]
    if json.loads(await _run("cluster", "workers", *place, "--format", "json")):
        raise NotStartedError(f"the Ray cluster at {wanted.value} has workers: end them by `perception cluster stop`")
    await _run("cluster", "init", str(folder / "cluster"))
    try:
        await _run("worker", *place, *cluster, "--workers", str(WORKERS), *wanted.words, "--grace", "0")
        edge = ["serve", *place, *cluster, "--address", "127.0.0.1:0"]
        async with running(edge, folder / "edge") as (pid, address):
            yield MeasuredService(address, (pid, *_workers_here()))
    finally:
        await _run("cluster", "stop", *place, "--grace", "0")


def _workers_here() -> list[int]:
    """Workers on Ray of this user that run on this machine."""
    return [
        each.pid
        for each in psutil.process_iter(["cmdline"])
        if {"worker", "--worker-name", "--until-stdin-closes"} <= set(each.info["cmdline"] or ())
    ]


STARTS: Mapping[str, Start] = {LOCAL: _alone, "static": _static, "ray": _ray}
"""What starts each placement."""


@asynccontextmanager
async def running(words: Sequence[str], ready: Path) -> AsyncIterator[tuple[int, str]]:
    """A `perception` command that runs until the block ends; its pid, and the address that it writes to a file.

    Raises:
        NotStartedError: it ended, or wrote none in time.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "perception", *words, "--until-stdin-closes", "--ready-file", str(ready)),
        stdin=asyncio.subprocess.PIPE,
        env={"PERCEPTION_LOG_LEVEL": "warning", **os.environ},
    )
    try:
        yield process.pid, await _address(process, ready)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


async def _address(process: asyncio.subprocess.Process, ready: Path) -> str:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(START_SECONDS):
            while process.returncode is None:
                if ready.exists():  # noqa: ASYNC240 - a small file of this machine
                    return ready.read_text("utf-8")  # noqa: ASYNC240
                await asyncio.sleep(READY_SECONDS)
    raise NotStartedError("a process of the service did not start: its own messages are on standard error")


async def _run(*words: str) -> bytes:
    """What the command prints. Raises NotStartedError where it fails."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "perception", *words), stdout=asyncio.subprocess.PIPE
    )
    printed, _ = await process.communicate()
    if process.returncode:
        raise NotStartedError(f"perception {' '.join(words[:2])} failed: its own messages are on standard error")
    return printed


async def _until_serving(address: str) -> None:
    """Raises NotStartedError where the service does not serve in time: its edge reaches no worker."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(START_SECONDS):
            while True:
                with contextlib.suppress(RemoteError):
                    async with await aconnect(address, timeout_s=START_SECONDS) as client:
                        if await client.is_serving():
                            return
                await asyncio.sleep(READY_SECONDS)
    raise NotStartedError(f"the service at {address} does not serve: its own messages are on standard error")
