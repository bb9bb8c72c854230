"""Prometheus metrics.

Rule 1: every label has few values, all defined in this project: never a session id, a host, a URL, or a value that a
client or a page sets. The metrics are in prometheus-client's default registry.
"""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

# Calls
RPC_SECONDS = Histogram(
    "rpc_server_duration_seconds", "Time from a call's arrival to its answer.", ("method", "code"), buckets=SECONDS
)
OVERSHOOT_SECONDS = Histogram(
    "perception_deadline_overshoot_seconds",
    "How long after its caller's deadline a call ended.",
    ("method",),
    buckets=SECONDS,
)
QUEUE_DEPTH = Gauge("perception_queue_depth", "Calls that wait for a place.")
QUEUE_WAIT_SECONDS = Histogram(
    "perception_queue_wait_seconds", "How long calls waited for a place, those that left included.", buckets=SECONDS
)
ADMISSION_REJECTED = Counter(
    "perception_admission_rejected_total",
    "Calls that were refused for want of room, by reason.",
    ("reason",),
)
AUTH_FAILED = Counter(
    "perception_auth_failed_total",
    "Calls that were refused for who made them: missing, wrong, certificate, edge (not from one).",
    ("reason",),
)

# Sessions and browsers
SESSIONS = Gauge("perception_sessions", "Sessions by state: active (a call is at work), idle, opening.", ("state",))
WORKERS = Gauge("perception_workers", "Workers of an edge by state: up (it is reached now), down.", ("state",))
SLOTS = Gauge(
    "perception_slots",
    "Sessions that the workers of an edge take, by state: taken, free (of workers that are not to end).",
    ("state",),
)
CLAIMS_WAITING = Gauge("perception_claims_waiting", "Sessions that wait at an edge for a slot.")
BROWSER_RESTARTS = Counter(
    "perception_browser_restarts_total",
    "Browsers that were started in place of another, by what ended it: crash, memory, hung, folder (removed).",
    ("cause",),
)
BROWSER_PSS_BYTES = Gauge("perception_browser_pss_bytes", "Memory of all browser processes, shared pages counted once.")
PAGES_SLOWED = Counter(
    "perception_pages_slowed_total",
    "Pages' processes that were slowed since they sent more events than a shared browser can take.",
)
PAGES_HALTED = Counter(
    "perception_pages_halted_total",
    "Pages whose scripts were halted since slowing did not hold what they sent to a shared browser.",
)
EGRESS_BLOCKED = Counter(
    "perception_egress_blocked_total",
    "Connections of pages that were not let out: loopback, private, link-local, metadata, multicast, reserved, origin "
    "(none of the session's), own-port (the service's or its browser's), malformed.",
    ("reason",),
)

# Looking and acting
STAGE_SECONDS = Histogram(
    "perception_stage_duration_seconds",
    "Time that each stage of a call took: capture, ax, residual, detect, ocr, fuse, render, act and their like.",
    ("stage",),
    buckets=(0.001, 0.0025, *SECONDS),
)
PAGE_HUNG = Counter(
    "perception_page_hung_total",
    "Pages that hung, by what brought their tab back: terminate, close, crash, recycle, restart.",
    ("recovered_by",),
)
STALE_REF = Counter("perception_stale_ref_total", "Refs that were refused since their element is gone or another one.")
DETECTOR_SKIPPED = Counter(
    "perception_detector_skipped_total",
    "Detectors that did not look, by why: missing, busy (with another call), late, failed.",
    ("name", "reason"),
)
CACHE_HITS = Counter(
    "perception_cache_hits_total",
    "Work not done again: capture (the same page), frame (the same pixels), crop (pixels that were seen before).",
    ("cache",),
)
LOOK_AHEAD = Counter(
    "perception_look_ahead_total",
    "Looks that were due before anyone asked, by what became of them: used, stale (the page changed first, or nobody "
    "asked), cancelled (a call came before it was done), skipped (not begun: a call came, the page did not rest, or "
    "the service was busy).",
    ("outcome",),
)
TOKENS_SERVED = Counter("perception_tokens_served_total", "Tokens (o200k) of the texts that were answered with.")
EVALUATE = Counter(
    "perception_evaluate_total",
    "Scripts that were run, by the engine that ran them, how they ended, and why it was not CDP under AUTO.",
    ("engine", "outcome", "fallback"),
)
EVALUATE_SECONDS = Histogram(
    "perception_evaluate_duration_seconds", "Time that scripts took.", ("engine",), buckets=SECONDS
)
