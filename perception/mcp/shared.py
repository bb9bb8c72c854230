"""The service that this user's MCP servers share: those of several hosts, and of a host that starts again.

Rule 1: what a service is started with says which one it is: options, program, environment and the files named there.
Servers that differ in any of it have services of their own.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import perception
from perception.client.shared_service import SharedService
from perception.client.user_folder import shell_folder
from perception.errors import BadInputError
from perception.paths import make_private

IDLE_SECONDS = 120.0
"""A service that nobody has called for so long ends. Servers call it for the sessions that are in use. Chosen by hand:
a host that starts its servers again does so within seconds."""

UNUSED_SECONDS = 7 * 86400.0
"""A folder in which no service has been started for so long is removed. Chosen by hand."""

OF_SERVICE = re.compile(
    r"PERCEPTION_\w+|\w+_PROXY|HOME|PATH|PYTHON\w+|LD_\w+|TZ|LANG|LANGUAGE|LC_\w+|DISPLAY|WAYLAND_DISPLAY|TMPDIR|SSL_\w+",
    re.IGNORECASE,
)
"""Variables that a service, its browser or its pages behave by."""


def shared_service(options: Sequence[str]) -> SharedService | None:
    """The service of these options of `perception serve`; None where this machine lets none be shared."""
    if not hasattr(socket, "AF_UNIX"):
        return None
    name = hashlib.sha256("\0".join(_facts(options)).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    try:
        folder = shell_folder() / f"mcp-{name}"
        make_private(folder)
        _drop_unused(folder)
    except (BadInputError, OSError):
        return None
    return SharedService(folder, IDLE_SECONDS, options)


def _drop_unused(own: Path) -> None:
    """Removes the folders of services that nobody has started for long, such as those of earlier versions."""
    for each in own.parent.glob("mcp-*"):
        with suppress(FileNotFoundError):  # another server has removed it
            unused = each != own and time.time() - each.stat().st_mtime > UNUSED_SECONDS
            if unused and not SharedService(each, IDLE_SECONDS).find():
                shutil.rmtree(each, ignore_errors=True)


def _facts(options: Sequence[str]) -> Iterator[str]:
    yield from (*options, sys.executable, str(_last_change(Path(perception.__file__).parent)))
    for name, value in sorted(os.environ.items()):
        if OF_SERVICE.fullmatch(name):
            path = os.path.abspath(value)
            is_named = name.startswith("PERCEPTION_") and value != "" and os.path.exists(path)
            yield f"{name}={path if is_named else value} {os.stat(path).st_mtime_ns if os.path.isfile(path) else 0}"


def _last_change(folder: str | Path) -> int:
    """When a module of a package was changed last, in ns: another version is another service."""
    changed = 0
    with os.scandir(folder) as entries:
        for each in entries:
            if each.name.endswith(".py"):
                changed = max(changed, each.stat().st_mtime_ns)
            elif each.is_dir() and each.name != "__pycache__":
                changed = max(changed, _last_change(each.path))
    return changed
