"""Which of a number of small changes of the product's code the tests notice.

    python -m tests.mutation.run draw MUTANTS.json [--count 60] [--seed 1]
    python -m tests.mutation.run mark MUTANTS.json REACHED.txt [--root CHECKOUT]
    .ci/tests main long   (in CHECKOUT; then `git checkout perception server fusion` there)
    python -m tests.mutation.run try MUTANTS.json REACHED.txt OUT.json [--root CHECKOUT]

`mark` has each function that is to be changed write into REACHED.txt which tests reach it. Of a change, those are tried
until one fails. What the page walker runs is not known: all tests of the folders in `WALKER_TESTS` are tried.
The checkout is changed while `try` runs, and is as before afterwards.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from tests.mutation.mutants import Mutant, draw_mutants

WALKER_TESTS = ("tests/unit/browser", "tests/live", "tests/long/browser", "tests/long/conformance")
"""Folders whose tests look at pages."""

MARKS = Path("perception/_marks.py")
"""Where the checkout keeps `mark` meanwhile."""

MARK = """import os
_known = set()
def mark(number):
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    if test and (number, test) not in _known:
        _known.add((number, test))
        with open({reached!r}, "a", encoding="utf-8") as file:
            file.write(f"{{number}} {{test}}\\n")
"""

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
    marking = ways.add_parser("mark")
    marking.add_argument("mutants", type=Path)
    marking.add_argument("reached", type=Path)
    marking.add_argument("--root", type=Path, default=Path())
    trying = ways.add_parser("try")
    trying.add_argument("mutants", type=Path)
    trying.add_argument("reached", type=Path)
    trying.add_argument("out", type=Path)
    trying.add_argument("--root", type=Path, default=Path())
    given = parser.parse_args()
    if given.way == "draw":
        drawn = draw_mutants(given.root, given.count, given.seed)
        given.mutants.write_text(json.dumps([asdict(each) for each in drawn], indent=1), "utf-8")
        return
    mutants = [Mutant(**each) for each in json.loads(given.mutants.read_text("utf-8"))]
    if given.way == "mark":
        mark_all(mutants, given.root, given.reached.resolve())
    else:
        try_all(mutants, given.reached, given.root.resolve(), given.out)


def mark_all(mutants: list[Mutant], root: Path, reached: Path) -> None:
    """Puts a mark into the function of each change."""
    (root / MARKS).write_text(MARK.format(reached=str(reached)), "utf-8")
    marks: dict[str, list[tuple[int, str]]] = {}
    for number, mutant in enumerate(mutants):
        if mutant.path.endswith(".py"):
            first = _function_start((root / mutant.path).read_text("utf-8"), mutant.line)
            if first is None:
                print(f"{mutant.path}:{mutant.line} is in no function: no test is tried")
                continue
            line, column = first
            marks.setdefault(mutant.path, []).append(
                (line, f"{' ' * column}from perception._marks import mark; mark({number})\n")
            )
    for path, found in marks.items():
        lines = (root / path).read_text("utf-8").splitlines(keepends=True)
        for line, mark in sorted(found, reverse=True):
            lines.insert(line - 1, mark)
        (root / path).write_text("".join(lines), "utf-8")


def _function_start(text: str, line: int) -> tuple[int, int] | None:
    """Line and column of the first statement of the function around a line."""
    around = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body[0].lineno <= line <= (node.end_lineno or 0)
    ]
    if not around:
        return None
    body = max(around, key=lambda node: node.lineno).body
    first = (
        body[1]
        if len(body) > 1 and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
        else body[0]
    )
    decorators = getattr(first, "decorator_list", [])
    return (decorators[0].lineno if decorators else first.lineno), first.col_offset


def try_all(mutants: list[Mutant], reached: Path, root: Path, out: Path) -> None:
    """Tries each change, and writes after each what came of all so far."""
    found = json.loads(out.read_text("utf-8")) if out.exists() else []
    known = {(each["path"], each["line"], each["after"]) for each in found}
    for number, mutant in enumerate(mutants):
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
        tests = tests_of(number, mutant, reached)
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


def tests_of(number: int, mutant: Mutant, reached: Path) -> list[str]:
    """The tests that reach its function, or the folders of those of the walker."""
    if mutant.path.endswith(".js"):
        return list(WALKER_TESTS)
    lines = (line.split(" ", 1) for line in reached.read_text("utf-8").splitlines())
    return sorted({test for reaching, test in lines if reaching == str(number)})


def first_failure(tests: list[str], root: Path) -> str:
    """The first test that fails; empty where none does."""
    ordered = sorted(tests, key=lambda each: (not each.startswith("tests/unit/"), each))
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
