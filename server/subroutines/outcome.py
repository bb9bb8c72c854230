"""What a run of a subroutine came to: its steps, its result or error, and what confirmed it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Step:
    """One call.

    Attributes:
        description: in words.
        done: whether it succeeded.
        error: why it failed; empty while it did not.
    """

    description: str
    done: bool = False
    error: str = ""


@dataclass(slots=True)
class Outcome:
    """What a run returned, or why it failed.

    Attributes:
        data: the script's own answer, JSON.
        error, reason: why it failed, and as which kind of error; empty where it did not.
        before, after: what drifted, as it was recorded and as it is now.
        sent: whether anything that may have changed something was sent.
        fell_back: why the script went on by input in place of a request; empty where it did not.
        steps: the calls that it made.
        requests: what matters of what the page sent to its own origin: method, address without its query, status.
        all_requests: all that it sent there.
        elapsed_s: how long it took.
        confirmed_by: the signs of success that were seen, in words.
    """

    data: Any = None
    error: str = ""
    reason: str = ""
    before: str = ""
    after: str = ""
    sent: bool = False
    fell_back: str = ""
    steps: list[Step] = field(default_factory=list)
    requests: list[tuple[str, str, int]] = field(default_factory=list)
    all_requests: list[tuple[str, str, int]] = field(default_factory=list)
    elapsed_s: float = 0.0
    confirmed_by: list[str] = field(default_factory=list)
