"""Which of a number of small changes of the product's code the tests notice.

    python -m tests.mutation.run draw MUTANTS.json [--count 60] [--seed 1]
    python -m tests.mutation.run try MUTANTS.json COVERAGE OUT.json [--root CHECKOUT]

COVERAGE is what `pytest --cov=perception --cov=server --cov=fusion --cov-context=test` has written (`server` and
`fusion` are links in the package): of a change, the tests that run its lines are tried until one fails. The lines of
the page walker are not counted: all tests of the folders in `WALKER_TESTS` are tried.
The checkout is changed meanwhile, and is as before afterwards. Needs pytest-cov.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from tests.mutation.mutants import Mutant, draw_mutants

WALKER_TESTS = ("browser", "conformance", "render", "engine", "server")
"""Folders, in any lane, whose tests look at pages."""

CHUNK = 150
"""Tests of one pytest process."""

LONGEST_SECONDS = 1200.0
"""A change that makes tests hang this long is noticed."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ways = parser.add_subparsers(dest="way", required=True)
    drawing = ways.add_parser("draw")
    drawing.add_argument("mutants", type=Path)
    drawing.add_argument("--count", type=int, default=60)
    drawing.add_argument("--seed", type=int, default=1)
    drawing.add_argument("--root", type=Path, default=Path())
    trying = ways.add_parser("try")
    trying.add_argument("mutants", type=Path)
    trying.add_argument("coverage", type=Path)
    trying.add_argument("out", type=Path)
    trying.add_argument("--root", type=Path, default=Path())
    given = parser.parse_args()
    if given.way == "draw":
        drawn = draw_mutants(given.root, given.count, given.seed)
        given.mutants.write_text(json.dumps([asdict(each) for each in drawn], indent=1), "utf-8")
    else:
        mutants = [Mutant(**each) for each in json.loads(given.mutants.read_text("utf-8"))]
        try_all(mutants, given.coverage, given.root.resolve(), given.out)


def try_all(mutants: list[Mutant], coverage: Path, root: Path, out: Path) -> None:
    """Tries each change, and writes after each what came of all so far."""
    found = json.loads(out.read_text("utf-8")) if out.exists() else []
    known = {(each["path"], each["line"], each["after"]) for each in found}
    for mutant in mutants:
        if (mutant.path, mutant.line, mutant.after) in known:
            continue
        file = root / mutant.path
        text = file.read_text("utf-8")
        try:
            changed = mutant.apply(text)
        except ValueError as exc:
            found.append({**asdict(mutant), "tests": 0, "noticed_by": "", "error": str(exc)})
            continue
        begun = time.monotonic()
        tests = tests_of(mutant, text, coverage, root)
        file.write_text(changed, "utf-8")
        try:
            noticed_by = first_failure(tests, root)
        finally:
            file.write_text(text, "utf-8")
        found.append({**asdict(mutant), "tests": len(tests), "noticed_by": noticed_by})
        print(
            f"{time.monotonic() - begun:5.0f} s {mutant.path}:{mutant.line} {noticed_by or 'NOT NOTICED'}", flush=True
        )
        out.write_text(json.dumps(found, indent=1), "utf-8")
    print(f"{sum(bool(each['noticed_by']) for each in found)} of {len(found)} noticed")


def tests_of(mutant: Mutant, text: str, coverage: Path, root: Path) -> list[str]:
    """The tests that run one of its lines."""
    import coverage as coverage_package

    data = coverage_package.CoverageData(str(coverage))
    data.read()
    if mutant.path.endswith(".js"):
        contexts = {each for each in data.measured_contexts() if any(f"/{room}/" in each for room in WALKER_TESTS)}
        return sorted({each.split("|")[0] for each in contexts})
    first = text[: text.index(mutant.before)].count("\n") + 1
    lines = range(first, first + mutant.before.count("\n") + (not mutant.before.endswith("\n")))
    measured = next(
        (each for each in data.measured_files() if Path(each).resolve() == (root / mutant.path).resolve()), ""
    )
    by_line = data.contexts_by_lineno(measured) if measured else {}
    contexts = {each for line in lines for each in by_line.get(line, ()) if each}
    return sorted({each.split("|")[0] for each in contexts})


def first_failure(tests: list[str], root: Path) -> str:
    """The first test that fails; empty where none does."""
    ordered = sorted(tests, key=lambda each: ("/live/" in each or "/server/test_" in each, each))
    for start in range(0, len(ordered), CHUNK):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
            names.write("\n".join(ordered[start : start + CHUNK]))
            names.flush()
            options = ["-x", "-q", "--tb=no", "-p", "no:cacheprovider", f"@{names.name}"]
            try:
                done = subprocess.run(
                    [sys.executable, "-m", "pytest", *options],
                    cwd=root,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    timeout=LONGEST_SECONDS,
                    env=os.environ | {"PYTHONPATH": str(root)},
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return "a test that hangs"
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        if failed:
            return failed[0].split(" ", 1)[1].split(" - ")[0]
        if done.returncode not in (0, 5):
            return f"pytest itself, with exit code {done.returncode}"
    return ""


if __name__ == "__main__":
    main()
