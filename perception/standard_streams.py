"""Standard streams that whoever started the program has closed (`>&-`), as some supervisors do."""

from __future__ import annotations

import os
import sys


def open_closed_streams() -> None:
    """Puts an input that has ended, and outputs that nobody reads, in the place of standard streams that are closed.
    Otherwise what is opened first, such as a connection, would take their numbers. To be called first of all."""
    if sys.stdin is None:
        reading, writing = os.pipe()  # asyncio cannot wait for the null device
        os.close(writing)
        sys.stdin = os.fdopen(_at(0, reading), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = os.fdopen(_at(1, os.open(os.devnull, os.O_WRONLY)), "w", encoding="utf-8", errors="replace")
    if sys.stderr is None:
        sys.stderr = os.fdopen(_at(2, os.open(os.devnull, os.O_WRONLY)), "w", encoding="utf-8", errors="replace")


def _at(number: int, opened: int) -> int:
    """Moves an open file to a number."""
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
    os.set_inheritable(number, True)
    return number
