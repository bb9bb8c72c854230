"""The service of the shells: one for all of them, in a folder of the user's own, that ends by itself."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from perception.cli.shell import store
from perception.client import user_folder as folders
from perception.client.user_folder import locked
from perception.errors import BadInputError


def test_a_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERCEPTION_HOME", str(tmp_path))
    folder = folders.shell_folder()
    assert folder == tmp_path / "shell"
    assert folder.stat().st_mode & 0o777 == 0o700
    monkeypatch.setattr(folders, "is_own", lambda found: False)
    with pytest.raises(BadInputError, match="is not a folder of this user"):
        folders.shell_folder()
    monkeypatch.undo()
    monkeypatch.setenv("PERCEPTION_HOME", str(tmp_path / "link"))
    (tmp_path / "link").mkdir()
    (tmp_path / "link" / "shell").symlink_to(folder)
    with pytest.raises(BadInputError, match="is not a folder of this user"):
        folders.shell_folder()


def test_a_home_that_cannot_be_written_is_replaced_by_a_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PERCEPTION_HOME", str(tmp_path / "file"))
    folder = folders.shell_folder()
    try:
        assert folder.parent == Path("/tmp")
        assert folder.stat().st_mode & 0o777 == 0o700
        assert folders.shell_folder() == folder
    finally:
        folder.rmdir()


def test_the_runtime_folder_is_used_where_no_home_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PERCEPTION_HOME", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert folders.shell_folder() == tmp_path / "perception"


def test_a_change_of_a_session_that_was_replaced_is_dropped(tmp_path: Path) -> None:
    store.write(tmp_path, store.Known("a/b c", "unix:/x", "new", snapshot_id="s1"))
    store.update(tmp_path, "a/b c", "old", snapshot_id="s9")
    store.update(tmp_path, "a/b c", "new", snapshot_id="s2")
    known = store.read(store.file_of(tmp_path, "a/b c"))
    assert known is not None
    assert known.snapshot_id == "s2"
    assert store.file_of(tmp_path, "a/b c").stat().st_mode & 0o777 == 0o600
    assert store.file_of(tmp_path, "a/b c") != store.file_of(tmp_path, "a-b c")


def test_a_lock_that_another_process_holds_is_waited_for_until_the_deadline(tmp_path: Path) -> None:
    with locked(tmp_path / "lock", time.monotonic() + 1):
        script = f"""
import time
from pathlib import Path
from perception.client.user_folder import locked
from perception.errors import DeadlineError
try:
    with locked(Path({str(tmp_path / "lock")!r}), time.monotonic() + 0.05):
        print("held")
except DeadlineError as exc:
    print("late")
with locked(Path({str(tmp_path / "lock")!r}), time.monotonic() + 5, lambda: False):
    print("not needed")
"""
        told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert told.split("\n")[:2] == ["late", "not needed"]


def test_a_session_is_that_of_the_terminal_and_without_one_of_the_folder(tmp_path: Path) -> None:
    script = "import perception.cli.shell.naming as n; print(n.session_name(None))"
    command = [sys.executable, "-c", script]
    plain = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, start_new_session=True)
    assert plain.stdout == f"folder {tmp_path}\n"
    in_terminal = subprocess.run(
        ["script", "-qec", f"'{sys.executable}' -c '{script}'", "/dev/null"], capture_output=True, text=True, check=True
    )
    assert in_terminal.stdout.startswith("terminal ")
    assert os.getsid(0) != int(in_terminal.stdout.split()[1])
