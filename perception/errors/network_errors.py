"""Errors of the network of a session's pages."""

from __future__ import annotations

from perception.errors.core import PerceptionError


class NetworkNotRecordedError(PerceptionError):
    """A session whose requests are not recorded."""

    grpc_code = "FAILED_PRECONDITION"


class RequestNotFoundError(PerceptionError):
    """A request that a session never sent, or that is no longer kept."""

    grpc_code = "NOT_FOUND"


class BodyGoneError(PerceptionError):
    """A body that the browser no longer has, or never kept."""

    grpc_code = "NOT_FOUND"
