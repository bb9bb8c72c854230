"""The checks that are scripts of our own find what they are there to find."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.paths import ROOT

ROOMS = ("bench", "datasets", "fusion", "server")


@pytest.fixture(scope="module")
def protoc() -> Path:
    """The environment of the protocol compiler, which takes a minute to make."""
    made = subprocess.run([ROOT / ".ci/protoc"], capture_output=True, text=True, check=True)
    return Path(made.stdout.strip()).parents[1]


@pytest.fixture
def copy(tmp_path: Path, protoc: Path) -> Path:
    """A repository with the checks, the protos and the stubs, and this one's environments."""
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "proto", tmp_path / "proto")
    (tmp_path / "docs").mkdir()
    (tmp_path / "server").mkdir()
    (tmp_path / "perception/cli").mkdir(parents=True)
    for made in ("docs/wire.md", "docs/settings.md", "server/serve_options.py", "perception/cli/help_lines.py"):
        shutil.copy(ROOT / made, tmp_path / made)
    (tmp_path / "examples/node/src").mkdir(parents=True)
    for made in ("reasons.ts", "services.ts", "v1.ts"):
        shutil.copy(ROOT / "examples/node/src" / made, tmp_path / "examples/node/src")
    for made in ("perception/v1", "perception/client"):
        shutil.copytree(ROOT / made, tmp_path / made, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("buf.yaml", "pyproject.toml", ".gitignore"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache/protoc").symlink_to(protoc)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "All")
    return tmp_path


def git(repository: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=repository, check=True)


def check(copy: Path, name: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([copy / ".ci/check", name], capture_output=True, text=True, check=False)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("path", ["notes.md", "bench/notes.py", "datasets/notes.toml", "tests/unit/test_notes.py"])
def test_british_spelling_is_found(copy: Path, path: str) -> None:
    (copy / path).parent.mkdir(parents=True, exist_ok=True)
    (copy / path).write_text("The colour of it.\n")  # spelling: as meant
    done = check(copy, "spelling")
    assert done.returncode == 1
    assert f"{path}:1:5: error: `colour` should be `color`" in done.stdout  # spelling: as meant


@pytest.mark.parametrize("name", ["proto", "sizes", "spelling", "stubs", "client", "wire", "leaks"])
def test_a_clean_copy_passes(copy: Path, name: str) -> None:
    done = check(copy, name)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "text",
    [
        "see https://pypi" + ".org/project/x",
        "registry." + "npmjs" + ".org",
        "deb http://deb." + "debian.org/debian bookworm",
        'path = "/' + 'work/main"',
        "cd /" + "home/someone/perception",
    ],
)
def test_a_registry_host_or_a_path_of_a_machine_is_found(copy: Path, text: str) -> None:
    (copy / "notes.md").write_text(f"{text}\n")
    done = check(copy, "leaks")
    assert done.returncode == 1
    assert "notes.md:1:" in done.stdout


@pytest.mark.parametrize("text", ["https://example.com/home/index.html", "GET /homepage", "`pip install` from PyPI"])
def test_an_ordinary_address_is_no_leak(copy: Path, text: str) -> None:
    (copy / "notes.md").write_text(f"{text}\n")
    assert check(copy, "leaks").returncode == 0


def test_a_proto_that_was_not_generated_from_is_found(copy: Path) -> None:
    edit(copy / "proto/perception/v1/types.proto", "message Point {", "// Changed.\nmessage Point {")
    done = check(copy, "stubs")
    assert done.returncode == 1
    assert "make stubs" in done.stdout


def test_a_stub_of_a_proto_that_is_gone_is_found(copy: Path) -> None:
    (copy / "perception/v1/gone_pb2.py").write_text("")
    assert "gone_pb2.py" in check(copy, "stubs").stdout


def test_a_change_of_the_asyncio_client_alone_is_found(copy: Path) -> None:
    edit(copy / "perception/client/_async/calls.py", 'service: str = ""', 'service: str = "all"')
    done = check(copy, "client")
    assert done.returncode == 1
    assert 'service: str = "all"' in done.stdout
    assert "make stubs" in done.stdout


def test_a_module_that_the_asyncio_client_does_not_have_is_found(copy: Path) -> None:
    (copy / "perception/client/_sync/gone.py").write_text("")
    assert "gone.py" in check(copy, "client").stdout


def test_a_renumbered_field_breaks_the_wire(copy: Path) -> None:
    edit(copy / "proto/perception/v1/types.proto", "double milliseconds = 2;", "double milliseconds = 3;")
    done = check(copy, "wire")
    assert done.returncode == 1
    assert 'Field "3"' in done.stdout or 'field "2"' in done.stdout


def test_a_new_field_does_not_break_the_wire(copy: Path) -> None:
    edit(
        copy / "proto/perception/v1/types.proto",
        "double milliseconds = 2;",
        "double milliseconds = 2;\n  double cpu = 3;",
    )
    assert check(copy, "wire").returncode == 0


def test_the_wire_is_held_to_the_last_release_once_there_is_one(copy: Path) -> None:
    git(copy, "tag", "v0.1.0")
    edit(copy / "proto/perception/v1/types.proto", "double milliseconds = 2;", "double milliseconds = 3;")
    subprocess.run([copy / ".ci/stubs"], check=True)
    git(copy, "commit", "--quiet", "--all", "--message", "Break the wire")
    assert check(copy, "wire").returncode == 1


def test_a_shallow_clone_checks_the_wire_too(copy: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    git(copy, "tag", "v0.1.0")
    git(copy, "commit", "--quiet", "--allow-empty", "--message", "Later")
    clone = tmp_path_factory.mktemp("shallow")
    git(clone, "clone", "--quiet", "--depth", "1", f"file://{copy}", ".")
    assert check(clone, "wire").returncode == 0
    edit(clone / "proto/perception/v1/types.proto", "double milliseconds = 2;", "double milliseconds = 3;")
    assert check(clone, "wire").returncode == 1


def test_a_badly_formatted_proto_is_found(copy: Path) -> None:
    edit(copy / "proto/perception/v1/types.proto", "  double milliseconds = 2;", "      double milliseconds = 2;")
    assert check(copy, "proto").returncode == 1


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_a_link_to_the_folder_at_the_top(room: str) -> None:
    link = ROOT / "perception" / room
    assert link.readlink() == Path("..", room)
    assert (ROOT / room / "__init__.py").is_file()


def test_a_module_over_400_lines_and_a_function_over_60_are_found(copy: Path) -> None:
    (copy / "server/long.py").write_text("PORT = 1\n" * 401)
    (copy / "server/at_most.py").write_text("PORT = 1\n" * 340 + "def whole():\n" + "    pass\n" * 59)
    (copy / "server/function.py").write_text("async def whole():\n" + "    pass\n" * 60)
    done = check(copy, "sizes")
    assert done.returncode == 1
    assert "server/long.py: 401 lines, over 400" in done.stdout
    assert "server/function.py:1: whole has 61 lines, over 60" in done.stdout
    assert "at_most" not in done.stdout
