"""When a batch ends, on virtual time."""

from __future__ import annotations

import asyncio

from perception.deadline import Deadline
from perception.errors import DeadlineError
from perception.server.actions.action_context import ActionContext
from perception.server.actions.batch import BatchStep, StopCause, run_batch
from tests.support.fakes import SITE, FakeLink, begin_action


async def do(action: ActionContext) -> str:
    return "done"


async def wait(action: ActionContext) -> None:
    async with action.deadline.phase("waiting for what never comes"):
        await asyncio.Event().wait()


def quiet_page() -> FakeLink:
    link = FakeLink()
    link.replies["Target.getTargetInfo"] = {"targetInfo": {"url": f"{SITE}/", "title": "Title"}}
    return link


async def test_a_late_step_ends_a_batch_and_leaves_time_for_the_report() -> None:
    action = await begin_action(quiet_page(), deadline=Deadline.of(10))
    begun = asyncio.get_running_loop().time()
    outcome = await run_batch(action, [BatchStep(do, 0.0), BatchStep(wait, 0.0), BatchStep(do, 0.0)], settles=False)
    assert outcome.stop is not None
    assert (outcome.stop.cause, outcome.stop.step) == (StopCause.FAILED, 1)
    assert isinstance(outcome.stop.error, DeadlineError)
    assert [each.answer for each in outcome.done] == ["done"]
    assert 8 < asyncio.get_running_loop().time() - begun < 9.5
    assert action.deadline.remaining() > 0.5


async def test_a_step_ends_at_its_own_time() -> None:
    action = await begin_action(quiet_page(), deadline=Deadline.of(10))
    begun = asyncio.get_running_loop().time()
    outcome = await run_batch(action, [BatchStep(do, 0.0), BatchStep(wait, 0.0, timeout_s=1.0)], settles=False)
    assert outcome.stop is not None
    assert outcome.stop.step == 1
    assert asyncio.get_running_loop().time() - begun < 2
