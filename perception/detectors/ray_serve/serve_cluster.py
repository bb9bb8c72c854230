"""Which Ray cluster detectors run on, and the way into it.

`PERCEPTION_RAY_ADDRESS` is a setting of detectors alone, of services and workers as of `perception detectors serve`.
`--placement ray=…` says where workers are, which may be another cluster; neither sets the other. Without
`PERCEPTION_RAY_ADDRESS` detectors use `auto`, which is the same cluster as with `--placement ray=auto`.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping

from perception.ray_cluster.address import AUTO, INSTALL, Naming, RayUnavailableError
from perception.ray_cluster.joining import join

ADDRESS_VARIABLE = "PERCEPTION_RAY_ADDRESS"

BY_VARIABLE = Naming(f"{ADDRESS_VARIABLE}=HOST:PORT", f"{ADDRESS_VARIABLE}={AUTO}")

BY_OPTION = Naming("--ray HOST:PORT", f"--ray {AUTO}")
"""The options of `perception detectors serve`, `served` and `stop`."""


def named_cluster(asked: str, environment: Mapping[str, str] = os.environ) -> tuple[str, Naming]:
    """The cluster that a command's `--ray` asks for, else that of the environment: HOST:PORT or `auto`, and by what it
    was named."""
    return (asked, BY_OPTION) if asked else (environment.get(ADDRESS_VARIABLE, "").strip() or AUTO, BY_VARIABLE)


def join_cluster(asked: str = "") -> str:
    """Makes this process a part of the cluster, and loads Ray Serve.

    Returns:
        HOST:PORT of the cluster's head.

    Raises:
        BadInputError: what names it is not an address.
        RayUnavailableError: it cannot be used, and why.
    """
    address = join(*named_cluster(asked)).address
    try:
        from ray import serve  # noqa: F401  its packages are an extra of Ray's
    except ImportError as exc:
        raise RayUnavailableError(f"Ray Serve does not load here ({exc}): {INSTALL}") from exc
    logging.getLogger("ray.serve").setLevel(logging.ERROR)  # what matters is in our answers and errors
    return address
