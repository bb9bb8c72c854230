"""Settings by the names that operators know: options of `perception serve`, environment variables."""

from __future__ import annotations

import re

import pytest
import typer
from typer.testing import CliRunner

from perception.cli.main import make_app
from perception.server.environment import FLAGS, OTHERS, how_to_set, unknown_variables, variable_of
from perception.server.settings import Settings
from tests.paths import ROOT


def test_every_flag_is_an_option_of_serve_and_sets_what_it_says() -> None:
    command = typer.main.get_command(make_app())
    serve = command.commands["serve"]  # type: ignore[attr-defined]
    offered = {option for each in serve.params for option in each.opts}
    assert set(FLAGS.values()) <= offered
    assert FLAGS.keys() <= Settings.model_fields.keys()


def test_a_setting_is_named_by_flag_and_variable() -> None:
    assert how_to_set("max_sessions") == "--max-sessions or PERCEPTION_MAX_SESSIONS"
    assert how_to_set("max_calls") == "PERCEPTION_MAX_CALLS"


def test_every_variable_that_the_sources_name_is_known() -> None:
    known = OTHERS | {variable_of(each) for each in Settings.model_fields}
    files = [
        path for room in ("perception", "server", "bench", "docs", "examples") for path in (ROOT / room).rglob("*")
    ]
    named = {
        name
        for path in [*files, ROOT / "README.md"]
        if path.suffix in (".py", ".md", ".ts", ".go", ".sh") and "node_modules" not in path.parts
        for name in re.findall(r"(?<!_)PERCEPTION_[A-Z_]*[A-Z]", path.read_text("utf-8"))
    }
    assert named - known == set()


@pytest.mark.parametrize(
    ("name", "near"),
    [("PERCEPTION_MAX_SESSION", "PERCEPTION_MAX_SESSIONS"), ("perception_uploads_dir", "PERCEPTION_UPLOAD_DIR")],
)
def test_an_unknown_variable_is_reported_with_the_nearest_name(name: str, near: str) -> None:
    (warning,) = unknown_variables(["PATH", "PERCEPTION_HOME", "PERCEPTION_MAX_CALLS", name])
    assert warning == f"the environment variable {name.upper()} means nothing here: did you mean {near}?"


def test_only_a_unix_socket_trusts_the_hosts_that_clients_name() -> None:
    done = CliRunner().invoke(make_app(), ["serve", "--trust-named-hosts"])
    assert done.exit_code == 2
    assert "trust_named_hosts is for a service on a Unix socket" in done.output


def test_a_command_that_reads_settings_warns_of_unknown_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERCEPTION_MAX_SESSION", "2")
    monkeypatch.setenv("PERCEPTION_MAX_CALLS", "many")
    done = CliRunner().invoke(make_app(), ["serve"])
    assert done.exit_code == 2
    assert "warning: the environment variable PERCEPTION_MAX_SESSION means nothing here" in done.output
    assert "error: PERCEPTION_MAX_CALLS: " in done.output
