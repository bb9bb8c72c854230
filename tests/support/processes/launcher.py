"""Runs a command of the program in a process forked from the fork server: `python -I -S launcher.py SOCKET WORDS…`.

It stands for that process: streams, folder and environment are its own, signals are passed on, and it ends as the
process ends. It imports only what starts within milliseconds.
"""

import _signal
import _socket
import array
import marshal
import os
import sys

FORWARDED = (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP, _signal.SIGUSR1)


def main() -> None:
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(sys.argv[1])
    leads = os.getsid(0) == os.getpid()
    request = marshal.dumps((sys.argv[2:], dict(os.environ), os.getcwd(), leads))
    streams = array.array("i", [0, 1, 2])
    connection.sendmsg([len(request).to_bytes(4, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
    while request:
        request = request[connection.send(request) :]
    pid = int.from_bytes(receive(connection, 4), "big")
    for each in FORWARDED:
        _signal.signal(each, lambda number, _: os.kill(pid, number))
    status = int.from_bytes(receive(connection, 4), "big", signed=True)
    if status < 0:  # ended by a signal, and so does this
        _signal.signal(-status, _signal.SIG_DFL) if -status != _signal.SIGKILL else None
        os.kill(os.getpid(), -status)
    os._exit(status)


def receive(connection: "_socket.socket", size: int) -> bytes:
    found = b""
    while len(found) < size:
        more = connection.recv(size - len(found))
        if not more:
            os._exit(70)  # the fork server is gone
        found += more
    return found


main()
