"""Runs Python code in processes that take themselves for other systems: python pretend.py FILE.

The file is JSON: for each system, darwin or win32, the code by name. What became of each is printed as JSON in the same
form, as what it printed and its error.

The standard library and other packages decide at their import what they do on which system, so they are imported
before, as on this one; then a process is forked for each system. Our modules are imported there: they find another
`sys.platform` and `os.name`, none of the modules, functions and signals that the other system does not have, and
neither /proc nor /sys.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import io
import json
import os
import pathlib
import pkgutil
import signal
import socket
import sys
import sysconfig
import traceback
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

PACKAGES = ("cli", "client", "demo", "extract", "fusion", "interaction", "render", "search", "subroutines", "v1")
"""ServiceContext that run everywhere; so do the modules of the package's root."""

ABSENT_MODULES = {
    "darwin": (),
    "win32": ("fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"),
}
LINUX_ONLY = {
    os: ("memfd_create", "pidfd_open", "sched_getaffinity", "sched_setaffinity"),
    signal: ("pidfd_send_signal",),
}
POSIX_ONLY = {
    os: (
        *("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "chown", "fork", "forkpty", "getegid", "geteuid", "getgid"),
        *("getloadavg", "getpgid", "getuid", "killpg", "mkfifo", "setsid", "uname"),
    ),
    signal: ("SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "SIGUSR2", "alarm", "pthread_sigmask"),
    socket: ("AF_UNIX", "SO_PEERCRED", "fromfd"),
}


def our_modules() -> list[str]:
    """Names of all modules that have to work on every system."""
    import perception

    names = []
    for module in pkgutil.iter_modules(perception.__path__, "perception."):
        if not module.ispkg and not module.name.endswith(".__main__"):
            names.append(module.name)
        elif module.name.partition(".")[2] in PACKAGES:
            package = importlib.import_module(module.name)
            names += [module.name, *(each.name for each in pkgutil.walk_packages(package.__path__, f"{module.name}."))]
    return names


def list_others() -> list[str]:
    """Names of the modules of others that ours import."""
    for name in our_modules():
        importlib.import_module(name)
    return [name for name in sys.modules if name.partition(".")[0] != "perception"]


def preload() -> None:
    """Imports what our modules import, found out in a process that does not pretend, and reads how Python was built,
    which it looks up by the name of the system."""
    sysconfig.get_config_vars()
    for name in in_fork(list_others):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def in_fork(work: Callable[[], Any]) -> Any:
    """What a function returns in a process forked from this one."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        end = os._exit
        os.close(reader)
        try:
            with open(writer, "w", encoding="utf-8") as answer:
                json.dump(work(), answer)
        except BaseException:
            traceback.print_exc()
            end(1)
        end(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as answer:
        told = answer.read()
    if os.waitpid(pid, 0)[1]:
        sys.exit(1)
    return json.loads(told)


def pretend(system: str) -> None:
    """From here on this process takes itself for that system."""
    absent = [LINUX_ONLY, POSIX_ONLY] if system == "win32" else [LINUX_ONLY]
    _keep_socketpair()
    for table in absent:
        for module, names in table.items():
            for name in names:
                if hasattr(module, name):
                    delattr(module, name)
    for name in ABSENT_MODULES[system]:
        sys.modules[name] = None  # type: ignore[assignment]  # importing it is a ModuleNotFoundError
    sys.platform = system
    if system == "win32":
        os.name = "nt"
        pathlib.WindowsPath = pathlib.PosixPath  # type: ignore[misc,assignment]  # what Path() makes there
    builtins.open = io.open = _open_elsewhere(io.open)  # type: ignore[assignment]
    # Windows has another default encoding: every text file of ours names its own.
    warnings.filterwarnings("error", category=EncodingWarning, module=r"perception\.")


def _keep_socketpair() -> None:
    """asyncio and gRPC wake their loops by one; Windows' own is made of two TCP sockets."""
    make, family = socket.socketpair, socket.AF_UNIX
    socket.socketpair = lambda *_: make(family)  # type: ignore[assignment]


def _open_elsewhere(real: Any) -> Any:
    def opened(file: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(file, str | os.PathLike) and os.fspath(file).startswith(("/proc/", "/sys/")):
            raise FileNotFoundError(2, "No such file or directory", os.fspath(file))
        return real(file, *arguments, **options)

    return opened


def run_there(system: str, codes: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """What each code prints, and its error: in this process, which takes itself for that system from here on."""
    pretend(system)
    done = {}
    for name, code in codes.items():
        with contextlib.redirect_stdout(io.StringIO()) as out:
            try:
                exec(code, {"__name__": "pretended", "our_modules": our_modules, "SYSTEM": system})
                error = ""
            except BaseException:
                error = traceback.format_exc()
        done[name] = out.getvalue(), error
    return done


if __name__ == "__main__":
    asked = json.loads(pathlib.Path(sys.argv[1]).read_text("utf-8"))
    preload()
    told = {each: in_fork(partial(run_there, each, codes)) for each, codes in asked.items()}
    print(json.dumps(told))
