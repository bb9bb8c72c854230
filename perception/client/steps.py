"""The steps of a batch, and targets by role and name: what `page.batch` takes.

    page.batch([
        steps.type_text("e3", "Ada"),
        steps.click(steps.named("button", "Save"), may_navigate=True),
    ])

Each takes what the method of a page with its name takes, without `tab_id`, `request_id` and the options of a diff, and
also `timeout` (seconds for the step) and `may_navigate` (it may take the tab to another document).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from perception.client import action_steps
from perception.client.action_steps import *  # noqa: F403 (steps that are made from the contract)
from perception.client.fields import SnapshotFields, StepFields
from perception.client.message_fields import TargetLike, message_of
from perception.client.requests import files_of, options_of, step_of, wait_condition
from perception.v1 import action_service_pb2 as pb
from perception.v1 import perception_service_pb2 as perception_pb
from perception.v1 import types_pb2

__all__ = ["check", "evaluate", "named", "snapshot", "upload", "wait_for"]
__all__ += action_steps.__all__


def named(role: str, name: str, nth: int | None = None) -> types_pb2.Target:
    """A target by role and name, as a snapshot lists it, also of an element that no snapshot has shown yet.

    Args:
        role: such as `button`; empty for any.
        name: all of the accessible name, whatever its case and spaces.
        nth: which of several, from 0; None where it has to be the only one.
    """
    return types_pb2.Target(named=message_of(types_pb2.NamedElement, {"role": role, "name": name, "nth": nth}))


def check(target: TargetLike, checked: bool = True, **step: Unpack[StepFields]) -> pb.BatchStep:
    return step_of("click", pb.ClickRequest, {"target": target, "checked": checked}, step)


def upload(
    target: TargetLike,
    *paths: str,
    contents: Mapping[str, bytes] | None = None,
    drop: bool = False,
    data: Mapping[str, str] | None = None,
    **step: Unpack[StepFields],
) -> pb.BatchStep:
    given = {"target": target, "paths": paths, "files": files_of(contents or {}), "drop": drop, "data": data}
    return step_of("upload_files", pb.UploadFilesRequest, given, step)


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
    return step_of("wait_for", pb.WaitForRequest, wait_condition(conditions), step)


def evaluate(expression: str, target: TargetLike | None = None, **step: Unpack[StepFields]) -> pb.BatchStep:
    """`timeout` is that of the step."""
    given = {"expression": expression, "target": target, "await_promise": True}
    return step_of("evaluate", pb.EvaluateRequest, given, step)


def snapshot(
    *,
    since: str = "",
    include_screenshot: bool = False,
    timeout: float | None = None,
    **options: Unpack[SnapshotFields],
) -> pb.BatchStep:
    """Its snapshot is in the step's `capture_snapshot`; `options` are fields of SnapshotOptions."""
    fields = {"options": options_of(options), "since_snapshot_id": since, "include_screenshot": include_screenshot}
    return step_of("capture_snapshot", perception_pb.CaptureSnapshotRequest, fields, {"timeout": timeout})
