"""The fuzz campaign's command."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Callable

import structlog

from perception.bench.fuzz.campaign import PARTS, run_parts
from perception.bench.fuzz.verdict import table


def main(arguments: list[str] | None = None, say: Callable[[str], None] = print) -> int:
    """Runs the parts that are asked for. Returns 1 when any case failed."""
    parser = argparse.ArgumentParser(prog="python -m perception.bench.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=120_000, help="of all parts together")
    parser.add_argument("--part", action="append", choices=sorted(PARTS), help="may be repeated; all by default")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    tallies = asyncio.run(run_parts(asked.part or list(PARTS), asked.cases, asked.seed))
    say(table(tallies))
    return 1 if any(each.failures for each in tallies) else 0


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))  # the table says it
    sys.exit(main())
