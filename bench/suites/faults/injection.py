"""A fault: a function that takes the lab, injects the fault, and returns the callers' answers.

A wrong outcome is an AssertionError.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import psutil

from perception.bench.suites.faults.fault_lab import Counted, FaultLab
from perception.client import RemoteError
from perception.v1 import session_service_pb2 as session_pb

LIMIT = 16 * 2**20

Injection = Callable[[FaultLab], Awaitable[str]]

INJECTIONS: dict[str, Injection] = {}


class SkippedError(Exception):
    """A fault that cannot be injected on this machine, with the reason."""


def injection(name: str) -> Callable[[Injection], Injection]:
    """Registers a fault by its name."""

    def enter(function: Injection) -> Injection:
        INJECTIONS[name] = function
        return function

    return enter


async def reason_of(call: Awaitable[Any], *allowed: str) -> str:
    """The reason of a failed call, `OK` if it succeeded. Raises AssertionError for a reason that is not allowed."""
    try:
        await call
    except RemoteError as exc:
        reason = exc.reason or exc.code.name
    else:
        reason = "OK"
    assert reason in allowed, f"{reason}, not {' or '.join(allowed)}"
    return reason


async def press_often(counted: Counted, times: int) -> Counter[str]:
    """Presses until one fails."""
    outcomes: Counter[str] = Counter()
    for _ in range(times):
        allowed = ("OK", "PAGE_CRASHED", "SESSION_LOST", "SHUTTING_DOWN", "UNAVAILABLE")
        reason = await reason_of(counted.press(), *allowed)
        outcomes[reason] += 1
        if reason != "OK":
            break
    return outcomes


def join_counts(outcomes: list[Counter[str]]) -> str:
    """Reasons with their frequency."""
    total: Counter[str] = sum(outcomes, Counter())
    return ", ".join(f"{count} {reason}" for reason, count in total.most_common())


def session_request(counted: Counted) -> session_pb.GetSessionRequest:
    """Metadata for the session of a page."""
    return session_pb.GetSessionRequest(session_id=counted.page.session_id)


def is_running(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
