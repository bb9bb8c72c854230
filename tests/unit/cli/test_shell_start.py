"""What a command in an open session loads: an agent waits for it with every step."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from perception.cli.shell import store
from tests.support.shell_runs import Shell

LIBRARIES = {"grpc", "google", "typing_extensions"}
"""gRPC and protobuf, and what they load, are the floor: half of the start."""

OF_GRPC = {"grpc_health", "grpc_reflection", "grpc_tools"}
"""gRPC imports these, where they are installed, under names of its own; they are empty."""

ROOMS = {"cli", "client", "errors", "interaction", "render", "v1"}
MODULES = {
    "__main__",
    "compiled_modules",
    "host_os",
    "init_process",
    "invisible",
    "loopback",
    "named_files",
    "page_words",
    "paths",
    "plain_output",
    "standard_streams",
}


def test_a_warm_command_loads_grpc_and_no_other_library(tmp_path: Path) -> None:
    """The service need not be there: all but the answer's own modules is loaded when the call is made."""
    shell = Shell(tmp_path, tmp_path)
    (tmp_path / "shell").mkdir(mode=0o700)
    store.write(tmp_path / "shell", store.Known("mine", f"unix:{tmp_path}/none.sock", "id"))

    def run(*words: str) -> tuple[str, set[str]]:
        command = [sys.executable, "-X", "importtime", *words]
        done = subprocess.run(command, capture_output=True, text=True, env=shell.env, cwd=tmp_path, check=False)
        return done.stderr, set(re.findall(r"\| +([\w.]+)$", done.stderr, re.MULTILINE))

    said, loaded = run("-m", "perception", "look", "--session", "mine")
    assert "the service of session 'mine' is gone" in said
    loaded -= run("-c", "")[1]  # what this machine's Python loads in any case
    assert "grpc" in loaded
    tops = {name.partition(".")[0] for name in loaded}
    third_party = {each for each in tops if each not in sys.stdlib_module_names and not each.startswith("_")}
    assert third_party - {"perception", "org", "nt"} - OF_GRPC == LIBRARIES
    ours = {name.split(".")[1] for name in loaded if name.startswith("perception.")}
    assert ours <= ROOMS | MODULES
    heavy = {"argcomplete", "difflib", "google.protobuf.json_format", "perception.client.child", "random", "shutil"}
    assert loaded & heavy == set()
