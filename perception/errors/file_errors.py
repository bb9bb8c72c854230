"""Errors of a session's files."""

from __future__ import annotations

from perception.errors.core import PerceptionError


class UnknownDownloadError(PerceptionError):
    """A download id that the session does not have, or no longer."""

    reason = "UNKNOWN_DOWNLOAD"
    grpc_code = "NOT_FOUND"


class UnknownUploadError(PerceptionError):
    """An upload id that the session does not have, or whose file was removed."""

    reason = "UNKNOWN_UPLOAD"
    grpc_code = "NOT_FOUND"


class PrivateContentError(PerceptionError):
    """A page whose PDF would hold private content as text."""

    reason = "PRIVATE_CONTENT"
    grpc_code = "FAILED_PRECONDITION"


class PdfUnreadableError(PerceptionError):
    """A PDF that cannot be fetched again, or is encrypted or broken."""

    reason = "PDF_UNREADABLE"
    grpc_code = "FAILED_PRECONDITION"


class DownloadFailedError(PerceptionError):
    """A download that failed, so that there is no file of it."""

    reason = "DOWNLOAD_FAILED"
    grpc_code = "FAILED_PRECONDITION"


class DownloadGoneError(PerceptionError):
    """A complete download whose file is not there any more, or is not on the service's machine."""

    reason = "DOWNLOAD_GONE"
    grpc_code = "NOT_FOUND"
