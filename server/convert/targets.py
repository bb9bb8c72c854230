"""Targets: what a request names on a page."""

from __future__ import annotations

import math

from perception.engine.request import (
    BackendNodeTarget,
    NamedTarget,
    PointTarget,
    RefTarget,
    SelectorTarget,
    Target,
)
from perception.errors import BadInputError
from perception.geometry import Point
from perception.server.sessions.kept_snapshots import KeptSnapshots
from perception.v1 import types_pb2 as pb

MAX_NAME = 2000
"""Characters of a role or a name; names in snapshots are far shorter. Chosen by hand."""


def decode_target(target: pb.Target, snapshots: KeptSnapshots) -> Target:
    """What a target names.

    Args:
        snapshots: those that a coordinate may be read from.

    Raises:
        BadInputError: nothing is named, or the coordinate is not a point.
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
            x, y = target.coordinate.x, target.coordinate.y
            if not (math.isfinite(x) and math.isfinite(y)):
                raise BadInputError(
                    f"the coordinate ({x:g}, {y:g}) is not a point: give CSS px of the viewport",
                    field="target.coordinate",
                )
            return PointTarget(Point(x, y), read_from, seen)
        case "named":
            return _named_target(target.named)
    raise BadInputError("no target: give a ref, coordinate, selector, backend_node_id or named", field="target")


def _named_target(named: pb.NamedElement) -> NamedTarget:
    if not named.role.strip() and not named.name.strip():
        raise BadInputError("role and name are empty: give the name, and best the role too", field="target.named")
    if len(named.name) > MAX_NAME or len(named.role) > MAX_NAME:
        raise BadInputError(f"the name or role has more than {MAX_NAME} characters: shorten it", field="target.named")
    if named.nth < 0:
        raise BadInputError(f"nth is {named.nth}: it counts from 0", field="target.named.nth")
    return NamedTarget(named.role, named.name, named.nth if named.HasField("nth") else None)
