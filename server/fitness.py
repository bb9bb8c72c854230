"""Whether a machine is fit for the service: what is enough, and what to do where it is not.

Rule 1: nothing here asks the machine; `doctor` does.
Rule 2: FAIL is what keeps the service from working, WARN what makes it slower, poorer or less safe.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import Enum

from perception import host_os

MIB = 2**20

MIN_SHM_BYTES = 64 * MIB
"""What containers have by default. Our Chromium is started so that it needs none; an attached one may need it."""

MIN_MEMORY_BYTES, GOOD_MEMORY_BYTES = 1024 * MIB, 2048 * MIB
"""The service with its detectors at work takes 0.7 GiB (`ppocr` alone 446 MiB at its peak), a tab 0.1 GiB and more."""

MIN_DISK_BYTES, GOOD_DISK_BYTES = 256 * MIB, 1024 * MIB
"""A profile takes some 30 MB, a download up to 256 MiB by default."""

GOOD_FILES = 1024
"""Open files that are enough for the sessions that may be open by default."""

MIN_CHROMIUM = 132
"""Since this version `--headless` is the whole browser, and not an older one that draws differently."""

CLOCK_SLACK_SECONDS = 86_400
"""Files that were installed a day ahead of the clock mean that the clock is wrong, not the time zone."""

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


class Level(Enum):
    """How bad a finding is."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check.

    Attributes:
        name: what was checked, for people and scripts.
        level: how bad it is.
        detail: what was found.
        fix: what to do, a command where there is one; empty at level OK.
    """

    name: str
    level: Level
    detail: str
    fix: str = ""

    def json(self) -> dict[str, str]:
        """As `perception doctor --format json` prints it."""
        return {**asdict(self), "level": self.level.value}


def is_fit(findings: Iterable[Finding]) -> bool:
    """Whether nothing keeps the service from working."""
    return all(finding.level is not Level.FAIL for finding in findings)


def judge_python(version: tuple[int, ...], name: str) -> Finding:
    if version >= (3, 11):
        return Finding("python", Level.OK, name)
    return Finding("python", Level.FAIL, name, "install Python 3.11 or newer: apt-get install python3.11")


def judge_cores(count: int) -> Finding:
    if count > 1:
        return Finding("processors", Level.OK, f"{count} cores")
    return Finding("processors", Level.WARN, "one core: pages, detectors and calls wait for each other", "give it two")


def judge_memory(available: int) -> Finding:
    """Args: available: bytes that could be allocated now, within the container's limit."""
    detail = f"{available / 2**30:.1f} GiB available"
    if available >= GOOD_MEMORY_BYTES:
        return Finding("memory", Level.OK, detail)
    level = Level.WARN if available >= MIN_MEMORY_BYTES else Level.FAIL
    fix = "free some, or raise the container's limit (docker run --memory 4g); allow fewer sessions: --max-sessions 4"
    return Finding("memory", level, detail, fix)


def judge_shared_memory(total: int | None) -> Finding:
    """Args: total: bytes of /dev/shm; None where there is none."""
    if total is not None and total >= MIN_SHM_BYTES:
        return Finding("shared memory", Level.OK, f"{total // MIB} MiB in /dev/shm")
    detail = "no /dev/shm" if total is None else f"{total // MIB} MiB in /dev/shm"
    fix = "docker run --shm-size 1g, if you attach to a Chromium of your own; ours needs none"
    return Finding("shared memory", Level.WARN, detail, fix)


def judge_files(limit: int | None) -> Finding:
    """Args: limit: files that a process may have open; None for no limit."""
    if limit is None:
        return Finding("open files", Level.OK, "no limit")
    detail = f"{limit} may be open at once"
    if limit >= GOOD_FILES:
        return Finding("open files", Level.OK, detail)
    return Finding(
        "open files", Level.WARN if limit >= host_os.MIN_OPEN_FILES else Level.FAIL, detail, host_os.MORE_FILES
    )


def judge_clock(now: float, installed: float) -> Finding:
    """Args: both in seconds since 1970; `installed` is when a library's files were written."""
    if now >= installed - CLOCK_SLACK_SECONDS:
        return Finding("clock", Level.OK, time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(now)))
    detail = f"it shows {time.strftime('%Y-%m-%d', time.gmtime(now))}, which is before this was installed"
    return Finding(
        "clock", Level.FAIL, detail, "set it (timedatectl set-ntp true): certificates count as not yet valid"
    )


def judge_disk(name: str, free: int, *, writable: bool, variable: str) -> Finding:
    """Args: free: bytes; variable: the environment variable or option that names the folder."""
    if not writable:
        fix = f"let this user write there, or name another by {variable}"
        return Finding(name, Level.FAIL, "the folder cannot be written", fix)
    detail = f"{free / 2**30:.1f} GiB free"
    if free >= GOOD_DISK_BYTES:
        return Finding(name, Level.OK, detail)
    fix = f"free some space, or name a folder on another disk by {variable}"
    return Finding(name, Level.WARN if free >= MIN_DISK_BYTES else Level.FAIL, detail, fix)


def judge_secret_files(troubles: Mapping[str, str]) -> list[Finding]:
    """Args: troubles: why the service refuses a file with a secret, by its setting; empty where it accepts it."""
    findings = []
    for name, trouble in troubles.items():
        level = Level.FAIL if trouble else Level.OK
        fix = f"chmod 600 on it, name another, or unset {name}" if trouble else ""
        findings.append(Finding(name, level, trouble or "readable by this user only", fix))
    return findings


def judge_proxies(environment: Mapping[str, str]) -> Finding:
    known = {name.upper(): value for name, value in environment.items() if value}
    found = [name for name in PROXIES if name in known]
    if not found:
        return Finding("proxies", Level.OK, "none set")
    detail = f"{', '.join(found)} set: pages are fetched directly nevertheless"
    if any(host in known.get("NO_PROXY", "").split(",") for host in ("127.0.0.1", "*")):
        return Finding("proxies", Level.OK, detail)
    fix = "other gRPC clients would reach the service through it: export no_proxy=127.0.0.1,localhost"
    return Finding("proxies", Level.WARN, detail, fix)


def judge_fonts(chinese: list[str] | None, emoji: list[str] | None) -> list[Finding]:
    """Args: families that have these characters; None where fontconfig is missing."""
    if chinese is None or emoji is None:
        fix = "apt-get install fontconfig fonts-dejavu-core fonts-noto-cjk fonts-noto-color-emoji"
        return [Finding("fonts", Level.WARN, "fontconfig is not installed: fonts cannot be listed", fix)]
    drawn = "such text is drawn as empty boxes, which detectors cannot read"
    return [
        Finding("fonts, CJK", Level.OK, chinese[0])
        if chinese
        else Finding("fonts, CJK", Level.WARN, f"none: {drawn}", "apt-get install fonts-noto-cjk"),
        Finding("fonts, emoji", Level.OK, emoji[0])
        if emoji
        else Finding("fonts, emoji", Level.WARN, f"none: {drawn}", "apt-get install fonts-noto-color-emoji"),
    ]


def judge_version(version: str) -> Finding:
    """Args: version: `Chromium 156.0.1.2`."""
    major = version.split(" ")[-1].partition(".")[0]
    if not major.isdecimal() or int(major) >= MIN_CHROMIUM:
        return Finding("browser", Level.OK, version)
    fix = "apt-get install --only-upgrade chromium, or: playwright install chromium"
    return Finding(
        "browser", Level.WARN, f"{version} is older than {MIN_CHROMIUM}, the oldest that is known to work", fix
    )


def judge_late(name: str, detail: str, load: float, cores: int) -> Finding:
    """Args: load: programs that want a processor, on average of a minute."""
    fix = f"{'run it again when the machine is less busy' if load > cores else 'run it again'}, or with more time: "
    return Finding(
        name,
        Level.FAIL,
        f"{detail} (programs that want a processor: {load:.0f}, on {cores} cores)",
        f"{fix}PERCEPTION_DEFAULT_DEADLINE_S=120 perception doctor",
    )


def judge_sandbox(switches: Mapping[str, int | None]) -> str:
    """What to do where Chromium's sandbox does not work, by what the kernel forbids.

    Args:
        switches: values by sysctl name; None for one that the kernel does not have.
    """
    if switches.get("kernel.unprivileged_userns_clone") == 0:
        return "sysctl -w kernel.unprivileged_userns_clone=1, or: apt-get install chromium-sandbox"
    if switches.get("kernel.apparmor_restrict_unprivileged_userns"):
        return "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile that allows userns"
    if switches.get("user.max_user_namespaces") == 0:
        return "sysctl -w user.max_user_namespaces=15000"
    return (
        "in a container allow user namespaces (docker run --security-opt seccomp=unconfined), "
        "or: apt-get install chromium-sandbox"
    )
