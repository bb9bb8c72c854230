"""What processes of this user are told apart by that serve MCP clients, and outlive who has started them.

Rule 1: what a process is started with says which one it is: options, program, libraries, environment and the files
named there. Servers that differ in any of it have services of their own.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import perception

OF_SERVICE = re.compile(
    r"PERCEPTION_\w+|\w+_PROXY|HOME|PATH|PYTHON\w+|LD_\w+|TZ|LANG|LANGUAGE|LC_\w+|DISPLAY|WAYLAND_DISPLAY|TMPDIR|SSL_\w+",
    re.IGNORECASE,
)
"""Variables that a service, its browser or its pages behave by."""


def identity(options: Sequence[str], environment: Mapping[str, str] = os.environ) -> str:
    """Which process it is, by its options and environment: 12 hexadecimal digits."""
    facts = (*options, *_program(), *_variables(environment))
    return hashlib.sha256("\0".join(facts).encode("utf-8", "surrogateescape")).hexdigest()[:12]


@cache
def _program() -> tuple[str, ...]:
    """This installation, as it was first asked for: another version of it or of its libraries is another one."""
    folders = (each for each in sys.path if each.endswith("-packages") and os.path.isdir(each))
    libraries = (f"{each} {os.stat(each).st_mtime_ns}" for each in folders)
    return sys.executable, str(_last_change(Path(perception.__file__).parent)), *libraries


def _variables(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in sorted(environment.items()):
        if OF_SERVICE.fullmatch(name):
            path = os.path.abspath(value)
            is_named = name.startswith("PERCEPTION_") and value != "" and os.path.exists(path)
            yield f"{name}={path if is_named else value} {os.stat(path).st_mtime_ns if os.path.isfile(path) else 0}"


def _last_change(folder: str | Path) -> int:
    """When a module of a package was changed last, in ns."""
    changed = 0
    with os.scandir(folder) as entries:
        for each in entries:
            if each.name.endswith(".py"):
                changed = max(changed, each.stat().st_mtime_ns)
            elif each.is_dir() and each.name != "__pycache__":
                changed = max(changed, _last_change(each.path))
    return changed
