"""What differs between operating systems: locks of folders, what the kernel counts, and what it allows."""

from __future__ import annotations

import mmap
import subprocess
import sys
from pathlib import Path

import pytest

from perception import host_os

MIB = 2**20


def hold(size: int) -> None:
    """Takes memory that is truly there, and gives it back."""
    with mmap.mmap(-1, size) as block:
        for at in range(0, size, mmap.PAGESIZE):
            block[at] = 1


def test_a_folders_lock_is_refused_while_another_holds_it(tmp_path: Path) -> None:
    with host_os.locked_folder(tmp_path), pytest.raises(BlockingIOError), host_os.locked_folder(tmp_path, wait=False):
        pass
    with host_os.locked_folder(tmp_path, wait=False):
        pass


def test_a_folder_that_is_not_there_is_not_locked(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), host_os.locked_folder(tmp_path / "none"):
        pass


def test_a_folders_lock_says_that_windows_has_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(OSError, match="on Linux or macOS"), host_os.locked_folder(tmp_path):
        pass


def test_a_file_that_is_opened_is_counted() -> None:
    script = """
import os
from perception import host_os

before = host_os.open_file_count(os.getpid())
with open(os.devnull):
    inside = host_os.open_file_count(os.getpid())
print(inside - before, host_os.open_file_count(os.getpid()) - before)
"""
    # A process of its own: threads of this one may open files meanwhile.
    counted = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert counted.stdout.split() == ["1", "0"]


def test_files_of_a_process_that_is_gone_are_not_counted() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait(30)
    with pytest.raises(ProcessLookupError):
        host_os.open_file_count(process.pid)


def test_the_limit_of_open_files_is_the_shells() -> None:
    code = "from perception import host_os; print(host_os.open_file_limit())"
    command = f"ulimit -n 512; exec {sys.executable} -c '{code}'"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "512\n"


def test_as_many_open_files_as_the_user_may_allow_itself_are_allowed() -> None:
    code = "from perception import host_os; host_os.allow_open_files(); print(host_os.open_file_limit())"
    command = f"ulimit -n 600; ulimit -S -n 100; exec {sys.executable} -c '{code}'"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "600\n"


def test_windows_limits_no_open_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    host_os.allow_open_files()
    assert host_os.open_file_limit() is None


def test_a_peak_of_memory_is_kept_until_it_is_restarted() -> None:
    assert host_os.restart_peak_memory()
    before = host_os.peak_memory_bytes()
    hold(64 * MIB)
    assert host_os.peak_memory_bytes() - before == pytest.approx(64 * MIB, abs=8 * MIB)
    assert host_os.restart_peak_memory()
    assert host_os.peak_memory_bytes() - before == pytest.approx(0, abs=8 * MIB)


def test_without_linuxs_mark_a_peak_is_there_and_cannot_be_restarted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_os, "_high_water_mark", lambda: None)
    assert not host_os.restart_peak_memory()
    assert host_os.peak_memory_bytes() > MIB


def test_a_processor_has_a_name() -> None:
    assert host_os.processor_name().strip()


def test_a_switch_of_the_kernel_is_a_number_or_not_there() -> None:
    assert (host_os.kernel_switch("kernel.pid_max") or 0) > 300
    assert host_os.kernel_switch("kernel.no_such_switch") is None
    assert host_os.kernel_switch("kernel.ostype") is None
