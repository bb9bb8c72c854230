"""Errors of authentication, blocked addresses, secrets and scripts."""

from __future__ import annotations

from perception.errors.core import PerceptionError


class UnauthenticatedError(PerceptionError):
    """A call without valid credentials."""

    reason = "UNAUTHENTICATED"
    grpc_code = "UNAUTHENTICATED"


class ForgedSessionIdError(UnauthenticatedError):
    """A session id in the form of a signed one, which none of the service's keys has signed."""

    reason = "SESSION_ID_FORGED"


class SchemeBlockedError(PerceptionError):
    """A URL scheme that is never opened (`file:`, `chrome:`, …)."""

    reason = "SCHEME_BLOCKED"
    grpc_code = "PERMISSION_DENIED"


class OriginBlockedError(PerceptionError):
    """A host that the service may not reach."""

    reason = "ORIGIN_BLOCKED"
    grpc_code = "PERMISSION_DENIED"


class UnknownSecretError(PerceptionError):
    """A secret that does not exist, or not for this caller."""

    reason = "UNKNOWN_SECRET"
    grpc_code = "NOT_FOUND"


class SecretOriginError(PerceptionError):
    """A secret that may not be typed into this page."""

    reason = "SECRET_ORIGIN"
    grpc_code = "PERMISSION_DENIED"


class TouchDisabledError(PerceptionError):
    """A touch in a session whose screen takes none."""

    reason = "TOUCH_DISABLED"
    grpc_code = "FAILED_PRECONDITION"


class EvaluateDisabledError(PerceptionError):
    """The session does not allow scripts."""

    reason = "EVALUATE_DISABLED"
    grpc_code = "PERMISSION_DENIED"


class RightMissingError(PerceptionError):
    """A call that the caller's token has no right to."""

    reason = "RIGHT_MISSING"
    grpc_code = "PERMISSION_DENIED"
