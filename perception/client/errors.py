"""Errors that the client raises: calls that the service refused, scripts that threw."""

from __future__ import annotations

from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2

_DETAILS_KEY = "grpc-status-details-bin"
"""The trailing metadata that holds a `google.rpc.Status`."""

_NO_ANSWER = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNIMPLEMENTED)
"""What a health check of an address ends with where no Perception service listens."""


class RemoteError(Exception):
    """A call that the service refused, or that did not reach it.

    Attributes:
        code: gRPC status code.
        reason: ErrorInfo reason, such as `STALE_REF`; empty when the answer does not come from the service itself.
        metadata: ErrorInfo details.
    """

    def __init__(self, code: grpc.StatusCode, message: str, reason: str, metadata: dict[str, str]) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.metadata = metadata

    @classmethod
    def of(cls, error: grpc.RpcError) -> RemoteError:
        """The service's own message, reason and details from a gRPC error of either form."""
        call: Any = error
        for key, value in call.trailing_metadata() or ():
            if key != _DETAILS_KEY:
                continue
            status = status_pb2.Status.FromString(value)
            for detail in status.details:
                info = error_details_pb2.ErrorInfo()
                if detail.Unpack(info):
                    return cls(call.code(), status.message, info.reason, dict(info.metadata))
        return cls(call.code(), call.details() or "", "", {})


class ScriptError(Exception):
    """An evaluated script threw an exception.

    Attributes:
        stack: where it was thrown, as the browser writes it.
    """

    def __init__(self, message: str, stack: str) -> None:
        super().__init__(message)
        self.stack = stack


def describe_no_answer(error: RemoteError, address: str) -> RemoteError:
    """A clearer error where nothing answers at an address; the same error where something does."""
    if error.code not in _NO_ANSWER:
        return error
    return unavailable(f"no service answers at {address}: check the address, or start one with `perception serve`")


def unavailable(message: str) -> RemoteError:
    """An error of a service that cannot be reached or started."""
    return RemoteError(grpc.StatusCode.UNAVAILABLE, message, "", {})
