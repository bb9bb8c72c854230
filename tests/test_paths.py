"""Where files are kept."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from perception.paths import home_folder


def test_the_variable_names_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PERCEPTION_HOME", str(tmp_path / "h"))
    assert home_folder() == tmp_path / "h"


@pytest.mark.parametrize(
    ("platform", "variable", "folder"),
    [
        pytest.param("linux", "XDG_CACHE_HOME", "x", id="xdg"),
        pytest.param("win32", "LOCALAPPDATA", "x", id="windows"),
        pytest.param("linux", "", "home/.cache", id="linux"),
        pytest.param("darwin", "", "home/Library/Caches", id="macos"),
    ],
)
def test_else_it_is_in_the_users_cache_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str, variable: str, folder: str
) -> None:
    for name in ("PERCEPTION_HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / "x"))
    monkeypatch.setattr(sys, "platform", platform)
    assert home_folder() == tmp_path / folder / "perception"
