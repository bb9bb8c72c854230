"""The browser's modules import on macOS and Windows, and what differs there has a portable form."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from perception import host_os

PRETEND = """
import asyncio, ctypes, importlib, importlib.abc, os, pkgutil, sys
import cv2, msgspec, numpy, playwright.async_api, prometheus_client, psutil, structlog, websockets.asyncio.client
import perception.errors, perception.instrumentation.metrics

class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in {"fcntl", "pwd", "grp", "resource", "termios"}:
            raise ModuleNotFoundError(f"{name} is not there", name=name)

for name in ("fcntl", "pwd", "grp", "resource", "termios"):
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Absent())
sys.platform = sys.argv[1]
if sys.platform == "win32":
    for name in ("geteuid", "killpg", "setsid", "O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC"):
        delattr(os, name)

import perception.browser
from perception import host_os
for module in pkgutil.walk_packages(perception.browser.__path__, "perception.browser."):
    importlib.import_module(module.name)
    print(module.name)
print(host_os.is_superuser(), host_os.find_account("nobody") if sys.platform == "win32" else None)
print(host_os.chromium_hint())
"""


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_every_module_imports_elsewhere(platform: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRETEND, platform], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    *modules, account, hint = done.stdout.splitlines()
    assert "perception.browser.chromium.launch" in modules
    assert len(modules) > 40
    assert hint == "`playwright install chromium`"
    if platform == "win32":
        assert account == "False None"


def test_a_file_below_a_folder_is_opened_without_links_where_folders_have_no_descriptors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("here")
    (tmp_path / "link").symlink_to(tmp_path / "in")
    (tmp_path / "in" / "link.txt").symlink_to(tmp_path / "in" / "a.txt")
    monkeypatch.setattr(os, "supports_dir_fd", set())
    monkeypatch.setattr(host_os, "_NO_FOLLOW", 0)
    opened = host_os.open_below(tmp_path, ("in", "a.txt"))
    assert os.read(opened, 10) == b"here"
    os.close(opened)
    for parts in (("link", "a.txt"), ("in", "link.txt"), ("in",), ("in", "none")):
        with pytest.raises(OSError, match=r"."):
            host_os.open_below(tmp_path, parts)


def test_a_lock_is_taken_once(tmp_path: Path) -> None:
    with host_os.lock_file(tmp_path / "lock"), pytest.raises(OSError, match=r"."):
        host_os.lock_file(tmp_path / "lock")
    host_os.lock_file(tmp_path / "lock").close()


def test_a_group_is_killed_with_all_that_it_started(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1, flush=True); input()'])"
    for pretended in (False, True):
        monkeypatch.setattr(host_os, "is_windows", lambda pretended=pretended: pretended)
        parent = subprocess.Popen(
            [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        assert parent.stdout is not None
        assert parent.stdin is not None
        parent.stdout.readline()
        (child,) = psutil.Process(parent.pid).children()
        host_os.kill_group(parent.pid)
        parent.wait(10)
        psutil.wait_procs([child], timeout=10)
        assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE
        host_os.kill_group(parent.pid)
        parent.stdout.close()
        parent.stdin.close()


def test_processes_are_killed_by_a_text_of_their_command_line() -> None:
    text = f"perception-test-{os.getpid()}-{os.urandom(8).hex()}/"
    process = subprocess.Popen([sys.executable, "-c", "input()", f"--folder={text}x"], stdin=subprocess.PIPE)
    assert host_os.kill_all_naming(text) == [process.pid]
    process.wait(10)
    assert process.stdin is not None
    process.stdin.close()
