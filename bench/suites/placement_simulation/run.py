"""Simulates clusters of several sizes, each in a process of its own: `perception.server.placement.simulation`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from perception.bench.suites.placement_simulation.measure import read_measured

WRONG = ("slots lost", "located at the wrong worker", "unanswered requests")
"""What must not be, as the simulation counts it."""

MAX_WORKERS = 20_000
"""More take more memory than it is worth."""


@dataclass(frozen=True, slots=True)
class SizeOutcome:
    """One size of cluster; `perception.server.placement.simulation.outcome.ClusterOutcome` says what is what."""

    workers: int
    counts: Mapping[str, int]
    virtual_s: float
    claim_us: tuple[float, float]
    claims_per_s: float
    waited_ms: tuple[float, float]
    imbalance: float
    sessions_per_s: float
    news_share: float
    links_mib: float
    wrong: int


@dataclass(frozen=True, slots=True)
class SimulationRun:
    """A run. `made`: how the times were measured that it draws from."""

    edges: int
    slots: int
    made: str
    sizes: tuple[SizeOutcome, ...]


def run_simulation(
    sizes: Sequence[int], sessions: int, edges: int, slots: int, seed: int, say: Callable[[str], None]
) -> SimulationRun:
    """One cluster after the other. See `SimulationOptions`."""
    measured = read_measured()
    found = []
    for workers in sizes:
        share = max(1, sessions // len(sizes))
        asked = {"workers": workers, "edges": edges, "slots": slots, "sessions": share, "seed": seed}
        found.append(_simulate({"measured": measured, **asked}))
        say(f"{workers} workers: {found[-1].counts.get('sessions', 0)} sessions")
    return SimulationRun(edges, slots, str(measured["made"]), tuple(found))


def _simulate(asked: Mapping[str, object]) -> SizeOutcome:
    command = [sys.executable, "-m", "perception.server.placement.simulation"]
    done = subprocess.run(command, input=json.dumps(asked).encode(), stdout=subprocess.PIPE, check=True)
    return msgspec.json.decode(done.stdout, type=SizeOutcome)
