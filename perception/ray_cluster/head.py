"""Asks the head of a Ray cluster, before Ray is loaded: whether it is there, its version, whether it takes our token.

Rule 1: the head is asked without a token first, so that none goes to a cluster that asks for none.
Rule 2: no token is in an error.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from perception.loopback import is_loopback
from perception.ray_cluster.address import Naming, RayUnavailableError

CHECK_ALIVE = "/ray.rpc.NodeInfoGcsService/CheckAlive"
"""A call that every head answers at once. An empty request is a valid one."""

VERSION_FIELD = 2
"""Number of the answer's field with Ray's version."""

ANSWER_SECONDS = 3.0
"""For one answer, which takes 1 ms on this machine and one round trip elsewhere. Chosen by hand."""

TOKEN_FILE = ".ray/auth_token"
"""In the user's home: where Ray itself keeps the token."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Ray cluster that answers, and that this process may join.

    Attributes:
        address: HOST:PORT of its head.
        token_auth: whether it asks for a token.
        version: of its Ray; empty where it did not say.
    """

    address: str
    token_auth: bool
    version: str = ""


def try_cluster(address: str, naming: Naming, environment: Mapping[str, str] = os.environ) -> Cluster:
    """Asks the head at HOST:PORT. Takes two round trips, and `ANSWER_SECONDS` each at most.

    Raises:
        RayUnavailableError: nothing answers, it is not a head, it does not know our token, or everybody on the network
            can use it.
    """
    version = _ask(address, "", naming)
    if version is not None:
        if not is_loopback(address.rpartition(":")[0]):
            raise RayUnavailableError(
                f"the Ray cluster at {address} has no token authentication: whoever reaches its ports runs programs on "
                "its machines. Start all of its nodes with RAY_AUTH_MODE=token and a token (`ray get-auth-token "
                "--generate`), or give it a loopback address such as 127.0.0.2 (`ray start --node-ip-address`) to try "
                "it on one machine"
            )
        return Cluster(address, token_auth=False, version=version)
    token = find_token(environment)
    if not token:
        raise RayUnavailableError(
            f"the Ray cluster at {address} asks for a token, and here is none: copy ~/{TOKEN_FILE} of its head, or set "
            "RAY_AUTH_TOKEN_PATH"
        )
    version = _ask(address, token, naming)
    if version is None:
        raise RayUnavailableError(
            f"the Ray cluster at {address} refuses the token of this process: use that of the cluster, which is in "
            f"~/{TOKEN_FILE} of its head (RAY_AUTH_TOKEN and RAY_AUTH_TOKEN_PATH come before that file)"
        )
    return Cluster(address, token_auth=True, version=version)


def find_token(environment: Mapping[str, str]) -> str:
    """The token that Ray's own client would use; "" if there is none."""
    if token := environment.get("RAY_AUTH_TOKEN", "").strip():
        return token
    path = environment.get("RAY_AUTH_TOKEN_PATH") or f"~/{TOKEN_FILE}"
    try:
        return Path(path).expanduser().read_text("utf-8").strip()
    except (OSError, RuntimeError, UnicodeError):
        return ""


def _ask(address: str, token: str, naming: Naming) -> str | None:
    """Ray's version if the head answers, None if it refuses the token. Raises RayUnavailableError: no head answers."""
    metadata = (("authorization", f"Bearer {token}"),) if token else ()
    with grpc.insecure_channel(address, (("grpc.enable_http_proxy", 0),)) as channel:
        try:
            call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(CHECK_ALIVE)
            return _version_in(call(b"", timeout=ANSWER_SECONDS, metadata=metadata))
        except grpc.RpcError as exc:
            code: grpc.StatusCode = exc.code()
            if code is grpc.StatusCode.UNAUTHENTICATED:
                return None
            raise RayUnavailableError(_why_no_head(address, code, naming)) from exc


def _why_no_head(address: str, code: grpc.StatusCode, naming: Naming) -> str:
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return (
            f"at {address} is another service, no head of a Ray cluster: name the address that `ray start` printed, by "
            f"{naming.head}"
        )
    return (
        f"no Ray cluster answers at {address} ({code.name}): start its head there (`ray start --head`), or name "
        f"another one by {naming.head}"
    )


def _version_in(answer: bytes) -> str:
    try:
        fields: Any = UnknownFieldSet(Empty.FromString(answer))
        found = [each.data for each in fields if each.field_number == VERSION_FIELD]
        return found[-1].decode() if found else ""
    except (DecodeError, AttributeError, UnicodeError):
        return ""
