"""A `perception worker` of an actor: a process of its own that ends when the actor does, and goes on with its sessions
for as long as its grace allows."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from perception.errors import PerceptionError
from perception.server.placement.ray import launch

START_SECONDS = 60.0
"""A worker serves after a second or two; a cold disk and a busy machine take longer."""

POLL_SECONDS = 0.1

FOLDER_PREFIX = "perception-ray-"

OWNER = "owner"
"""File in the folder with the process id of its actor."""

MAX_LOG_BYTES = 4_000
"""Of its last words, for an error."""


class WorkerFailedError(PerceptionError):
    """A worker ended before it served, or did not serve in time."""


@dataclass(slots=True)
class WorkerChild:
    """One running worker.

    Attributes:
        address: where it serves.
        process: it; no child of this process, as Ray kills those.
        lifeline: the open end of its standard input; it ends when that is closed.
    """

    process: psutil.Process
    lifeline: int
    address: str = ""

    @classmethod
    async def start(cls, name: str, host: str, environment: Mapping[str, str], folder: Path) -> WorkerChild:
        """Starts one, and returns when it serves.

        Args:
            name: of the worker.
            host: address of this machine that edges reach.
            environment: all of it.
            folder: for the file that says where it serves.

        Raises:
            WorkerFailedError: it ended, or does not serve in START_SECONDS.
        """
        ready = folder / f"address-{secrets.token_hex(4)}"
        words_from = _log_size()
        options = ["-m", "perception", "worker", "--address", f"{_bracketed(host)}:0", "--worker-name", name]
        options += ["--until-stdin-closes", "--ready-file", str(ready)]
        child = await asyncio.to_thread(cls._launch, options, environment, folder)
        try:
            async with asyncio.timeout(START_SECONDS):
                while not ready.exists():
                    if not child.runs:
                        raise WorkerFailedError(f"it ended before it served: {_last_words(words_from)}")
                    await asyncio.sleep(POLL_SECONDS)
            child.address = ready.read_text("utf-8")
        except BaseException as exc:
            child.kill()
            if isinstance(exc, TimeoutError):
                raise WorkerFailedError(f"it did not serve within {START_SECONDS:.0f} s") from exc
            raise
        finally:
            ready.unlink(missing_ok=True)
        return child

    @classmethod
    def _launch(cls, options: Sequence[str], environment: Mapping[str, str], folder: Path) -> WorkerChild:
        """Blocks for a moment: asyncio's own processes need the main thread, which an actor does not have."""
        theirs, ours = os.pipe()
        try:
            said = subprocess.run(
                [sys.executable, "-I", launch.__file__, sys.executable, *options],
                stdin=theirs,
                stdout=subprocess.PIPE,
                env=dict(environment),
                cwd=folder,
                timeout=START_SECONDS,
                check=True,
            )
            return cls(psutil.Process(int(said.stdout)), ours)
        except (OSError, ValueError, subprocess.SubprocessError, psutil.NoSuchProcess) as exc:
            os.close(ours)
            raise WorkerFailedError("it could not be started") from exc
        finally:
            os.close(theirs)

    @property
    def runs(self) -> bool:
        """Whether the process is there, and has not ended."""
        with contextlib.suppress(psutil.NoSuchProcess):
            return self.process.is_running() and self.process.status() != psutil.STATUS_ZOMBIE
        return False

    async def ended(self) -> None:
        """Returns when the process has ended."""
        while self.runs:  # noqa: ASYNC110  (it is not a child, of which the system would tell)
            await asyncio.sleep(POLL_SECONDS)

    def kill(self) -> None:
        """Ends it at once. Safe to call twice."""
        with contextlib.suppress(psutil.NoSuchProcess):
            self.process.kill()
        self.let_go()

    def let_go(self) -> None:
        """It takes no more sessions, and ends by itself. Safe to call twice."""
        if self.lifeline >= 0:
            os.close(self.lifeline)
            self.lifeline = -1


def make_folder(files: Mapping[str, bytes]) -> Path:
    """A private folder with the cluster's certificates and keys, for workers of this machine. Those that killed actors
    have left behind are removed."""
    sweep_folders()
    folder = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX))  # mode 0700
    (folder / OWNER).write_text(str(os.getpid()), "utf-8")
    for name, content in files.items():
        path = folder / name
        path.touch(mode=0o600)
        path.write_bytes(content)
    return folder


def sweep_folders() -> None:
    """Removes folders of actors that are gone, unless a worker still runs in one."""
    in_use = {each.info["cwd"] for each in psutil.process_iter(("cwd",))}
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER_PREFIX}*"):
        with contextlib.suppress(OSError, ValueError):
            is_ours = folder.stat().st_uid == os.getuid()
            if (
                is_ours
                and not psutil.pid_exists(int((folder / OWNER).read_text("utf-8")))
                and str(folder) not in in_use
            ):
                remove_folder(folder)


def remove_folder(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def child_environment(given: Mapping[str, str]) -> dict[str, str]:
    """What a worker on this node has as its environment: the node's own, without what Ray has put into it and without
    what is an edge's, and what was given to `perception worker`.

    Ray sets OMP_NUM_THREADS, CUDA_VISIBLE_DEVICES and more for its actors; its token is a secret.
    """
    try:
        nodes = psutil.Process(os.getppid()).environ()
    except (psutil.Error, OSError):
        nodes = dict(os.environ)
    kept = {name: value for name, value in nodes.items() if name in os.environ and not name.startswith("RAY_")}
    for name in OF_EDGES:
        kept.pop(name, None)
    return kept | dict(given)


OF_EDGES = tuple(
    f"PERCEPTION_{name}"
    for name in "ADDRESS CLUSTER PLACEMENT SESSION_KEYS TLS_CERT TLS_CLIENT_CA TLS_KEY TOKEN_FILE VIEWER WORKER "
    "WORKER_NAME".split()
)
"""Settings that a node may have for an edge beside its workers, or that the actor itself sets."""


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _log_size() -> int:
    """How long the log is that this process and its workers write into; 0 where it is not a file."""
    with contextlib.suppress(OSError):
        return os.fstat(2).st_size
    return 0


def _last_words(start: int) -> str:
    """What was written into the log since, in one line; what to do where it is not a file."""
    try:
        with open("/proc/self/fd/2", "rb") as log:
            log.seek(max(start, _log_size() - MAX_LOG_BYTES))
            words = log.read(MAX_LOG_BYTES).decode("utf-8", "replace")
    except OSError:
        words = ""
    return " ".join(words.split()) or "its own words are in Ray's log of this node"
