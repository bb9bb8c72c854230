"""Errors of authentication, blocked addresses, secrets and scripts."""

from __future__ import annotations

from perception.errors.core import PerceptionError


class UnauthenticatedError(PerceptionError):
    """A call without valid credentials."""

    grpc_code = "UNAUTHENTICATED"


class SessionIdForgedError(UnauthenticatedError):
    """A session id in the form of a signed one, which none of the service's keys has signed."""


class SchemeBlockedError(PerceptionError):
    """A URL scheme that is never opened (`file:`, `chrome:`, …)."""

    grpc_code = "PERMISSION_DENIED"


class OriginBlockedError(PerceptionError):
    """A host that the service may not reach."""

    grpc_code = "PERMISSION_DENIED"


class UnknownSecretError(PerceptionError):
    """A secret that does not exist, or not for this caller."""

    grpc_code = "NOT_FOUND"


class SecretOriginError(PerceptionError):
    """A secret that may not be typed into this page."""

    grpc_code = "PERMISSION_DENIED"


class TouchDisabledError(PerceptionError):
    """A touch in a session whose screen takes none."""

    grpc_code = "FAILED_PRECONDITION"


class EvaluateDisabledError(PerceptionError):
    """The session does not allow scripts."""

    grpc_code = "PERMISSION_DENIED"


class RightMissingError(PerceptionError):
    """A call that the caller's token has no right to."""

    grpc_code = "PERMISSION_DENIED"
