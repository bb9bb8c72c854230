"""Options of the commands that serve."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from perception.cli.main import make_app
from perception.server.command import settings_of


@cache
def said(*words: str) -> Result:
    """What a command prints."""
    return CliRunner().invoke(make_app(), list(words), env={"COLUMNS": "200", "NO_COLOR": "1"})


@pytest.mark.parametrize("option", ["--grace", "--worker-name"])
def test_options_of_workers_are_shown_and_taken_by_workers_alone(option: str) -> None:
    assert option not in said("serve", "--help").stdout
    assert option in said("worker", "--help").stdout
    refused = said("serve", option, "3")
    assert refused.exit_code == 2
    assert refused.stderr == f"error: {option} is an option of `perception worker`: use that, or leave it out\n"


def test_an_option_sets_its_setting_also_to_nothing() -> None:
    given = {
        "claim_wait_s": 0.0,
        "headless": True,
        "metrics_public": True,
        "look_ahead": False,
        "allow_hosts": ["a", "b"],
    }
    assert settings_of(given | {"address": None, "worker": False}) == {
        "claim_wait_s": 0.0,
        "headless": False,
        "metrics_public": True,
        "allow_hosts": ("a", "b"),
    }


def test_serve_refuses_what_can_only_fail_before_it_listens(tmp_path: Path) -> None:
    refused = said("serve", "--browser", str(tmp_path / "none"), "--address", f"unix:{tmp_path / 's'}")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("error: --browser or PERCEPTION_BROWSER_PATH: ")
