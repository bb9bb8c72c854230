"""Client, command line and the pure rooms on macOS and Windows, as far as Linux can pretend to be them.

The service itself runs on Linux: a client elsewhere calls it there, or starts it where its rooms can run.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PRETEND = Path(__file__).with_name("pretend.py")

IMPORTS = """
import importlib
names = our_modules()
for name in names:
    importlib.import_module(name)
assert {"perception.client.child", "perception.cli.main", "perception.fusion.fuse", "perception.paths"} <= set(names)
print(len(names), "modules")
"""

COMMANDS = """
import json, sys
from typer.testing import CliRunner
from perception.cli.main import make_app

app = make_app()
shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "300"})
assert shown.exit_code == 0, shown.output
assert "Not available here" not in shown.stdout, shown.stdout

# By a service that is started for the command: over loopback TCP where there are no Unix sockets.
done = CliRunner().invoke(app, ["snapshot", "demo", "--mode", "text", "--format", "json"])
assert done.exit_code == 0, (done.output, done.exception)
snapshot = json.loads(done.stdout)
assert snapshot["title"].startswith("Orders"), snapshot["title"]

refused = CliRunner().invoke(app, ["snapshot", "example.org"])
assert (refused.exit_code, refused.stderr.count("\\n")) == (2, 1), refused.output
gone = CliRunner().invoke(app, ["health", "--address", "127.0.0.1:9", "--timeout", "1"])
assert gone.exit_code == 1, gone.output
print("commands")
"""

CLIENTS = """
import asyncio
from typer.testing import CliRunner
from perception.cli.main import make_app
from perception.client import aconnect, connect
from perception.client.child import ServiceChild
from perception.demo import serve_demo


child = ServiceChild.start(["127.0.0.1", "localhost"])
try:
    assert child.address.startswith(ADDRESS), child.address
    token = {"token": child.access.token} if child.access.token else {}
    with serve_demo() as demo:
        with connect(child.address, **token) as client, client.open(demo.url) as page:
            snapshot = page.snapshot(mode="fused")
            assert page.click(next(each.ref for each in snapshot.elements if each.role == "button" and each.reachable))

        async def look():
            async with await aconnect(child.address, **token) as client, await client.open(demo.url) as page:
                return (await page.snapshot(mode="text")).title

        assert asyncio.run(look()).startswith("Orders")

        words = ["extract", demo.url, "content", "--address", child.address]
        words += ["--token-file", str(child.folder / "token")] if child.access.token else []
        done = CliRunner().invoke(make_app(), words)
        assert done.exit_code == 0, (done.output, done.exception)
finally:
    child.stop()
assert not child.folder.exists()
print("clients")
"""


ABSENT = """
import importlib, os, pathlib, signal, socket, sys

def lacks(what):
    try:
        what()
    except (AttributeError, ImportError, OSError, EncodingWarning):
        return True

assert sys.platform == SYSTEM and (os.name == "nt") is (SYSTEM == "win32")
assert lacks(lambda: os.sched_getaffinity(0)) and lacks(lambda: pathlib.Path("/proc/self/status").read_bytes())
for name in ("fcntl", "resource", "pwd"):
    assert bool(lacks(lambda: importlib.import_module(name))) is (SYSTEM == "win32")
for what in (lambda: os.geteuid(), lambda: socket.AF_UNIX, lambda: signal.SIGKILL):
    assert bool(lacks(what)) is (SYSTEM == "win32")
print("absent")
"""


def run(system: str, code: str) -> str:
    """What the code prints in a process that takes itself for that system."""
    command = [sys.executable, "-X", "warn_default_encoding", str(PRETEND), system, code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_what_the_other_system_does_not_have_is_absent(system: str) -> None:
    assert run(system, f"SYSTEM = {system!r}\n{ABSENT}") == "absent\n"


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_every_module_of_client_command_line_and_pure_rooms_can_be_imported(system: str) -> None:
    assert run(system, IMPORTS).endswith(" modules\n")


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_commands_run(system: str) -> None:
    assert run(system, COMMANDS) == "commands\n"


@pytest.mark.parametrize(("system", "address"), [("darwin", "unix:"), ("win32", "127.0.0.1:")])
def test_both_clients_run_with_a_service_of_their_own(system: str, address: str) -> None:
    assert run(system, f"ADDRESS = {address!r}\n{CLIENTS}") == "clients\n"
