"""Requests for actions as values."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import cast

import pytest
from google.protobuf.duration_pb2 import Duration

from perception.browser.evaluate.evaluator import EvaluateEngine, Script
from perception.engine.request import RefTarget
from perception.errors import BadInputError
from perception.server.actions.action_context import DIFF_SETTLE_SECONDS
from perception.server.actions.pointer import ClickOptions
from perception.server.actions.waiting import Condition, ElementGone, ElementShown, PageSettled, TextShown, UrlShown
from perception.server.convert.actions import (
    MAX_SCRIPT,
    answer_options,
    check_condition,
    check_scroll,
    click_options,
    decode_condition,
    script_of,
)
from perception.server.sessions.kept_snapshots import KeptSnapshots
from perception.server.sessions.session import Session
from perception.v1 import action_service_pb2 as pb
from perception.v1 import types_pb2

E5 = types_pb2.Target(ref="e5")


def test_a_click_is_of_the_left_button_by_default() -> None:
    assert click_options(pb.ClickRequest()) == ClickOptions("left", 1, (), None)
    request = pb.ClickRequest(
        button=pb.MOUSE_BUTTON_RIGHT, click_count=2, modifiers=[pb.MODIFIER_SHIFT, pb.MODIFIER_META], checked=False
    )
    assert click_options(request) == ClickOptions("right", 2, ("Shift", "Meta"), checked=False)


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        pytest.param(pb.ClickRequest(click_count=4), "click_count", id="four-clicks"),
        pytest.param(pb.ClickRequest(button=99), "button", id="button"),  # type: ignore[arg-type]  # on purpose
        pytest.param(pb.ClickRequest(modifiers=[0]), "modifiers", id="no-modifier"),  # type: ignore[list-item]  # on purpose
    ],
)
def test_what_no_mouse_does_is_refused(request_: pb.ClickRequest, field: str) -> None:
    with pytest.raises(BadInputError) as caught:
        click_options(request_)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(pb.ScrollRequest(), id="nothing"),
        pytest.param(pb.ScrollRequest(delta_y=100_001), id="too-far"),
        pytest.param(pb.ScrollRequest(delta_x=math.nan), id="not-a-number"),
        pytest.param(pb.ScrollRequest(delta_y=-math.inf), id="endless"),
    ],
)
def test_a_scroll_that_goes_nowhere_is_refused(request_: pb.ScrollRequest) -> None:
    with pytest.raises(BadInputError):
        check_scroll(request_)


@pytest.mark.parametrize(
    ("request_", "condition"),
    [
        pytest.param(pb.WaitForRequest(element=E5), ElementShown(RefTarget("e5")), id="element"),
        pytest.param(pb.WaitForRequest(vanished=E5), ElementGone(RefTarget("e5")), id="vanished"),
        pytest.param(pb.WaitForRequest(text="Done"), TextShown("Done"), id="text"),
        pytest.param(pb.WaitForRequest(url="*/done"), UrlShown("*/done"), id="url"),
        pytest.param(pb.WaitForRequest(settled=True), PageSettled(), id="settled"),
    ],
)
def test_a_condition_is_converted(request_: pb.WaitForRequest, condition: Condition) -> None:
    check_condition(request_)
    session = cast(Session, SimpleNamespace(shown=SimpleNamespace(snapshots=KeptSnapshots())))
    assert decode_condition(request_, session) == condition


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(pb.WaitForRequest(), id="none"),
        pytest.param(pb.WaitForRequest(text=" "), id="blank-text"),
        pytest.param(pb.WaitForRequest(url=""), id="empty-url"),
        pytest.param(pb.WaitForRequest(settled=False), id="not-settled"),
    ],
)
def test_an_empty_condition_is_refused(request_: pb.WaitForRequest) -> None:
    with pytest.raises(BadInputError):
        check_condition(request_)


def test_a_script_runs_until_the_deadline_unless_it_names_a_time() -> None:
    assert script_of(pb.EvaluateRequest(expression="1")) == Script("1", math.inf)
    request = pb.EvaluateRequest(
        expression="1", await_promise=True, engine=pb.EvaluateRequest.ENGINE_CDP, timeout=Duration(seconds=3)
    )
    assert script_of(request) == Script("1", 3.0, await_promise=True, engine=EvaluateEngine.CDP)


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(pb.EvaluateRequest(expression=" "), id="empty"),
        pytest.param(pb.EvaluateRequest(expression="1" * (MAX_SCRIPT + 1)), id="too-long"),
        pytest.param(pb.EvaluateRequest(expression="1", timeout=Duration()), id="no-time"),
        pytest.param(pb.EvaluateRequest(expression="1", engine=99), id="engine"),  # type: ignore[arg-type]  # on purpose
    ],
)
def test_a_script_that_cannot_be_run_is_refused(request_: pb.EvaluateRequest) -> None:
    with pytest.raises(BadInputError):
        script_of(request_)


def test_a_diff_waits_for_the_page_as_long_as_was_asked() -> None:
    assert answer_options(pb.ActionOptions()).settle_s == DIFF_SETTLE_SECONDS
    assert answer_options(pb.ActionOptions(), 0.0).settle_s == 0.0
    assert answer_options(pb.ActionOptions(settle_timeout=Duration(seconds=2)), 0.0).settle_s == 2.0
