"""A stand-alone program: runs a command, and ends it with all its descendants when standard input closes.

Usage: supervise.py PROGRAM [ARGUMENT…]. The pipe closes when the process at its other end ends, for any reason.
Linux only.
"""

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
"""From Linux's `prctl.h`: descendants whose parent ends become our children, in any session."""


def main(command: list[str]) -> int:
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER) failed")
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    ended = os.pidfd_open(child.pid)
    try:
        select.select([sys.stdin, ended], [], [])
    finally:
        os.killpg(child.pid, signal.SIGKILL)  # its group exists until we have waited for it
        code = child.wait()
        end_children()
    return code


def end_children() -> None:
    """Ends the remaining descendants: Jupyter's kernels and terminals have own sessions, which group signals miss."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    while True:
        for pid in children.read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        try:
            os.waitpid(-1, 0)  # its own children are ours from here on
        except ChildProcessError:
            return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
