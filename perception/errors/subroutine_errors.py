"""Errors of recordings and subroutines."""

from __future__ import annotations

from perception.errors.core import PerceptionError


class UnknownRecordingError(PerceptionError):
    """A recording id that does not exist."""

    grpc_code = "NOT_FOUND"


class RecordingError(PerceptionError):
    """A recording that cannot be started or stopped now."""

    grpc_code = "FAILED_PRECONDITION"


class RecordingEmptyError(PerceptionError):
    """A recording without actions and requests."""

    grpc_code = "FAILED_PRECONDITION"


class RecordingsDifferError(PerceptionError):
    """Two recordings of different tasks."""

    grpc_code = "FAILED_PRECONDITION"


class PlanNotPossibleError(PerceptionError):
    """A requested plan that a recording does not allow; the message says why."""

    grpc_code = "FAILED_PRECONDITION"


class UnknownSubroutineError(PerceptionError):
    """A subroutine that does not exist for this origin."""

    grpc_code = "NOT_FOUND"


class SubroutineExistsError(PerceptionError):
    """A name that another subroutine of the origin already has."""

    grpc_code = "ALREADY_EXISTS"


class SubroutineBrokenError(PerceptionError):
    """Files of a subroutine that cannot be read, or a body that is not a valid script."""

    grpc_code = "FAILED_PRECONDITION"


class SubroutineChangedError(PerceptionError):
    """A subroutine that is not of the version that a change was made for."""

    grpc_code = "ABORTED"


class ScriptCheckFailedError(PerceptionError):
    """A changed script that does not do what was recorded; the message names each difference."""

    grpc_code = "INVALID_ARGUMENT"


class OtherOriginError(PerceptionError):
    """A tab that shows an origin other than the subroutine's."""

    grpc_code = "FAILED_PRECONDITION"


class DriftError(PerceptionError):
    """The page differs from the recording: the target, URL or response of a step has changed.

    Attributes:
        before: what was recorded.
        after: what was found.
    """

    grpc_code = "FAILED_PRECONDITION"

    def __init__(self, message: str, *, before: str, after: str) -> None:
        super().__init__(message)
        self.before = before
        self.after = after


class NotLoggedInError(PerceptionError):
    """The site asks for a login where it did not when the task was recorded."""

    grpc_code = "FAILED_PRECONDITION"


class UnverifiedError(PerceptionError):
    """Everything was done, and nothing shows that it had an effect."""

    grpc_code = "FAILED_PRECONDITION"


class RefusedError(PerceptionError):
    """The site received the input and rejected it."""

    grpc_code = "FAILED_PRECONDITION"
