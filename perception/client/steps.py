"""The steps of a batch, and targets by role and name: what `page.batch` takes.

    page.batch([
        steps.type_text("e3", "Ada"),
        steps.click(steps.named("button", "Save"), may_navigate=True),
    ])

Each takes what the method of a page with its name takes, without `tab_id`, `request_id` and the options of a diff, and
also `timeout` (seconds for the step) and `may_navigate` (it may take the tab to another document).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from perception.client.fields import Modifier, MouseButton, SnapshotFields, StepFields, TextPosition
from perception.client.message_fields import TargetLike, message_of
from perception.client.requests import files_of, options_of, wait_condition
from perception.v1 import action_service_pb2 as pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import types_pb2

STEP_OPTIONS = ("may_navigate", "timeout")


def named(role: str, name: str, nth: int | None = None) -> types_pb2.Target:
    """A target by role and name, as a snapshot lists it, also of an element that no snapshot has shown yet.

    Args:
        role: such as `button`; empty for any.
        name: all of the accessible name, whatever its case and spaces.
        nth: which of several, from 0; None where it has to be the only one.
    """
    return types_pb2.Target(named=message_of(types_pb2.NamedElement, {"role": role, "name": name, "nth": nth}))


def click(
    target: TargetLike,
    *,
    button: MouseButton | None = None,
    click_count: int | None = None,
    modifiers: Sequence[Modifier] = (),
    hold: float | None = None,
    checked: bool | None = None,
    **step: Unpack[StepFields],
) -> pb.BatchStep:
    given = {
        "target": target,
        "button": button,
        "click_count": click_count,
        "modifiers": modifiers,
        "hold": hold,
        "checked": checked,
    }
    return _step("click", pb.ClickRequest, given, step)


def check(target: TargetLike, checked: bool = True, **step: Unpack[StepFields]) -> pb.BatchStep:
    return _step("click", pb.ClickRequest, {"target": target, "checked": checked}, step)


def tap(target: TargetLike, *, hold: float | None = None, **step: Unpack[StepFields]) -> pb.BatchStep:
    return _step("tap", pb.TapRequest, {"target": target, "hold": hold}, step)


def hover(target: TargetLike, **step: Unpack[StepFields]) -> pb.BatchStep:
    return _step("hover", pb.HoverRequest, {"target": target}, step)


def drag(start: TargetLike, end: TargetLike, **step: Unpack[StepFields]) -> pb.BatchStep:
    return _step("drag", pb.DragRequest, {"from": start, "to": end}, step)


def type_text(
    target: TargetLike | None,
    text: str = "",
    *,
    secret: str | None = None,
    clear: bool = False,
    submit: bool = False,
    keystrokes: bool = False,
    position: TextPosition | None = None,
    **step: Unpack[StepFields],
) -> pb.BatchStep:
    given = {
        "target": target,
        "text": text,
        "secret": secret,
        "clear": clear,
        "submit": submit,
        "keystrokes": keystrokes,
        "position": position,
    }
    return _step("type_text", pb.TypeTextRequest, given, step)


def press(key: str, target: TargetLike | None = None, **step: Unpack[StepFields]) -> pb.BatchStep:
    return _step("press_key", pb.PressKeyRequest, {"key": key, "target": target}, step)


def select(target: TargetLike, *options: str, **step: Unpack[StepFields]) -> pb.BatchStep:
    return _step("select_option", pb.SelectOptionRequest, {"target": target, "options": options}, step)


def scroll(
    delta_y: float = 0, delta_x: float = 0, target: TargetLike | None = None, **step: Unpack[StepFields]
) -> pb.BatchStep:
    given = {"delta_x": delta_x, "delta_y": delta_y, "target": target}
    return _step("scroll", pb.ScrollRequest, given, step)


def upload(
    target: TargetLike,
    *paths: str,
    contents: Mapping[str, bytes] | None = None,
    drop: bool = False,
    data: Mapping[str, str] | None = None,
    **step: Unpack[StepFields],
) -> pb.BatchStep:
    given = {"target": target, "paths": paths, "files": files_of(contents or {}), "drop": drop, "data": data}
    return _step("upload_files", pb.UploadFilesRequest, given, step)


def wait_for(
    *,
    element: TargetLike | None = None,
    vanished: TargetLike | None = None,
    text: str = "",
    url: str = "",
    settled: bool = False,
    **step: Unpack[StepFields],
) -> pb.BatchStep:
    conditions = {"element": element, "vanished": vanished, "text": text, "url": url, "settled": settled}
    return _step("wait_for", pb.WaitForRequest, wait_condition(conditions), step)


def evaluate(expression: str, target: TargetLike | None = None, **step: Unpack[StepFields]) -> pb.BatchStep:
    """`timeout` is that of the step."""
    given = {"expression": expression, "target": target, "await_promise": True}
    return _step("evaluate", pb.EvaluateRequest, given, step)


def snapshot(
    *,
    since: str = "",
    include_screenshot: bool = False,
    timeout: float | None = None,
    **options: Unpack[SnapshotFields],
) -> pb.BatchStep:
    """Its snapshot is in the step's `capture_snapshot`; `options` are fields of SnapshotOptions."""
    fields = {"options": options_of(options), "since_snapshot_id": since, "include_screenshot": include_screenshot}
    return _step("capture_snapshot", perception_pb.CaptureSnapshotRequest, fields, {"timeout": timeout})


def _step(kind: str, request: Any, fields: Mapping[str, Any], step: StepFields) -> pb.BatchStep:
    """`step` may hold further fields of the request, under their names on the wire."""
    given = {**fields, **step}
    options = {name: given.pop(name) for name in STEP_OPTIONS if name in given}
    return message_of(pb.BatchStep, {kind: message_of(request, given, STEP_OPTIONS)} | options)
