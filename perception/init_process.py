"""The first process of a container: it has to wait for the processes that others have left behind, or they stay as
zombies. The program runs as its child, as with `tini`."""

from __future__ import annotations

import os
import signal
from types import FrameType

FORWARDED = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")


def run_below_init() -> None:
    """As the first process of a container, goes on as its child; the first process passes signals on, and ends as the
    child does. Does nothing in another process. To be called before there are threads."""
    if os.getpid() == 1 and hasattr(os, "fork"):
        numbers = [getattr(signal, name) for name in FORWARDED]
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)  # one that comes meanwhile is for the child
        child = os.fork()
        if child:
            os._exit(_reap(child, numbers))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)


def _reap(child: int, numbers: list[signal.Signals]) -> int:
    """Waits for all processes until the child has ended. Returns its exit code, or 128 and its signal."""

    def forward(number: int, _: FrameType | None) -> None:
        if number not in (signal.SIGINT, signal.SIGQUIT) or not os.isatty(0):  # a terminal's keys are for both
            os.kill(child, number)

    for number in numbers:
        signal.signal(number, forward)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)
    while True:
        ended, status = os.wait()
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
