"""The way into a Ray cluster: who answers there, whether it asks for a token, and Ray's client in this process.

Rule 1: a cluster that takes commands from everybody who reaches it is not joined, unless only this machine does.
Rule 2: nothing here waits for longer than it says: Ray itself waits for a cluster without an end.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from perception.errors import BadInputError
from perception.server.placement.ray.address import NAMESPACE, is_loopback, resolve

ANSWER_SECONDS = 3.0
"""For the head to say that it is there."""

JOIN_SECONDS = 20.0
"""For Ray's client to join, which takes less than a second where all is well. Chosen by hand."""

CHECK_ALIVE = "/ray.rpc.NodeInfoGcsService/CheckAlive"
"""Asks a head without a token; its answer's field 2 is Ray's version."""

VERSION_FIELD = 2

TOKEN_VARIABLES = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")

TOKEN_FILE = Path(".ray/auth_token")
"""In the user's home: where Ray itself keeps the token."""

EXTRA = "pip install 'perception-service[ray]'"


@dataclass(frozen=True, slots=True)
class Head:
    """What a cluster's head says to somebody who shows no token.

    Attributes:
        asks_for_token: whether it turned the question down.
        version: of Ray; empty where it did not say.
    """

    asks_for_token: bool
    version: str = ""


def join(placement_address: str) -> Any:
    """Joins a cluster as a client.

    Args:
        placement_address: `HOST:PORT` or `auto`.

    Returns:
        The module `ray`.

    Raises:
        BadInputError: Ray is not installed, nobody answers, it is no head of a cluster, it has no token authentication
            or takes not this machine's token, or Ray's versions differ.
    """
    address = resolve(placement_address)
    head = ask_head(address)
    check_tokens(address, head)
    _set_variables(head)
    ray = import_ray()
    if head.version and head.version != ray.__version__:
        raise _bad(
            f"the Ray cluster at {address} is of version {head.version}, and here is {ray.__version__}: install the "
            "same one on all machines"
        )
    _within(JOIN_SECONDS, lambda: _init(ray, address), address)
    return ray


def import_ray() -> Any:
    """The module `ray`. Raises BadInputError where it is not installed."""
    try:
        import ray
    except ModuleNotFoundError as exc:
        if exc.name != "ray":
            raise
        raise _bad(f"--placement ray needs Ray, which is not installed here: {EXTRA}") from exc
    return ray


def ask_head(address: str) -> Head:
    """Asks the head at an address `HOST:PORT`. Raises BadInputError where none answers."""
    with grpc.insecure_channel(address, (("grpc.enable_http_proxy", 0),)) as channel:
        try:
            ask: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(CHECK_ALIVE)
            answer = ask(b"", timeout=ANSWER_SECONDS)
        except grpc.RpcError as exc:
            if exc.code() is grpc.StatusCode.UNAUTHENTICATED:
                return Head(asks_for_token=True)
            raise _bad(_no_head(address, exc)) from exc
    return Head(asks_for_token=False, version=_version_in(answer))


def check_tokens(address: str, head: Head) -> None:
    """Raises BadInputError for a cluster without token authentication that others reach, and where a token that it asks
    for is missing."""
    if not head.asks_for_token and not is_loopback(address):
        raise _bad(
            f"the Ray cluster at {address} has no token authentication: whoever reaches its ports runs programs on its "
            "machines. Start all of its nodes with RAY_AUTH_MODE=token and a token (`ray get-auth-token --generate`), "
            "or give it a loopback address such as 127.0.0.2 (`ray start --node-ip-address`) to try it on one machine"
        )
    has_token = any(os.environ.get(each) for each in TOKEN_VARIABLES) or (Path.home() / TOKEN_FILE).exists()
    if head.asks_for_token and not has_token:
        raise _bad(
            f"the Ray cluster at {address} asks for a token, and here is none: copy ~/{TOKEN_FILE} of its head, or set "
            "RAY_AUTH_TOKEN_PATH"
        )


def _set_variables(head: Head) -> None:
    """Before Ray is loaded, as it reads them once."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_AUTH_MODE"] = "token" if head.asks_for_token else "disabled"


def _init(ray: Any, address: str) -> None:
    logging.getLogger("ray").setLevel(logging.ERROR)
    ray.init(
        address=address,
        namespace=NAMESPACE,
        log_to_driver=False,
        configure_logging=False,
        include_dashboard=False,
    )


def _within(seconds: float, act: Callable[[], None], address: str) -> None:
    """Runs what may never return. Raises BadInputError for what it raises, and when it takes too long."""
    failed: list[Exception] = []

    def run() -> None:
        try:
            act()
        except Exception as exc:  # of many kinds: told to the caller
            failed.append(exc)

    thread = threading.Thread(target=run, name="join-ray", daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise _bad(
            f"the Ray cluster at {address} answers, but could not be joined in {seconds:.0f} s: this machine has to be "
            "a node of it (`ray start --address`)"
        )
    if failed:
        raise _bad(f"the Ray cluster at {address} could not be joined: {_first_sentence(failed[0])}") from failed[0]


def _no_head(address: str, error: Any) -> str:
    if error.code() is grpc.StatusCode.UNIMPLEMENTED:
        return f"at {address} is another service, no head of a Ray cluster: name the address that `ray start` printed"
    return (
        f"no Ray cluster answers at {address}: start its head there (`ray start --head`), or name another one "
        "(--placement ray=HOST:PORT)"
    )


def _version_in(answer: bytes) -> str:
    from perception.server.placement.frame_fields import read_text

    return read_text(answer, VERSION_FIELD) or ""


def _first_sentence(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return text[0][:300] if text else type(error).__name__


def _bad(message: str) -> BadInputError:
    return BadInputError(message, field="placement")
