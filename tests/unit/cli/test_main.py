"""The program and the commands that other rooms add to it."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest
from typer.testing import CliRunner

from perception.cli import main

LOADED = """
import sys
from perception.cli.main import make_app
make_app()
print(*sys.modules)
"""


def test_help_loads_neither_the_service_nor_what_it_runs_with() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert {"perception.cli.main", "perception.server.command"} <= loaded
    heavy = {"cv2", "numpy", "onnxruntime", "playwright", "PIL", "pydantic", "scipy", "structlog"}
    ours = {"perception.server.app", "perception.server.doctor", "perception.browser", "perception.detectors"}
    assert loaded & (heavy | ours) == set()


def test_the_list_of_commands_loads_none_of_them() -> None:
    listed = LOADED.replace("make_app", "make_listing")
    done = subprocess.run([sys.executable, "-c", listed], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert loaded & {"grpc", "google.protobuf", "perception.server.command", "perception.cli.snapshot"} == set()


@pytest.mark.parametrize("service", [True, False])
def test_the_list_of_commands_is_that_of_the_whole_program(monkeypatch: pytest.MonkeyPatch, *, service: bool) -> None:
    plugin = EntryPoint("mine", "tests.no_such_module:app", main.COMMANDS)
    theirs = (plugin, *(main.entry_points(group=main.COMMANDS) if service else ()))
    monkeypatch.setattr(main, "entry_points", lambda *, group: theirs)
    monkeypatch.setattr(main, "has_service", lambda: service)
    listed, whole = (CliRunner().invoke(app, ["--help"]).stdout for app in (main.make_listing(), main.make_app()))
    assert sorted(listed.splitlines()) == sorted(whole.splitlines())
    assert "mine" in listed


def test_a_command_loads_none_of_the_others() -> None:
    only = LOADED.replace("make_app()", 'make_app("token")')
    done = subprocess.run([sys.executable, "-c", only], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "perception.server.command" in loaded
    others = {"perception.cli.subroutines", "perception.bench.cli", "perception.datasets.cli", "perception.mcp.command"}
    assert loaded & (others | {"grpc"}) == set()
    every, one = main.make_app("tokens"), main.make_app("token")  # the first is no command: its error needs them all
    assert len(every.registered_groups) > len(one.registered_groups)


def test_the_help_of_a_command_of_the_shell_is_made_of_it_alone() -> None:
    done = CliRunner().invoke(main.make_app("click"), ["click", "--help"], env={"COLUMNS": "200"})
    assert (done.exit_code, "--modifier" in done.stdout) == (0, True)
    assert [each.name for each in main.make_app("click").registered_commands] == ["click"]
    assert main.make_app("click").registered_groups == []


def test_every_command_has_a_line_of_help() -> None:
    shown = CliRunner().invoke(main.make_app(), ["--help"], env={"COLUMNS": "300"}).stdout
    for name in (
        "serve",
        "snapshot",
        "parse",
        "extract",
        "detectors",
        "dataset",
        "bench",
        "ab",
        "record",
        "subroutine",
    ):
        assert f" {name} " in shown
    for name in ("health", "doctor", "token"):
        assert f" {name} " in shown


def test_a_command_that_cannot_be_imported_does_not_take_the_others_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EntryPoint("broken", "perception.no_such_room:app", main.COMMANDS)
    monkeypatch.setattr(main, "entry_points", lambda *, group: [broken])
    app = main.make_app()
    done = CliRunner().invoke(app, ["broken", "run", "--fast"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == ("error: `perception broken` cannot be loaded: No module named 'perception.no_such_room'\n")
    assert CliRunner().invoke(app, ["health", "--help"]).exit_code == 0


def test_without_the_service_its_commands_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "has_service", lambda: False)
    monkeypatch.setattr(main, "entry_points", lambda *, group: ())
    done = CliRunner().invoke(main.make_app("serve"), ["serve", "--address", "127.0.0.1:1"])
    assert (done.exit_code, done.stderr) == (
        1,
        "error: this command needs the service: pip install perception-service\n",
    )
