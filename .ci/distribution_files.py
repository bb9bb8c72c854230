"""Makes the lists of files that part the distributions, from the import graph.

distributions/client/files.txt: what `perception-client` has, which is all that the client, the stubs and the commands
of `perception` that only call a service import, by any way round, and what lies beside it that is not Python.
distributions/labs.txt: what no distribution has. These are the suites of the bench that measure this project and not a
user's pages, the training of its models, all of the bench and of the data sets that nothing else imports, and what only
these suites start; the published figures; and the sources of what is built: the viewer's web application, the types of
the walker's scripts.
All other files are the service's.
Usage: .venv/bin/python .ci/distribution_files.py [FOLDER]   FOLDER: in place of distributions/
"""

import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
CLIENT, LABS = "client/files.txt", "labs.txt"
MOUNTED = ("bench", "datasets", "server")
"""Folders that are mounted in `perception` and of which a list may name a part."""

PACKAGES = ("perception.client", "perception.v1", "perception.cli.shell")
COMMANDS = ("main", "snapshot", "pdf", "explain", "extract", "vision", "devices", "profiles", "har", "trace", "health")
"""Modules of perception.cli. The others bring in what only the service requires."""

SUITES = ("clicks", "controls", "detectors", "grounding", "reachability", "speed", "tokens", "vision")
"""Suites that users run."""

STARTED_BY_SUITES = ("perception.server.placement.simulation",)
"""By suites that measure this project."""

RUN_BY_PATH = ("perception.datasets.sources.supervise",)

ONLY_IN_REPOSITORY = (
    "perception/bench/published/",
    "perception/browser/walker/globals.d.ts",
    "perception/browser/walker/tsconfig.json",
    "perception/server/viewer/web/",
)
"""Files and folders that belong to no module of the labs."""


def client_modules(graph: grimp.ImportGraph) -> set[str]:
    """The client's modules: what the roots import, with the packages that hold it."""
    roots = {"perception.__main__", *(f"perception.cli.{name}" for name in COMMANDS)}
    return _imported(graph, roots.union(*(_with_descendants(graph, each) for each in PACKAGES)))


def lab_modules(graph: grimp.ImportGraph) -> set[str]:
    """Modules of the bench, of the data sets and of what suites start that no command and no suite of users imports."""
    entry_points = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    named = {value.partition(":")[0] for group in entry_points.values() for value in group.values()}
    suites = (_with_descendants(graph, f"perception.bench.suites.{name}") for name in SUITES)
    labs = ("perception.bench", "perception.datasets", *STARTED_BY_SUITES)
    others = {each for each in graph.modules if not each.startswith(labs)}
    return graph.modules - _imported(graph, others.union(named, RUN_BY_PATH, *suites))


def files_of(modules: set[str], besides: tuple[str, ...]) -> list[str]:
    """Their files, those in their packages that are not modules, and those whose paths start with one `besides`."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "perception", *MOUNTED]
    names = subprocess.check_output(listed, cwd=ROOT, text=True).split("\0")
    inside = (name if name.startswith("perception/") else f"perception/{name}" for name in names if name)
    there = (name for name in inside if _is_file(ROOT / name))
    return sorted(name for name in there if _module_of(name) in modules or name.startswith(besides))


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _with_descendants(graph: grimp.ImportGraph, package: str) -> set[str]:
    return {package, *graph.find_descendants(package)}


def _imported(graph: grimp.ImportGraph, roots: Iterable[str]) -> set[str]:
    """The roots, what they import by any way round, and the packages that hold it."""
    waiting, found = set(roots), set()
    while waiting:
        module = waiting.pop()
        found.add(module)
        imported = {*graph.find_modules_directly_imported_by(module), module.rpartition(".")[0] or module}
        waiting |= {each for each in imported if each.partition(".")[0] == "perception"} - found
    return found


def _module_of(name: str) -> str:
    path = Path(name)
    is_packaged = (ROOT / path.parent / "__init__.py").is_file()
    if not is_packaged or path.suffix not in (".py", ".pyi") or path.stem == "__init__":
        path = path.parent
        while not (ROOT / path / "__init__.py").is_file():
            path = path.parent
    return ".".join(path.with_suffix("").parts)


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "distributions"
    whole = grimp.build_graph("perception", cache_dir=None)
    for name, modules, besides in ((CLIENT, client_modules(whole), ()), (LABS, lab_modules(whole), ONLY_IN_REPOSITORY)):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("\n".join(files_of(modules, besides)) + "\n", "utf-8")
