"""Options that several suites have, as the command line shows them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated

import typer

from perception.errors import BadInputError

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

Datasets = Annotated[
    list[str] | None,
    typer.Option(
        "--dataset", help="A built data set, LAYOUT:FOLDER or FOLDER, of it #train, #dev or #test; repeatable."
    ),
]
Variants = Annotated[
    list[str] | None, typer.Option("--variant", help="A variant's TOML file, or the name of one; repeatable.")
]
Pages = Annotated[
    list[str] | None,
    typer.Option("--page", help="A page, a family of pages, `demo`, `smoke`, `widgets`, or `all`; repeatable."),
]
Rounds = Annotated[int, typer.Option(min=1, help="How often each page is visited.")]
Workers = Annotated[int, typer.Option(min=1, max=64, help="Worker processes. Default: one for each core.")]
Limit = Annotated[int, typer.Option(min=0, help="Only the first N samples of each data set, or N pages; 0: all.")]

LOCAL = "local"
"""The placement of a service that has its sessions itself."""

Placement = Annotated[
    str,
    typer.Option(
        help="The service that is measured: local, static[=N] for an edge with N workers (2), or ray=HOST:PORT."
    ),
]


def parse_counts(text: str, what: str, most: int = 64) -> tuple[int, ...]:
    """`1,2,3`, each at most `most`. Raises BadInputError, which says what is counted: `workers`."""
    words = [each.strip() for each in text.split(",") if each.strip()]
    if not words or not all(each.isdecimal() and 0 < int(each) <= most for each in words):
        raise BadInputError(f"{text!r} names no numbers of {what}: write numbers from 1 to {most}, as in 1,2,3")
    return tuple(int(each) for each in words)


def choose_by_words(names: Sequence[str], words: Sequence[str] | None, what: str, hint: str) -> list[str]:
    """The names that contain one of the words; all for no words.

    Args:
        what: what the names are of: `fault`.
        hint: the end of the error's message.

    Raises:
        BadInputError: no name does.
    """
    chosen = [each for each in names if not words or any(word in each for word in words)]
    if not chosen:
        raise BadInputError(f"no {what}'s name has {' or '.join(words or ())} in it: {hint}")
    return chosen
