"""Errors of the page: navigation, dialogs, crashes."""

from __future__ import annotations

from perception.errors.core import PerceptionError


class DialogOpenError(PerceptionError):
    """A JavaScript dialog is open; it blocks the page until it is handled."""

    grpc_code = "FAILED_PRECONDITION"


class NoDialogError(PerceptionError):
    """No such dialog is open."""

    grpc_code = "NOT_FOUND"


class FileChooserOpenError(PerceptionError):
    """A file chooser is open; input waits until it is answered."""

    grpc_code = "FAILED_PRECONDITION"


class NavigationFailedError(PerceptionError):
    """The network or the server refused the page."""

    grpc_code = "UNAVAILABLE"


class NoHistoryError(PerceptionError):
    """The history has no entry to go back or forward to."""

    grpc_code = "FAILED_PRECONDITION"


class PageCrashedError(PerceptionError):
    """The renderer process of the page crashed."""

    grpc_code = "ABORTED"


class PageChangingError(PerceptionError):
    """The document was replaced while it was being captured."""

    grpc_code = "ABORTED"
    retry_s = 1
