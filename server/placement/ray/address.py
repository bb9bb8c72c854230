"""What `--placement ray=…` says, and how workers on a cluster are called. Ray is not loaded for it."""

from __future__ import annotations

from perception.ray_cluster.address import AUTO, Naming, check_address

NAME = "ray"

PREFIX = "worker-"
"""How the names of workers begin. Actors of other names are not ours."""

PLACEMENT = Naming(f"--placement {NAME}=HOST:PORT", f"--placement {NAME}={AUTO}", "placement")


def is_ray(placement: str) -> bool:
    """Whether a placement is on Ray."""
    return placement == NAME or placement.startswith(f"{NAME}=")


def address_in(placement: str) -> str:
    """`HOST:PORT`, or `auto`, of `ray`, `ray=auto` and `ray=HOST:PORT`. Raises BadInputError."""
    address = placement.removeprefix(NAME).removeprefix("=").strip() or AUTO
    check_address(address, PLACEMENT)
    return address
