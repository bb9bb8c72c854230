"""The service of the shells: one for all of them, in a folder of the user's own, that ends by itself."""

from __future__ import annotations

import gc
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from perception.client import connect
from perception.client import shared_service as service
from perception.errors import DeadlineError
from tests.support.processes import FORKED_SERVICES, NO_MODELS
from tests.support.shell_runs import Shell


def _chromiums(of: psutil.Process) -> list[psutil.Process]:
    found = []
    for each in of.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            found += [each] if "chrom" in each.name() else []
    return found


def _wait_until_gone(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Those that are still there after a while."""
    return psutil.wait_procs(processes, timeout=30)[1]


def _address(home: Path) -> str:
    """Where the service listens; empty while none does."""
    try:
        return (home / "shell" / "service").read_text()
    except FileNotFoundError:
        return ""


def _until(is_true: Callable[[], bool]) -> None:
    """Waits for something that must happen, at most 60 s."""
    end_s = time.monotonic() + 60
    while not is_true():
        assert time.monotonic() < end_s
        time.sleep(0.01)


def test_one_service_serves_all_shells_and_its_loss_is_told(site: str, tmp_path: Path) -> None:
    """In one test, as each service takes seconds to start. The home's path is too long for a socket."""
    home = tmp_path / ("long-" * 22) / "home"
    shell = Shell(home, tmp_path, NO_MODELS)
    opening = [shell.start("open", f"{site}/shell.html", "--session", name) for name in ("one", "two", "two")]
    assert [each.communicate(timeout=90)[1] for each in opening] == ["", "", ""]
    address = _address(home)
    assert 0 < len(address) < 108
    pid = service.listener(address)
    assert pid is not None
    serving = psutil.Process(pid)
    others = [each for each in psutil.process_iter(["cmdline"]) if str(home) in " ".join(each.info["cmdline"] or [])]
    assert others == [serving]

    with connect(address) as client:
        assert len(client.open_sessions()) == 2

    serving.send_signal(signal.SIGSTOP)
    code, told = shell.error("look", "--session", "one", "--timeout-ms", "700")
    assert (code, "`perception close --all`" in told) == (1, True), told
    serving.send_signal(signal.SIGCONT)

    chromium = _chromiums(serving)
    assert chromium
    serving.send_signal(signal.SIGKILL)
    serving.wait(10)
    code, told = shell.error("look", "--session", "one")
    assert (code, told) == (
        1,
        "the service of session 'one' is gone, and its pages with it: open a new one with `perception open URL`",
    )
    assert "lost" in shell.out("sessions")
    again = Shell(home, tmp_path, FORKED_SERVICES | NO_MODELS)
    opening_again = again.start("open", f"{site}/shell.html", "--session", "one", "--idle-minutes", "0.03")
    _until(lambda: _address(home) not in ("", address))
    address = _address(home)
    pid = service.listener(address)
    assert pid is not None
    _until(lambda: _chromiums(psutil.Process(pid)) != [])
    ending = [psutil.Process(pid), *_chromiums(psutil.Process(pid))]
    opened, error = opening_again.communicate(timeout=90)
    assert opened.startswith("the last session of this name was lost; session: one\n"), error
    assert _wait_until_gone(chromium) == []
    assert _wait_until_gone(ending) == []
    assert "no service was running" in shell.out("close", "--all")
    assert not list(Path(address.removeprefix("unix:")).parent.glob("*.sock"))


SLOW = """import pathlib, socket, sys, time
given = dict(zip(sys.argv[1:], sys.argv[2:]))
while not pathlib.Path("go").exists():
    time.sleep(0.01)
listening = socket.socket(socket.AF_UNIX)
listening.bind(given["--address"].removeprefix("unix:"))
listening.listen()
ready = pathlib.Path(given["--ready-file"])
ready.with_suffix(".new").write_text(given["--address"])
ready.with_suffix(".new").rename(ready)
time.sleep(600)"""


@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")
def test_a_service_that_needs_longer_than_a_command_is_found_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(service, "serve_command", lambda *options: [sys.executable, "-c", SLOW, *options])

    shared = service.SharedService(tmp_path, 60.0)

    def starting() -> int:
        with pytest.raises(DeadlineError, match="the service is still starting: try again"):
            shared.find_or_start(time.monotonic() + 0.1)
        gc.collect()  # of the process, which goes on
        return int((tmp_path / service.STARTING_FILE).read_text().split()[0])

    first = starting()
    assert starting() == first
    with monkeypatch.context() as patched:
        patched.setattr(service, "LONGEST_START_SECONDS", 0.0)
        second = starting()
    assert shared.end()
    last = starting()
    assert len({first, second, last}) == 3
    Path("go").touch()
    address = shared.find_or_start(time.monotonic() + 60)
    assert service.listener(address) == last
    assert shared.end()
    assert not shared.end()
