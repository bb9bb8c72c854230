"""Clients' scripts: what is asked for, checked; what came of it, told."""

from __future__ import annotations

import math

from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import Value

from perception.browser.evaluate import EvaluateEngine, Script
from perception.browser.places import spots_at
from perception.browser.session import Tab
from perception.browser.targets import Node
from perception.budget import Budget
from perception.errors import BadInputError, NoMatchError
from perception.refs import VisionRef
from perception.server.convert import dialog_message, known, seconds_of, timing_messages
from perception.server.sessions import Session
from perception.server.targeting import find_target
from perception.stages import Stages
from perception.v1 import action_service_pb2 as pb
from perception.v1 import types_pb2

MAX_SCRIPT = 1_000_000
"""Characters; a library is larger than what is meant to be run for one answer."""

_ENGINES = {
    pb.EvaluateRequest.ENGINE_UNSPECIFIED: EvaluateEngine.AUTO,
    pb.EvaluateRequest.ENGINE_AUTO: EvaluateEngine.AUTO,
    pb.EvaluateRequest.ENGINE_CDP: EvaluateEngine.CDP,
    pb.EvaluateRequest.ENGINE_PLAYWRIGHT: EvaluateEngine.PLAYWRIGHT,
}
_USED_ENGINES = {
    EvaluateEngine.CDP: pb.EvaluateRequest.ENGINE_CDP,
    EvaluateEngine.PLAYWRIGHT: pb.EvaluateRequest.ENGINE_PLAYWRIGHT,
}


def check_script(request: pb.EvaluateRequest) -> None:
    """Raises BadInputError for what cannot be run, whatever the page."""
    if not request.expression.strip() or len(request.expression) > MAX_SCRIPT:
        raise BadInputError(f"expression is empty or over {MAX_SCRIPT} characters", field="expression")
    known(_ENGINES, request.engine, "engine")
    _timeout_seconds(request)


async def evaluate(session: Session, tab: Tab, request: pb.EvaluateRequest, budget: Budget) -> pb.EvaluateResponse:
    """Runs a script that was checked. Raises as `Evaluator.run`, and what its target raises."""
    stages = Stages()
    with stages.stage("evaluate"):
        node = await _element(session, tab, request.target, budget) if request.HasField("target") else None
        script = Script(
            source=request.expression,
            timeout_s=_timeout_seconds(request),
            node=node,
            await_promise=request.await_promise,
            engine=_ENGINES[request.engine],
        )
        done = await session.host.evaluator.run(tab, script, budget)
    return pb.EvaluateResponse(
        value=ParseDict(done.value, Value()) if not done.exception else None,
        engine=_USED_ENGINES[done.engine],
        fallback_reason=done.fallback,
        exception=done.exception,
        exception_stack=done.stack,
        timings=timing_messages(stages.timings_ms),
        dialogs=[dialog_message(tab.tab_id, each) for each in done.dialogs],
    )


async def _element(session: Session, tab: Tab, target: types_pb2.Target, budget: Budget) -> Node:
    """The element that a script is given: for a coordinate or a ref of vision, what lies there."""
    found = await find_target(session, tab, target, budget)
    if isinstance(found, Node):
        return found
    point = found.point if isinstance(found, VisionRef) else found
    spots = await spots_at(tab.link, point, budget)
    if not spots:
        raise NoMatchError(f"no element lies at ({point.x:g}, {point.y:g}): the page is empty there")
    return Node(spots[0].frame, spots[0].key.node, f"the element at ({point.x:g}, {point.y:g})")


def _timeout_seconds(request: pb.EvaluateRequest) -> float:
    if not request.HasField("timeout"):
        return math.inf
    seconds = seconds_of(request, "timeout")
    if seconds <= 0:
        raise BadInputError(f"timeout is {seconds:g} s: give more than 0, or leave it out", field="timeout")
    return seconds
