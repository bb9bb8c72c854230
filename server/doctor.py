"""Is this machine fit? Each check says what it found, or what to do."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from dataclasses import dataclass

from perception.browser.chromium import LaunchOptions
from perception.browser.host import BrowserHost
from perception.budget import Budget
from perception.detectors.registry import Registry
from perception.errors import PerceptionError
from perception.server.settings import Settings

MIN_SHM_BYTES = 64 * 2**20
"""Less is less than containers give by default, and Chromium's tabs begin to crash."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's outcome."""

    name: str
    ok: bool
    detail: str


async def check_machine(settings: Settings) -> list[Finding]:
    """All checks, the cheap ones first."""
    return [_python(), _shared_memory(), *_detectors(settings), await _browser(settings)]


def _python() -> Finding:
    version = platform.python_version()
    ok = sys.version_info >= (3, 11)
    return Finding("python", ok, version if ok else f"{version}: install Python 3.11 or newer")


def _shared_memory() -> Finding:
    if not os.path.isdir("/dev/shm"):
        return Finding("shared memory", True, "no /dev/shm here; Chromium uses files")
    total = shutil.disk_usage("/dev/shm").total
    detail = f"{total // 2**20} MB in /dev/shm"
    return Finding("shared memory", total >= MIN_SHM_BYTES, detail)


def _detectors(settings: Settings) -> list[Finding]:
    """What is missing matters only of those that are used."""
    registry = Registry.load()
    used = set(settings.detectors or registry.defaults())
    findings = []
    for status in registry.describe_all():
        name = status.info.name
        detail = status.missing or status.info.description
        if status.missing and name not in used:
            detail = f"not in use: {detail}"
        findings.append(Finding(f"detector {name}", status.installed or name not in used, detail))
    return findings


async def _browser(settings: Settings) -> Finding:
    """Starts it as the service would, sandbox and all."""
    try:
        options = LaunchOptions(settings.browser_path, settings.headless, settings.sandbox)
        host = await BrowserHost.start(options, Budget.of(settings.default_deadline_s))
    except PerceptionError as exc:
        return Finding("browser", False, str(exc))
    try:
        return Finding("browser", True, f"{host.version}, sandbox {'on' if settings.sandbox else 'OFF'}")
    finally:
        await host.close()
