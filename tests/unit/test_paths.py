"""Where files are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from perception.paths import data_folder, home_folder, move_user_data


@pytest.fixture
def user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A user's folder without anything in it."""
    for name in ("PERCEPTION_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_one_variable_names_both_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PERCEPTION_HOME", str(tmp_path / "h"))
    assert (home_folder(), data_folder()) == (tmp_path / "h", tmp_path / "h")


def test_what_a_user_made_is_not_in_the_cache(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (home_folder(), data_folder()) == (user / ".cache/perception", user / ".local/share/perception")
    monkeypatch.setenv("XDG_CACHE_HOME", str(user / "c"))
    monkeypatch.setenv("XDG_DATA_HOME", str(user / "d"))
    assert (home_folder(), data_folder()) == (user / "c/perception", user / "d/perception")


def test_user_data_of_earlier_versions_moves_from_the_cache(user: Path) -> None:
    old, new = home_folder(), data_folder()
    for folder in (old / "subroutines/add", old / "recordings", old / "packages", new / "recordings"):
        folder.mkdir(parents=True)
    (old / "subroutines/add/body.js").write_text("old")
    assert move_user_data(("subroutines", "recordings", "principals")) == ["subroutines"]
    assert (new / "subroutines/add/body.js").read_text() == "old"
    assert (old / "recordings").is_dir()
    assert (old / "packages").is_dir()
    assert move_user_data(("subroutines", "recordings", "principals")) == []


def test_nothing_moves_within_a_chosen_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PERCEPTION_HOME", str(tmp_path))
    (tmp_path / "subroutines").mkdir()
    assert move_user_data(("subroutines",)) == []
