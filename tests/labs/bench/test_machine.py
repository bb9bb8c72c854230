from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from perception.bench.machine import source_commit

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    return subprocess.run(
        ["git", "-C", str(folder), *identity, *arguments], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A source file in a repository of one commit, which has a tag too."""
    git(tmp_path, "init")
    file = tmp_path / "source.py"
    file.write_text("one = 1\n")
    git(tmp_path, "add", file.name)
    git(tmp_path, "commit", "--message=One")
    git(tmp_path, "tag", "--annotate", "v1", "--message=One")
    return file


def test_a_clean_checkout_is_named_by_its_commit(source: Path) -> None:
    assert source_commit(source) == git(source.parent, "rev-parse", "--short=12", "HEAD")


def test_a_changed_checkout_has_a_plus(source: Path) -> None:
    source.write_text("one = 2\n")
    assert source_commit(source) == git(source.parent, "rev-parse", "--short=12", "HEAD") + "+"


def test_a_package_installed_inside_somebody_elses_repository_has_no_commit(source: Path) -> None:
    installed = source.with_name("installed.py")
    installed.write_text("")
    assert source_commit(installed) == "none"


def test_a_file_outside_any_repository_has_no_commit(tmp_path: Path) -> None:
    file = tmp_path / "source.py"
    file.write_text("")
    assert source_commit(file) == "none"


def test_a_link_is_the_file_it_leads_to(source: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    link = tmp_path_factory.mktemp("elsewhere") / "linked"
    link.symlink_to(source.parent, target_is_directory=True)
    assert source_commit(link / source.name) == source_commit(source) != "none"
