"""Errors of detectors."""

from __future__ import annotations

from perception.errors.core import BadInputError, PerceptionError


class UnknownDetectorError(BadInputError):
    """A detector name that no package offers."""

    grpc_code = "NOT_FOUND"


class DetectorMissingError(PerceptionError):
    """A known detector that cannot be used on this machine, such as one without its package or model."""

    grpc_code = "FAILED_PRECONDITION"
