"""The resources of processes, compared with psutil."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from perception.browser.chromium.process_memory import machine_bytes, process_bytes, process_tree, tree_bytes


def test_a_child_is_in_the_tree_and_counted_until_it_is_gone() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert child.pid in process_tree(os.getpid())
        assert 0 < process_bytes(child.pid) < machine_bytes()
        assert tree_bytes([os.getpid()])[os.getpid()] > process_bytes(child.pid)
    finally:
        child.communicate(b"")
    assert process_bytes(child.pid) == 0
    assert child.pid not in process_tree(os.getpid())


def test_of_a_process_that_is_closed_to_us_its_own_pages_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: psutil.Process) -> Any:
        raise psutil.AccessDenied

    monkeypatch.setattr(psutil.Process, "memory_full_info", refuse)
    monkeypatch.setattr(psutil.Process, "memory_info", lambda _: SimpleNamespace(rss=5000, shared=2000))
    assert process_bytes(os.getpid()) == 3000


def test_where_there_is_no_pss_own_pages_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil.Process, "memory_full_info", lambda _: SimpleNamespace(uss=4000))
    assert process_bytes(os.getpid()) == 4000
