"""`perception dataset fetch|serve|list --pages` as a user runs it. The registry's client is a script of the test."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HEED_INTERRUPTS = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
# What a shell starts in the background ignores Ctrl-C, and so do its children. Not done between fork and exec: a
# process that speaks gRPC may not fork.
COMMAND = (sys.executable, "-c", HEED_INTERRUPTS, "-m", "perception", "dataset")
ENDS_SECONDS = 60.0
"""Far more than a stopped fetch takes to clean up."""

Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts the command with an empty home, and with `npm` being a shell script of ours."""
    programs = tmp_path / "programs"
    programs.mkdir()
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, npm: str = "exit 1") -> subprocess.Popen[str]:
        script = programs / "npm"
        script.write_text(f"#!/bin/sh\n{npm}\n")
        script.chmod(0o755)
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            env={**os.environ, "PATH": path, "PERCEPTION_HOME": str(tmp_path / "home")},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_an_unknown_name_is_bad_input(start: Start) -> None:
    process = start("list", "--pages", "no-such-family")
    output, errors = process.communicate()
    assert (process.returncode, output, errors.count("\n")) == (2, "", 1)
    assert errors.startswith("error: 'no-such-family' is not a page")
    assert "`perception dataset list --pages` names them all" in errors


def test_list_has_one_meaning_for_each_spelling(start: Start) -> None:
    process = start("list", "dijit")
    output, errors = process.communicate()
    assert (process.returncode, output, errors) == (2, "", "error: 'dijit' names a page: give --pages, too\n")


def test_the_room_itself_is_no_program_beside_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "perception.datasets", "list"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "cannot be directly executed" in done.stderr


def test_the_list_has_a_whole_line_for_each_page_and_a_total(start: Start) -> None:
    process = start("list", "--pages", "dijit", "django-admin")
    output, errors = process.communicate()
    assert process.returncode == 0
    assert len(output.splitlines()) == 15
    assert "dijit 1.17.3 (BSD-3-Clause OR AFL-2.1), dojo 1.17.3 (BSD-3-Clause OR AFL-2.1)\n" in output
    assert errors == "15 pages of 3 packages and 1 program: 0 fetched\n"


def test_an_unavailable_package_is_reported_with_its_pages(start: Start) -> None:
    process = start("fetch", "ace-builds", "todomvc", npm='case "$*" in *todomvc*) echo gone >&2; esac; exit 3')
    output, errors = process.communicate()
    assert process.returncode == 1
    assert output == "0 of 6 pages can be served\n"
    assert "failed (3): gone\n  this costs 5 pages: todomvc--vanillajs, todomvc--react," in errors
    assert "this costs 1 page: ace-builds--editor\n" in errors


def test_ctrl_c_ends_fetching_with_130_and_leaves_neither_folder_nor_client(start: Start, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "client")
    told = os.open(tmp_path / "client", os.O_RDONLY | os.O_NONBLOCK)
    process = start("fetch", "ace-builds", npm=f"echo half > half.tgz; echo $$ > {tmp_path}/client; exec sleep 600")
    assert select.select([told], [], [], ENDS_SECONDS)[0] == [told]
    client = os.pidfd_open(int(os.read(told, 100)))
    os.close(told)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=ENDS_SECONDS)
    assert process.returncode == 130
    assert errors.startswith("stopped; what is complete is kept")
    assert select.select([client], [], [], ENDS_SECONDS)[0] == [client]
    os.close(client)
    assert [path for path in (tmp_path / "home").rglob("*") if path.name not in ("packages", "npm")] == []


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_serving_ends_at_a_signal_and_leaves_nothing(start: Start, tmp_path: Path, ending: signal.Signals) -> None:
    process = start("serve", "ace-builds")
    assert process.stderr is not None
    assert process.stderr.readline() == "ace-builds--editor: not fetched: ace-builds 1.45.2\n"
    process.send_signal(ending)
    process.communicate(timeout=ENDS_SECONDS)
    assert process.returncode == 1
    assert list((tmp_path / "home").iterdir()) == []
