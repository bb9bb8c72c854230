"""One look from request to answer: capture → refs → residual → detect → fuse → present → locate.

Rule 1: nothing here knows gRPC or protobuf; the edge makes the request and writes the answer.
Rule 2: stages are functions over plain values; offline samples go through the same ones from `interpret` on.
"""

from perception.engine.interpret import InterpretContext, interpret
from perception.engine.parse import parse
from perception.engine.request import SnapshotOptions, SnapshotRequest
from perception.engine.snapshot import EngineContext, take_snapshot

__all__ = [
    "EngineContext",
    "InterpretContext",
    "SnapshotOptions",
    "SnapshotRequest",
    "interpret",
    "parse",
    "take_snapshot",
]
