"""Commands of the program as processes of their own, that start at once.

`perception(...)` is a command line for `subprocess`, asyncio or a host of MCP. What a test says of the start itself, of
the interpreter or of process ids needs `perception_anew`.
"""

from __future__ import annotations

import atexit
import functools
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil

_FOLDER = Path(__file__).parent

FORKED_SERVICES = {"TESTS_FORKED_SERVICES": "1"}
"""Environment of a `perception(...)` whose services are to start as it does, not anew."""

NO_MODELS = {"PERCEPTION_DETECTORS": "controls"}
"""Environment of a command whose service loads no model: one that has started loads them all, for 3 core-seconds."""


def perception(*words: str) -> list[str]:
    """The command line of a command, in a process forked from one that has loaded the program."""
    return [sys.executable, "-I", "-S", str(_FOLDER / "launcher.py"), _fork_server(), *words]


def perception_anew(*words: str) -> list[str]:
    """The command line of a command, as a user's shell starts it."""
    return [sys.executable, "-m", "perception", *words]


def prepared(code: str) -> dict[str, str]:
    """Environment of a `perception(...)` that runs this code first, such as a change of a constant."""
    return {"TESTS_PREPARATION": code}


def in_browser(ws_url: str) -> dict[str, str]:
    """Environment of a `perception(...)` whose services use a browser that runs already (see `lent_chromium`)."""
    return prepared(f"import lent_chromium; lent_chromium.use({ws_url!r})")


def children_with(word: str, parent: int | None = None) -> list[psutil.Process]:
    """The processes that one has started, by default this one, with a word in their command lines. Those that have
    ended, and are not reaped yet, have no such line."""
    every = psutil.process_iter(["cmdline", "ppid"])
    wanted = os.getpid() if parent is None else parent
    return [each for each in every if each.info["ppid"] == wanted and word in (each.info["cmdline"] or ())]


def forked() -> set[psutil.Process]:
    """All processes of commands, and what these have started."""
    (server,) = children_with(str(_FOLDER / "fork_server.py"))
    return set(server.children(recursive=True))


@functools.cache
def _fork_server() -> str:
    """Starts the fork server of this process. Returns the path of its socket."""
    folder = tempfile.mkdtemp(prefix="perception-tests-")
    path = os.path.join(folder, "fork-server")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    server = subprocess.Popen(
        [sys.executable, str(_FOLDER / "fork_server.py"), path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment | {"OPENBLAS_NUM_THREADS": "1"},  # otherwise it has threads
        start_new_session=True,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"

    def end() -> None:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.close()
        server.stdout.close()
        server.wait(10)
        os.unlink(path)
        os.rmdir(folder)

    atexit.register(end)
    return path
