"""Workers at fixed addresses, as `perception worker` starts them."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

from perception.bench.suites.cluster_faults.placements import SLOTS, WORKERS, WorkerNow
from perception.bench.suites.cluster_faults.processes import Relay
from perception.bench.suites.faults.injection import SkippedError
from perception.bench.suites.faults.processes import START_SECONDS, PerceptionProcess
from perception.datasets.sources.site_server import free_port

FAKE_TIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
"""Of Debian's package `faketime`."""


class StaticWorkers:
    """The placement `static`."""

    name = "static"

    def __init__(self) -> None:
        self.cluster = Path()
        self.environment: dict[str, str] = {}
        self._runs: list[PerceptionProcess] = []
        self._ports: list[int] = []

    async def start(self, folder: Path) -> None:
        self.cluster = folder / "cluster"
        make = [sys.executable, "-m", "perception", "cluster", "init", str(self.cluster)]
        await asyncio.to_thread(subprocess.run, make, check=True, capture_output=True)
        for index in range(WORKERS):
            home = folder / f"w{index}"
            for each in (home, home / "tmp", home / "data"):
                each.mkdir()
                each.chmod(0o755)
            self._ports.append(free_port())
            self._runs.append(self._worker(index, home))
        await asyncio.gather(*(each.start() for each in self._runs))
        await asyncio.gather(*map(self._listens, range(WORKERS)))

    def _worker(self, index: int, home: Path) -> PerceptionProcess:
        words = ["worker", "--cluster", str(self.cluster), "--address", f"127.0.0.1:{self._ports[index]}"]
        words += ["--worker-name", f"w{index}", "--max-sessions", str(SLOTS), "--allow-host", "127.0.0.1"]
        words += ["--start-browser"]
        environment = {
            "TMPDIR": str(home / "tmp"),
            "PERCEPTION_DATA_DIR": str(home / "data"),
            "PERCEPTION_DRAIN_S": "3",
        }
        return PerceptionProcess(words, home, environment)

    @property
    def option(self) -> str:
        return _at(self._ports)

    async def relayed(self) -> tuple[Relay, str]:
        relay = await Relay.begin(self._ports)
        return relay, _at(relay.ports)

    async def workers(self) -> list[WorkerNow]:
        return [
            WorkerNow(index, f"w{index}", each.pid, each.folder / "tmp", each.folder / "data")
            for index, each in enumerate(self._runs)
            if each.runs
        ]

    async def kill(self, worker: WorkerNow) -> None:
        await self._runs[worker.index].kill()

    async def kill_node(self, worker: WorkerNow) -> None:
        await self._runs[worker.index].kill_all()

    async def drain(self, worker: WorkerNow, grace_s: float) -> None:
        address = f"127.0.0.1:{self._ports[worker.index]}"
        command = ["cluster", "drain", address, "--cluster", str(self.cluster), "--grace", str(grace_s)]
        asking = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "perception", *command), stdout=subprocess.DEVNULL
        )
        assert await asking.wait() == 0, "`perception cluster drain` failed"
        code = await self._runs[worker.index].wait()
        assert code == 0, f"a worker that was told to end has ended with {code}"

    async def restore(self) -> None:
        ended = [index for index, each in enumerate(self._runs) if not each.runs]
        await asyncio.gather(*(self._runs[each].start() for each in ended))
        await asyncio.gather(*map(self._listens, ended))

    async def restart_at(self, worker: WorkerNow, clock: str) -> None:
        if clock and not await asyncio.to_thread(FAKE_TIME.exists):
            raise SkippedError("Debian's package `faketime` is not installed")
        run = self._runs[worker.index]
        run.signal(signal.SIGKILL)
        await run.wait()
        more = {"LD_PRELOAD": str(FAKE_TIME), "FAKETIME": clock, "FAKETIME_DONT_FAKE_MONOTONIC": "1"} if clock else {}
        await run.start(**more)
        await self._listens(worker.index)

    async def count_actors(self) -> int:
        return 0

    async def close(self) -> None:
        for run in self._runs:
            if run.runs:
                run.signal(signal.SIGCONT)
                run.signal(signal.SIGTERM)
        for run in self._runs:
            try:
                await asyncio.wait_for(run.wait(), 10)
            except TimeoutError:
                await run.kill_all()

    async def _listens(self, index: int) -> None:
        run = self._runs[index]
        async with asyncio.timeout(START_SECONDS):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", self._ports[index])
                except OSError:
                    if not run.runs:
                        raise RuntimeError((run.folder / "log").read_text()[-2000:]) from None
                    await asyncio.sleep(0.05)
                else:
                    writer.close()
                    return


def _at(ports: list[int]) -> str:
    return "static=" + ",".join(f"127.0.0.1:{each}" for each in ports)
