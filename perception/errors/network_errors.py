"""Errors of the network of a session's pages."""

from __future__ import annotations

from perception.errors.core import PerceptionError


class NetworkNotRecordedError(PerceptionError):
    """A session whose requests are not recorded."""

    reason = "NETWORK_NOT_RECORDED"
    grpc_code = "FAILED_PRECONDITION"


class RequestNotFoundError(PerceptionError):
    """A request that a session never sent, or that is no longer kept."""

    reason = "REQUEST_NOT_FOUND"
    grpc_code = "NOT_FOUND"


class BodyGoneError(PerceptionError):
    """A body that the browser no longer has, or never kept."""

    reason = "BODY_GONE"
    grpc_code = "NOT_FOUND"
