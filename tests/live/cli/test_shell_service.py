"""The service of the shells: one for all of them, in a folder of the user's own, that ends by itself."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from perception.cli.shell import service
from perception.client import connect
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
    assert (code, "`perception close --all`" in told) == (1, True)
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
