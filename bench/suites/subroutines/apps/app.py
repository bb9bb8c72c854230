"""An application that is measured: how it starts, what is in it, and how another user changes it.

Rule 1: the truth is read from the application's own database, files or API, past the proxy and the browser.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from perception.bench.suites.subroutines.effects import State
from perception.bench.suites.subroutines.task import TaskStep
from perception.datasets.sources import supervise
from perception.datasets.sources.site_server import free_port
from perception.errors import PerceptionError

READY_SECONDS = 120.0
"""Time limit for a program to start: MLflow takes 20 s on two busy cores."""

PROGRAMS = Path(__file__).parent / "programs"
"""Server programs of applications that are libraries."""


class AppError(PerceptionError):
    """An application that does not start."""

    reason = "APP_UNAVAILABLE"


@dataclass(frozen=True, slots=True)
class SignIn:
    """How a user signs in: the page, and what is done there."""

    path: str
    steps: tuple[TaskStep, ...]


class App(ABC):
    """One application.

    Attributes:
        name: as in `manifest.toml`, unless `packages` says otherwise.
        packages: the entry of `manifest.toml`.
        sign_in: None where nobody signs in.
        session_cookies: cookies that hold the session.
        ready: a path that answers when it serves.
        quiet_s: seconds without a request after which everything has arrived.
        locks: what somebody has begun to edit is closed to others for a time.
        folder: where it is installed.
        state: the folder of its files, empty at the start.
        port: where it listens.
        public_url: the address that browsers use: the proxy's.
    """

    name: ClassVar[str]
    packages: ClassVar[str]
    sign_in: ClassVar[SignIn | None] = None
    session_cookies: ClassVar[tuple[str, ...]] = ()
    ready: ClassVar[str] = "/"
    quiet_s: ClassVar[float] = 0.3
    locks: ClassVar[bool] = False

    def __init__(self, folder: Path, state: Path) -> None:
        self.folder = folder
        self.state = state
        self.port = free_port()
        self.public_url = self.origin
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def python(self) -> str:
        return str(self.folder / "python/bin/python")

    @abstractmethod
    def prepare(self) -> None:
        """Fills the state folder before the first start."""

    @abstractmethod
    def command(self) -> Sequence[str]:
        """The program that serves."""

    @abstractmethod
    def truth(self) -> State:
        """All records."""

    @abstractmethod
    def change(self, record: str, name: str, value: str) -> None:
        """Another user changes a field of a record."""

    def environment(self) -> Mapping[str, str]:
        """Further variables of its processes."""
        return {}

    def is_ignored(self, method: str, path: str) -> bool:
        """Whether a request is not a change, for faults that happen once: polls, telemetry."""
        return False

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Prepares and starts it; ends it with the context.

        Raises:
            AppError: it does not start.
        """
        self.prepare()
        try:
            self.start()
            yield
        finally:
            self.stop()

    def start(self) -> None:
        """Starts the program and waits until it serves. Raises AppError: it does not."""
        with (self.state / "app.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-I", str(supervise.__file__), *self.command()],
                cwd=self.state,
                env=self._variables(),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._wait_until_ready()

    def stop(self) -> None:
        """Ends the program and its children."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()  # the supervisor ends it
            self._process.wait()
        self._process = None

    def run(self, *command: str) -> None:
        """Runs a command of the application in its state folder. Raises AppError: it fails."""
        done = subprocess.run(
            command, cwd=self.state, env=self._variables(), capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip()[-500:]
            raise AppError(f"{self.name}: `{' '.join(command)[:200]}` failed: {said}")

    def _variables(self) -> dict[str, str]:
        path = f"{Path(self.python).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        fixed = {"LANG": "C.UTF-8", "TZ": "UTC", "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(self.state)}
        return {**fixed, "PATH": path, **self.environment()}

    def _wait_until_ready(self) -> None:
        assert self._process is not None
        end = time.monotonic() + READY_SECONDS
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        while self._process.poll() is None and time.monotonic() < end:
            try:
                opener.open(self.origin + self.ready, timeout=READY_SECONDS).close()
                return
            except urllib.error.HTTPError as exc:
                exc.close()
                raise AppError(f"{self.name} answers {exc.code} at {self.ready}: {self._last_words()}") from exc
            except OSError:
                time.sleep(0.05)  # not listening yet
        raise AppError(f"{self.name} does not serve: {self._last_words()}")

    def _last_words(self) -> str:
        return (self.state / "app.log").read_text(errors="replace").strip()[-500:] or "it said nothing"


@dataclass(frozen=True, slots=True)
class Table:
    """A table that is part of the truth.

    Attributes:
        name: its name in the database.
        key: the column, or an SQL expression, that identifies a row.
        columns: those that are compared; `name AS other` is allowed.
        record: the first part of its records' names; the table's name by default.
    """

    name: str
    key: str
    columns: tuple[str, ...]
    record: str = ""

    @property
    def prefix(self) -> str:
        return self.record or self.name


class SqliteApp(App):
    """An application whose records are in an SQLite file."""

    tables: ClassVar[tuple[Table, ...]]

    @property
    @abstractmethod
    def database(self) -> Path:
        """The file."""

    def connect(self) -> sqlite3.Connection:
        """A connection that commits each statement, and waits for the application's."""
        return sqlite3.connect(self.database, timeout=30, isolation_level=None)

    def truth(self) -> State:
        found: dict[str, dict[str, str]] = {}
        with closing(self.connect()) as link:
            for table in self.tables:
                for key, *values in link.execute(f"SELECT {table.key}, {', '.join(table.columns)} FROM {table.name}"):
                    names = [column.split()[-1] for column in table.columns]
                    texts = ("" if value is None else str(value) for value in values)
                    found[f"{table.prefix}/{key}"] = dict(zip(names, texts, strict=True))
        return found

    def change(self, record: str, name: str, value: str) -> None:
        prefix, _, key = record.partition("/")
        table = next(each for each in self.tables if each.prefix == prefix)
        self.execute(f"UPDATE {table.name} SET {name} = ? WHERE {table.key} = ?", value, key)

    def execute(self, statement: str, *values: object) -> int:
        """Runs a statement; returns the id of the row that it inserted."""
        with closing(self.connect()) as link:
            return int(link.execute(statement, values).lastrowid or 0)
