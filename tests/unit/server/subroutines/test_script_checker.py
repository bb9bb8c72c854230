"""Dry runs of a changed script: how many of them one evaluation has, and what ends them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from perception.browser.evaluate.evaluator import Evaluated
from perception.deadline import Deadline
from perception.errors import DeadlineError, PageCrashedError, ReplyTooLargeError, ScriptCheckFailedError
from perception.server.subroutines import script_checker as module
from perception.subroutines.script_check.dry_run import Scenario
from tests.support.fakes import SITE, FakeEvaluator

SCENARIOS = [Scenario({"number": number}, ()) for number in range(2 * module.MAX_BATCH + 5)]


@pytest.fixture(autouse=True)
def plain_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dry run is its scenarios' numbers, and so is its trace."""

    def numbers(_: str, __: str, scenarios: Sequence[Scenario]) -> list[Any]:
        return [each.params["number"] for each in scenarios]

    monkeypatch.setattr(module, "write_dry_run", numbers)
    monkeypatch.setattr(module, "read_traces", lambda text: tuple(map(int, text.split())))


def dry_runs(evaluator: Any, deadline: Deadline) -> module._DryRuns:
    tab: Any = None
    return module._DryRuns(SITE, tab, evaluator, deadline)


async def test_many_dry_runs_are_parts_of_bounded_size() -> None:
    sizes = []

    class Evaluator:
        async def run(self, _: Any, script: Any, __: Deadline) -> Evaluated:
            sizes.append(len(script.source))
            return Evaluated(" ".join(map(str, script.source)))

    traces = await dry_runs(Evaluator(), Deadline.of(20)).run("x", SCENARIOS)
    assert sizes == [module.MAX_BATCH, module.MAX_BATCH, 5]
    assert list(traces) == list(range(len(SCENARIOS)))


STOPPED = [DeadlineError("it runs on", phase="x", dispatched=False), PageCrashedError("gone"), ReplyTooLargeError("9")]


@pytest.mark.parametrize("error", STOPPED, ids=lambda error: type(error).__name__)
async def test_script_that_is_stopped_is_refused(error: Exception) -> None:
    with pytest.raises(ScriptCheckFailedError, match="does not end by itself"):
        await dry_runs(FakeEvaluator(error), Deadline.of(20)).run("x", SCENARIOS[:1])


async def test_callers_deadline_is_no_fault_of_the_script() -> None:
    error = DeadlineError("it runs on", phase="x", dispatched=False)
    with pytest.raises(DeadlineError):
        await dry_runs(FakeEvaluator(error), Deadline.of(0)).run("x", SCENARIOS[:1])
