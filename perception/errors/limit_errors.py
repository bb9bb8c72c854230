"""Errors of limits: a call may succeed later, or with less."""

from __future__ import annotations

from perception.errors.core import PerceptionError


class OverLimitError(PerceptionError):
    """A limit of the service is reached."""

    reason = "OVER_LIMIT"
    grpc_code = "RESOURCE_EXHAUSTED"
    retry_s = 1


class SessionLimitError(OverLimitError):
    """The maximum number of sessions is open."""

    reason = "SESSION_LIMIT"


class TabLimitError(OverLimitError):
    """The session has the maximum number of tabs."""

    reason = "TAB_LIMIT"


class MemoryLimitError(OverLimitError):
    """The browsers use all the memory that the service allows them."""

    reason = "MEMORY_LIMIT"
    retry_s = 5


class QueueFullError(OverLimitError):
    """The maximum number of calls is running and queued."""

    reason = "QUEUE_FULL"


class SessionBusyError(OverLimitError):
    """The maximum number of calls of one session is running."""

    reason = "SESSION_BUSY"


class WatchLimitError(OverLimitError):
    """The maximum number of watches is running."""

    reason = "WATCH_LIMIT"


class UploadLimitError(PerceptionError):
    """More files, or larger files, than a session accepts."""

    reason = "UPLOAD_LIMIT"
    grpc_code = "RESOURCE_EXHAUSTED"


class DiskFullError(PerceptionError):
    """The disk that the service writes to is full."""

    reason = "DISK_FULL"
    grpc_code = "RESOURCE_EXHAUSTED"


class DataFolderError(PerceptionError):
    """The folder where the service keeps profiles, recordings, subroutines and videos cannot be written."""

    reason = "DATA_FOLDER"
    grpc_code = "FAILED_PRECONDITION"
