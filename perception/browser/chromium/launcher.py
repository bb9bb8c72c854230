"""A stand-alone program between the service and Chromium: it drops root privileges, has the kernel end the browser with
the service, and then executes the browser. POSIX only.

Usage: launcher.py UID GID PROGRAM [ARGUMENT…]; UID and GID are -1 to keep the current user.

Why not `user=` of `subprocess`: it forks the whole service, and gRPC's fork handlers sometimes crash the child
(grpcio 1.85, signal 11). Without `user=` Python uses vfork, which runs no handlers.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def become(uid: int, gid: int, command: list[str]) -> None:
    """Replaces this process by a program. Returns only by an exception."""
    if uid >= 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    if sys.platform == "linux":
        # After setuid, which would clear the setting; exec keeps it.
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.execv(command[0], command)


if __name__ == "__main__":
    try:
        become(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
    except OSError as error:
        sys.stderr.write(f"{sys.argv[3]} could not be started: {error.strerror}\n")
        sys.exit(127)
