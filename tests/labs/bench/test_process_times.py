"""Processor time, of real processes."""

from __future__ import annotations

import os
import subprocess
import sys

from perception.bench.process_times import count_cpu

BURN = "import sys, time\nwhile time.process_time() < 0.3: pass\nprint('burnt', flush=True)\nsys.stdin.read()"


def burning() -> subprocess.Popen[str]:
    """A process that takes 0.3 s of the processor, says so, and waits."""
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", BURN], text=True, **streams)  # type: ignore[call-overload,no-any-return]


def test_what_a_new_process_takes_is_counted() -> None:
    spent_s = count_cpu(os.getpid())
    with burning() as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "burnt\n"
        assert spent_s() > 0.2
        process.communicate()


def test_a_process_that_ends_takes_nothing_off() -> None:
    with burning() as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "burnt\n"
        spent_s = count_cpu(os.getpid())
        process.communicate()
    assert spent_s() >= 0
