"""Requests of the Python client, from what a program has at hand: strings, numbers, tuples."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import types_pb2 as pb

TargetLike = str | tuple[float, float] | pb.Target
"""A ref (`e3`), a CSS selector (anything else that is a string), a coordinate (x, y), or a whole Target."""


def target_of(target: TargetLike) -> pb.Target:
    if isinstance(target, pb.Target):
        return target
    if isinstance(target, tuple):
        return pb.Target(coordinate=pb.Coordinate(x=target[0], y=target[1]))
    is_ref = target[:1] in ("e", "v") and target[1:].isdecimal()
    return pb.Target(ref=target) if is_ref else pb.Target(selector=target)


_ENUMS = {"mode": "MODE", "engine": "ENGINE", "scope": "SCOPE", "view": "VIEW", "style": "TEXT_STYLE"}


def options_of(options: Mapping[str, Any]) -> perception_pb.SnapshotOptions:
    """SnapshotOptions by field.

    Enums go by short names too (`view="digest"`), `root` by whatever names a target, `settle_timeout` by seconds.

    Raises:
        ValueError: a field or value there is not.
    """
    given = {name: value for name, value in options.items() if value is not None}
    for name, prefix in _ENUMS.items():
        if isinstance(value := given.get(name), str) and not value.startswith(f"{prefix}_"):
            given[name] = f"{prefix}_{value.upper().replace('-', '_')}"
    if "root" in given:
        given["root"] = target_of(given["root"])
    if isinstance(given.get("settle_timeout"), int | float):
        given["settle_timeout"] = timedelta(seconds=given["settle_timeout"])
    return perception_pb.SnapshotOptions(**given)


def snapshot_request(
    session_id: str, since: str | pb.Snapshot, options: Mapping[str, Any]
) -> perception_pb.CaptureSnapshotRequest:
    return perception_pb.CaptureSnapshotRequest(
        session_id=session_id,
        options=options_of(options),
        since_snapshot_id=since if isinstance(since, str) else since.snapshot_id,
    )


def watch_request(
    session_id: str, min_interval: float | None, options: Mapping[str, Any]
) -> perception_pb.WatchSnapshotsRequest:
    return perception_pb.WatchSnapshotsRequest(
        session_id=session_id,
        options=options_of(options),
        min_interval=None if min_interval is None else timedelta(seconds=min_interval),
    )


def find_request(
    session_id: str,
    query: str,
    asked: Mapping[str, Any],
    at: tuple[float, float] | None,
    options: Mapping[str, Any],
) -> perception_pb.FindElementsRequest:
    return perception_pb.FindElementsRequest(
        session_id=session_id,
        query=query,
        **asked,
        at=pb.Point(x=at[0], y=at[1]) if at else None,
        options=options_of(options),
    )
