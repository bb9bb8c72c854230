"""Joins a Ray cluster: loads Ray into this process and connects it, within a time limit."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from perception.ray_cluster.address import INSTALL, NAMESPACE, Naming, RayUnavailableError, find_address
from perception.ray_cluster.head import Cluster, try_cluster

JOIN_SECONDS = 20.0
"""For Ray's client to join, which takes less than a second where all is well. Chosen by hand."""

MAX_REASON = 500
"""Characters of what Ray says."""


class JoinLateError(RayUnavailableError):
    """A cluster that was not joined in time. A thread of Ray still tries to, so that this process should end soon."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A cluster that this process is a part of.

    Attributes:
        ray: the module `ray`.
        address: HOST:PORT of the cluster's head.
    """

    ray: Any
    address: str


def join(named: str, naming: Naming) -> Joined:
    """Makes this process a part of a cluster. For a process that has not loaded Ray yet.

    Args:
        named: HOST:PORT of its head, or `auto`.

    Raises:
        BadInputError: that names no cluster.
        RayUnavailableError: Ray is not installed, or the cluster cannot be used, and why.
    """
    cluster = try_cluster(find_address(named, naming), naming)
    _set_variables(cluster)
    ray = _import_ray()
    if cluster.version and cluster.version != ray.__version__:
        raise RayUnavailableError(
            f"the Ray cluster at {cluster.address} is of version {cluster.version}, and here is {ray.__version__}: "
            "install the same one on all machines"
        )
    logging.getLogger("ray").setLevel(logging.ERROR)  # what matters is in our answers and errors
    _within(JOIN_SECONDS, lambda: _init(ray, cluster.address), cluster.address)
    return Joined(ray, cluster.address)


def _set_variables(cluster: Cluster) -> None:
    """Before Ray is loaded, as it reads them once."""
    os.environ["RAY_AUTH_MODE"] = "token" if cluster.token_auth else "disabled"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"


def _import_ray() -> Any:
    try:
        import ray
    except ImportError as exc:
        if isinstance(exc, ModuleNotFoundError) and exc.name == "ray":
            raise RayUnavailableError(f"Ray is not installed here: {INSTALL}") from exc
        raise RayUnavailableError(f"Ray does not load here ({exc}): {INSTALL}") from exc
    return ray


def _init(ray: Any, address: str) -> None:
    ray.init(address=address, namespace=NAMESPACE, log_to_driver=False, configure_logging=False, logging_level="error")


def _within(seconds: float, act: Callable[[], None], address: str) -> None:
    """Runs what may never return. Raises RayUnavailableError for what it raises, and when it takes too long."""
    failed: list[Exception] = []

    def run() -> None:
        try:
            act()
        except Exception as exc:  # versions, a node that is not part of the cluster, a broken installation
            failed.append(exc)

    thread = threading.Thread(target=run, name="join-ray", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise JoinLateError(
            f"the Ray cluster at {address} answers, but could not be joined in {seconds:.0f} s: this machine has to be "
            f"a node of it (`ray start --address {address}`)"
        )
    if failed:
        raise RayUnavailableError(
            f"the Ray cluster at {address} could not be joined: {_reason(failed[0])}"
        ) from failed[0]


def _reason(error: Exception) -> str:
    """Ray's texts have several lines."""
    return " ".join(str(error).split())[:MAX_REASON] or type(error).__name__
