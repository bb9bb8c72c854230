"""The set-up scripts where something is missing: they say in one line what to do. No network is used."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.paths import ROOT

TOOLS = ("bash", "cat", "cksum", "dirname", "grep", "id", "mktemp", "rm", "sed", "tail")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A copy of the scripts, and a `bin` with nothing but the plainest tools and a user who is not root."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool) or f"{tool} is not installed")
    program(tmp_path / "bin/id", "echo 1000")
    return tmp_path


def program(path: Path, body: str) -> None:
    """Writes a shell script that can be run."""
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def run(bare: Path, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": str(bare / "bin"), "HOME": str(bare)}
    command = [str(bare / "bin/bash"), str(bare / ".ci" / script), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_without_python_one_line_says_which_is_needed(bare: Path) -> None:
    done = run(bare, "setup")
    assert done.returncode == 1
    assert (
        done.stderr == "set-up: Python 3.11 or newer is needed, none was found: install python3.11 and run this again\n"
    )


def test_an_old_python_is_named_in_that_line(bare: Path) -> None:
    program(bare / "bin/python3", "echo 3.9")
    assert "needed, only 3.9 was found" in run(bare, "setup").stderr


def test_a_newer_python_beside_an_old_one_is_taken(bare: Path) -> None:
    program(bare / "bin/python3", "echo 3.9")
    program(bare / "bin/python3.12", 'case "$2" in *version_info*) echo 3.12 ;; *) exit 1 ;; esac')
    assert "python3.12 cannot make virtual environments" in run(bare, "setup").stderr


def test_without_venv_and_without_root_the_missing_package_is_named(bare: Path) -> None:
    program(bare / "bin/python3", 'case "$2" in *version_info*) echo 3.11 ;; *) exit 1 ;; esac')
    done = run(bare, "setup")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "install python3.11-venv and run this again" in done.stderr


def test_an_environment_that_is_a_link_is_not_cleared(bare: Path, tmp_path: Path) -> None:
    program(bare / "bin/readlink", 'echo "elsewhere"')
    program(bare / "bin/python3", 'case "$2" in *version_info*) echo 3.11 ;; *import*) exit 0 ;; *) rm "$4"/* ;; esac')
    program(tmp_path / "elsewhere/tool", "exit 0")
    (bare / ".venv").symlink_to("elsewhere")
    done = run(bare, "setup")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert ".venv is a link to elsewhere: remove the link" in done.stderr
    assert (tmp_path / "elsewhere/tool").exists()


def test_without_a_browser_and_without_a_way_to_one_a_line_says_what_to_do(bare: Path) -> None:
    program(bare / ".venv/bin/playwright", "echo 'Error: getaddrinfo ENOTFOUND'; exit 1")
    done = run(bare, "browser")
    assert done.returncode == 1
    assert "Error: getaddrinfo ENOTFOUND" in done.stderr
    assert "apt-get install chromium" in done.stderr
    assert "PERCEPTION_BROWSER_PATH" in done.stderr


@pytest.mark.parametrize("name", ["chromium", "google-chrome"])
def test_a_browser_that_is_there_is_left_as_it_is(bare: Path, name: str) -> None:
    program(bare / "bin" / name, "exit 1")
    done = run(bare, "browser")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_playwrights_browser_counts_only_in_the_revision_that_it_starts(bare: Path) -> None:
    driver = bare / ".venv/lib/python3.11/site-packages/playwright/driver/package"
    driver.mkdir(parents=True)
    (driver / "browsers.json").write_text('{\n  "name": "chromium",\n  "revision": "1255"\n}\n')
    program(bare / ".venv/bin/playwright", "exit 1")
    browsers = bare / ".cache/ms-playwright"
    (browsers / "chromium-1200").mkdir(parents=True)
    assert run(bare, "browser").returncode == 1
    (browsers / "chromium-1255").mkdir()
    assert run(bare, "browser").returncode == 0


def test_root_gets_debians_browser_with_fonts_to_read_by(bare: Path) -> None:
    if not Path("/etc/debian_version").exists() or "ID=debian" not in Path("/etc/os-release").read_text():
        pytest.skip("another way is taken where this is not Debian")
    program(bare / "bin/id", "echo 0")
    program(bare / "bin/apt-get", f'echo "$@" >> {bare}/asked')
    assert run(bare, "browser").returncode == 0
    assert (bare / "asked").read_text().splitlines() == [
        "update",
        "install -y --no-install-recommends chromium chromium-sandbox fonts-dejavu-core fonts-wqy-microhei",
    ]


def test_a_failed_installation_says_why(bare: Path) -> None:
    program(bare / "bin/id", "echo 0")
    program(bare / "bin/apt-get", "echo 'Reading lists'; echo 'E: Unable to locate package chromium' >&2; exit 100")
    done = run(bare, "apt", "chromium")
    assert done.returncode == 1
    assert done.stderr == "E: Unable to locate package chromium\n"


def test_the_second_run_installs_nothing(bare: Path) -> None:
    wanted = subprocess.check_output(["cksum", "pyproject.toml", ".ci/setup"], cwd=bare, text=True)
    program(bare / ".venv/bin/python", "echo 3.11")
    program(bare / ".venv/bin/pip", f"exec {bare}/.venv/bin/python")
    program(bare / "bin/chromium", "exit 1")
    (bare / ".venv/.set-up").write_text(wanted)
    done = run(bare, "setup")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_changed_pyproject_is_installed_again(bare: Path) -> None:
    program(bare / ".venv/bin/python", f'echo 3.11; echo "$*" >> {bare}/asked')
    program(bare / ".venv/bin/pip", f"exec {bare}/.venv/bin/python")
    program(bare / "bin/chromium", "exit 1")
    (bare / ".venv/.set-up").write_text("of an older pyproject.toml\n")
    assert run(bare, "setup").returncode == 0
    assert "--editable .[dev]" in (bare / "asked").read_text()
    (bare / "asked").unlink()
    assert run(bare, "setup").returncode == 0
    assert "--editable" not in (bare / "asked").read_text()


def test_a_moved_checkout_gets_a_new_environment(bare: Path) -> None:
    program(bare / ".venv/bin/python", "echo 3.11")
    program(bare / ".venv/bin/pip", "exec /some/other/folder/.venv/bin/python")
    wanted = subprocess.check_output(["cksum", "pyproject.toml", ".ci/setup"], cwd=bare, text=True)
    (bare / ".venv/.set-up").write_text(wanted)
    assert "Python 3.11 or newer is needed" in run(bare, "setup").stderr
