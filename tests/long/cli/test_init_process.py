"""The program as the first process of a container. A process that takes in orphans stands in for it."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

FIRST = """
import ctypes, os, signal, subprocess, sys, time
assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0  # PR_SET_CHILD_SUBREAPER
first, getpid = os.getpid(), os.getpid
os.getpid = lambda: 1
from perception.init_process import run_below_init
run_below_init()
assert getpid() != first
leave = "import subprocess; print(subprocess.Popen(['sleep', '0']).pid)"
orphan = subprocess.run([sys.executable, "-c", leave], capture_output=True, text=True, check=True).stdout.strip()
while os.path.exists(f"/proc/{orphan}"):
    time.sleep(0.01)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
print("ready", flush=True)
while True:
    time.sleep(1)
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="containers are of Linux")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 7), (signal.SIGUSR1, 128 + signal.SIGUSR1)])
def test_orphans_are_waited_for_and_signals_passed_on(number: signal.Signals, code: int) -> None:
    process = subprocess.Popen([sys.executable, "-c", FIRST], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.wait(30) == code
