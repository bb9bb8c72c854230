"""What editors and type checkers know of the client's methods."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

import pytest

from perception.client import AsyncPage, Page, steps
from perception.client.fields import ActionFields, StepFields
from perception.v1 import action_service_pb2 as pb

ACTIONS = {
    "click": pb.ClickRequest,
    "tap": pb.TapRequest,
    "hover": pb.HoverRequest,
    "drag": pb.DragRequest,
    "type_text": pb.TypeTextRequest,
    "press": pb.PressKeyRequest,
    "select": pb.SelectOptionRequest,
    "scroll": pb.ScrollRequest,
    "upload": pb.UploadFilesRequest,
    "wait_for": pb.WaitForRequest,
}

OTHERWISE = {"from": "start", "to": "end", "files": "contents", "upload_ids": "uploads"}
"""Fields that are parameters under other names."""

ELSEWHERE = {"session_id", "tab_id", "request_id", "action_options"}

NO_PARAMETER = {"response"}
"""`wait_for_response` waits for one."""


@pytest.mark.parametrize("name", ACTIONS)
@pytest.mark.parametrize("kind", [AsyncPage, Page, steps])
def test_each_field_of_an_action_is_a_parameter(kind: Any, name: str) -> None:
    parameters = _parameters(getattr(kind, name))
    fields = {OTHERWISE.get(field, field) for field in ACTIONS[name].DESCRIPTOR.fields_by_name} - ELSEWHERE
    missing = fields - parameters - NO_PARAMETER
    assert missing <= ({"uploads"} if kind is steps else set())


@pytest.mark.parametrize("kind", [AsyncPage, Page])
def test_what_all_actions_take_is_known(kind: type) -> None:
    taken = {"settle_timeout", "skip_diff", "diff_max_tokens", "request_id", "tab_id"}
    assert taken <= set(ActionFields.__annotations__)
    for name in ACTIONS:
        assert "timeout_s" in _parameters(getattr(kind, name))
        assert _kinds(getattr(kind, name)) == {ActionFields}
        assert _kinds(getattr(steps, name)) == {StepFields}


def _parameters(method: Callable[..., Any]) -> set[str]:
    return set(inspect.signature(method).parameters)


def _kinds(method: Callable[..., Any]) -> set[Any]:
    """The types of what a method takes by any further keyword."""
    given = [each.name for each in inspect.signature(method).parameters.values() if each.kind is each.VAR_KEYWORD]
    hints = get_type_hints(method, vars(inspect.getmodule(method)))
    return {hints[name].__args__[0] for name in given}
