"""Makes distributions/client/files.txt, the files of the distribution `perception-client`, from the import graph.

They are all that the client, the stubs and the commands of `perception` that only call a service import, by any way
round, and what lies beside it that is no Python. All other files are the service's.
Usage: .venv/bin/python .ci/client_files.py [TARGET]
"""

import subprocess
import sys
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
FILES = ROOT / "distributions/client/files.txt"
PACKAGES = ("perception.client", "perception.v1", "perception.cli.shell")
COMMANDS = ("main", "snapshot", "pdf", "explain", "extract", "vision", "devices", "profiles", "har", "trace", "health")
"""Modules of perception.cli. The others bring in what only the service requires."""


def client_modules(graph: grimp.ImportGraph) -> set[str]:
    """The client's modules: what the roots import, with the packages that hold it."""
    waiting = {"perception.__main__", *(f"perception.cli.{name}" for name in COMMANDS), *PACKAGES}
    for package in PACKAGES:
        waiting |= graph.find_descendants(package)
    found: set[str] = set()
    while waiting:
        module = waiting.pop()
        found.add(module)
        imported = {*graph.find_modules_directly_imported_by(module), module.rpartition(".")[0] or module}
        waiting |= {each for each in imported if each.partition(".")[0] == "perception"} - found
    return found


def files_of(modules: set[str]) -> list[str]:
    """Their files, and those that are no Python in their packages."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "perception"]
    names = subprocess.check_output(listed, cwd=ROOT, text=True).split("\0")
    return sorted(name for name in names if (ROOT / name).is_file() and _module_of(name) in modules)


def _module_of(name: str) -> str:
    path = Path(name)
    if path.suffix not in (".py", ".pyi") or path.stem == "__init__":
        path = path.parent
        while not (ROOT / path / "__init__.py").is_file():
            path = path.parent
    return ".".join(path.with_suffix("").parts)


if __name__ == "__main__":
    made = files_of(client_modules(grimp.build_graph("perception", cache_dir=None)))
    (Path(sys.argv[1]) if sys.argv[1:] else FILES).write_text("\n".join(made) + "\n", "utf-8")
