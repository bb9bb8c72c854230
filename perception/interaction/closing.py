"""Says that the worker of a session is about to end, in the seconds that are left."""

from __future__ import annotations

import time


def closing_words(closes_at_s: float, worker: str = "") -> str:
    """`its worker ends in 290 s at the latest`.

    Args:
        closes_at_s: when that is, in seconds since 1970.
        worker: its name; empty where it is not known.
    """
    left_s = max(0, round(closes_at_s - time.time()))
    named = f" {worker}" if worker else ""
    return f"its worker{named} ends in {left_s} s at the latest"
