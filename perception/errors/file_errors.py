"""Errors of a session's files."""

from __future__ import annotations

from perception.errors.core import PerceptionError


class UnknownDownloadError(PerceptionError):
    """A download id that the session does not have, or no longer."""

    grpc_code = "NOT_FOUND"


class UnknownUploadError(PerceptionError):
    """An upload id that the session does not have, or whose file was removed."""

    grpc_code = "NOT_FOUND"


class PrivateContentError(PerceptionError):
    """A page whose PDF would hold private content as text."""

    grpc_code = "FAILED_PRECONDITION"


class PdfUnreadableError(PerceptionError):
    """A PDF that cannot be fetched again, or is encrypted or broken."""

    grpc_code = "FAILED_PRECONDITION"


class DownloadFailedError(PerceptionError):
    """A download that failed, so that there is no file of it."""

    grpc_code = "FAILED_PRECONDITION"


class DownloadGoneError(PerceptionError):
    """A complete download whose file is not there any more, or is not on the service's machine."""

    grpc_code = "NOT_FOUND"
