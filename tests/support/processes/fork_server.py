"""A process that has loaded the program, and forks for each command: a start takes milliseconds, not a second or three.

`python fork_server.py SOCKET` serves launchers (`launcher.py`) until its standard input ends. A command whose
environment has TESTS_FORKED_SERVICES starts services by a launcher, too; one with TESTS_PREPARATION runs that code
first.
"""

from __future__ import annotations

import array
import contextlib
import gc
import io
import marshal
import os
import selectors
import signal
import socket
import sys
import threading
from importlib import import_module
from pathlib import Path
from types import ModuleType

import typer

from perception.cli.main import make_app
from perception.client.child import serve_command

PRELOADED = (
    "perception.__main__",
    "perception.cli.shell.acting",
    "perception.cli.shell.looking",
    "perception.cli.shell.managing",
    "perception.cli.shell.navigating",
    "perception.client.shared_service",
    "perception.cli.shell.running",
    "perception.client",
    "perception.mcp.server",
    "perception.server.app",
    "perception.server.command",
    "rapidocr",
)
"""All without a thread of their own: a thread does not come along into a forked process. onnxruntime has one."""


def serve(path: str) -> list[str] | None:
    """Forks for each launcher. Returns the words of a command, in the process that is to run it; None at the end."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(32)
    wakes, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waker)
    waiting = selectors.DefaultSelector()
    for each in (listener.fileno(), wakes, 0):
        waiting.register(each, selectors.EVENT_READ)
    launchers: dict[socket.socket, int] = {}
    print("ready", flush=True)
    while True:
        for key, _ in waiting.select():
            if key.fd == 0:
                for pid in launchers.values():
                    os.kill(pid, signal.SIGKILL)
                return None
            if key.fd == wakes:
                os.read(wakes, 1024)
                _report_ended(launchers, waiting)
            elif key.fd == listener.fileno():
                launcher, _ = listener.accept()
                request = _receive(launcher)
                if request is None:
                    launcher.close()
                    continue
                (words, environment, folder, leads), streams = request
                pid = os.fork()
                if pid == 0:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    for each in (listener, launcher, *launchers):
                        each.close()
                    waiting.close()
                    os.close(wakes)
                    os.close(waker)
                    _become(environment, folder, leads, streams)
                    return words
                for each in streams:
                    os.close(each)
                launchers[launcher] = pid
                waiting.register(launcher, selectors.EVENT_READ)
                launcher.sendall(pid.to_bytes(4, "big"))
            else:  # a launcher that was killed
                launcher = key.fileobj
                assert isinstance(launcher, socket.socket)
                waiting.unregister(launcher)
                os.kill(launchers.pop(launcher), signal.SIGKILL)
                launcher.close()


def _receive(launcher: socket.socket) -> tuple[tuple[list[str], dict[str, str], str, bool], array.array[int]] | None:
    """A request, and the streams that came with it. None from a launcher that has ended."""
    size, passed, *_ = launcher.recvmsg(4, socket.CMSG_LEN(3 * 4))
    if not passed:
        return None
    streams = array.array("i")
    streams.frombytes(passed[0][2])
    data = b""
    while len(data) < int.from_bytes(size, "big"):
        more = launcher.recv(2**20)
        if not more:
            return None
        data += more
    return marshal.loads(data), streams


def _report_ended(launchers: dict[socket.socket, int], waiting: selectors.BaseSelector) -> None:
    by_pid = {pid: launcher for launcher, pid in launchers.items()}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        if (launcher := by_pid.get(pid)) is not None:
            del launchers[launcher]
            waiting.unregister(launcher)
            with contextlib.suppress(OSError):  # it was killed at the same time
                launcher.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))
            launcher.close()


def _become(environment: dict[str, str], folder: str, leads: bool, streams: array.array[int]) -> None:
    """Makes this process what the launcher is."""
    if leads:
        os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = _writer(1, "strict")  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _writer(2, "backslashreplace")  # type: ignore[misc]


def _writer(number: int, errors: str) -> io.TextIOWrapper:
    lines = number == 2 or os.isatty(number)
    binary = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
    return io.TextIOWrapper(binary, errors=errors, line_buffering=lines)


def _starters() -> list[ModuleType]:
    """The modules that start services: asking all modules copies their memory, which takes a forked process 12 ms."""
    return [module for module in list(sys.modules.values()) if getattr(module, "serve_command", None) is serve_command]


def _fork_services(path: str, starters: list[ModuleType]) -> None:
    """Has this process start services as a test starts a command."""
    launcher = str(Path(__file__).with_name("launcher.py"))

    def forking(*options: str) -> list[str]:
        return [sys.executable, "-I", "-S", launcher, path, "serve", *options]

    for module in starters:
        module.serve_command = forking  # type: ignore[attr-defined]


if __name__ == "__main__":
    for name in PRELOADED:
        import_module(name)
    typer.main.get_command(make_app())  # its commands are found once
    assert threading.active_count() == len(os.listdir("/proc/self/task")) == 1
    starters = _starters()
    gc.freeze()
    if (words := serve(sys.argv[1])) is not None:
        if "TESTS_FORKED_SERVICES" in os.environ:
            _fork_services(sys.argv[1], starters)
        exec(os.environ.get("TESTS_PREPARATION", ""))
        sys.argv = ["perception", *words]
        from perception.__main__ import main

        main()
