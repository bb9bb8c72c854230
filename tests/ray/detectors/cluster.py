"""A Ray cluster of one node on loopback, with token authentication, and a plug-in that does what its pictures say."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.support.ports import free_port

HOST = "127.0.0.2"
"""Ray takes another address of the machine for 127.0.0.1."""

START_SECONDS = 180.0

PLUGIN = """
import os, time
from pathlib import Path
from perception.deadline import Deadline
from perception.detectors.protocol import DetectorInfo, Plugin
from perception.testing.scripted_detector import ScriptedDetection, detections_of

FOLDER = Path(os.environ["RAY_PROBE_FOLDER"])


class Probe:
    def detect(self, pixels, deadline):
        what = int(pixels[0, 0, 0])
        if what == 2:
            os._exit(1)
        if what == 3:
            while True:
                time.sleep(1)
        if what == 4:
            raise RuntimeError("/secret/path")
        if what == 1:
            (FOLDER / "waiting").touch()
            try:
                while not (FOLDER / "open").exists():
                    deadline.check("probe")
                    time.sleep(0.01)
            finally:
                (FOLDER / "waiting").unlink(missing_ok=True)
        return detections_of("probe", [ScriptedDetection((0, 0, 9, int(pixels[0, 0, 1])))])


PLUGIN = Plugin(lambda: DetectorInfo("probe", "Does what pictures say.", "Apache-2.0", ("box",)), lambda: "", Probe)
"""


@dataclass
class RayCluster:
    """One node. `folder` has the plug-in, Ray's own files and what the plug-in says."""

    folder: Path
    port: int
    token: str
    process: subprocess.Popen[bytes] | None = None
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    def start(self) -> None:
        """Starts the node and waits until it takes calls."""
        command = f"""start --head --block --node-ip-address {HOST} --port {self.port} --num-cpus 8
            --include-dashboard false --object-store-memory 80000000 --temp-dir {self.folder / "ray"}
            --ray-client-server-port {free_port(HOST)} --dashboard-agent-listen-port {free_port(HOST)}
            --disable-usage-stats"""
        ray = Path(sys.executable).with_name("ray")
        with (self.folder / "ray.log").open("ab") as log:
            self.process = subprocess.Popen(
                [ray, *command.split()], env=self.environment, stdout=log, stderr=log, start_new_session=True
            )
        ends_s = time.monotonic() + START_SECONDS
        while "Ray runtime started" not in (self.folder / "ray.log").read_text():
            assert self.process.poll() is None, (self.folder / "ray.log").read_text()
            assert time.monotonic() < ends_s, (self.folder / "ray.log").read_text()
            time.sleep(0.1)

    def kill(self) -> None:
        """Ends all of its processes at once."""
        if self.process is None:
            return
        family = self.processes()
        self.process.kill()
        for each in family:
            with suppress(psutil.NoSuchProcess):
                each.kill()
        psutil.wait_procs(family, timeout=10)
        self.process.wait()
        self.process = None
        (self.folder / "ray.log").unlink()

    def processes(self) -> list[psutil.Process]:
        """All processes that belong to it but the first."""
        own = f"RAY_PROBE_FOLDER={self.folder}"
        found: list[psutil.Process] = []
        if self.process:
            with suppress(psutil.NoSuchProcess):  # `ray start` has failed
                found = psutil.Process(self.process.pid).children(recursive=True)
        return found + [each for each in psutil.process_iter() if each not in found and _has(each, own)]

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """`perception` with these words, in the cluster's environment."""
        return subprocess.run(
            [sys.executable, "-m", "perception", *words],
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )

    def serve(self, *words: str) -> None:
        done = self.run("detectors", "serve", *words)
        assert done.returncode == 0, done.stderr


@contextmanager
def ray_cluster() -> Iterator[RayCluster]:
    """A cluster; `start` starts it. Ray's sockets have long names: its folder must have a short one."""
    with tempfile.TemporaryDirectory(prefix="rs") as name:
        folder = Path(name)
        (folder / "ray_probe.py").write_text(PLUGIN)
        (folder / "probe-1.0.dist-info").mkdir()
        (folder / "probe-1.0.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: probe\nVersion: 1.0\n")
        (folder / "probe-1.0.dist-info/entry_points.txt").write_text(
            "[perception.detectors]\nprobe = ray_probe:PLUGIN\n"
        )
        cluster = RayCluster(folder, free_port(HOST), secrets.token_hex(32))
        cluster.environment = {
            **os.environ,
            "PERCEPTION_RAY_ADDRESS": cluster.address,
            "PYTHONPATH": name,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": cluster.token,
            "RAY_PROBE_FOLDER": name,
        }
        try:
            yield cluster
        finally:
            cluster.kill()


def kill(process: psutil.Process) -> None:
    process.send_signal(signal.SIGKILL)


def _has(process: psutil.Process, variable: str) -> bool:
    name, _, value = variable.partition("=")
    try:
        return process.pid != os.getpid() and process.environ().get(name) == value
    except psutil.Error:
        return False
