"""The service that this user's MCP servers share: those of several hosts, and of a host that starts again."""

from __future__ import annotations

import shutil
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from perception.client.identity import identity
from perception.client.shared_service import SharedService
from perception.client.user_folder import shell_folder
from perception.errors import BadInputError
from perception.paths import make_private

IDLE_SECONDS = 120.0
"""A service that nobody has called for so long ends. Servers call it for the sessions that are in use. Chosen by hand:
a host that starts its servers again does so within seconds."""

UNUSED_SECONDS = 7 * 86400.0
"""A folder in which no service has been started for so long is removed. Chosen by hand."""


def shared_service(options: Sequence[str]) -> SharedService | None:
    """The service of these options of `perception serve`; None where this machine lets none be shared."""
    if not hasattr(socket, "AF_UNIX"):
        return None
    try:
        folder = shell_folder() / f"mcp-{identity(options)}"
        make_private(folder)
        _drop_unused(folder)
    except (BadInputError, OSError):
        return None
    return SharedService(folder, IDLE_SECONDS, options)


def is_any_service_up() -> bool:
    """Whether a service of this user's MCP servers listens."""
    return any(SharedService(each, IDLE_SECONDS).find() for each in shell_folder().glob("mcp-*"))


def _drop_unused(own: Path) -> None:
    """Removes the folders of services that nobody has started for long, such as those of earlier versions."""
    for each in own.parent.glob("mcp-*"):
        with suppress(FileNotFoundError):  # another server has removed it
            unused = each != own and time.time() - each.stat().st_mtime > UNUSED_SECONDS
            if unused and not SharedService(each, IDLE_SECONDS).find():
                shutil.rmtree(each, ignore_errors=True)
