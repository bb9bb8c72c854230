"""One table: which error becomes which gRPC status. All details of an error that are returned are made here."""

from __future__ import annotations

import grpc
from google.protobuf.any_pb2 import Any as AnyProto
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2

from perception import errors
from perception.errors import PerceptionError
from perception.render.untrusted import Fence

DOMAIN = "perception"

MAX_MESSAGE = 1000
"""Characters. Status messages travel as HTTP/2 headers, of which peers take 8 KiB by default."""

MAX_MESSAGE_COST, MAX_VALUE_COST = 3000, 500
"""Bytes of a message, and of each detail, as headers have them: gRPC writes a byte that is not ASCII as `%C3`."""

CODES: dict[type[PerceptionError], grpc.StatusCode] = {
    errors.BadInputError: grpc.StatusCode.INVALID_ARGUMENT,
    errors.CoordinateOutOfViewportError: grpc.StatusCode.OUT_OF_RANGE,
    errors.UnknownDetectorError: grpc.StatusCode.NOT_FOUND,
    errors.SchemeBlockedError: grpc.StatusCode.PERMISSION_DENIED,
    errors.OriginBlockedError: grpc.StatusCode.PERMISSION_DENIED,
    errors.RightMissingError: grpc.StatusCode.PERMISSION_DENIED,
    errors.UnauthenticatedError: grpc.StatusCode.UNAUTHENTICATED,
    errors.UploadLimitError: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.StateOriginError: grpc.StatusCode.PERMISSION_DENIED,
    errors.ProfileNotFoundError: grpc.StatusCode.NOT_FOUND,
    errors.ProfileInUseError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.ProfileKeyError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.ProfileDamagedError: grpc.StatusCode.DATA_LOSS,
    errors.ProfileLimitError: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.UnknownSessionError: grpc.StatusCode.NOT_FOUND,
    errors.SessionExpiredError: grpc.StatusCode.NOT_FOUND,
    errors.UnknownSecretError: grpc.StatusCode.NOT_FOUND,
    errors.SecretOriginError: grpc.StatusCode.PERMISSION_DENIED,
    errors.UnknownTabError: grpc.StatusCode.NOT_FOUND,
    errors.UnknownCallError: grpc.StatusCode.NOT_FOUND,
    errors.UnknownSnapshotError: grpc.StatusCode.NOT_FOUND,
    errors.UnknownCursorError: grpc.StatusCode.NOT_FOUND,
    errors.UnknownPageToolError: grpc.StatusCode.NOT_FOUND,
    errors.PageToolsNotAllowedError: grpc.StatusCode.PERMISSION_DENIED,
    errors.UnknownRefError: grpc.StatusCode.NOT_FOUND,
    errors.NoMatchError: grpc.StatusCode.NOT_FOUND,
    errors.StaleRefError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.AmbiguousTargetError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.ElementObscuredError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.NotReachableError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.ElementDisabledError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.NotEditableError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.NotSelectableError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.NoSuchOptionError: grpc.StatusCode.NOT_FOUND,
    errors.NotCheckableError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.InputIgnoredError: grpc.StatusCode.ABORTED,
    errors.NotAFileFieldError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.NoSuchFileError: grpc.StatusCode.NOT_FOUND,
    errors.UnknownDownloadError: grpc.StatusCode.NOT_FOUND,
    errors.UnknownUploadError: grpc.StatusCode.NOT_FOUND,
    errors.PrivateContentError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.PdfUnreadableError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.DownloadFailedError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.DownloadGoneError: grpc.StatusCode.NOT_FOUND,
    errors.DialogOpenError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.FileChooserOpenError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.NoDialogError: grpc.StatusCode.NOT_FOUND,
    errors.EvaluateDisabledError: grpc.StatusCode.PERMISSION_DENIED,
    errors.TouchDisabledError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.NoHistoryError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.DetectorMissingError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.NavigationFailedError: grpc.StatusCode.UNAVAILABLE,
    errors.OverLimitError: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.DiskFullError: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.DataFolderError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.RequestCancelledError: grpc.StatusCode.ABORTED,
    errors.RequestIdReusedError: grpc.StatusCode.ALREADY_EXISTS,
    errors.PageChangingError: grpc.StatusCode.ABORTED,
    errors.ReplyTooLargeError: grpc.StatusCode.RESOURCE_EXHAUSTED,
    errors.PageCrashedError: grpc.StatusCode.ABORTED,
    errors.SessionLostError: grpc.StatusCode.ABORTED,
    errors.WorkerUnreachableError: grpc.StatusCode.UNAVAILABLE,
    errors.CallBrokenError: grpc.StatusCode.ABORTED,
    errors.BrowserUnavailableError: grpc.StatusCode.UNAVAILABLE,
    errors.DeadlineError: grpc.StatusCode.DEADLINE_EXCEEDED,
    errors.UnknownRecordingError: grpc.StatusCode.NOT_FOUND,
    errors.RecordingError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.RecordingEmptyError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.RecordingsDifferError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.PlanNotPossibleError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.UnknownSubroutineError: grpc.StatusCode.NOT_FOUND,
    errors.SubroutineExistsError: grpc.StatusCode.ALREADY_EXISTS,
    errors.SubroutineBrokenError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.SubroutineChangedError: grpc.StatusCode.ABORTED,
    errors.ScriptCheckError: grpc.StatusCode.INVALID_ARGUMENT,
    errors.OtherOriginError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.DriftError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.NotLoggedInError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.UnverifiedError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.RefusedError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.NetworkNotRecordedError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.HumanControlError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.ControlHeldError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.LeaseExpiredError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.NoHumanError: grpc.StatusCode.DEADLINE_EXCEEDED,
    errors.RequestNotFoundError: grpc.StatusCode.NOT_FOUND,
    errors.BodyGoneError: grpc.StatusCode.NOT_FOUND,
    errors.VideoUnavailableError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.UnknownVideoError: grpc.StatusCode.NOT_FOUND,
    errors.VideoEmptyError: grpc.StatusCode.FAILED_PRECONDITION,
    errors.NotImplementedYetError: grpc.StatusCode.UNIMPLEMENTED,
    errors.ShuttingDownError: grpc.StatusCode.UNAVAILABLE,
    errors.PerceptionError: grpc.StatusCode.INTERNAL,
}

RETRY_SECONDS = {
    errors.OverLimitError: 1,
    errors.MemoryLimitError: 5,
    errors.PageChangingError: 1,
    errors.HumanControlError: 5,
    errors.ControlHeldError: 5,
    errors.ShuttingDownError: 1,
    errors.WorkerUnreachableError: 1,
}


def code_of(error: PerceptionError) -> grpc.StatusCode:
    """The code of the error's class, or of the nearest class above it."""
    return next(CODES[kind] for kind in type(error).__mro__ if kind in CODES)


def status_of(error: PerceptionError) -> status_pb2.Status:
    """The whole answer: code, message, ErrorInfo, and BadRequest or RetryInfo where they apply."""
    code: tuple[int, str] = code_of(error).value
    fence = Fence()
    message = fence.mark(within_header(error.marked[:MAX_MESSAGE], MAX_MESSAGE_COST))
    metadata = {key: fence.mark(within_header(value, MAX_VALUE_COST)) for key, value in error.metadata.items()}
    packed = [_pack(error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=metadata))]
    if isinstance(error, errors.BadInputError) and error.field:
        violation = error_details_pb2.BadRequest.FieldViolation(field=error.field, description=message)
        packed.append(_pack(error_details_pb2.BadRequest(field_violations=[violation])))
    if seconds := retry_seconds(error):
        packed.append(_pack(error_details_pb2.RetryInfo(retry_delay=Duration(seconds=seconds))))
    return status_pb2.Status(code=code[0], message=message, details=packed)


def within_header(text: str, max_cost: int) -> str:
    """The beginning of a text that takes at most that many bytes in a header."""
    cost = 0
    for at, character in enumerate(text):
        cost += 1 if character.isascii() else 3 * len(character.encode("utf-8", "surrogatepass"))
        if cost > max_cost:
            return text[:at]
    return text


def retry_seconds(error: PerceptionError) -> int:
    """Seconds after which a repeat may succeed; 0 where it fails alike."""
    return next((RETRY_SECONDS[kind] for kind in type(error).__mro__ if kind in RETRY_SECONDS), 0)


def _pack(message: object) -> AnyProto:
    packed = AnyProto()
    packed.Pack(message)  # type: ignore[arg-type]  # google.rpc ships without types
    return packed
