"""Base classes of all errors, and the errors of the request itself."""

from __future__ import annotations

import re

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
        reason: the ErrorInfo reason. A class of this package has its own, which is its name: that of `StaleRefError` is
            STALE_REF. Any other class has that of its base.
        grpc_code: the name of the gRPC code.
        retry_s: seconds after which a repeat may succeed; 0 where it fails alike.
        metadata: details for the client; never secrets.
    """

    reason = "INTERNAL"
    grpc_code = "INTERNAL"
    retry_s = 0

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.__module__.startswith(f"{__package__}.") and "reason" not in vars(cls):
            cls.reason = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__.removesuffix("Error")).upper()

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

    grpc_code = "INVALID_ARGUMENT"

    def __init__(self, message: str, *, field: str = "", **metadata: str) -> None:
        super().__init__(message, **metadata)
        self.field = field


class BadUrlError(BadInputError):
    """A URL that cannot be parsed or has no host."""


class BadImageError(BadInputError):
    """An image that cannot be decoded."""


class ImageTooLargeError(BadImageError):
    """An image with too many bytes or pixels."""


class BadSelectorError(BadInputError):
    """A selector that cannot be parsed."""


class UnknownKeyError(BadInputError):
    """A key name that does not exist."""


class CoordinateOutOfViewportError(BadInputError):
    """A coordinate outside the viewport."""

    grpc_code = "OUT_OF_RANGE"


class DeadlineError(PerceptionError):
    """The caller's deadline passed.

    Attributes:
        phase: what was in progress.
        dispatched: whether input had already been sent to the page.
    """

    grpc_code = "DEADLINE_EXCEEDED"

    def __init__(self, message: str, *, phase: str, dispatched: bool = False) -> None:
        super().__init__(message, phase=phase, input_dispatched=str(dispatched).lower())
        self.phase = phase
        self.dispatched = dispatched


class CalledOffError(PerceptionError):
    """A repeated request whose first attempt was cancelled after it had acted."""

    grpc_code = "ABORTED"


class RequestIdReusedError(PerceptionError):
    """A request id that an earlier request with other parameters has."""

    grpc_code = "ALREADY_EXISTS"


class NotImplementedYetError(PerceptionError):
    """A part of the wire contract that this version does not implement."""

    reason = "NOT_IMPLEMENTED"  # NotImplementedError is Python's
    grpc_code = "UNIMPLEMENTED"


class ReplyTooLargeError(PerceptionError):
    """A response over the message size limit."""

    grpc_code = "RESOURCE_EXHAUSTED"


class ShuttingDownError(PerceptionError):
    """The service is shutting down."""

    grpc_code = "UNAVAILABLE"
    retry_s = 1
