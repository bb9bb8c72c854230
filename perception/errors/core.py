"""Base classes of all errors, and the errors of the request itself."""

from __future__ import annotations

from perception.page_words import plain_words


def first_line(error: Exception) -> str:
    """The first line of an exception's message; the name of its class if the message is empty."""
    return (str(error) or type(error).__name__).splitlines()[0]


def marked_line(error: Exception) -> str:
    """As `first_line`, with what shows which parts are a page's words; see `perception.page_words`."""
    return error.marked.splitlines()[0] if isinstance(error, PerceptionError) and str(error) else first_line(error)


class PerceptionError(Exception):
    """Base class of all errors. As text it is for logs and people; clients get `marked`.

    Attributes:
        reason: the ErrorInfo reason, one for each class.
        grpc_code: the name of the gRPC code.
        retry_s: seconds after which a repeat may succeed; 0 where it fails alike.
        metadata: details for the client; never secrets.
    """

    reason = "INTERNAL"
    grpc_code = "INTERNAL"
    retry_s = 0

    def __init__(self, message: str, **metadata: str) -> None:
        super().__init__(message)
        self.metadata = metadata

    def __str__(self) -> str:
        return plain_words(self.marked)

    @property
    def marked(self) -> str:
        """The message, in which a page's words are between the characters of `perception.page_words`."""
        return str(self.args[0]) if self.args else ""


class BadInputError(PerceptionError):
    """A request that is invalid in any state of the page.

    Attributes:
        field: name of the invalid request field; "" if it is not one field.
    """

    reason = "BAD_INPUT"
    grpc_code = "INVALID_ARGUMENT"

    def __init__(self, message: str, *, field: str = "", **metadata: str) -> None:
        super().__init__(message, **metadata)
        self.field = field


class BadUrlError(BadInputError):
    """A URL that cannot be parsed or has no host."""

    reason = "BAD_URL"


class BadImageError(BadInputError):
    """An image that cannot be decoded."""

    reason = "BAD_IMAGE"


class ImageTooLargeError(BadImageError):
    """An image with too many bytes or pixels."""

    reason = "IMAGE_TOO_LARGE"


class BadSelectorError(BadInputError):
    """A selector that cannot be parsed."""

    reason = "BAD_SELECTOR"


class UnknownKeyError(BadInputError):
    """A key name that does not exist."""

    reason = "UNKNOWN_KEY"


class CoordinateOutOfViewportError(BadInputError):
    """A coordinate outside the viewport."""

    reason = "COORDINATE_OUT_OF_VIEWPORT"
    grpc_code = "OUT_OF_RANGE"


class DeadlineError(PerceptionError):
    """The caller's deadline passed.

    Attributes:
        phase: what was in progress.
        dispatched: whether input had already been sent to the page.
    """

    reason = "DEADLINE"
    grpc_code = "DEADLINE_EXCEEDED"

    def __init__(self, message: str, *, phase: str, dispatched: bool = False) -> None:
        super().__init__(message, phase=phase, input_dispatched=str(dispatched).lower())
        self.phase = phase
        self.dispatched = dispatched


class RequestCancelledError(PerceptionError):
    """A repeated request whose first attempt was cancelled after it had acted."""

    reason = "CALLED_OFF"
    grpc_code = "ABORTED"


class RequestIdReusedError(PerceptionError):
    """A request id that an earlier request with other parameters has."""

    reason = "REQUEST_ID_REUSED"
    grpc_code = "ALREADY_EXISTS"


class NotImplementedYetError(PerceptionError):
    """A part of the wire contract that this version does not implement."""

    reason = "NOT_IMPLEMENTED"
    grpc_code = "UNIMPLEMENTED"


class ReplyTooLargeError(PerceptionError):
    """A response over the message size limit."""

    reason = "REPLY_TOO_LARGE"
    grpc_code = "RESOURCE_EXHAUSTED"


class ShuttingDownError(PerceptionError):
    """The service is shutting down."""

    reason = "SHUTTING_DOWN"
    grpc_code = "UNAVAILABLE"
    retry_s = 1
