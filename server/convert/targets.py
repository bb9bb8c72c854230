"""Targets: what a request names on a page."""

from __future__ import annotations

from perception.engine.request import BackendNodeTarget, PointTarget, RefTarget, SelectorTarget, Target
from perception.errors import BadInputError
from perception.geometry import Point
from perception.server.sessions.kept_snapshots import KeptSnapshots
from perception.v1 import types_pb2 as pb


def decode_target(target: pb.Target, snapshots: KeptSnapshots) -> Target:
    """What a target names.

    Args:
        snapshots: those that a coordinate may be read from.

    Raises:
        BadInputError: nothing is named.
        UnknownSnapshotError: the coordinate is from a snapshot that is not kept.
    """
    match target.WhichOneof("target"):
        case "ref":
            return RefTarget(target.ref)
        case "selector":
            return SelectorTarget(target.selector)
        case "backend_node_id":
            return BackendNodeTarget(target.backend_node_id)
        case "coordinate":
            read_from = target.coordinate.snapshot_id
            seen = snapshots.get(read_from).snapshot if read_from else None
            return PointTarget(Point(target.coordinate.x, target.coordinate.y), read_from, seen)
    raise BadInputError("no target: give a ref, coordinate, selector or backend_node_id", field="target")
