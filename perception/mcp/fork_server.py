"""The fork server: a process with the libraries of an MCP server loaded, of which each new server is a copy.

Loading them takes most of a second. A server that has none to be copied from loads them itself, and starts a fork
server once it serves. It runs as long as a service that MCP servers share, or a copy of it.

Rule 1: it has one thread, opens nothing but its socket, and keeps no stream of who has started it.
Rule 2: what would be another fork server by its environment is refused: whoever may reach the socket gets a server as
this process would start one.
Rule 3: one that nobody can find any more, as another has taken its place, ends after its copies.
"""

from __future__ import annotations

import json
import os
import runpy
import secrets
import select
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from perception.client import handing_over
from perception.client.handing_over import GO, PATIENCE_SECONDS, READY, TAKEN, fork_server_socket, has_fork_server
from perception.client.identity import identity
from perception.client.shared_service import is_listening
from perception.errors import PerceptionError
from perception.loading import loading
from perception.paths import make_private

CHECK_SECONDS = 15.0
"""Between two looks whether it is still needed."""

LOADED = (
    "grpc_health.v1.health_pb2_grpc",
    "perception.mcp.command",
    "perception.mcp.launch",
    "perception.v1.perception_service_pb2_grpc",
    "perception.v1.session_service_pb2_grpc",
)
"""Modules of a server with the default options, and of its first calls."""


def start_fork_server() -> None:
    """Starts one where none runs and this system has them, without waiting for it."""
    if not has_fork_server():
        return
    with suppress(PerceptionError, OSError):
        if not is_listening(f"unix:{fork_server_socket()}"):
            null = subprocess.DEVNULL
            command = [sys.executable, "-m", "perception.mcp.fork_server"]
            process = subprocess.Popen(command, stdin=null, stdout=null, stderr=null, cwd="/", start_new_session=True)
            threading.Thread(target=process.wait, name="fork-server", daemon=True).start()


def main() -> None:
    """Runs until nobody needs it."""
    own = identity(())
    with loading():
        _load()
    if len(os.listdir("/proc/self/task")) > 1:  # a library's, which no copy would have
        return
    path = fork_server_socket()
    make_private(path.parent)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        unique = path.with_name(secrets.token_hex(4))
        listening.bind(os.fspath(unique))
        listening.listen()
        unique.replace(path)  # who looks for one finds the old one or this one
        _serve(listening, path, own)


def _load() -> None:
    """Loads and makes what a server with the default options needs, and what it needs for its first calls."""
    import anyio
    import typer

    from perception.tools.offer import make_offer

    for each in LOADED:
        import_module(each)
    typer.main.get_command(import_module("perception.cli.main").make_app())
    make_offer("default", [], 1.0, with_subroutines=False)
    anyio.run(anyio.sleep, 0)  # loads what is for asyncio alone


def _serve(listening: socket.socket, path: Path, own: str) -> None:
    """Makes copies until there are none, and no service or another fork server.

    Args:
        listening: the socket.
        path: where it is found, if by this process's socket.
        own: identity of this process by its environment.
    """
    from perception.mcp.shared import is_any_service_up

    number = path.stat().st_ino
    copies: dict[int, tuple[int, socket.socket]] = {}
    while copies or (path.exists() and path.stat().st_ino == number and is_any_service_up()):
        ready, _, _ = select.select([listening.fileno(), *copies], [], [], CHECK_SECONDS)
        for ended in copies.keys() & ready:
            os.close(ended)
            _tell_end(*copies.pop(ended))
        if listening.fileno() in ready:
            connection, _ = listening.accept()
            pid = os.fork()
            if not pid:
                listening.close()
                for handle, (_, other) in copies.items():
                    os.close(handle)
                    other.close()
                _become_server(connection, own)
            copies[os.pidfd_open(pid)] = (pid, connection)


def _tell_end(pid: int, connection: socket.socket) -> None:
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with suppress(OSError), connection:
        connection.send(bytes([code if code >= 0 else 128 - code]))


def _become_server(connection: socket.socket, own: str) -> NoReturn:
    """Goes on as the command that is told over a connection, in a copy of this process."""
    code = 1
    try:
        sys.argv = _take_over(connection, own)
        handing_over.is_copy = True
        threading.Thread(target=_pass_signals, args=(connection,), name="signals", daemon=True).start()
        runpy.run_module("perception", run_name="__main__")
        code = 0
    except SystemExit as exc:
        code = exc.code if isinstance(exc.code, int) else int(exc.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _take_over(connection: socket.socket, own: str) -> list[str]:
    """Takes the streams, folder, file mask and environment of the process at the other end. Returns its `sys.argv`.

    Raises:
        SystemExit: it is gone, or has another environment: it serves itself.
    """
    connection.settimeout(PATIENCE_SECONDS)
    try:
        connection.sendall(READY)
        size, streams, _, _ = socket.recv_fds(connection, 4, 3)
        told = b""
        while len(told) < int.from_bytes(size, "big") and (more := connection.recv(1 << 16)):
            told += more
        request = json.loads(told)
        if identity((), request["environment"]) != own:
            raise SystemExit(1)
        os.chdir(request["folder"])
        connection.sendall(TAKEN)
        if connection.recv(1) != GO:
            raise SystemExit(1)
    except (OSError, ValueError) as exc:
        raise SystemExit(1) from exc
    connection.settimeout(None)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.umask(request["mask"])
    os.environ.clear()
    os.environ.update(request["environment"])
    words: list[str] = request["words"]
    return words


def _pass_signals(connection: socket.socket) -> None:
    """Has this process get the signals of the other one, and SIGTERM when that has ended."""
    number = b" "
    while number:
        number = b""
        with suppress(OSError):
            number = connection.recv(1)
        os.kill(os.getpid(), number[0] if number else signal.SIGTERM)


if __name__ == "__main__":
    main()
