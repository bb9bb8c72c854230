"""Requests from plain Python values: strings, numbers, tuples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import extraction_service_pb2 as extraction_pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import types_pb2 as pb

TargetLike = str | tuple[float, float] | pb.Target
"""A ref (`e3`), a CSS selector (anything else that is a string), a coordinate (x, y), or a whole Target."""


def target_of(target: TargetLike) -> pb.Target:
    """The wire's target: a string like `e3` or `v7` is a ref, any other one a CSS selector."""
    if isinstance(target, pb.Target):
        return target
    if isinstance(target, tuple):
        return pb.Target(coordinate=pb.Coordinate(x=target[0], y=target[1]))
    is_ref = target[:1] in ("e", "v") and target[1:].isdecimal()
    return pb.Target(ref=target) if is_ref else pb.Target(selector=target)


_ENUMS = {"mode": "MODE", "engine": "ENGINE", "scope": "SCOPE", "view": "VIEW", "style": "TEXT_STYLE"}


def options_of(options: Mapping[str, Any]) -> perception_pb.SnapshotOptions:
    """SnapshotOptions by field.

    Enums go by short names too (`view="digest"`), `root` by anything that is a target, `settle_timeout` by seconds.

    Raises:
        ValueError: a field or value that does not exist.
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


def _split_tab(options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The tab's id, empty for the selected one, and the rest."""
    rest = dict(options)
    return rest.pop("tab_id", None) or "", rest


def snapshot_request(
    session_id: str, since: str | pb.Snapshot, options: Mapping[str, Any]
) -> perception_pb.CaptureSnapshotRequest:
    """A CaptureSnapshotRequest by the fields of its options; `tab_id` may be among them."""
    tab_id, rest = _split_tab(options)
    return perception_pb.CaptureSnapshotRequest(
        session_id=session_id,
        tab_id=tab_id,
        options=options_of(rest),
        since_snapshot_id=since if isinstance(since, str) else since.snapshot_id,
    )


def next_page_request(session_id: str, snapshot: pb.Snapshot) -> perception_pb.CaptureSnapshotRequest:
    """The request for what did not fit. Raises ValueError where the snapshot has no further page."""
    if not snapshot.next_cursor:
        raise ValueError(f"snapshot {snapshot.snapshot_id} has no further page: its next_cursor is empty")
    return perception_pb.CaptureSnapshotRequest(session_id=session_id, cursor=snapshot.next_cursor)


def screenshot_request(
    session_id: str, *, full_page: bool, jpeg_quality: int, annotated: bool, options: Mapping[str, Any]
) -> perception_pb.CaptureScreenshotRequest:
    """A CaptureScreenshotRequest. The options may hold `tab_id` and `reveal_sensitive`; the others are for annotated
    screenshots."""
    tab_id, rest = _split_tab(options)
    reveal = bool(rest.pop("reveal_sensitive", False))
    return perception_pb.CaptureScreenshotRequest(
        session_id=session_id,
        tab_id=tab_id,
        format=perception_pb.IMAGE_FORMAT_JPEG if jpeg_quality else perception_pb.IMAGE_FORMAT_PNG,
        quality=jpeg_quality,
        annotated=annotated,
        options=options_of(rest) if rest else None,
        full_page=full_page,
        reveal_sensitive=reveal,
    )


def watch_request(
    session_id: str, min_interval: float | None, options: Mapping[str, Any]
) -> perception_pb.WatchSnapshotsRequest:
    tab_id, rest = _split_tab(options)
    return perception_pb.WatchSnapshotsRequest(
        session_id=session_id,
        tab_id=tab_id,
        options=options_of(rest),
        min_interval=None if min_interval is None else timedelta(seconds=min_interval),
    )


def find_request(
    session_id: str,
    query: str,
    criteria: Mapping[str, Any],
    at: tuple[float, float] | None,
    options: Mapping[str, Any],
) -> perception_pb.FindElementsRequest:
    tab_id, rest = _split_tab(options)
    return perception_pb.FindElementsRequest(
        session_id=session_id,
        tab_id=tab_id,
        query=query,
        **criteria,
        at=pb.Point(x=at[0], y=at[1]) if at else None,
        options=options_of(rest),
    )


def explain_request(
    session_id: str, target: TargetLike | None, text: str, options: Mapping[str, Any]
) -> perception_pb.ExplainElementRequest:
    tab_id, rest = _split_tab(options)
    return perception_pb.ExplainElementRequest(
        session_id=session_id,
        tab_id=tab_id,
        target=None if target is None else target_of(target),
        text=text,
        options=options_of(rest),
    )


_TARGETS = ("target", "from", "to", "element", "vanished")
_OPTIONS = ("settle_timeout", "skip_diff")


def action_request(name: str, session_id: str, fields: Mapping[str, Any]) -> Any:
    """A request of an action by its fields, with `settle_timeout` (seconds) and `skip_diff`. Fields that are None are
    left out.

    Args:
        name: of the rpc, such as `Click`.

    Raises:
        ValueError: a field or value that does not exist.
    """
    given = {name: value for name, value in fields.items() if value is not None}
    options = {name: given.pop(name) for name in _OPTIONS if name in given}
    if "settle_timeout" in options:
        options["settle_timeout"] = timedelta(seconds=options["settle_timeout"])
    for target in _TARGETS:
        if target in given:
            given[target] = target_of(given[target])
    if isinstance(given.get("button"), str):
        given["button"] = f"MOUSE_BUTTON_{given['button'].upper()}"
    if "modifiers" in given:
        given["modifiers"] = [
            f"MODIFIER_{each.upper()}" if isinstance(each, str) else each for each in given["modifiers"]
        ]
    if isinstance(position := given.get("position"), str) and not position.startswith("TEXT_POSITION_"):
        given["position"] = f"TEXT_POSITION_{position.upper()}"
    if options:
        given["action_options"] = action_pb.ActionOptions(**options)
    return getattr(action_pb, f"{name}Request")(session_id=session_id, **given)


def files_of(contents: Mapping[str, bytes]) -> list[action_pb.FileContent]:
    return [action_pb.FileContent(name=name, content=content) for name, content in contents.items()]


def evaluate_request(
    session_id: str, expression: str, target: TargetLike | None, fields: Mapping[str, Any]
) -> action_pb.EvaluateRequest:
    """`timeout` by seconds, `engine` by its short name."""
    given = dict(fields)
    if isinstance(given.get("engine"), str):
        given["engine"] = f"ENGINE_{given['engine'].upper()}"
    if isinstance(given.get("timeout"), int | float):
        given["timeout"] = timedelta(seconds=given["timeout"])
    return action_pb.EvaluateRequest(
        session_id=session_id,
        expression=expression,
        target=None if target is None else target_of(target),
        **({"await_promise": True} | given),
    )


def interactables_request(
    session_id: str, scope: str, hidden: bool, roles: Sequence[str], fields: Mapping[str, Any]
) -> extraction_pb.ExtractInteractablesRequest:
    """`settle_timeout` by seconds."""
    return extraction_pb.ExtractInteractablesRequest(
        session_id=session_id, scope_selector=scope, include_hidden=hidden, roles=roles, **_with_timedelta(fields)
    )


def content_request(
    session_id: str, scope: str, main: bool, form_values: bool, fields: Mapping[str, Any]
) -> extraction_pb.ExtractContentRequest:
    """`settle_timeout` by seconds."""
    return extraction_pb.ExtractContentRequest(
        session_id=session_id,
        scope_selector=scope,
        main_content=main,
        include_form_values=form_values,
        **_with_timedelta(fields),
    )


def _with_timedelta(fields: Mapping[str, Any]) -> dict[str, Any]:
    given = dict(fields)
    if isinstance(given.get("settle_timeout"), int | float):
        given["settle_timeout"] = timedelta(seconds=given["settle_timeout"])
    return given
