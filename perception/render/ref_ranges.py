"""Several refs with few tokens: `e9-e14 e17`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_NUMBERED_REF = re.compile(r"([a-z]+)(\d+)")


def join_refs(refs: Sequence[str]) -> list[str]:
    """Refs with three or more consecutive ones joined as a range."""
    return [f"{first}-{last}" if first != last else first for first, last in _runs(refs)]


def _runs(refs: Sequence[str]) -> Iterator[tuple[str, str]]:
    run: list[str] = []
    for ref in refs:
        if run and not _follows(run[-1], ref):
            yield from _cut(run)
            run = []
        run.append(ref)
    yield from _cut(run)


def _cut(run: list[str]) -> Iterator[tuple[str, str]]:
    if len(run) > 2:
        yield run[0], run[-1]
    else:
        yield from ((ref, ref) for ref in run)


def _follows(first: str, second: str) -> bool:
    one, two = _NUMBERED_REF.fullmatch(first), _NUMBERED_REF.fullmatch(second)
    return bool(one and two and one[1] == two[1] and int(two[2]) == int(one[2]) + 1)
