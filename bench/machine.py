"""Facts about the machine, the browser and the code of a run."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path

from perception import host_os
from perception.browser.chromium.launch import LaunchOptions, find_executable


def machine_facts(chromium: str) -> dict[str, str]:
    """What a measurement depends on, by name. `chromium` is the browser's version."""
    return {
        "processor": host_os.processor_name(),
        "cores": str(len(os.sched_getaffinity(0))),
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "system": platform.platform(terse=True),
        "load average before": f"{os.getloadavg()[0]:.1f}",
        "Chromium": chromium,
        "Playwright": importlib.metadata.version("playwright"),
        "Python": platform.python_version(),
        "perception-service": importlib.metadata.version("perception-service"),
        "commit": source_commit(Path(__file__)),
    }


def chromium_version() -> str:
    """The version of the Chromium that the service would start."""
    program = find_executable(LaunchOptions())
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout.strip()


def source_commit(file: Path) -> str:
    """The commit that a source file is checked out at, with a `+` if any tracked file differs from it.

    `none` for a file that git does not track: an installed package may be inside an unrelated repository.
    """
    file = file.resolve()
    describe = ["describe", "--always", "--abbrev=12", "--exclude=*", "--dirty=+"]
    try:
        git(file.parent, "ls-files", "--error-unmatch", file.name)
        return git(file.parent, *describe).strip()
    except (FileNotFoundError, subprocess.CalledProcessError):  # no git here, or the file is not tracked
        return "none"


def git(folder: Path, *arguments: str) -> str:
    """What git prints, run in a folder. Raises FileNotFoundError without git, CalledProcessError where it fails."""
    return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True).stdout
