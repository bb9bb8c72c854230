"""Commands of the program in this process: they cost a tenth of what they cost in one of their own.

For what a command prints and how it ends. What a test says of the process itself, of a terminal, or of the shell's
commands takes `tests.support.processes`.
"""

from __future__ import annotations

import io
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from perception.cli.main import make_app


def run_here(*words: str) -> subprocess.CompletedProcess[str]:
    """What becomes of a command. Not for the main thread, where the service is that it calls."""
    with _own_streams() as (out, err):
        try:
            typer.main.get_command(make_app(words[0])).main(list(words), prog_name="perception")
            code: Any = 0
        except SystemExit as exc:
            code = exc.code
        except Exception:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        return subprocess.CompletedProcess(words, code or 0, _text(out), _text(err))


class _Stream:
    """Standard output or error for as long as a command runs: the main thread, where the service is, keeps its own."""

    def __init__(self, usual: Any, own: io.TextIOWrapper) -> None:
        self._usual = usual
        self._own = own

    def __getattr__(self, name: str) -> Any:
        is_main = threading.current_thread() is threading.main_thread()
        return getattr(self._usual if is_main else self._own, name)


@contextmanager
def _own_streams() -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    out, err = io.BytesIO(), io.BytesIO()
    before = sys.stdout, sys.stderr
    sys.stdout = _Stream(before[0], io.TextIOWrapper(out, "utf-8"))  # type: ignore[assignment]
    sys.stderr = _Stream(before[1], io.TextIOWrapper(err, "utf-8", "backslashreplace"))  # type: ignore[assignment]
    try:
        yield out, err
    finally:
        sys.stdout, sys.stderr = before


def _text(written: io.BytesIO) -> str:
    return written.getvalue().decode()
