"""Exit codes for what the service refuses: 2 where the request was wrong, 1 where it failed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from perception import terminal
from perception.client import RemoteError
from perception.terminal import BAD_INPUT, FAILED, fail

_BAD_INPUT_CODES = {
    "INVALID_ARGUMENT",
    "NOT_FOUND",
    "OUT_OF_RANGE",
    "PERMISSION_DENIED",
    "UNAUTHENTICATED",
    "UNIMPLEMENTED",
}


@contextmanager
def reporting_errors() -> Iterator[None]:
    """As `perception.terminal.reporting_errors`, for the errors of calls too."""
    with terminal.reporting_errors():
        try:
            yield
        except RemoteError as exc:
            fail(exc, BAD_INPUT if exc.code.name in _BAD_INPUT_CODES else FAILED)
