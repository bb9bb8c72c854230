"""Signs in to real applications, ends service and browser, and looks whether another service is signed in.

Rule 1: a look without profile and state must find the application's sign-in page, or the check would prove nothing.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perception.bench.suites.subroutines.apps import load_app
from perception.bench.suites.subroutines.apps.app import App, AppError
from perception.bench.suites.subroutines.apps.installing import install
from perception.bench.suites.subroutines.snapshot_agent import perform
from perception.client import Client, connect
from perception.client.child import ServiceChild
from perception.errors import PerceptionError

CLOSED, STOPPED, KILLED, FILE, CONTROL = (
    "session closed, service restarted",
    "service stopped with the session open",
    "service and browser killed (SIGKILL)",
    "state as a file",
    "control",
)

SAVE_SECONDS = 0.5
"""Interval at which profiles are kept here, so that a kill is not waited for."""

KEPT_SECONDS = 30.0
"""Limit for a profile to be kept by itself."""


@dataclass(frozen=True, slots=True)
class LoginOutcome:
    """One login.

    Attributes:
        ending: what came between the login and the look.
        lasted: it was there, or for CONTROL was not.
        detail: title of the page that was seen, or what failed.
    """

    app: str
    ending: str
    lasted: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class LoginsRun:
    """A run. `left_out`: applications that could not be installed or started."""

    outcomes: tuple[LoginOutcome, ...]
    left_out: tuple[str, ...] = ()


def run_logins(names: Sequence[str], home: Path, say: Callable[[str], None]) -> LoginsRun:
    """All applications, one after the other."""
    folders, failed = install([load_app(name).packages for name in names], home, say)
    outcomes: list[LoginOutcome] = []
    left_out = []
    for name in names:
        kind = load_app(name)
        if kind.packages in failed:
            left_out.append(f"{name}: {failed[kind.packages]}")
            continue
        with tempfile.TemporaryDirectory(prefix="logins-") as state:
            os.chmod(state, 0o755)
            app = kind(folders[kind.packages], Path(state))
            try:
                with app.serving():
                    outcomes += _outcomes(app, say)
            except AppError as exc:
                left_out.append(f"{name}: {exc}")
    return LoginsRun(tuple(outcomes), tuple(left_out))


def _outcomes(app: App, say: Callable[[str], None]) -> Iterator[LoginOutcome]:
    for ending, way in _WAYS.items():
        with tempfile.TemporaryDirectory(prefix="logins-data-") as data:
            try:
                title, is_in = way(app, Path(data))
                lasted, detail = is_in != (ending == CONTROL), title
            except PerceptionError as exc:
                lasted, detail = False, str(exc)[:200]
        say(f"{app.name}: {ending}: {'lasted' if lasted else 'DID NOT LAST'} ({detail})")
        yield LoginOutcome(app.name, ending, lasted, detail)


@contextmanager
def _service(data: Path) -> Iterator[tuple[Client, ServiceChild]]:
    """A service with a browser of its own, whose profiles lie in a folder."""
    before = {name: os.environ.get(name) for name in ("PERCEPTION_DATA_DIR", "PERCEPTION_PROFILE_SAVE_S")}
    os.environ.update({"PERCEPTION_DATA_DIR": str(data), "PERCEPTION_PROFILE_SAVE_S": str(SAVE_SECONDS)})
    try:
        child = ServiceChild.start(("127.0.0.1",))
    finally:
        for name, value in before.items():
            os.environ.pop(name)
            if value is not None:
                os.environ[name] = value
    try:
        with connect(child.address, token=child.access.token) as client:
            yield client, child
    finally:
        child.stop()


def _sign_in(client: Client, app: App, **options: Any) -> Any:
    assert app.sign_in is not None
    page = client.open(app.origin + app.sign_in.path, **options)
    perform(page, app.sign_in.steps, {})
    return page


def _look(data: Path, app: App, **options: Any) -> tuple[str, bool]:
    """The title that a new service sees, and whether it is signed in: no password is asked for."""
    assert app.sign_in is not None
    with (
        _service(data) as (client, _),
        client.open(app.origin + app.sign_in.path, allow_evaluate=True, **options) as page,
    ):
        title = page.snapshot(mode="text", view="digest").title
        return title, not page.evaluate("document.querySelector('input[type=password]') !== null")


def _closed(app: App, data: Path) -> tuple[str, bool]:
    with _service(data) as (client, _):
        _sign_in(client, app, profile="app").close()
    return _look(data, app, profile="app")


def _stopped(app: App, data: Path) -> tuple[str, bool]:
    with _service(data) as (client, _):
        _sign_in(client, app, profile="app")
    return _look(data, app, profile="app")


def _killed(app: App, data: Path) -> tuple[str, bool]:
    with _service(data) as (client, child):
        _sign_in(client, app, profile="app")
        signed_in_s, end = time.time(), time.monotonic() + KEPT_SECONDS
        while not any(each.save_time.seconds > signed_in_s for each in client.profiles()):
            if time.monotonic() > end:
                raise AppError("the profile was not kept in time")
            time.sleep(SAVE_SECONDS / 5)
        os.kill(child.process.pid, signal.SIGKILL)
    return _look(data, app, profile="app")


def _filed(app: App, data: Path) -> tuple[str, bool]:
    with _service(data) as (client, _):
        exported = _sign_in(client, app).export_state()
    return _look(data / "other", app, state=exported.state)


def _control(app: App, data: Path) -> tuple[str, bool]:
    with _service(data) as (client, _):
        _sign_in(client, app).close()
    return _look(data, app)


_WAYS: dict[str, Callable[[App, Path], tuple[str, bool]]] = {
    CLOSED: _closed,
    STOPPED: _stopped,
    KILLED: _killed,
    FILE: _filed,
    CONTROL: _control,
}
