"""`perception doctor`: asks this machine for what the service needs. `fitness` judges the answers."""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

from perception import host_os
from perception.browser.chromium.browser_host import BrowserHost
from perception.browser.chromium.launch import UNPRIVILEGED_USER, LaunchOptions
from perception.browser.opening import end_unclaimed
from perception.client import RemoteError, connect
from perception.deadline import Deadline
from perception.detectors.detector_queue import LATE
from perception.detectors.pool import CropCache, DetectorPool
from perception.detectors.registry import Registry
from perception.errors import BadInputError, DeadlineError, PerceptionError, SandboxUnavailableError, first_line
from perception.render.tokens import count_tokens
from perception.server.auth.private_file import read_private
from perception.server.data_folder import NAMES, existing_part, why_not_writable
from perception.server.fitness import (
    Finding,
    Level,
    judge_clock,
    judge_cores,
    judge_disk,
    judge_files,
    judge_fonts,
    judge_late,
    judge_memory,
    judge_proxies,
    judge_python,
    judge_sandbox,
    judge_secret_files,
    judge_shared_memory,
    judge_version,
)
from perception.server.placement.cluster_check import check_cluster
from perception.server.settings import Settings

OPENING_SECONDS = 30.0
"""How long what was late may still take to start, so that it can be ended. Chosen by hand."""


async def check_machine(settings: Settings) -> list[Finding]:
    """Runs all checks, the cheap ones first."""
    temporary = Path(tempfile.gettempdir())
    host_os.allow_open_files()  # as the service does
    return [
        judge_python(sys.version_info[:2], platform.python_version()),
        judge_cores(_cores()),
        judge_memory(_memory_bytes()),
        *_shared_memory(),
        judge_files(host_os.open_file_limit()),
        judge_clock(time.time(), os.stat(np.__file__).st_mtime),
        _folder("temporary files", temporary, "TMPDIR"),
        *_reach_of_nobody(temporary),
        _folder("recordings", settings.data_folder, "PERCEPTION_DATA_DIR", NAMES),
        *judge_secret_files(_secret_files(settings)),
        *check_cluster(settings.cluster),
        judge_proxies(os.environ),
        await asyncio.to_thread(look_at_address, settings.address),
        *judge_fonts(_font_families("zh-cn"), _font_families("und-zsye")),
        await asyncio.to_thread(_tokenizer),
        *await _detectors(settings),
        await _browser(settings),
    ]


def _cores() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _shared_memory() -> list[Finding]:
    """A finding on Linux, whose Chromium uses /dev/shm; none elsewhere."""
    if not sys.platform.startswith("linux"):
        return []
    return [judge_shared_memory(shutil.disk_usage("/dev/shm").total if os.path.isdir("/dev/shm") else None)]


def _memory_bytes() -> int:
    """The memory that is available: by the system's estimate, and by the limits of the control group (Linux)."""
    available = int(psutil.virtual_memory().available)
    with contextlib.suppress(OSError, ValueError):
        group = Path("/sys/fs/cgroup")
        limit, used = (int((group / name).read_text()) for name in ("memory.max", "memory.current"))
        available = min(available, limit - used)
    return available


def _folder(name: str, folder: Path, variable: str, names: tuple[str, ...] = ()) -> Finding:
    """Writes files there. `names`: of folders in it."""
    if why_not_writable(folder, names):
        return judge_disk(name, 0, writable=False, variable=variable)
    return judge_disk(name, shutil.disk_usage(existing_part(folder)).free, writable=True, variable=variable)


def _reach_of_nobody(folder: Path) -> list[Finding]:
    """Whether the browser's user can reach its profile: as root, Chromium runs as another user."""
    if not host_os.is_superuser():
        return []
    closed = [each for each in (folder, *folder.parents) if not each.stat().st_mode & stat.S_IXOTH]
    if not closed:
        return [Finding("user", Level.OK, f"root; the browser runs as {UNPRIVILEGED_USER}")]
    detail = f"root; {UNPRIVILEGED_USER}, as whom the browser runs, cannot enter the folder of temporary files"
    return [Finding("user", Level.FAIL, detail, "chmod o+x on it and what it is in, or TMPDIR=/tmp")]


def _secret_files(settings: Settings) -> dict[str, str]:
    """Files that settings name and others may not read: for each why the service would refuse it, or nothing."""
    troubles: dict[str, str] = {}
    for name, value in settings.model_dump().items():
        if isinstance(value, Path) and any(word in name for word in ("token", "key", "secret")):
            troubles[name] = ""
            try:
                read_private(value, "the file")
            except BadInputError as exc:
                troubles[name] = str(exc)
    return troubles


def look_at_address(address: str) -> Finding:
    """Whether the service could listen there. A service that already listens is not a fault."""
    with contextlib.suppress(RemoteError, PerceptionError), connect(address, timeout_s=2):
        return Finding("address", Level.OK, f"a service answers at {address} already")
    if address.startswith("unix:"):
        return _folder("address", Path(address.removeprefix("unix:")).parent, "--address")
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind((host, int(port)))
    except (OSError, ValueError, OverflowError) as exc:
        why = exc.strerror if isinstance(exc, OSError) and exc.strerror else "it is not HOST:PORT"
        fix = "end what uses it (ss -ltnp shows it), or choose another: --address 127.0.0.1:50052"
        return Finding("address", Level.FAIL, f"{address} cannot be listened on: {why}", fix)
    return Finding("address", Level.OK, f"{address} is free")


def _font_families(language: str) -> list[str] | None:
    """Font families with the characters of a language; None where fontconfig is not installed."""
    try:
        listed = subprocess.run(
            ["fc-list", f":lang={language}", "family"], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return sorted(line.split(",")[0] for line in listed.stdout.splitlines() if line)


def _tokenizer() -> Finding:
    try:
        count_tokens("a b")
    except Exception as exc:  # a compiled module that was built for another machine can fail in any way
        fix = "pip install --force-reinstall bpe-openai"
        return Finding("tokenizer", Level.FAIL, f"it does not load: {type(exc).__name__}", fix)
    return Finding("tokenizer", Level.OK, "o200k")


async def _detectors(settings: Settings) -> list[Finding]:
    """Runs each detector in use on a blank image, in a process of its own as the service does."""
    registry = await asyncio.to_thread(Registry.load)
    statuses = await asyncio.to_thread(registry.describe_all, settings.detectors)
    used = set(settings.detectors or registry.defaults())
    pool = DetectorPool(registry)
    try:
        ready = [status.info.name for status in statuses if status.installed and status.info.name in used]
        blank = np.full((32, 32, 3), 255, np.uint8)
        run = await pool.detect(ready, [blank], Deadline.of(settings.default_deadline_s), CropCache(), reserve_s=0)
    finally:
        await asyncio.to_thread(pool.close)
    failed = {skipped.name: skipped.reason for skipped in run.skipped}
    findings = []
    for status in statuses:
        name = status.info.name
        if failed.get(name, "").startswith(LATE):
            finding = _late(f"detector {name}", f"no answer within {settings.default_deadline_s:g} s")
        elif name in failed:
            fix = "perception parse on any picture shows more; pip install --force-reinstall perception-service"
            finding = Finding(f"detector {name}", Level.FAIL, failed[name], fix)
        elif status.installed:
            finding = Finding(f"detector {name}", Level.OK, status.info.description)
        elif name in used:
            finding = Finding(f"detector {name}", Level.FAIL, "it is used, and not installed", status.missing)
        else:
            finding = Finding(f"detector {name}", Level.OK, f"not in use: {status.missing}")
        findings.append(finding)
    unknown = used - {status.info.name for status in statuses}
    return findings + [
        Finding(f"detector {name}", Level.FAIL, "there is no detector of that name", "perception detectors lists them")
        for name in sorted(unknown)
    ]


async def _browser(settings: Settings) -> Finding:
    """Starts the browser as the service would, with its sandbox."""
    try:
        options = LaunchOptions(settings.browser_path, settings.headless, settings.sandbox)
        host = await BrowserHost.start(options, Deadline.of(settings.default_deadline_s))
    except DeadlineError as exc:
        await end_unclaimed(OPENING_SECONDS)
        return _late("browser", f"it did not start within {settings.default_deadline_s:g} s: it was still {exc.phase}")
    except SandboxUnavailableError as exc:
        return Finding("browser", Level.FAIL, first_line(exc).partition(":")[0], judge_sandbox(_switches()))
    except PerceptionError as exc:
        detail, _, fix = first_line(exc).partition(": ")
        return Finding(
            "browser", Level.FAIL, detail, fix or "perception doctor again, with PERCEPTION_BROWSER_PATH set"
        )
    try:
        finding = judge_version(host.version)
    finally:
        await host.close()
    if settings.sandbox:
        return Finding(finding.name, finding.level, f"{finding.detail}, sandbox on", finding.fix)
    fix = finding.fix or "unset PERCEPTION_SANDBOX: a page that breaks out of its process has the rest of the machine"
    return Finding(finding.name, Level.WARN, f"{finding.detail}, sandbox OFF", fix)


def _late(name: str, detail: str) -> Finding:
    return judge_late(name, detail, psutil.getloadavg()[0], _cores())


def _switches() -> dict[str, int | None]:
    """The kernel's switches that decide about Chromium's sandbox; None for those that it does not have."""
    names = (
        "kernel.unprivileged_userns_clone",
        "kernel.apparmor_restrict_unprivileged_userns",
        "user.max_user_namespaces",
    )
    return {name: host_os.kernel_switch(name) for name in names}
