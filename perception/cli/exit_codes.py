"""Exit codes of errors: 2 where the request was wrong, 1 where it failed."""

from __future__ import annotations

from perception.client.errors import RemoteError
from perception.errors import BadInputError, PerceptionError
from perception.plain_output import BAD_INPUT, FAILED

_BAD_INPUT_CODES = {
    "INVALID_ARGUMENT",
    "NOT_FOUND",
    "OUT_OF_RANGE",
    "PERMISSION_DENIED",
    "UNAUTHENTICATED",
    "UNIMPLEMENTED",
}


def exit_code_of(error: PerceptionError) -> int:
    """The exit code of a command that ends with an error."""
    if isinstance(error, RemoteError):
        return BAD_INPUT if error.code.name in _BAD_INPUT_CODES else FAILED
    return BAD_INPUT if isinstance(error, BadInputError) else FAILED
