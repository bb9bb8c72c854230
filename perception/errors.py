"""Every error the project raises. One class is one reason that a client can act on.

The message says what was asked, what was found and what to do. It is shown to the client as it is, so it
holds no stack, no file path and no page text. Which gRPC code a class becomes stands in `server/status.py`.
"""

from __future__ import annotations


def first_line(error: Exception) -> str:
    """What an error says, as one line; its class's name where it says nothing."""
    return (str(error) or type(error).__name__).splitlines()[0]


class PerceptionError(Exception):
    """The root. `reason` is the ErrorInfo reason; `metadata` its details, never secrets."""

    reason = "INTERNAL"

    def __init__(self, message: str, **metadata: str) -> None:
        super().__init__(message)
        self.metadata = metadata


class BadInputError(PerceptionError):
    """A request that cannot be right, whatever the state of the page. `field` names the part."""

    reason = "BAD_INPUT"

    def __init__(self, message: str, *, field: str = "", **metadata: str) -> None:
        super().__init__(message, **metadata)
        self.field = field


class BadUrlError(BadInputError):
    reason = "BAD_URL"


class BadImageError(BadInputError):
    reason = "BAD_IMAGE"


class BadSelectorError(BadInputError):
    reason = "BAD_SELECTOR"


class UnknownKeyError(BadInputError):
    reason = "UNKNOWN_KEY"


class CoordinateOutOfViewportError(BadInputError):
    reason = "COORDINATE_OUT_OF_VIEWPORT"


class ImageTooLargeError(BadImageError):
    reason = "IMAGE_TOO_LARGE"


class SchemeBlockedError(PerceptionError):
    """A URL scheme that is never opened (`file:`, `chrome:`, …)."""

    reason = "SCHEME_BLOCKED"


class OriginBlockedError(PerceptionError):
    """A host that the service may not reach."""

    reason = "ORIGIN_BLOCKED"


class UnauthenticatedError(PerceptionError):
    """A call that does not show who makes it."""

    reason = "UNAUTHENTICATED"


class UploadLimitError(PerceptionError):
    """More files, or larger ones, than a session takes."""

    reason = "UPLOAD_LIMIT"


class UnknownSessionError(PerceptionError):
    reason = "UNKNOWN_SESSION"


class SessionExpiredError(UnknownSessionError):
    """A session that the service closed: nobody used it for too long, or it was too old."""

    reason = "SESSION_EXPIRED"


class UnknownSecretError(PerceptionError):
    """A secret that there is not, or not for this caller."""

    reason = "UNKNOWN_SECRET"


class SecretOriginError(PerceptionError):
    """A secret that may not be typed into this page."""

    reason = "SECRET_ORIGIN"


class UnknownTabError(PerceptionError):
    reason = "UNKNOWN_TAB"


class UnknownSnapshotError(PerceptionError):
    reason = "UNKNOWN_SNAPSHOT"


class UnknownCursorError(PerceptionError):
    """The rest of an answer that is not kept (any more)."""

    reason = "UNKNOWN_CURSOR"


class UnknownRefError(PerceptionError):
    """A ref that no snapshot of this session ever gave out."""

    reason = "UNKNOWN_REF"


class StaleRefError(PerceptionError):
    """A ref whose element is gone, or is another one by now."""

    reason = "STALE_REF"


class NoMatchError(PerceptionError):
    """A selector or node id that finds nothing."""

    reason = "NO_MATCH"


class AmbiguousTargetError(PerceptionError):
    """A selector that finds more than one element."""

    reason = "AMBIGUOUS_TARGET"


class ElementObscuredError(PerceptionError):
    reason = "ELEMENT_OBSCURED"


class NotReachableError(PerceptionError):
    """An element without a place to click: no size, hidden, or outside what can be scrolled to."""

    reason = "NOT_REACHABLE"


class ElementDisabledError(PerceptionError):
    reason = "ELEMENT_DISABLED"


class NotEditableError(PerceptionError):
    reason = "NOT_EDITABLE"


class NotSelectableError(PerceptionError):
    """A target that offers no options."""

    reason = "NOT_SELECTABLE"


class NoSuchOptionError(PerceptionError):
    """An option that a list does not offer."""

    reason = "NO_SUCH_OPTION"


class NotCheckableError(PerceptionError):
    """A target that is neither checked nor unchecked."""

    reason = "NOT_CHECKABLE"


class NotTakenError(PerceptionError):
    """Real input was sent, and the page did not take it as it should."""

    reason = "NOT_TAKEN"


class NotAFileFieldError(PerceptionError):
    """A target that takes no files, and asks for none when it is clicked."""

    reason = "NOT_A_FILE_FIELD"


class NoSuchFileError(PerceptionError):
    """A name that is not in the upload directory."""

    reason = "NO_SUCH_FILE"


class DialogOpenError(PerceptionError):
    """A JavaScript dialog is open: its page does nothing else until it is answered."""

    reason = "DIALOG_OPEN"


class NoDialogError(PerceptionError):
    """No such dialog is open."""

    reason = "NO_DIALOG"


class EvaluateDisabledError(PerceptionError):
    """The session was not made for running scripts."""

    reason = "EVALUATE_DISABLED"


class UnknownDetectorError(BadInputError):
    reason = "UNKNOWN_DETECTOR"


class DetectorMissingError(PerceptionError):
    """A known detector whose packages or models are not installed."""

    reason = "DETECTOR_MISSING"


class NavigationFailedError(PerceptionError):
    """The network or the server refused the page."""

    reason = "NAVIGATION_FAILED"


class NoHistoryError(PerceptionError):
    """Nothing to go back or forward to."""

    reason = "NO_HISTORY"


class OverLimitError(PerceptionError):
    """As much as the service allows is under way already."""

    reason = "OVER_LIMIT"


class SessionLimitError(OverLimitError):
    """As many sessions as the service allows are open."""

    reason = "SESSION_LIMIT"


class DiskFullError(PerceptionError):
    """No room is left where the service keeps what was to be kept."""

    reason = "DISK_FULL"


class MemoryLimitError(OverLimitError):
    """The browsers use as much memory as the service allows."""

    reason = "MEMORY_LIMIT"


class QueueFullError(OverLimitError):
    """As many calls are at work, and wait, as the service allows."""

    reason = "QUEUE_FULL"


class SessionBusyError(OverLimitError):
    """As many calls of one session are under way as the service allows."""

    reason = "SESSION_BUSY"


class WatchLimitError(OverLimitError):
    """As many watches are under way as the service allows."""

    reason = "WATCH_LIMIT"


class PageCrashedError(PerceptionError):
    reason = "PAGE_CRASHED"


class SessionLostError(PerceptionError):
    """The browser behind a session is gone."""

    reason = "SESSION_LOST"


class BrowserUnavailableError(PerceptionError):
    """No Chromium, or none that starts."""

    reason = "BROWSER_UNAVAILABLE"


class SandboxUnavailableError(BrowserUnavailableError):
    """Chromium's sandbox does not work here, and the risk was not accepted."""

    reason = "SANDBOX_UNAVAILABLE"


class DeadlineError(PerceptionError):
    """The caller's time was up. `phase` says during what, `dispatched` whether input had gone out."""

    reason = "DEADLINE"

    def __init__(self, message: str, *, phase: str, dispatched: bool = False) -> None:
        super().__init__(message, phase=phase, input_dispatched=str(dispatched).lower())
        self.phase = phase
        self.dispatched = dispatched


class UnknownRecordingError(PerceptionError):
    reason = "UNKNOWN_RECORDING"


class RecordingError(PerceptionError):
    """A recording that cannot be begun or ended now."""

    reason = "RECORDING"


class RecordingEmptyError(PerceptionError):
    """A recording in which nothing was done and nothing sent."""

    reason = "RECORDING_EMPTY"


class RecordingsDifferError(PerceptionError):
    """Two recordings that are not of the same task."""

    reason = "RECORDINGS_DIFFER"


class PlanNotPossibleError(PerceptionError):
    """A plan that was asked for, and that a recording does not allow; says why."""

    reason = "PLAN_NOT_POSSIBLE"


class UnknownSubroutineError(PerceptionError):
    reason = "UNKNOWN_SUBROUTINE"


class SubroutineExistsError(PerceptionError):
    """A name that another subroutine of that origin has."""

    reason = "SUBROUTINE_EXISTS"


class SubroutineBrokenError(PerceptionError):
    """Files of a subroutine that cannot be read, or a body that is no script."""

    reason = "SUBROUTINE_BROKEN"


class OtherOriginError(PerceptionError):
    """A tab that shows another origin than a subroutine's own."""

    reason = "OTHER_ORIGIN"


class DriftError(PerceptionError):
    """The page is not as it was recorded: a step's target, address or answer is another one. `before`, `after`."""

    reason = "DRIFT"

    def __init__(self, message: str, *, before: str, after: str) -> None:
        super().__init__(message)
        self.before = before
        self.after = after


class NotLoggedInError(PerceptionError):
    """The site asks for a login where it did not when the task was recorded."""

    reason = "NOT_LOGGED_IN"


class RefusedError(PerceptionError):
    """The site took what it was sent, and refused it for a reason of its own."""

    reason = "REFUSED"


class NotImplementedYetError(PerceptionError):
    """A part of the contract that this version does not serve."""

    reason = "NOT_IMPLEMENTED"


class CalledOffError(PerceptionError):
    """A repeated request whose first try was cancelled when it had acted already."""

    reason = "CALLED_OFF"


class PageChangingError(PerceptionError):
    """The document went away while it was looked at."""

    reason = "PAGE_CHANGING"


class ReplyTooLargeError(PerceptionError):
    """An answer over the limit on messages."""

    reason = "REPLY_TOO_LARGE"


class ShuttingDownError(PerceptionError):
    reason = "SHUTTING_DOWN"
