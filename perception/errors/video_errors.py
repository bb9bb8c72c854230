"""Errors of videos of tabs."""

from __future__ import annotations

from perception.errors.core import PerceptionError
from perception.errors.limit_errors import OverLimitError


class VideoUnavailableError(PerceptionError):
    """The service cannot make videos: its machine has no PyAV, or one without an encoder."""

    grpc_code = "FAILED_PRECONDITION"


class UnknownVideoError(PerceptionError):
    """A video id that the session, or the caller, does not have, or no longer."""

    grpc_code = "NOT_FOUND"


class VideoLimitError(OverLimitError):
    """Too many videos are being made at once."""


class VideoEmptyError(PerceptionError):
    """A video that has no picture, so that there is no file of it."""

    grpc_code = "FAILED_PRECONDITION"
