"""Where a Ray cluster is: what `--placement ray=…` says. Ray is not loaded for it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from perception.client.access import is_local
from perception.errors import BadInputError

NAME = "ray"

AUTO = "auto"
"""The cluster that this machine is a node of."""

NAMESPACE = "perception"
"""Of the named actors."""

PREFIX = "worker-"
"""How the names of workers begin. Actors of other names are none of ours."""

ADDRESS_VARIABLE = "RAY_ADDRESS"

CURRENT_CLUSTER = "ray_current_cluster"
"""The file in which `ray start` leaves the address of its cluster."""


def is_ray(placement: str) -> bool:
    """Whether a placement is on Ray."""
    return placement == NAME or placement.startswith(f"{NAME}=")


def address_in(placement: str) -> str:
    """`HOST:PORT`, or `auto`, of `ray`, `ray=auto` and `ray=HOST:PORT`. Raises BadInputError."""
    address = placement.removeprefix(NAME).removeprefix("=").strip() or AUTO
    if address == AUTO or _is_address(address):
        return address
    raise BadInputError(
        f"{address[:80]!r} names no Ray cluster: write --placement ray=auto for the one that this machine is a node "
        "of, or ray=HOST:PORT with the address of its head",
        field="placement",
    )


def resolve(address: str) -> str:
    """`HOST:PORT` of the cluster. Raises BadInputError where this machine is a node of none."""
    if address != AUTO:
        return address
    named = os.environ.get(ADDRESS_VARIABLE, "")
    if named and named != AUTO:
        return address_in(f"{NAME}={named}")
    file = Path(os.environ.get("RAY_TMPDIR") or tempfile.gettempdir()) / NAME / CURRENT_CLUSTER
    try:
        found = file.read_text("utf-8").strip()
    except OSError:
        found = ""
    if not _is_address(found):
        raise BadInputError(
            "this machine is a node of no Ray cluster: make it one by `ray start --head`, or by `ray start --address "
            "HOST:PORT` with the address of a head that runs",
            field="placement",
        )
    return found


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches an address `HOST:PORT`."""
    return is_local(address)


def _is_address(text: str) -> bool:
    host, _, port = text.rpartition(":")
    return bool(host) and "/" not in host and port.isdecimal() and 0 < int(port) < 65536
