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

    @classmethod
    def by(cls, error: str) -> NavigationFailedError:
        """The error for one of Chromium's network errors, such as `net::ERR_UNSAFE_PORT`."""
        return cls(f"the page could not be opened ({error}): {cls.what_helps(error)}", error=error)

    @staticmethod
    def what_helps(error: str) -> str:
        """What to do about one of Chromium's network errors, or about an unknown one, which is an empty text."""
        if error == "net::ERR_UNSAFE_PORT":
            return "browsers do not open this port: let the server listen on another one"
        if error == "net::ERR_SSL_PROTOCOL_ERROR":
            return "the server does not speak https here: try http://"
        if error.startswith("net::ERR_CERT_"):
            return "the server's certificate is not valid for this address: use the name that it was issued for, or http://"
        return "check the address and that the server is up"


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
