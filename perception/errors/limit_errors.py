"""Errors of limits: a call may succeed later, or with less."""

from __future__ import annotations

from perception.errors.core import PerceptionError


class OverLimitError(PerceptionError):
    """A limit of the service is reached."""

    grpc_code = "RESOURCE_EXHAUSTED"
    retry_s = 1


class SessionLimitError(OverLimitError):
    """The maximum number of sessions is open."""


class TabLimitError(OverLimitError):
    """The session has the maximum number of tabs."""


class MemoryLimitError(OverLimitError):
    """The browsers use all the memory that the service allows them."""

    retry_s = 5


class QueueFullError(OverLimitError):
    """The maximum number of calls is running and queued."""


class SessionBusyError(OverLimitError):
    """The maximum number of calls of one session is running."""


class WatchLimitError(OverLimitError):
    """The maximum number of watches is running."""


class UploadLimitError(PerceptionError):
    """More files, or larger files, than a session accepts."""

    grpc_code = "RESOURCE_EXHAUSTED"


class DiskFullError(PerceptionError):
    """The disk that the service writes to is full."""

    grpc_code = "RESOURCE_EXHAUSTED"


class DataFolderError(PerceptionError):
    """The folder where the service keeps profiles, recordings, subroutines and videos cannot be written."""

    grpc_code = "FAILED_PRECONDITION"
