"""Who calls, as an edge tells a worker: the principal that the edge authenticated, signed for one call.

An edge checks tokens; a worker has none. It takes what an edge has signed with a key that both have, for this method
and this request id, and refuses everything else. On other machines mutual TLS is beneath it.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Callable, Sequence

import msgspec

from perception.errors import UnauthenticatedError
from perception.instrumentation.metrics import AUTH_FAILED
from perception.server.auth.session_ids import ClusterKey
from perception.server.rpc_call import RpcCall

CALLER_KEY = "perception-caller"
"""Metadata key of a signed caller."""

EDGE = "edge"
"""Name of the certificate of an edge."""

MAC_BYTES = 16


class Caller(msgspec.Struct, frozen=True, omit_defaults=True):
    """A caller.

    Attributes:
        principal: empty where the edge has no authentication.
        right: what the edge lets it do, a `Right`; None for everything.
    """

    principal: str = ""
    right: int | None = None


def sign_caller(caller: Caller, call: RpcCall, key: ClusterKey) -> str:
    """The value of CALLER_KEY for one call."""
    body = base64.urlsafe_b64encode(msgspec.json.encode(caller)).decode()
    return f"{body}.{_mac(body, call, key)}"


def read_caller(text: str, call: RpcCall, keys: Sequence[ClusterKey]) -> Caller | None:
    """The caller of a call; None where no key has signed it for this call."""
    body, _, mac = text.partition(".")
    if not text.isascii() or not any(hmac.compare_digest(mac, _mac(body, call, key)) for key in keys):
        return None
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(body), type=Caller)
    except (binascii.Error, msgspec.MsgspecError):  # of another version
        return None


def take_caller(
    call: RpcCall, shown: Sequence[tuple[str, str | bytes]], keys: Callable[[], Sequence[ClusterKey]]
) -> None:
    """Sets the principal and the right of a call that an edge carries. Raises UnauthenticatedError for other calls."""
    signed = [value for key, value in shown if key == CALLER_KEY]
    caller = read_caller(signed[0], call, keys()) if len(signed) == 1 and isinstance(signed[0], str) else None
    if caller is None:
        AUTH_FAILED.labels(reason="edge").inc()
        raise UnauthenticatedError(
            "this is a worker, which takes calls from edges alone: call an edge (`perception serve --placement …`). If "
            "this is one, its session keys are others than the worker's"
        )
    call.principal, call.right = caller.principal, caller.right


def _mac(body: str, call: RpcCall, key: ClusterKey) -> str:
    said = "\0".join((call.method, call.request_id, body))
    return hmac.digest(key.callers, said.encode(), "sha256")[:MAC_BYTES].hex()
