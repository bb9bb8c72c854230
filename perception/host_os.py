"""What differs between operating systems: users, process groups, locks, links, what the kernel counts and allows, and
how to install Chromium.

Linux is what the service runs on and is tested on. Elsewhere each function does the same in a portable way, or raises
one clear sentence. Modules of a single system are imported where they are used: this module imports on all of them.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_BINARY = getattr(os, "O_BINARY", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_CLOSE_ON_EXEC = getattr(os, "O_CLOEXEC", 0)
_READ_FILE = os.O_RDONLY | _BINARY | _NO_FOLLOW | _NO_WAIT | _CLOSE_ON_EXEC

FORBIDDEN_IN_NAMES = '<>:"|?*' if sys.platform == "win32" else ""
"""Characters that no file name can have on this system, beside those that none can have anywhere."""


M_MMAP_THRESHOLD = -3
"""From malloc.h: larger blocks are mapped, and unmapped when they are freed."""


@dataclass(frozen=True, slots=True)
class Account:
    """A user of the machine.

    Attributes:
        uid: the user's number.
        gid: the number of the user's main group.
    """

    uid: int
    gid: int


def is_windows() -> bool:
    return sys.platform == "win32"


def is_superuser() -> bool:
    """Whether this process runs as root. False on Windows."""
    return not is_windows() and os.geteuid() == 0


def give_memory_back(larger_bytes: int) -> None:
    """Makes glibc return blocks that are larger to the system as they are freed. By itself it keeps those below a limit
    that grows up to 32 MiB with what is freed. Does nothing where there is no glibc."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").mallopt(M_MMAP_THRESHOLD, larger_bytes)


def has_display() -> bool:
    """Whether a window can be shown; assumed outside Linux."""
    return not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def find_account(name: str) -> Account | None:
    """A user by name; None where there is none, and on Windows."""
    if is_windows():
        return None
    import pwd

    try:
        found = pwd.getpwnam(name)
    except KeyError:
        return None
    return Account(found.pw_uid, found.pw_gid)


def give_to(path: Path, account: Account | None) -> None:
    """Makes a user the owner of a file or folder. Does nothing for None."""
    if account is not None:
        os.chown(path, account.uid, account.gid)


def is_own(found: os.stat_result) -> bool:
    """Whether a file belongs to this process's user. True on Windows, where temporary folders are the user's own."""
    return is_windows() or found.st_uid == os.geteuid()


def launch_command(command: Sequence[str], account: Account | None) -> list[str]:
    """A command that runs a program as a user and, on Linux, ends it with this process.

    Args:
        command: path of the program, and its arguments.
        account: the user; None for that of this process.
    """
    if is_windows():
        return list(command)
    launcher = Path(__file__).with_name("browser") / "chromium" / "launcher.py"
    uid, gid = (account.uid, account.gid) if account is not None else (-1, -1)
    return [sys.executable, "-I", "-S", str(launcher), str(uid), str(gid), *command]


def kill_group(pid: int) -> None:
    """Kills a process that leads a group, and all of the group; on Windows its descendants. Does nothing if it is
    gone."""
    import psutil

    if is_windows():
        with contextlib.suppress(psutil.Error):
            root = psutil.Process(pid)
            for process in (*root.children(recursive=True), root):
                with contextlib.suppress(psutil.Error):
                    process.kill()
        return
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def kill_all_naming(text: str) -> list[int]:
    """Kills all processes with a text in their command line, as far as this user may; returns their ids."""
    import psutil

    killed = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if text in "\0".join(process.cmdline()):
                process.kill()
                killed.append(process.pid)
    return killed


def peer_process(connection: socket.socket) -> int:
    """The process at the other end of a Unix socket: of one that was connected to, the one that listens there.

    Returns:
        0 where the system does not say, or the process is in another PID namespace.
    """
    if sys.platform == "darwin":
        return int.from_bytes(connection.getsockopt(0, 2, 4), sys.byteorder)  # SOL_LOCAL, LOCAL_PEERPID (sys/un.h)
    if not hasattr(socket, "SO_PEERCRED"):
        return 0
    return int.from_bytes(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)[:4], sys.byteorder)


def lock_file(path: Path) -> IO[bytes]:
    """Opens a file, made if there is none, and locks it until it is closed or this process ends.

    Raises:
        OSError: another process holds the lock, or the path is a link.
    """
    flags = os.O_RDWR | os.O_CREAT | _BINARY | _NO_FOLLOW | _CLOSE_ON_EXEC
    held = os.fdopen(os.open(path, flags, 0o600), "r+b")
    try:
        _lock(held)
    except BaseException:
        held.close()
        raise
    return held


def _lock(held: IO[bytes]) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(held.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def locked_folder(folder: Path, *, wait: bool = True) -> Iterator[None]:
    """Holds the lock of a folder, which ends with this process, too.

    Args:
        wait: until no other process holds it.

    Raises:
        BlockingIOError: another process holds it, and `wait` is false.
        OSError: there is no such folder, or this is Windows, where only files have locks.
    """
    if sys.platform == "win32":
        raise OSError("a folder cannot be locked on Windows: run this on Linux or macOS")
    import fcntl

    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(held)


def open_file(path: Path) -> int:
    """Opens a regular file for reading, and returns its descriptor. Follows no link, and waits for no pipe or device.

    Raises:
        OSError: there is no such file, or it is not a regular file.
    """
    if not _NO_FOLLOW and path.is_symlink():
        raise OSError("it is a link")
    found = os.open(path, _READ_FILE)
    return _regular(found)


def open_below(folder: Path, parts: Sequence[str]) -> int:
    """As `open_file`, for a file below a folder: follows no link on the way either.

    Args:
        parts: the names on the way from the folder to the file.

    Raises:
        OSError: there is no such file, it is not a regular file, or a link is on the way.
    """
    if os.open not in os.supports_dir_fd:
        path = folder
        for part in parts[:-1]:
            path /= part
            if path.is_symlink():
                raise OSError("a link is on the way")
        return open_file(path / parts[-1])
    open_folder = os.O_RDONLY | os.O_DIRECTORY | _CLOSE_ON_EXEC
    here = os.open(folder, open_folder)
    try:
        for part in parts[:-1]:
            below = os.open(part, open_folder | _NO_FOLLOW, dir_fd=here)
            os.close(here)
            here = below
        found = os.open(parts[-1], _READ_FILE, dir_fd=here)
    finally:
        os.close(here)
    return _regular(found)


def _regular(descriptor: int) -> int:
    """The descriptor, if it is of a regular file; else closes it and raises OSError."""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError("no regular file")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


MIN_OPEN_FILES = 256
"""Some 60 for the service, 4 for each session and caller, and what Chromium has open."""

GRANTED_OPEN_FILES = 8192
"""As many as Chromium allows itself on Linux."""

MORE_FILES = f"ulimit -n {GRANTED_OPEN_FILES}"


def open_file_limit() -> int | None:
    """The files that this process may have open; None for no limit, as on Windows."""
    if sys.platform == "win32":
        return None
    import resource

    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def allow_open_files() -> None:
    """Lets this process, and what it starts, have as many files open as its user may allow it, up to
    GRANTED_OPEN_FILES."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = GRANTED_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, GRANTED_OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def few_files_hint() -> str:
    """What to do where this process may have too few files open; empty where it may have enough."""
    limit = open_file_limit()
    if limit is None or limit >= MIN_OPEN_FILES:
        return ""
    return f"only {limit} files may be open here, and {MIN_OPEN_FILES} are needed: run {MORE_FILES} before the start"


def open_file_count(pid: int) -> int:
    """The files that a process has open; on Windows its handles. Raises ProcessLookupError where it is gone."""
    import psutil

    try:
        process = psutil.Process(pid)
        if sys.platform == "win32":
            return process.num_handles()
        return process.num_fds()
    except psutil.NoSuchProcess as exc:
        raise ProcessLookupError(f"process {pid} is gone") from exc


def peak_memory_bytes() -> int:
    """The most that this process has held in memory (RSS), since `restart_peak_memory` where that was possible."""
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    if (mark := _high_water_mark()) is not None:
        return mark
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def restart_peak_memory() -> bool:
    """Sets the peak back to what is held now. False where a process may not: some sandboxes, macOS and Windows."""
    if _high_water_mark() is None:
        return False
    try:
        # "5" resets the peak resident set size and touches nothing else (proc_pid_clear_refs(5), Linux 4.0).
        Path("/proc/self/clear_refs").write_text("5", "ascii")
    except OSError:
        return False
    return True


def _high_water_mark() -> int | None:
    """The largest RSS of this process as Linux keeps it; None elsewhere."""
    try:
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), None)


def processor_name() -> str:
    """The processor's model as Linux says it, else as Python does."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    import platform

    return next(models, platform.processor() or platform.machine())


def kernel_switch(name: str) -> int | None:
    """A number that sysctl(8) shows by a name such as `user.max_user_namespaces`; None where there is none."""
    try:
        return int(Path("/proc/sys", *name.split(".")).read_text("ascii"))
    except (OSError, ValueError):
        return None


def chromium_hint() -> str:
    """How to install Chromium."""
    if sys.platform == "linux":
        return "`apt-get install chromium`, or `playwright install chromium`"
    return "`playwright install chromium`"


def sandbox_hint() -> str:
    """How to make Chromium's sandbox work."""
    if sys.platform == "linux":
        return (
            "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, or the AppArmor rule for "
            "it) or install chromium-sandbox; in a container, run it with the seccomp profile of server/deploy"
        )
    return "run the service as an ordinary user, outside of another sandbox"
