"""Client, command line and the pure rooms on macOS and Windows, as far as Linux can pretend to be them.

The service itself runs on Linux: a client elsewhere calls it there, or starts it where its rooms can run.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path

import pytest

from perception.deadline import Deadline
from perception.server.app import Service
from tests.support.processes import perception

PRETEND = Path(__file__).with_name("pretend.py")

SYSTEMS = ("darwin", "win32")

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
    assert child.address.startswith({"darwin": "unix:", "win32": "127.0.0.1:"}[SYSTEM]), child.address
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


SERVICES = """
from perception.client import child
child.serve_command = lambda *options: [*{command}, *options]
"""
"""Services are started in a process that has loaded them."""


@pytest.fixture(scope="module")
async def printed(service: Service, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """What each code prints on each system."""
    services = SERVICES.format(command=perception("serve"))
    codes = {"absent": ABSENT, "imports": IMPORTS, "commands": services + COMMANDS, "clients": services + CLIENTS}
    file = tmp_path_factory.mktemp("systems") / "codes.json"
    file.write_text(json.dumps(dict.fromkeys(SYSTEMS, codes)))
    browser = await service.context.sessions.browsers.take_shared(Deadline.of(60))
    settings = {"PERCEPTION_CDP_ENDPOINT": browser.endpoint, "PERCEPTION_DETECTORS": "controls"}
    settings["OPENBLAS_NUM_THREADS"] = "1"  # otherwise it has threads, which do not come along into a forked process
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-X", "warn_default_encoding", str(PRETEND), str(file)),
        env=os.environ | settings,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    await service.context.sessions.browsers.release(browser)
    assert process.returncode == 0, err.decode()[-4000:]
    told = json.loads(out)
    return {system: {name: f"{error}{text}" for name, (text, error) in told[system].items()} for system in SYSTEMS}


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_the_other_system_does_not_have_is_absent(printed: dict[str, dict[str, str]], system: str) -> None:
    assert printed[system]["absent"] == "absent\n"


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_module_of_client_command_line_and_pure_rooms_can_be_imported(
    printed: dict[str, dict[str, str]], system: str
) -> None:
    assert re.fullmatch(r"\d+ modules\n", printed[system]["imports"])


@pytest.mark.parametrize("system", SYSTEMS)
def test_commands_run(printed: dict[str, dict[str, str]], system: str) -> None:
    assert printed[system]["commands"] == "commands\n"


@pytest.mark.parametrize("system", SYSTEMS)
def test_both_clients_run_with_a_service_of_their_own(printed: dict[str, dict[str, str]], system: str) -> None:
    assert printed[system]["clients"] == "clients\n"
