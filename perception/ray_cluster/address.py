"""Where the head of a Ray cluster is. Ray is not loaded for it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from perception.errors import BadInputError, PerceptionError

AUTO = "auto"
"""The cluster of RAY_ADDRESS, else the one that this machine is a node of."""

NAMESPACE = "perception"
"""Namespace of all that we have on a cluster."""

INSTALL = "pip install 'perception-service[ray]'"

ADDRESS_VARIABLE = "RAY_ADDRESS"
"""Ray's own. It says which cluster `auto` is."""

CURRENT_CLUSTER = "ray/ray_current_cluster"
"""The file in which `ray start` leaves the address of its cluster, below its folder for temporary files."""

MAX_SHOWN = 80
"""Characters of a wrong address in an error."""


class RayUnavailableError(PerceptionError):
    """A Ray cluster that cannot be used, and why."""


@dataclass(frozen=True, slots=True)
class Naming:
    """How a caller of this package is told which cluster to use, for errors.

    Attributes:
        head: names a cluster by its head, as `--placement ray=HOST:PORT`.
        auto: asks for the one of this machine, as `--placement ray=auto`.
        field: the setting that both set; "" if they set none.
    """

    head: str
    auto: str
    field: str = ""


def find_address(named: str, naming: Naming, environment: Mapping[str, str] = os.environ) -> str:
    """HOST:PORT of the head of a cluster.

    Args:
        named: HOST:PORT or `auto`.

    Raises:
        BadInputError: that is neither, or what RAY_ADDRESS says is not.
        RayUnavailableError: this machine is a node of no cluster.
    """
    check_address(named, naming)
    if named != AUTO:
        return named
    rays = environment.get(ADDRESS_VARIABLE, "").strip() or AUTO
    if rays == AUTO:
        return _of_this_machine(naming, environment)
    if not _is_address(rays):
        raise BadInputError(
            f"{ADDRESS_VARIABLE} is {rays[:MAX_SHOWN]!r}, which is not an address of a Ray cluster's head: make it "
            f"HOST:PORT, or write {naming.head}",
            field=naming.field,
        )
    return rays


def check_address(named: str, naming: Naming) -> None:
    """Raises BadInputError for what is neither HOST:PORT nor `auto`."""
    if named != AUTO and not _is_address(named):
        raise BadInputError(
            f"{named[:MAX_SHOWN]!r} names no Ray cluster: write {naming.auto} for the one that this machine is a node "
            f"of, or {naming.head} with the address of its head",
            field=naming.field,
        )


def _of_this_machine(naming: Naming, environment: Mapping[str, str]) -> str:
    """What `ray start` has noted, where it puts it."""
    folder = environment.get("RAY_TMPDIR") or environment.get("TMPDIR") or "/tmp"  # as Ray does
    try:
        found = (Path(folder) / CURRENT_CLUSTER).read_text("utf-8").strip()
    except (OSError, UnicodeError):
        found = ""
    if not _is_address(found):
        raise RayUnavailableError(
            "this machine is a node of no Ray cluster: make it one by `ray start --head`, or by `ray start --address "
            f"HOST:PORT` with the address of a head that runs. If it is one, name it by {naming.head}"
        )
    return found


def _is_address(text: str) -> bool:
    host, _, port = text.rpartition(":")
    return bool(host) and "/" not in host and port.isdecimal() and len(port) < 6 and 0 < int(port) < 65536
