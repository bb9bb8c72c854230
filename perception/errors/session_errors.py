"""Errors of sessions, tabs, snapshots and the browser behind them."""

from __future__ import annotations

from perception.errors.core import PerceptionError


class UnknownSessionError(PerceptionError):
    """A session id that does not exist, or not for this caller."""

    grpc_code = "NOT_FOUND"


class SessionExpiredError(UnknownSessionError):
    """A session that the service closed because it was idle for too long or too old."""


class SessionLostError(PerceptionError):
    """The browser behind a session is gone."""

    grpc_code = "ABORTED"

    @classmethod
    def of_browser(cls, **metadata: str) -> SessionLostError:
        """The error of a session whose browser has ended, with the one sentence that says so."""
        return cls("the browser of this session is gone: create a new session", **metadata)


class UnknownTabError(PerceptionError):
    """A tab id that does not exist in the session."""

    grpc_code = "NOT_FOUND"


class UnknownCallError(PerceptionError):
    """A number of a call that is not kept, or no longer."""

    grpc_code = "NOT_FOUND"


class UnknownSnapshotError(PerceptionError):
    """A snapshot id that does not exist or is no longer kept."""

    grpc_code = "NOT_FOUND"


class UnknownCursorError(PerceptionError):
    """A cursor whose answer is not kept, or no longer."""

    grpc_code = "NOT_FOUND"


class BrowserUnavailableError(PerceptionError):
    """Chromium is not installed or does not start."""

    grpc_code = "UNAVAILABLE"


class SandboxUnavailableError(BrowserUnavailableError):
    """Chromium's sandbox does not work on this machine, and running without it is not allowed."""


class WorkerUnreachableError(PerceptionError):
    """An edge that does not reach a worker now, and has sent it nothing."""

    grpc_code = "UNAVAILABLE"
    retry_s = 1


class CallBrokenError(PerceptionError):
    """The connection between edge and worker broke while the call was under way: what it did is not known."""

    grpc_code = "ABORTED"
