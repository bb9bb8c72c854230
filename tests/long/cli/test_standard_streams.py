"""Programs whose standard streams are closed work, and say nothing of it."""

from __future__ import annotations

import subprocess
import sys

import pytest

WRITES = """
import os
from perception.standard_streams import open_closed_streams
open_closed_streams()
import sys
print("out", flush=True)
print("err", file=sys.stderr, flush=True)
if sys.argv[1] == "0":
    assert sys.stdin.read() == ""
assert os.open(os.devnull, os.O_RDONLY) > 2
"""


def run_closed(number: int, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs Python with a standard stream closed."""
    command = f'exec "$0" "$@" {number}{"<" if number == 0 else ">"}&-'
    return subprocess.run(
        ["sh", "-c", command, sys.executable, *words], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_closed_stream_is_one_that_has_ended_or_that_nobody_reads(number: int) -> None:
    done = run_closed(number, "-c", WRITES, str(number))
    told = ("" if number == 1 else "out\n", "" if number == 2 else "err\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, *told)


@pytest.mark.parametrize("words", [("skill",), ("mcp", "--show-tools")], ids=" ".join)
def test_a_command_without_standard_output_has_no_traceback(words: tuple[str, ...]) -> None:
    done = run_closed(1, "-m", "perception", *words)
    assert (done.returncode, done.stderr) == (0, "")
