"""Joins a Ray cluster: finds its address, tries it within a time limit, and refuses one that anybody can use.

Rule 1: Ray's own client waits 20 s to 2 minutes for a cluster that is not there or that has another token. So the
address is tried by one plain call before Ray's code is loaded.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import grpc

from perception.detectors.ray_serve.messages import INSTALL
from perception.errors import BadInputError, PerceptionError

ADDRESS_VARIABLE = "PERCEPTION_RAY_ADDRESS"
AUTO = "auto"
NAMESPACE = "perception"
QUIET = {"ray": logging.ERROR, "ray.serve": logging.ERROR}
"""Ray's loggers: what matters of their lines is in our answers and errors."""

CHECK = "/ray.rpc.NodeInfoGcsService/CheckAlive"
"""A call that every cluster answers at once. An empty request is a valid one."""

PROBE_SECONDS = 2.0
"""For one answer of Ray's head, which takes 1 ms on this machine and one round trip elsewhere. Chosen by hand."""


class RayUnavailableError(PerceptionError):
    """No Ray cluster can be used at this address, and why."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Ray cluster that answers.

    Attributes:
        address: HOST:PORT of its head.
        token_auth: whether it asks for a token.
    """

    address: str
    token_auth: bool


def find_address(asked: str, environment: Mapping[str, str] = os.environ) -> str:
    """HOST:PORT of the cluster's head.

    Args:
        asked: HOST:PORT; `auto` or empty for the cluster of RAY_ADDRESS, else for the one that runs on this machine.

    Raises:
        BadInputError: what was asked for is no address.
        RayUnavailableError: no cluster runs on this machine.
    """
    named = asked or environment.get(ADDRESS_VARIABLE, "") or AUTO
    if named == AUTO:
        named = environment.get("RAY_ADDRESS", AUTO) or AUTO
    if named == AUTO:
        named = _running_here(environment)
    host, _, port = named.rpartition(":")
    if not host or "/" in named or not port.isdecimal() or not 0 < int(port) < 65536:
        raise BadInputError(f"{named!r} is no address of a Ray cluster: give HOST:PORT of its head, or auto")
    return named


def _running_here(environment: Mapping[str, str]) -> str:
    """What `ray start` has noted on this machine."""
    folder = environment.get("RAY_TMPDIR") or environment.get("TMPDIR") or tempfile.gettempdir()
    try:
        return (Path(folder) / "ray" / "ray_current_cluster").read_text("utf-8").strip()
    except OSError as exc:
        raise RayUnavailableError(
            "no Ray cluster runs on this machine: start one with `ray start`, or name the address of its head "
            f"(HOST:PORT) in {ADDRESS_VARIABLE}"
        ) from exc


def try_cluster(address: str, environment: Mapping[str, str] = os.environ) -> Cluster:
    """Tries an address. Takes two round trips, and `PROBE_SECONDS` each at most.

    Raises:
        RayUnavailableError: nothing answers, it does not know our token, or anybody on the network can use it.
    """
    if _answers(address, "") is None:
        if not is_loopback(address):
            raise RayUnavailableError(
                f"Ray at {address} asks for no token, so that everybody who reaches it can run programs there: start "
                "it with RAY_AUTH_MODE=token, see docs/detectors.md"
            )
        return Cluster(address, token_auth=False)
    token = find_token(environment)
    if not token:
        raise RayUnavailableError(
            f"Ray at {address} asks for a token, and there is none here: put it into ~/.ray/auth_token, or name its "
            "file in RAY_AUTH_TOKEN_PATH"
        )
    refused = _answers(address, token)
    if refused is not None:
        raise RayUnavailableError(f"Ray at {address} refuses the token of this process: use that of the cluster")
    return Cluster(address, token_auth=True)


def _answers(address: str, token: str) -> str | None:
    """None if the head answers, else that it refuses the token. Raises RayUnavailableError: nothing answers."""
    metadata = (("authorization", f"Bearer {token}"),) if token else ()
    with grpc.insecure_channel(address, (("grpc.enable_http_proxy", 0),)) as channel:
        try:
            call: Any = channel.unary_unary(CHECK)
            call(b"", timeout=PROBE_SECONDS, metadata=metadata)
        except grpc.RpcError as exc:
            code: grpc.StatusCode = exc.code()
            if code is grpc.StatusCode.UNAUTHENTICATED:
                return code.name
            raise RayUnavailableError(
                f"no Ray answers at {address} ({code.name}): check that it runs (`ray status`) and that the address is "
                "that of its head"
            ) from exc
    return None


def find_token(environment: Mapping[str, str]) -> str:
    """The token that Ray's own client would use; "" if there is none."""
    if token := environment.get("RAY_AUTH_TOKEN", "").strip():
        return token
    path = environment.get("RAY_AUTH_TOKEN_PATH") or "~/.ray/auth_token"
    try:
        return Path(path).expanduser().read_text("utf-8").strip()
    except (OSError, RuntimeError):
        return ""


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches an address."""
    host = address.rpartition(":")[0].strip("[]")
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def join(cluster: Cluster) -> None:
    """Makes this process a part of the cluster. For a process that has not loaded Ray yet.

    Raises:
        RayUnavailableError: Ray is not installed here, is of another version, or does not run on this machine.
    """
    os.environ["RAY_AUTH_MODE"] = "token" if cluster.token_auth else "disabled"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    try:
        import ray
        from ray import serve  # noqa: F401  its packages are an extra of Ray's
    except ImportError as exc:
        raise RayUnavailableError(f"Ray Serve does not load here ({exc}): {INSTALL}") from exc
    for name, level in QUIET.items():
        logging.getLogger(name).setLevel(level)
    try:
        ray.init(
            address=cluster.address,
            namespace=NAMESPACE,
            log_to_driver=False,
            configure_logging=False,
            logging_level="error",
        )
    except Exception as exc:  # versions, a node that is not part of the cluster, a broken installation
        raise RayUnavailableError(f"Ray at {cluster.address} cannot be joined: {_first_lines(exc)}") from exc


def _first_lines(error: Exception, limit: int = 300) -> str:
    said = " ".join(str(error).split())
    return said[:limit] or type(error).__name__
