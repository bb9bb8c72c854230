"""Errors of calls to workers: the worker's own, or those of a connection that broke. Pure."""

from __future__ import annotations

import grpc
from google.rpc import error_details_pb2, status_pb2

from perception.server.rpc_call import REQUEST_ID_KEY

_DETAILS_KEY = "grpc-status-details-bin"

_BROKEN = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.CANCELLED,
)
"""What gRPC ends a call with when its connection breaks, or the other process ends."""


def is_own(error: grpc.aio.AioRpcError) -> bool:
    """Whether the worker itself has answered so: all its answers name the request."""
    return any(key == REQUEST_ID_KEY for key, _ in error.trailing_metadata() or ())


def is_broken(error: grpc.aio.AioRpcError) -> bool:
    """Whether the connection broke."""
    return not is_own(error) and error.code() in _BROKEN


def reason_of(error: grpc.aio.AioRpcError) -> str:
    """The ErrorInfo reason of an error; empty where it has none."""
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS_KEY:
            info = error_details_pb2.ErrorInfo()
            for detail in status_pb2.Status.FromString(value).details:
                if detail.Unpack(info):
                    return str(info.reason)
    return ""
