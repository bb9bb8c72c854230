"""A program on its own: runs a command, and ends it with all its children once standard input closes.

Usage: leash.py PROGRAM [ARGUMENT…]. The pipe closes when its other end's process is gone, however that ended.
"""

import os
import select
import signal
import subprocess
import sys


def main(command: list[str]) -> int:
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    ended = os.pidfd_open(child.pid)
    try:
        select.select([sys.stdin, ended], [], [])
    finally:
        os.killpg(child.pid, signal.SIGKILL)  # its group is there until we have waited for it
    return child.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
