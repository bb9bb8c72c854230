"""Runs the tasks of real applications against adversaries, and judges each run by the application's records."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from google.protobuf.json_format import MessageToDict, MessageToJson

from perception.bench.suites.subroutines.adversaries import ADVERSARIES, Adversary, Scene
from perception.bench.suites.subroutines.app_batches import BatchCommand, record_login
from perception.bench.suites.subroutines.app_outcomes import AppRun, TaskCost
from perception.bench.suites.subroutines.apps import MODULES, load_app, load_tasks
from perception.bench.suites.subroutines.apps.app import App, AppError
from perception.bench.suites.subroutines.apps.app_task import AppTask
from perception.bench.suites.subroutines.apps.installing import install
from perception.bench.suites.subroutines.concurrent_edit import ConcurrentEdit
from perception.bench.suites.subroutines.effects import (
    Change,
    Effect,
    Ending,
    Judgment,
    RunAnswer,
    State,
    has_found,
    judge,
    judge_rows,
)
from perception.bench.suites.subroutines.fault_proxy import FaultProxy, Faults, serve_proxy
from perception.bench.suites.subroutines.flooding import flooding_neighbor
from perception.bench.suites.subroutines.service import serving
from perception.bench.suites.subroutines.snapshot_agent import SnapshotCost, perform
from perception.bench.suites.subroutines.task import MappedParameters, Row, fill, map_parameters
from perception.client import Client, Page, RemoteError, Subroutines, connect
from perception.errors import BadInputError, PerceptionError
from perception.v1 import subroutine_service_pb2 as pb

RUN_SECONDS = 45.0
"""Deadline of one run: JupyterLab's longest task takes 12 s on two busy cores."""


NOT_BEGUN = ("BAD_INPUT", "UNKNOWN_SUBROUTINE", "OTHER_ORIGIN", "DIALOG_OPEN")
"""Reasons of calls that end before the first step; others may have sent something."""


BATCH_ROWS = 3
"""Rows of a batch: the first is refused, and the others must not be held up by that."""

QUICK = ("none", "another object shown", "500 once")
"""Adversaries of a quick run."""


@dataclass(frozen=True, slots=True)
class AppPlan:
    """What is to be run.

    Attributes:
        rows: runs of each task against each adversary.
        tasks: part of the titles of the tasks; empty for all.
        adversaries: names; empty for all.
        first_only: only the first task of each application.
    """

    rows: int
    tasks: str = ""
    adversaries: tuple[str, ...] = ()
    first_only: bool = False


def app_plan(
    apps: Sequence[str], task: str, adversaries: Sequence[str], *, runs: int, quick: bool
) -> tuple[list[str], AppPlan]:
    """The applications and the plan of a run.

    Raises:
        BadInputError: there is no such application or adversary, or no task with that in its title.
    """
    known = [each.name for each in ADVERSARIES]
    for what, given, there in (("application", apps, list(MODULES)), ("adversary", adversaries, known)):
        if unknown := [name for name in given if name not in there]:
            raise BadInputError(f"there is no {what} {unknown[0]!r}: there are {', '.join(there)}")
    names = [name for name in apps or MODULES if any(task in each.title for each in load_tasks(name))]
    if not names:
        raise BadInputError(f"no task has {task!r} in its title")
    if quick:
        return names, AppPlan(1, task, tuple(adversaries) or QUICK, first_only=not task)
    return names, AppPlan(runs, task, tuple(adversaries))


@dataclass(frozen=True, slots=True)
class HandRun:
    """What came of the task by snapshots, with another user's edit in between.

    Attributes:
        done: the application took it.
        stays: the edit is still there.
    """

    done: bool
    stays: bool


@dataclass(slots=True)
class TaskRunner:
    """Records one task and runs it.

    Attributes:
        number: differs in every row of an application.
        address: of the service.
        logins: the options by which a batch signs in, by application.
    """

    app: App
    task: AppTask
    proxy: FaultProxy
    client: Client
    page: Page
    number: int
    address: str
    logins: dict[str, tuple[str, ...]] = field(default_factory=dict)
    by_hand: HandRun | None = None

    def next_row(self) -> Row:
        self.number += 1
        return self.task.prepare(self.app, self.number)

    def url(self, row: Row) -> str:
        return self.proxy.url + fill(self.task.start, row)

    def record(self, row: Row) -> tuple[pb.Subroutine, SnapshotCost]:
        """Does the task once by snapshots, recorded. Raises AppTaskError: it had not its effect."""
        tools = Subroutines(self.client)
        self.page.navigate(self.url(row))
        before = self.app.truth()
        recording = tools.start(self.page)
        cost = perform(self.page, self.task.steps, row)
        stopped = tools.stop(self.page, recording)
        self.proxy.wait_until_idle(self.app.quiet_s)
        judged = judge(before, self.app.truth(), self.task.wanted(row), RunAnswer(True))
        if judged.ending is not Ending.RIGHT:
            raise AppTaskError(f"{self.task.title}: the recording itself: {judged.ending}: {'; '.join(judged.stray)}")
        return tools.create(stopped.recording_id, name=f"bench_{self.app.name}_{self.number}"), cost

    def run(self, made: pb.Subroutine, recorded: Row, adversary: Adversary) -> AppRun:
        """One run against an adversary."""
        row, other = self.next_row(), self.next_row()
        if adversary.rejected:
            row = {**row, **(self.task.rejected or {})}
        mapped = self._map(made, recorded, row)
        if adversary.again:
            self.page.navigate(self.url(row))
            self._call(made, mapped, "", repeated=False)
        has_object = set(self.task.object_keys) <= mapped.used
        # Without a parameter for the object, the one that the tab shows is meant.
        other_url = self.url(other if has_object else row)
        scene = Scene(self.app, self.task, self.page, row, self.url(row), other_url)
        adversary.stage(scene)
        self.proxy.wait_until_idle(self.app.quiet_s)
        before = self.app.truth()
        faults = adversary.faults(self.task, self.app)
        edit = ConcurrentEdit.of(self.app, self.task, row) if adversary.edited else None
        faults.before_change = edit.make if edit is not None else None
        loses, self.proxy.faults = faults.lose_once, faults
        with flooding_neighbor(self.client) if adversary.flooded else nullcontext():
            start = time.monotonic()
            answer = self._call(made, mapped, f"{self.app.name}-{self.number}", adversary.repeated)
            seconds = time.monotonic() - start
        if adversary.closed:
            self.page.close()
        self.proxy.wait_until_idle(self.app.quiet_s)
        self.proxy.faults = Faults()
        if adversary.closed:
            self.page = _signed_in(self.client, self.app, self.proxy)
        found = self.task.finds is None or has_found(answer, *self.task.finds(row))
        after = self.app.truth()
        if edit is not None:
            before = edit.judged_from(before, after, stays_by_hand=self._done_by_hand().stays)
        wanted = self.task.wanted(row)
        if adversary.again:
            before, after, wanted = _only(before, wanted), _only(after, wanted), ()
        judged = judge(before, after, wanted, answer, found=found)
        return self._kept(made, adversary, judged, answer, seconds, is_lost=loses and not faults.lose_once)

    def run_batch(self, made: pb.Subroutine, recorded: Row, adversary: Adversary) -> list[AppRun]:
        """Runs rows as a batch, of which the application refuses the first, and then the failed rows again."""
        rows = [self.next_row() for _ in range(BATCH_ROWS)]
        mapped = [self._map(made, recorded, row) for row in rows]
        if not all(set(self.task.object_keys) <= each.used for each in mapped):
            return []  # all rows would mean the object that the tab shows
        runs: list[AppRun] = []
        with tempfile.TemporaryDirectory() as folder:
            command = BatchCommand(self.address, self.proxy.url, made, self.login(), Path(folder))
            for retried in (False, True):
                self.proxy.wait_until_idle(self.app.quiet_s)
                before, start = self.app.truth(), time.monotonic()
                self.proxy.faults = faults = Faults(refuse_after=None if retried else int(bool(self.app.sign_in)))
                answers = command.run([each.values for each in mapped], retry_failed=retried)
                seconds = (time.monotonic() - start) / max(1, len(answers))
                self.proxy.wait_until_idle(self.app.quiet_s)
                self.proxy.faults = Faults()
                ran = [(self.task.wanted(rows[number - 1]), answer) for number, answer in answers.items()]
                for number, (judged, (_, answer)) in enumerate(
                    zip(judge_rows(before, self.app.truth(), ran), ran, strict=True)
                ):
                    kept = self._kept(made, adversary, judged, answer, seconds, is_lost=False)
                    is_refused = number == 0 and not retried and faults.refuse_after is None
                    runs.append(replace(kept, doable=not is_refused and not (retried and self.app.locks)))
        return runs

    def login(self) -> tuple[str, ...]:
        """The options of a batch that sign in, recorded once."""
        if self.app.name not in self.logins:
            name = f"sign_in_{self.app.name}"
            self.logins[self.app.name] = record_login(self.client, self.proxy.url, self.app.sign_in, name)
        return self.logins[self.app.name]

    def _done_by_hand(self) -> HandRun:
        """Does the task once by snapshots while another user edits: what the application makes of that."""
        if self.by_hand is None:
            row = self.next_row()
            self.page.navigate(self.url(row))
            self.proxy.wait_until_idle(self.app.quiet_s)
            before, edit = self.app.truth(), ConcurrentEdit.of(self.app, self.task, row)
            self.proxy.faults = Faults(before_change=edit.make)
            # An application that refuses shows something else than the next step needs.
            with suppress(PerceptionError, RemoteError):
                perform(self.page, self.task.steps, row)
            self.proxy.wait_until_idle(self.app.quiet_s)
            self.proxy.faults = Faults()
            after = self.app.truth()
            judged = judge(
                edit.judged_from(before, after, stays_by_hand=False), after, self.task.wanted(row), RunAnswer(True)
            )
            self.by_hand = HandRun(judged.done, edit.stays(after))
        return self.by_hand

    def _kept(
        self,
        made: pb.Subroutine,
        adversary: Adversary,
        judged: Judgment,
        answer: RunAnswer,
        seconds: float,
        *,
        is_lost: bool,
    ) -> AppRun:
        return AppRun(
            self.app.name,
            self.task.name,
            adversary.name,
            adversary.doable and not (adversary.edited and not self._done_by_hand().done),
            judged.ending,
            judged.done,
            judged.stray,
            answer.reason,
            answer.error[:500] or (f"it returned {answer.data[:300]}" if self.task.finds else ""),
            round(seconds, 3),
            pb.PlanKind.Name(made.plan).removeprefix("PLAN_KIND_"),
            is_lost,
        )

    def _map(self, made: pb.Subroutine, recorded: Row, row: Row) -> MappedParameters:
        texts = [self.task.start, *(text for step in self.task.steps for text in (step.value, step.name) if text)]
        templates = [text for text in texts if "{" in text]
        templates += [self.proxy.url + self.task.start]
        return map_parameters(MessageToDict(made.parameters_schema), recorded, row, tuple(templates))

    def _call(self, made: pb.Subroutine, mapped: MappedParameters, request_id: str, repeated: bool) -> RunAnswer:
        tools = Subroutines(self.client)
        for _ in range(2 if repeated else 1):
            try:
                done = tools.run(
                    self.page, made.subroutine_id, mapped.values, request_id=request_id, timeout_s=RUN_SECONDS
                )
                answer = RunAnswer(done.success, done.reason, done.error, done.sent, MessageToJson(done.data))
            except RemoteError as exc:
                answer = RunAnswer(False, exc.reason or exc.code.name, str(exc), exc.reason not in NOT_BEGUN)
        return answer


def _only(state: State, effects: Sequence[Effect]) -> State:
    """The records of which a task changes fields, without what it adds to others, such as a log."""
    records = {effect.record for effect in effects if effect.change is Change.CHANGED}
    return {record: fields for record, fields in state.items() if record in records}


class AppTaskError(PerceptionError):
    """A task that cannot be recorded."""

    reason = "TASK_UNAVAILABLE"


def run_app(name: str, folder: Path, plan: AppPlan, say: Callable[[str], None]) -> tuple[list[AppRun], list[TaskCost]]:
    """All runs of one application. Raises AppError: it does not start."""
    runs: list[AppRun] = []
    costs: list[TaskCost] = []
    with ExitStack() as stack:
        state = stack.enter_context(tempfile.TemporaryDirectory(prefix=f"perception-bench-{name}-"))
        app = load_app(name)(folder, Path(state))
        proxy = stack.enter_context(serve_proxy(app.origin))
        proxy.ignored, app.public_url = app.is_ignored, proxy.url
        stack.enter_context(app.serving())
        address = stack.enter_context(serving())
        client = stack.enter_context(connect(address))
        logins: dict[str, tuple[str, ...]] = {}
        for index, task in enumerate(load_tasks(name)[: 1 if plan.first_only else None]):
            if plan.tasks in task.title:
                page = _signed_in(client, app, proxy)
                runner = TaskRunner(app, task, proxy, client, page, 1 + index * 600, address, logins)
                run_task(runner, plan, runs, costs, say)
                runner.page.close()
    return runs, costs


def run_task(
    runner: TaskRunner, plan: AppPlan, runs: list[AppRun], costs: list[TaskCost], say: Callable[[str], None]
) -> None:
    """Records a task, and runs it against every adversary that applies."""
    task, recorded = runner.task, runner.next_row()
    try:
        made, cost = runner.record(recorded)
    except (PerceptionError, RemoteError) as exc:
        say(f"{task.title}: not recorded: {exc}")
        costs.append(TaskCost(task.app, task.name, 0, 0, 0.0, "", str(exc)[:500]))
        return
    properties = MessageToDict(made.parameters_schema).get("properties", {})
    kind = pb.PlanKind.Name(made.plan).removeprefix("PLAN_KIND_")
    costs.append(
        TaskCost(task.app, task.name, cost.tokens, cost.actions, cost.seconds, kind, parameters=tuple(properties))
    )
    for adversary in ADVERSARIES:
        if adversary.applies(task, runner.app) and (not plan.adversaries or adversary.name in plan.adversaries):
            for _ in range(plan.rows):
                try:
                    ended = (
                        runner.run_batch(made, recorded, adversary)
                        if adversary.batched
                        else [runner.run(made, recorded, adversary)]
                    )
                except RemoteError as exc:
                    say(f"{task.title}, {adversary.name}: not staged: {exc}")
                    runner.page.close()
                    runner.page = _signed_in(runner.client, runner.app, runner.proxy)
                    continue
                runs += ended
                for run in ended:
                    if run.is_finding:
                        say(f"{task.title}, {adversary.name}: {run.ending}: {'; '.join(run.stray)} {run.error}")


def _signed_in(client: Client, app: App, proxy: FaultProxy) -> Page:
    page = client.open(proxy.url + (app.sign_in.path if app.sign_in else "/"))
    if app.sign_in:
        perform(page, app.sign_in.steps, {})
    return page


def run_apps(
    names: Sequence[str], home: Path, plan: AppPlan, say: Callable[[str], None]
) -> tuple[list[AppRun], list[TaskCost], list[str]]:
    """Installs and runs applications, one after the other.

    Returns:
        The runs, a cost for each task, and a line for each application that could not be installed or started.
    """
    folders, failed = install([load_app(name).packages for name in names], home, say)
    runs: list[AppRun] = []
    costs: list[TaskCost] = []
    left_out = []
    for name in names:
        packages = load_app(name).packages
        if packages in failed:
            left_out.append(f"{name}: {failed[packages]}")
            continue
        try:
            of_app, its_costs = run_app(name, folders[packages], plan, say)
        except AppError as exc:
            left_out.append(str(exc))
            continue
        runs += of_app
        costs += its_costs
    for line in left_out:
        say(f"left out: {line}")
    return runs, costs, left_out
