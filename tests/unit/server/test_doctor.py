"""What a machine may lack, and the line that says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from perception.server import doctor, fitness
from perception.server.fitness import Finding, Level
from perception.server.settings import Settings

MIB = 2**20


@pytest.mark.parametrize(
    ("finding", "level", "fix"),
    [
        pytest.param(fitness.judge_python((3, 11), "3.11.2"), Level.OK, "", id="python"),
        pytest.param(fitness.judge_python((3, 9), "3.9.2"), Level.FAIL, "python3.11", id="old-python"),
        pytest.param(fitness.judge_cores(2), Level.OK, "", id="two-cores"),
        pytest.param(fitness.judge_cores(1), Level.WARN, "give it two", id="one-core"),
        pytest.param(fitness.judge_memory(4096 * MIB), Level.OK, "", id="memory"),
        pytest.param(fitness.judge_memory(1500 * MIB), Level.WARN, "--max-sessions", id="little-memory"),
        pytest.param(fitness.judge_memory(0), Level.FAIL, "--memory", id="no-memory"),
        pytest.param(fitness.judge_shared_memory(64 * MIB), Level.OK, "", id="shm"),
        pytest.param(fitness.judge_shared_memory(MIB), Level.WARN, "--shm-size", id="little-shm"),
        pytest.param(fitness.judge_shared_memory(None), Level.WARN, "--shm-size", id="no-shm"),
        pytest.param(fitness.judge_files(None), Level.OK, "", id="files-without-limit"),
        pytest.param(fitness.judge_files(1024), Level.OK, "", id="files"),
        pytest.param(fitness.judge_files(512), Level.WARN, "ulimit -n", id="few-files"),
        pytest.param(fitness.judge_files(64), Level.FAIL, "ulimit -n", id="too-few-files"),
        pytest.param(fitness.judge_clock(2e9, 1.9e9), Level.OK, "", id="clock"),
        pytest.param(fitness.judge_clock(2e9, 2e9 + 3600), Level.OK, "", id="clock-of-another-zone"),
        pytest.param(fitness.judge_clock(0, 2e9), Level.FAIL, "timedatectl", id="clock-of-1970"),
        pytest.param(fitness.judge_disk("d", 2048 * MIB, writable=True, variable="X"), Level.OK, "", id="disk"),
        pytest.param(fitness.judge_disk("d", 300 * MIB, writable=True, variable="X"), Level.WARN, "X", id="low-disk"),
        pytest.param(fitness.judge_disk("d", 0, writable=True, variable="X"), Level.FAIL, "X", id="full-disk"),
        pytest.param(fitness.judge_disk("d", 0, writable=False, variable="X"), Level.FAIL, "X", id="read-only"),
        pytest.param(fitness.judge_proxies({}), Level.OK, "", id="no-proxy"),
        pytest.param(fitness.judge_proxies({"https_proxy": "http://p"}), Level.WARN, "no_proxy", id="proxy"),
        pytest.param(
            fitness.judge_proxies({"http_proxy": "http://p", "no_proxy": "localhost,127.0.0.1"}),
            Level.OK,
            "",
            id="proxy-not-for-loopback",
        ),
        pytest.param(fitness.judge_version("Chromium 156.0.1"), Level.OK, "", id="browser"),
        pytest.param(fitness.judge_version("Chromium 109.0.1"), Level.WARN, "upgrade", id="old-browser"),
    ],
)
def test_each_lack_has_its_level_and_its_remedy(finding: Finding, level: Level, fix: str) -> None:
    assert finding.level is level
    assert fix in finding.fix
    assert bool(finding.fix) is (level is not Level.OK)


def test_fonts_are_named_or_asked_for() -> None:
    assert [each.level for each in fitness.judge_fonts(["A"], ["B"])] == [Level.OK, Level.OK]
    assert [each.fix for each in fitness.judge_fonts([], [])] == [
        "apt-get install fonts-noto-cjk",
        "apt-get install fonts-noto-color-emoji",
    ]
    assert "fontconfig" in fitness.judge_fonts(None, None)[0].fix


@pytest.mark.parametrize(
    ("switches", "fix"),
    [
        pytest.param({"kernel.unprivileged_userns_clone": 0}, "userns_clone=1", id="debian"),
        pytest.param({"kernel.apparmor_restrict_unprivileged_userns": 1}, "AppArmor", id="ubuntu"),
        pytest.param({"user.max_user_namespaces": 0}, "max_user_namespaces", id="none-left"),
        pytest.param({"kernel.unprivileged_userns_clone": None}, "seccomp", id="container"),
        pytest.param({}, "chromium-sandbox", id="unknown"),
    ],
)
def test_a_sandbox_that_does_not_work_has_its_switch_named(switches: dict[str, int | None], fix: str) -> None:
    assert fix in fitness.judge_sandbox(switches)


@pytest.mark.parametrize(
    ("mode", "name", "found"),
    [
        pytest.param(0o600, "file", "", id="own"),
        pytest.param(0o644, "file", "read by other users", id="others-read"),
        pytest.param(0o600, "none", "No such file", id="gone"),
        pytest.param(0o600, ".", "cannot be read", id="folder"),
        pytest.param(0o600, "a" * 5000, "cannot be read", id="cannot-be-looked-at"),
    ],
)
def test_secret_files_are_judged_as_the_service_does(tmp_path: Path, mode: int, name: str, found: str) -> None:
    path = tmp_path / "file"
    path.touch()
    path.chmod(mode)
    [finding] = fitness.judge_secret_files(doctor._secret_files(Settings(token_file=tmp_path / name)))
    assert found in finding.detail
    assert (finding.level, bool(finding.fix)) == ((Level.FAIL, True) if found else (Level.OK, False))


def test_folder_that_cannot_be_looked_at_is_a_finding(tmp_path: Path) -> None:
    finding = doctor._folder("recordings", tmp_path / ("a" * 5000) / "data", "PERCEPTION_DATA_DIR")
    assert finding.name == "recordings"  # reports the existing folder instead of a traceback
