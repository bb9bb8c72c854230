"""Folders of browsers, as they are removed."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from perception.browser.chromium.leftovers import remove_tree


def test_a_folder_is_removed_though_processes_that_end_still_write_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "browser"
    folder.mkdir()
    written_until = time.monotonic() + 0.1
    remove = shutil.rmtree

    def remove_then_write(path: Path, **options: Any) -> None:
        remove(path, **options)
        if time.monotonic() < written_until:
            (path / "profile").mkdir(parents=True)

    monkeypatch.setattr(shutil, "rmtree", remove_then_write)
    remove_tree(folder)
    assert not folder.exists()
