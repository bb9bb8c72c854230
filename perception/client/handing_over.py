"""Hands `perception mcp` over to the fork server of this user, which has the libraries loaded already.

Where one runs, this process gives its standard streams, words, folder, file mask and environment to a copy of the fork
server, which serves in its place. It stays for what others see of it: it passes signals on, and ends as the copy does.

Rule 1: either process serves, never both: the copy starts when this one says so. A fork server that does not answer is
given nothing: streams on their way to it would stay open.
Rule 2: the copy ends when this process does, however it ends.
Rule 3: a fork server in another PID namespace, such as that of another container, is not used.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

from perception.client.identity import identity
from perception.client.user_folder import shell_folder, socket_path
from perception.errors import BadInputError
from perception.host_os import peer_process
from perception.init_process import FORWARDED

PATIENCE_SECONDS = 1.0
"""For the fork server to be ready; then this process serves itself. A fork takes some 10 ms."""

OWN_PROCESS = frozenset({"--address", "--help", "--http", "--show-tools", "--unshared"})
"""Options of servers that have no shared service, or that supervisors watch."""

is_copy = False
"""This process is a copy already."""

READY, TAKEN, GO = b"r", b"t", b"g"
"""What they say: the copy that it is there, and that it has taken all; this process that the copy is to serve."""


def has_fork_server() -> bool:
    """Whether this system can have one: elsewhere, a process cannot be copied safely or does not tell of its end."""
    return sys.platform.startswith("linux")


def fork_server_socket() -> Path:
    """Where the fork server of this installation and environment listens. Its folder may be missing.

    Raises:
        BadInputError: a folder in its way belongs to another user, or cannot be made.
    """
    return socket_path(shell_folder() / f"mcp-{identity(('fork server',))}", "fork-server")


def hand_over() -> int | None:
    """Has a copy of the fork server run this process's command, and waits until it has ended.

    Returns:
        The exit code; None where this process has to run the command itself.
    """
    if is_copy or not has_fork_server() or OWN_PROCESS & {each.partition("=")[0] for each in sys.argv}:
        return None
    os.umask(mask := os.umask(0o077))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(PATIENCE_SECONDS)
        try:
            connection.connect(os.fspath(fork_server_socket()))
            if not peer_process(connection) or connection.recv(1) != READY:
                return None
            told = json.dumps(
                {"words": sys.argv, "folder": os.getcwd(), "mask": mask, "environment": dict(os.environ)}
            ).encode()
            socket.send_fds(connection, [len(told).to_bytes(4, "big")], [0, 1, 2])
            connection.sendall(told)
            if connection.recv(1) != TAKEN:
                return None
        except (BadInputError, OSError):
            return None
        return _follow(connection)


def _follow(connection: socket.socket) -> int:
    """Passes signals on until the copy has ended. Returns its exit code."""

    def forward(number: int, _: object) -> None:
        with suppress(OSError):
            connection.send(bytes([number]))

    for name in FORWARDED:
        signal.signal(getattr(signal, name), forward)
    connection.settimeout(None)
    connection.sendall(GO)
    with suppress(OSError):
        if code := connection.recv(1):
            return code[0]
    return 1
