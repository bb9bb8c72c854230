"""Settings with which the service could only fail later: they are refused as it starts."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from perception import host_os
from perception.errors import BadInputError, ProfileKeyWrongError
from perception.server.data_folder import why_not_writable
from perception.server.environment import how_to_set
from perception.server.profiles.keys import KEYRING, load_key
from perception.server.settings import LOCAL, Settings

MAX_PORT = 65535

ADDRESSES = ("address", "health_address", "metrics_address", "viewer")
"""Settings that are an address to listen on."""

ENDPOINT_SCHEMES = ("http", "https", "ws", "wss")


def check_settings(settings: Settings) -> None:
    """Asks this machine for what settings name, without leaving anything.

    Raises:
        BadInputError: one of them can only fail; names the option, and what to do. Or the service may have too few
            files open.
    """
    if few := host_os.few_files_hint():
        raise BadInputError(few)
    for name in ADDRESSES:
        _check_port(name, getattr(settings, name))
    if settings.placement != LOCAL:  # an edge has no sessions
        return
    if settings.cdp_endpoint:
        _check_endpoint(settings.cdp_endpoint)
    elif settings.browser_path is not None:
        _check_program(settings.browser_path)
    if settings.profile_key not in ("", KEYRING):
        _check_key(settings)
    if settings.download_dir is not None and (why := why_not_writable(settings.download_dir)):
        raise _refusal("download_dir", settings.download_dir, f"cannot be written ({why}): name a folder that can")


def _check_port(name: str, address: str) -> None:
    port = address.rpartition(":")[2]
    if address.startswith("unix:") or not port.isdecimal():  # who listens there says what it has to be
        return
    if int(port) > MAX_PORT:
        raise _refusal(name, address, f"has no port that there is: ports are at most {MAX_PORT}")


def _check_endpoint(endpoint: str) -> None:
    try:
        parts = urlsplit(endpoint)
        is_url = parts.scheme in ENDPOINT_SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is not a number, or over 65535
        is_url = False
    if not is_url:
        shown = "http://127.0.0.1:9222, or the ws:// address of a browser"
        raise _refusal("cdp_endpoint", endpoint, f"is not an address of a browser: write {shown}")


def _check_program(path: Path) -> None:
    if not os.path.exists(path):
        raise _refusal("browser_path", path, "does not exist: name Chromium's program, or leave it out")
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        raise _refusal("browser_path", path, "is not a program that may be run: name Chromium's, or chmod +x it")


def _check_key(settings: Settings) -> None:
    try:
        load_key(settings.profile_key, settings.data_folder)
    except ProfileKeyWrongError as exc:
        raise BadInputError(str(exc), field="profile_key") from exc


def _refusal(name: str, value: object, why: str) -> BadInputError:
    return BadInputError(f"{how_to_set(name)}: {str(value)[:200]!r} {why}", field=name)
