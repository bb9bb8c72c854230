"""Checks a changed script of a subroutine in a page of its own, which is empty and reaches no network.

Rule 1: no site is opened, and nothing that the script does has an effect: its calls get made-up answers.
Rule 2: a script that does not end is terminated.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from perception.browser.browser_session import SessionOptions, Tab
from perception.browser.evaluate.evaluator import EvaluateEngine, Evaluator, Script
from perception.browser.network.policy import Origin
from perception.deadline import Deadline
from perception.errors import (
    BadInputError,
    DeadlineError,
    PageCrashedError,
    ReplyTooLargeError,
    ScriptCheckFailedError,
    SessionLostError,
    UnknownSessionError,
)
from perception.server.sessions.lifetime import Lifetime
from perception.server.sessions.manager import SessionManager
from perception.server.sessions.results import RequestKey
from perception.server.subroutines.subroutine_run import WORLD
from perception.subroutines.infer import infer_parameters
from perception.subroutines.recording import Recording
from perception.subroutines.script_check.check import ScriptCase, check_script, make_case
from perception.subroutines.script_check.dry_run import Scenario, Trace, read_traces, write_dry_run
from perception.subroutines.script_check.syntax import syntax_problems
from perception.subroutines.stored import Stored

DRY_RUN_SECONDS = 3.0
"""For one batch of scenarios, each of which takes some milliseconds. Chosen by hand."""

MAX_BATCH = 20
"""Scenarios that run in one evaluation, so that neither its time nor its answer grows with the script's length twice.
Chosen by hand."""

NOWHERE = "https://nowhere.invalid"
"""The only origin that the page may reach (RFC 2606: there is no such host)."""


async def require_same_task(
    stored: Stored, recordings: Sequence[Recording], sessions: SessionManager, deadline: Deadline
) -> None:
    """Checks the script of a changed subroutine against its recordings.

    Raises:
        BadInputError: it is not known what was made of the recordings, so that nothing can be compared.
        ScriptCheckFailedError: the script does not do what was recorded; the message lists how.
    """
    problems = syntax_problems(stored.body)
    if not problems:
        case = case_of(stored, recordings)
        async with _empty_tab(sessions, deadline) as (tab, evaluator):
            checker = _DryRuns(stored.origin, tab, evaluator, deadline)
            problems = await check_script(case, checker.run)
    if problems:
        listed = "; ".join(f"({number}) {each}" for number, each in enumerate(problems, 1))
        raise ScriptCheckFailedError(f"the script does not do what was recorded, and nothing was stored: {listed}")


def case_of(stored: Stored, recordings: Sequence[Recording]) -> ScriptCase:
    """What a changed script is held against. Raises BadInputError where that is not known."""
    if not stored.generated_body:
        raise BadInputError(
            f"the script of {stored.subroutine_id} was edited before this version could check scripts, so that there "
            "is nothing to compare it with: create the subroutine again from its recordings",
            field="subroutine_id",
        )
    names = tuple(stored.parameters_schema.get("properties", {}))
    inferred = infer_parameters(recordings)
    if len(inferred) != len(names):
        raise BadInputError(
            f"the recordings of {stored.subroutine_id} are of another version: record the task again",
            field="subroutine_id",
        )
    others = [
        {name: each.others[number] for name, each in zip(names, inferred, strict=True) if number < len(each.others)}
        for number in range(len(recordings) - 1)
    ]
    return make_case(stored.generated_body, stored.body, stored.parameters_schema, stored.renamed, recordings, others)


@asynccontextmanager
async def _empty_tab(sessions: SessionManager, deadline: Deadline) -> AsyncIterator[tuple[Tab, Evaluator]]:
    """An empty page in a session of its own, which ends with the block."""
    options = SessionOptions(allowed_origins=(Origin.parse(NOWHERE),))
    lifetime = Lifetime(deadline.remaining() + DRY_RUN_SECONDS, deadline.remaining() + DRY_RUN_SECONDS)
    session = await sessions.create(options, lifetime, "", RequestKey("UpdateSubroutine", ""), deadline)
    try:
        with session.lifetime.using():
            async with session.use_tab("", deadline) as tab:
                yield tab, session.host.evaluator
    finally:
        with contextlib.suppress(UnknownSessionError, SessionLostError):  # it is gone already
            await sessions.close(session.session_id)


class _DryRuns:
    """Runs scripts in scenarios on one empty tab."""

    def __init__(self, origin: str, tab: Tab, evaluator: Evaluator, deadline: Deadline) -> None:
        self._origin, self._tab, self._evaluator, self._deadline = origin, tab, evaluator, deadline

    async def run(self, body: str, scenarios: Sequence[Scenario]) -> tuple[Trace, ...]:
        """Raises ScriptCheckFailedError: the script does not end, or cannot be run at all."""
        traces: list[Trace] = []
        for start in range(0, len(scenarios), MAX_BATCH):
            traces += await self._run_batch(body, scenarios[start : start + MAX_BATCH])
        return tuple(traces)

    async def _run_batch(self, body: str, scenarios: Sequence[Scenario]) -> tuple[Trace, ...]:
        expression = write_dry_run(body, self._origin, scenarios)
        script = Script(
            expression, timeout_s=DRY_RUN_SECONDS, await_promise=True, engine=EvaluateEngine.CDP, world=WORLD
        )
        try:
            done = await self._evaluator.run(self._tab, script, self._deadline)
        except (DeadlineError, PageCrashedError, ReplyTooLargeError) as exc:
            if isinstance(exc, DeadlineError) and self._deadline.remaining() <= 0:
                raise
            raise ScriptCheckFailedError(
                "the script does not end by itself, or takes too much memory, and nothing was stored: (1) it was "
                "stopped in a dry run; leave out loops without an end and promises that nothing fulfills"
            ) from exc
        if done.exception:
            raise ScriptCheckFailedError(
                f"the script cannot be run, and nothing was stored: (1) {done.exception[:300]}"
            )
        return read_traces(str(done.value))
