"""Runs the tests several times beside two busy processes, their files in another random order each time.

`python tests/stress.py [N] [--quiet]`: N runs (10). With `--quiet` nothing is busy beside, and the order is the usual
one.
Prints each test that ever failed, and in which run. Ends with 1 if there is one.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

LANES = ("tests/unit", "tests/live", "tests/clock")
BUSY = "while True: pass"
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+(?:\[.*?\])?)(?: - |$)", re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="?", type=int, default=10)
    parser.add_argument("--quiet", action="store_true", help="nothing beside, the usual order")
    given = parser.parse_args()
    busy = [] if given.quiet else [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(2)]
    failed: dict[str, list[int]] = defaultdict(list)
    try:
        for run in range(1, given.runs + 1):
            for test in _run(run, [] if given.quiet else [f"--file-order-seed={run}-{time.time_ns()}"]):
                failed[test].append(run)
    finally:
        for each in busy:
            each.kill()
            each.wait()
    for test, runs in sorted(failed.items()):
        print(f"failed in {len(runs)} of {given.runs} runs ({', '.join(map(str, runs))}): {test}")
    bad = len({run for runs in failed.values() for run in runs})
    print(f"{given.runs - bad} of {given.runs} runs without a failure")
    return 1 if failed else 0


def _run(number: int, options: list[str]) -> list[str]:
    """The tests that failed in one run."""
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--tb=short", *options, *LANES],
        cwd=Path(__file__).parents[1],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""},
    )
    failed = _FAILED.findall(done.stdout)
    if done.returncode and not failed:
        failed = [f"the run itself, with exit code {done.returncode}"]
    if failed:
        print(done.stdout)
    last = done.stdout.rstrip().splitlines()[-1] if done.stdout.strip() else ""
    print(f"run {number}, {time.monotonic() - begun:.0f} s {' '.join(options)}: {last}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
