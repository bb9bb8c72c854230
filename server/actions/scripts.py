"""Clients' scripts, run in a tab."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from perception.browser.browser_session import Tab
from perception.browser.evaluate.evaluator import Evaluated, Script
from perception.browser.input.aiming import TargetNode
from perception.deadline import Deadline
from perception.engine.request import Target
from perception.engine.target_lookup import find_node_at
from perception.instrumentation.stages import Stages
from perception.ref_entries import VisionRef
from perception.server.actions.resolve import find_shown
from perception.server.sessions.session import Session
from perception.server.sessions.slowing import slowing_notes
from perception.server.sessions.turn_notes import take_turn_notes


@dataclass(frozen=True, slots=True)
class ScriptOutcome:
    """What a script returned, in which tab, the time of each phase (ms), and what the caller should know beside it."""

    tab_id: str
    evaluated: Evaluated
    timings_ms: Mapping[str, float]
    notes: tuple[str, ...] = ()


async def run_script(
    session: Session, tab: Tab, script: Script, target: Target | None, deadline: Deadline
) -> ScriptOutcome:
    """Runs a script in a tab.

    Args:
        target: the element that it is given; None for none.

    Raises:
        As `Evaluator.run`, and as `find_shown`.
    """
    stages = Stages()
    with stages.stage("evaluate"):
        if target is not None:
            script = replace(script, node=await _find_node(session, tab, target, deadline))
        evaluated = await session.host.evaluator.run(tab, script, deadline)
    notes = (*await slowing_notes(session, tab, deadline), *take_turn_notes(session))
    return ScriptOutcome(tab.tab_id, evaluated, dict(stages.timings_ms), notes)


async def _find_node(session: Session, tab: Tab, target: Target, deadline: Deadline) -> TargetNode:
    """The element that a target names: for a coordinate or a ref of vision, the one at that position."""
    found = await find_shown(tab, session.shown.refs, target, deadline)
    if isinstance(found, TargetNode):
        return found
    return await find_node_at(tab, found.point if isinstance(found, VisionRef) else found, deadline)
