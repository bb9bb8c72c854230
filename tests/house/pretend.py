"""Runs Python code in a process that takes itself for another system: python pretend.py darwin|win32 CODE.

The standard library and other packages decide at their import what they do on which system, so they are imported
before, as on this one. Our modules are imported after: they find another `sys.platform` and `os.name`, none of the
modules, functions and signals that the other system does not have, and neither /proc nor /sys.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import io
import os
import pathlib
import pkgutil
import signal
import socket
import subprocess
import sys
import warnings
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

LISTING = """
import importlib, sys
from pretend import our_modules
for name in our_modules():
    importlib.import_module(name)
print(*(name for name in sys.modules if name.partition(".")[0] != "perception"))
"""


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


def preload() -> None:
    """Imports what our modules import, found out in a process that does not pretend."""
    folder = str(pathlib.Path(__file__).parent)
    listed = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {folder!r}){LISTING}"],
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.split():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


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


if __name__ == "__main__":
    preload()
    pretend(sys.argv[1])
    exec(sys.argv[2], {"__name__": "pretended", "our_modules": our_modules})
