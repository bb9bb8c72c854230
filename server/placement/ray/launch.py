"""Starts a program that outlives who started it, and prints its process id. Run as a file, with this folder not on the
path: it needs the standard library alone.

Ray's processes kill their children when they end, block SIGINT, ignore SIGPIPE and have a low priority; the program is
not their child, and has none of that.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys


def main() -> None:
    started = os.fork()
    if started:
        print(started, flush=True)
        os._exit(0)
    os.setsid()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if os.getpriority(os.PRIO_PROCESS, 0) > 0:
        with contextlib.suppress(PermissionError):  # of a user who is not root: RAY_worker_niceness of the node
            os.setpriority(os.PRIO_PROCESS, 0, 0)
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
