"""Errors of commands as one line and an exit code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from perception import terminal
from perception.cli.exit_codes import exit_code_of
from perception.client import RemoteError
from perception.terminal import fail


@contextmanager
def reporting_errors() -> Iterator[None]:
    """As `perception.terminal.reporting_errors`, for the errors of calls too."""
    with terminal.reporting_errors():
        try:
            yield
        except RemoteError as exc:
            fail(exc, exit_code_of(exc))
