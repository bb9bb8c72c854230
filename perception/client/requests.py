"""Requests from plain Python values: strings, numbers, tuples. What makes no request is a BadInputError."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from perception.client.message_fields import TargetLike, message_of, target_of, wrong
from perception.errors import BadInputError
from perception.named_files import read_limited
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import extraction_service_pb2 as extraction_pb
from perception.v1 import file_service_pb2 as file_pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import session_service_pb2 as session_pb
from perception.v1 import types_pb2 as pb

StateLike = bytes | str | Path | Mapping[str, Any]
"""A state: the bytes or the text of a file, the path of one, or what Playwright's `storage_state()` returns."""

MAX_FILE_BYTES = 64 * 2**20
"""Limit of a state or an image that is read: a request takes less, and the service says how much."""

__all__ = ["TargetLike", "target_of"]  # of the next room down, under the name that callers know


def create_request(
    url: str, cdp_endpoint: str, request_id: str, options: Mapping[str, Any], cdp_target_id: str = ""
) -> session_pb.CreateSessionRequest:
    """A CreateSessionRequest by the fields of its options."""
    fields = {"url": url, "cdp_endpoint": cdp_endpoint, "request_id": request_id, "cdp_target_id": cdp_target_id}
    if options.get("state") is not None:
        options = dict(options) | {"state": state_bytes(options["state"])}
    return message_of(
        session_pb.CreateSessionRequest, fields | {"options": message_of(session_pb.SessionOptions, options)}
    )


def state_bytes(state: StateLike) -> bytes:
    """A state as a file's bytes.

    Args:
        state: the bytes or the text of a file, the path of one, or what Playwright's `storage_state()` returns.

    Raises:
        BadInputError: it is something else, or the file cannot be read.
    """
    if isinstance(state, bytes):
        return state
    if isinstance(state, str):
        return state.encode()
    if isinstance(state, Mapping):
        return json.dumps(state).encode()
    if isinstance(state, Path):
        try:
            return read_limited(state, MAX_FILE_BYTES)
        except OSError as exc:
            raise BadInputError(f"the state file {state} cannot be read: {exc.strerror}", field="state") from exc
    raise wrong("state", type(state).__name__, "bytes or text of a state file, its Path, or Playwright's storage state")


def image_bytes(image: bytes | str | os.PathLike[str]) -> bytes:
    """An image file's bytes, of themselves or of its path. Raises BadInputError where it cannot be read."""
    if isinstance(image, bytes | bytearray | memoryview):
        return bytes(image)
    if not isinstance(image, str | os.PathLike):
        raise wrong("image", image, "bytes of an image file, or its path")
    try:
        return read_limited(Path(image), MAX_FILE_BYTES)
    except OSError as exc:
        raise BadInputError(f"{os.fspath(image)} cannot be read: {exc.strerror}", field="image") from exc


def options_of(options: Mapping[str, Any]) -> perception_pb.SnapshotOptions:
    """SnapshotOptions by field.

    Enums go by short names too (`view="digest"`), `root` by anything that is a target, `settle_timeout` by seconds.

    Raises:
        BadInputError: a field or value that does not exist.
    """
    return message_of(perception_pb.SnapshotOptions, options)


def _in_tab(session_id: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that requests about a tab begin with; `tab_id` may be among the options of the look."""
    rest = dict(options)
    tab_id = rest.pop("tab_id", None) or ""
    return {"session_id": session_id, "tab_id": tab_id, "options": options_of(rest)}


def snapshot_request(
    session_id: str, since: str | pb.Snapshot, options: Mapping[str, Any]
) -> perception_pb.CaptureSnapshotRequest:
    """A CaptureSnapshotRequest by the fields of its options; `tab_id` may be among them."""
    if not isinstance(since, str | pb.Snapshot):
        raise wrong("since", since, "an earlier snapshot, or its id")
    earlier = since if isinstance(since, str) else since.snapshot_id
    return message_of(
        perception_pb.CaptureSnapshotRequest, _in_tab(session_id, options) | {"since_snapshot_id": earlier}
    )


def next_page_request(session_id: str, snapshot: pb.Snapshot) -> perception_pb.CaptureSnapshotRequest:
    """The request for what did not fit. Raises BadInputError where the snapshot has no further page."""
    if not isinstance(snapshot, pb.Snapshot):
        raise wrong("snapshot", snapshot, "a snapshot with a next_cursor")
    if not snapshot.next_cursor:
        raise BadInputError(f"snapshot {snapshot.snapshot_id} has no further page: its next_cursor is empty")
    return perception_pb.CaptureSnapshotRequest(session_id=session_id, cursor=snapshot.next_cursor)


def screenshot_request(
    session_id: str, *, full_page: bool, jpeg_quality: int, annotated: bool, options: Mapping[str, Any]
) -> perception_pb.CaptureScreenshotRequest:
    """A CaptureScreenshotRequest. The options may hold `tab_id` and `reveal_sensitive`; the others are for annotated
    screenshots."""
    rest = dict(options)
    reveal, tab_id = rest.pop("reveal_sensitive", None), rest.pop("tab_id", None)
    fields = {
        "session_id": session_id,
        "tab_id": tab_id,
        "format": "jpeg" if jpeg_quality else "png",
        "quality": jpeg_quality,
        "annotated": annotated,
        "options": options_of(rest) if rest else None,
        "full_page": full_page,
        "reveal_sensitive": reveal,
    }
    return message_of(perception_pb.CaptureScreenshotRequest, fields)


def watch_request(
    session_id: str, min_interval: float | None, options: Mapping[str, Any]
) -> perception_pb.WatchSnapshotsRequest:
    fields = _in_tab(session_id, options) | {"min_interval": min_interval}
    return message_of(perception_pb.WatchSnapshotsRequest, fields)


def find_request(
    session_id: str,
    query: str,
    criteria: Mapping[str, Any],
    at: tuple[float, float] | None,
    options: Mapping[str, Any],
) -> perception_pb.FindElementsRequest:
    fields = _in_tab(session_id, options) | dict(criteria) | {"query": query, "at": at}
    return message_of(perception_pb.FindElementsRequest, fields)


def explain_request(
    session_id: str, target: TargetLike | None, text: str, options: Mapping[str, Any]
) -> perception_pb.ExplainElementRequest:
    fields = _in_tab(session_id, options) | {"target": target, "text": text}
    return message_of(perception_pb.ExplainElementRequest, fields)


_ACTION_OPTIONS = ("settle_timeout", "skip_diff", "diff_max_tokens")


def action_request(name: str, session_id: str, fields: Mapping[str, Any]) -> Any:
    """A request of an action by its fields, with `settle_timeout` (seconds), `skip_diff` and `diff_max_tokens`. Fields
    that are None are left out.

    Args:
        name: of the rpc, such as `Click`.

    Raises:
        BadInputError: a field or value that does not exist.
    """
    given = action_options_of(fields)
    also = (*_ACTION_OPTIONS, "timeout_s")
    return message_of(getattr(action_pb, f"{name}Request"), {"session_id": session_id} | given, also)


def action_options_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an action, those of its options as a message; without those that are None."""
    given = {name: value for name, value in fields.items() if value is not None}
    options = {name: given.pop(name) for name in _ACTION_OPTIONS if name in given}
    if options:
        given["action_options"] = message_of(action_pb.ActionOptions, options)
    return given


def batch_request(session_id: str, steps: Sequence[action_pb.BatchStep], fields: Mapping[str, Any]) -> Any:
    """A BatchRequest. Raises BadInputError for what is not a step."""
    if isinstance(steps, action_pb.BatchStep) or not isinstance(steps, Sequence):
        raise wrong("steps", steps, "a list of steps, such as steps.click('e5') of perception.client.steps")
    for index, step in enumerate(steps):
        if not isinstance(step, action_pb.BatchStep):
            raise wrong(f"steps[{index}]", step, "a step, such as steps.click('e5') of perception.client.steps")
    return action_request("Batch", session_id, {"steps": list(steps)} | dict(fields))


STEP_OPTIONS = ("may_navigate", "timeout")


def step_of(
    kind: str, request: type[Message], fields: Mapping[str, Any], step: Mapping[str, Any]
) -> action_pb.BatchStep:
    """A step of a batch.

    Args:
        kind: its field in BatchStep.
        request: of its rpc.
        fields: of the request.
        step: the step's own options; may hold further fields of the request, under their names on the wire.
    """
    given = {**fields, **step}
    options = {name: given.pop(name) for name in STEP_OPTIONS if name in given}
    return message_of(action_pb.BatchStep, {kind: message_of(request, given, STEP_OPTIONS)} | options)


def wait_condition(conditions: Mapping[str, Any]) -> dict[str, Any]:
    """The condition of a wait. Raises BadInputError for more than one, of which the wire would keep the last."""
    given = {name: value for name, value in conditions.items() if value}
    if len(given) > 1:
        raise BadInputError(f"wait_for waits for one of {', '.join(conditions)}, not for {' and '.join(given)} at once")
    return given


def files_of(contents: Mapping[str, bytes]) -> list[action_pb.FileContent]:
    if not isinstance(contents, Mapping):
        raise wrong("contents", contents, "a dict of file names and their bytes")
    return [message_of(action_pb.FileContent, {"name": name, "content": data}) for name, data in contents.items()]


def pdf_request(
    session_id: str, tab_id: str, reveal_sensitive: bool, options: Mapping[str, Any]
) -> file_pb.PrintToPdfRequest:
    """A PrintToPdfRequest by the fields of its options: `paper_size` and `margins` by their numbers in mm."""
    given = dict(options)
    if (size := given.pop("paper_size", None)) is not None:
        width, height = _numbers("paper_size", size, 2, "(width, height) in mm")
        given["paper_size"] = file_pb.PaperSize(width_mm=width, height_mm=height)
    if (margins := given.pop("margins", None)) is not None:
        each = (margins,) * 4 if isinstance(margins, int | float) else margins
        top, right, bottom, left = _numbers("margins", each, 4, "mm, or (top, right, bottom, left) in mm")
        given["margins"] = file_pb.PageMargins(top_mm=top, right_mm=right, bottom_mm=bottom, left_mm=left)
    fields = {"session_id": session_id, "tab_id": tab_id, "reveal_sensitive": reveal_sensitive}
    return message_of(file_pb.PrintToPdfRequest, fields | {"options": message_of(file_pb.PdfOptions, given)})


def _numbers(name: str, given: Any, count: int, form: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(each) for each in given)
    except (TypeError, ValueError) as exc:
        raise wrong(name, given, form) from exc
    if len(numbers) != count:
        raise wrong(name, given, form)
    return numbers


def evaluate_request(
    session_id: str, expression: str, target: TargetLike | None, fields: Mapping[str, Any]
) -> action_pb.EvaluateRequest:
    """`timeout` by seconds, `engine` by its short name."""
    given = {"session_id": session_id, "expression": expression, "target": target, "await_promise": True}
    return message_of(action_pb.EvaluateRequest, given | dict(fields))


def interactables_request(
    session_id: str, scope: str, hidden: bool, roles: Sequence[str], fields: Mapping[str, Any]
) -> extraction_pb.ExtractInteractablesRequest:
    """`settle_timeout` by seconds."""
    given = {"session_id": session_id, "scope_selector": scope, "include_hidden": hidden, "roles": roles}
    return message_of(extraction_pb.ExtractInteractablesRequest, given | dict(fields))
