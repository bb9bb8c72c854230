"""The commands of docs/scaling.md for two nodes, from nothing, with token authentication: two nodes on this machine."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.long.server.placement.test_processes import SCALING, client_of
from tests.ray.placement.conftest import SECONDS
from tests.support.ports import free_port

SMALL = ("--object-store-memory", str(80 * 2**20), "--disable-usage-stats")
"""For `ray start`, which takes a third of the machine's memory otherwise."""


class Machine:
    """Both machines of the guide: addresses and ports are this machine's, all else is as printed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = {"6379": str(free_port()), "50051": str(free_port())}
        self.variables = {
            **{name: value for name, value in os.environ.items() if not name.startswith("RAY_")},
            "HOME": str(folder),
            "RAY_TMPDIR": str(folder),
            "TMPDIR": str(folder),
            "PERCEPTION_DATA_DIR": str(folder / "data"),
            "PERCEPTION_ALLOW_HOSTS": "127.0.0.1",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }
        guide = SCALING.read_text("utf-8")
        guide = guide[guide.index("\n## On Ray\n") :]
        self.blocks = re.findall(r"^```sh\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)[:3]
        self.edge: subprocess.Popen[bytes] | None = None

    def run(self, line: str) -> str:
        """One line of the guide: what it prints."""
        words = self._here(line)
        if words[0] == "export":
            self.variables |= dict(each.split("=", 1) for each in words[1:])
            return ""
        done = subprocess.run(
            [*words, *(SMALL if words[:2] == ["ray", "start"] else ())],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start_edge(self, line: str) -> str:
        address = f"127.0.0.1:{self.ports['50051']}"
        self.edge = subprocess.Popen([*self._here(line), "--address", address], cwd=self.folder, env=self.variables)
        return address

    def end(self) -> None:
        """Ends what belongs to this folder: `ray stop` would end other clusters of this machine, too."""
        if self.edge is not None:
            self.edge.kill()
            self.edge.wait()
        deadline = time.monotonic() + 20
        while (left := self._processes()) and time.monotonic() < deadline:
            for each in left:
                each.kill()
            psutil.wait_procs(left, 1)

    def _processes(self) -> list[psutil.Process]:
        found = []
        for each in psutil.process_iter(("cmdline",)):
            line = each.info["cmdline"] or ()
            if each.pid != os.getpid() and any(str(self.folder) in word or self._head in word for word in line):
                found.append(each)
        return found

    @property
    def _head(self) -> str:
        return f"127.0.0.2:{self.ports['6379']}"

    def _here(self, line: str) -> list[str]:
        for printed, ours in ({"10.0.0.5": "127.0.0.2", "10.0.0.6": "127.0.0.3"} | self.ports).items():
            line = line.replace(printed, ours)
        return shlex.split(line)


@pytest.fixture
def machine(ray_cluster_is_possible: None) -> Iterator[Machine]:
    with tempfile.TemporaryDirectory(prefix="pr-", dir="/tmp", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        machine = Machine(Path(name))
        try:
            yield machine
        finally:
            machine.end()


async def test_two_nodes_from_nothing(machine: Machine, site: str) -> None:
    head, second, rest = (each.splitlines() for each in machine.blocks)
    for line in (*head, *second, *rest[:-1]):
        said = machine.run(line)
    assert re.fullmatch(r"(worker-[12] serves on 127\.0\.0\.[23]:\d+\n){2}", said)
    edge = machine.start_edge(rest[-1])
    client = await client_of(edge)
    page = await client.open(f"{site}/html?body=<h1>Two nodes</h1>")
    assert "Two nodes" in (await page.snapshot(mode="MODE_TEXT")).text
    await page.close()
    await client.close()
    listed = machine.run("perception cluster workers --placement ray=auto")
    assert len(listed.splitlines()) == 3
    token = machine.folder / ".ray/auth_token"
    secret = token.read_text().strip()
    for each in machine._processes():
        if "perception worker" in " ".join(each.info["cmdline"]):
            assert secret not in str(each.environ())
    token.rename(token.with_name("elsewhere"))
    with pytest.raises(AssertionError, match="asks for a token, and here is none"):
        machine.run("perception cluster workers --placement ray=auto")
    token.write_text("0" * len(secret))
    with pytest.raises(AssertionError, match="refuses the token of this process"):
        machine.run("perception cluster workers --placement ray=auto")
    token.write_text(secret)
    assert machine.run("perception cluster stop --placement ray=auto --grace 0").count("takes no more sessions") == 2
