"""Counters of what happens at run time, for Prometheus. Never a session id or a URL as a label.

They live in prometheus-client's own registry, so whatever serves that registry serves them.
"""

from __future__ import annotations

from prometheus_client import Counter, Histogram

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

RPC_SECONDS = Histogram(
    "rpc_server_duration_seconds", "Time from a call's arrival to its answer.", ("method", "code"), buckets=SECONDS
)
OVERSHOOT_SECONDS = Histogram(
    "perception_deadline_overshoot_seconds",
    "How long after its caller's deadline a call ended.",
    ("method",),
    buckets=SECONDS,
)
PAGE_HUNG = Counter(
    "perception_page_hung_total",
    "Pages that hung, by what brought their tab back: terminate, close, crash, recycle, restart.",
    ("recovered_by",),
)
EVALUATE = Counter(
    "perception_evaluate_total",
    "Scripts that were run, by the engine that ran them, how they ended, and why it was not CDP under AUTO.",
    ("engine", "outcome", "fallback"),
)
EVALUATE_SECONDS = Histogram(
    "perception_evaluate_duration_seconds", "Time that scripts took.", ("engine",), buckets=SECONDS
)
