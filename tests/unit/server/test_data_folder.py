"""A data folder that takes no files: what says so. A file in its place refuses root, too."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import pytest

from perception.server import doctor
from perception.server.app import _warn_of_data_folder
from perception.server.data_folder import NAMES, as_data_folder_error, why_not_writable
from perception.server.fitness import Level


@pytest.mark.parametrize("name", ["data", "data/below", "data/below/that"])
def test_a_file_in_the_place_of_the_folder_refuses(tmp_path: Path, name: str) -> None:
    (tmp_path / "data").write_text("a file")
    assert why_not_writable(tmp_path / name) == "Not a directory"
    finding = doctor._folder("recordings", tmp_path / name, "PERCEPTION_DATA_DIR", NAMES)
    assert (finding.level, "PERCEPTION_DATA_DIR" in finding.fix) == (Level.FAIL, True)


def test_a_file_in_the_place_of_one_of_its_folders_refuses(tmp_path: Path) -> None:
    (tmp_path / "profiles").write_text("a file")
    assert why_not_writable(tmp_path) == ""
    assert why_not_writable(tmp_path, NAMES) == "Not a directory"


def test_a_folder_that_does_not_exist_yet_can_be_written_and_is_not_made(tmp_path: Path) -> None:
    assert why_not_writable(tmp_path / "data" / "below", NAMES) == ""
    assert not (tmp_path / "data").exists()


def test_the_service_warns_of_it_as_it_starts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _warn_of_data_folder(tmp_path)
    assert "data folder" not in "".join(capsys.readouterr())
    (tmp_path / "videos").write_text("a file")
    _warn_of_data_folder(tmp_path)
    assert "the data folder cannot be written" in "".join(capsys.readouterr())


def test_a_folder_of_another_user_says_whose_it_is_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(dir: Path) -> None:  # noqa: A002  the name that it has
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    mine = os.geteuid()
    assert why_not_writable(tmp_path) == "Permission denied"
    monkeypatch.setattr(os, "geteuid", lambda: 10001)
    monkeypatch.setattr(os, "getegid", lambda: 10002)
    assert why_not_writable(tmp_path) == (
        f"Permission denied: {tmp_path} is of user {mine}, and the service runs as user 10001: chown -R 10001:10002 it"
    )


@pytest.mark.parametrize(
    ("number", "path", "is_one"),
    [
        pytest.param(errno.EACCES, "data/profiles/p.lock", True, id="inside"),
        pytest.param(errno.EROFS, "data", True, id="itself"),
        pytest.param(errno.ENOTDIR, ".", True, id="on-the-way"),
        pytest.param(errno.EACCES, "downloads/a.pdf", False, id="elsewhere"),
        pytest.param(errno.ENOENT, "data/videos/v.webm", False, id="gone"),
    ],
)
def test_only_what_the_folder_refuses_is_its_error(tmp_path: Path, number: int, path: str, is_one: bool) -> None:
    error = as_data_folder_error(OSError(number, "refused", str(tmp_path / path)), tmp_path / "data")
    assert (error is not None) is is_one
    assert error is None or (str(tmp_path) not in str(error) and "PERCEPTION_DATA_DIR" in str(error))


def test_an_error_without_a_path_is_not_of_the_folder(tmp_path: Path) -> None:
    assert as_data_folder_error(OSError(errno.EACCES, "refused"), tmp_path) is None
