"""What a token may do: watch, drive as a person, or everything. The contract says which right each rpc needs.

Rule 1: an rpc of which the contract says nothing needs all rights.
Rule 2: who may drive may also do, with the lease of a session, what a person needs beside mouse and keys. The control
gate checks the lease.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from perception.errors import BadInputError, RightMissingError
from perception.server.rpc_call import SERVICE_PREFIX, RpcCall, lease_of
from perception.v1.options_pb2 import MethodRules


class Right(IntEnum):
    """What a token may do; each includes those before it. See MethodRules.Right of the contract."""

    VIEW = MethodRules.RIGHT_VIEW
    CONTROL = MethodRules.RIGHT_CONTROL
    ALL = MethodRules.RIGHT_ALL


_OPEN_PREFIXES = ("/grpc.health.", "/grpc.reflection.")

_WORDS = {"view": Right.VIEW, "control": Right.CONTROL, "all": Right.ALL}

_MAY = {Right.VIEW: "only watch", Right.CONTROL: "only watch and drive as a person", Right.ALL: "do everything"}


def parse_right(text: str, where: str) -> Right:
    """Rights as a token file has them: `view`, `view,control` or `all`.

    Args:
        where: the line, for the error.

    Raises:
        BadInputError: there is no such right.
    """
    words = text.split(",")
    if unknown := [each for each in words if each not in _WORDS]:
        raise BadInputError(f"{where}: there is no right {unknown[0][:40]!r}: write view, or view,control, or all")
    return max(_WORDS[each] for each in words)


def right_needed(call: RpcCall, context: Any) -> Right:
    """The right that a call needs."""
    if not call.method.startswith(SERVICE_PREFIX):
        return Right.VIEW if call.method.startswith(_OPEN_PREFIXES) else Right.ALL
    if call.rules.right_by_lease and lease_of(context):
        return Right.CONTROL
    return right_of(call.rules)


def right_of(rules: MethodRules) -> Right:
    """The right that the contract asks for, apart from a lease."""
    return Right(rules.right or Right.ALL)


def require_right(right: int, call: RpcCall, context: Any) -> None:
    """Raises RightMissingError where a right is not enough for a call."""
    needed = right_needed(call, context)
    if right >= needed:
        return
    has = Right(max(right, Right.VIEW))
    lease = ", or the lease of a person who has control" if call.rules.right_by_lease else ""
    raise RightMissingError(
        f"this token may {_MAY[has]}: {call.name} needs the right {needed.name.lower()!r}{lease}; nothing was done",
        right=has.name.lower(),
        needed=needed.name.lower(),
    )
