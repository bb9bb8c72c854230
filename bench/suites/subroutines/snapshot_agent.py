"""An agent that does a task by snapshots and refs, as a script: what a row costs without a subroutine.

It takes a snapshot when it begins, after each click and key, and when it does not find an element; of the whole page
when the part in view does not have it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from perception.bench.suites.subroutines.task import Row, TaskStep, fill
from perception.client import Page, RemoteError
from perception.client.fields import Scope
from perception.errors import PerceptionError
from perception.v1 import types_pb2

FIND_SECONDS = 15.0
"""How long an element is looked for: Streamlit draws its first page for 5 s on two busy cores."""

TRANSIENT = ("STALE_REF", "PAGE_CHANGING")

STALE_RETRIES = 2
"""How often an element that was drawn again is looked for again: TiddlyWiki draws its fields for each letter."""


class NotOnPageError(PerceptionError):
    """An element that the scripted agent does not find."""

    reason = "NOT_ON_PAGE"


@dataclass(slots=True)
class SnapshotCost:
    """What a row costs: tokens of its snapshots, actions, and seconds without a model's time."""

    tokens: int = 0
    actions: int = 0
    seconds: float = 0.0


def perform(page: Page, steps: Sequence[TaskStep], row: Row) -> SnapshotCost:
    """Does a task. Raises NotOnPageError: an element is not there."""
    cost, start = SnapshotCost(), time.monotonic()
    agent = _Agent(page, cost)
    for step in steps:
        agent.act(step, row)
    cost.seconds = time.monotonic() - start
    return cost


@dataclass(slots=True)
class _Agent:
    page: Page
    cost: SnapshotCost
    seen: types_pb2.Snapshot | None = None

    def act(self, step: TaskStep, row: Row) -> None:
        value = fill(step.value, row)
        if step.do == "wait":
            self.page.wait_for(text=value, skip_diff=True)
            return
        self.cost.actions += 1
        if step.selector:
            self.page.wait_for(element=step.selector, skip_diff=True)
        for attempt in range(STALE_RETRIES + 1):
            target = step.selector or self._find(step.role, fill(step.name, row))
            try:
                self._send(step, target, value)
                break
            except RemoteError as exc:
                if exc.reason not in TRANSIENT or attempt == STALE_RETRIES:
                    raise
                self.seen = None
        if step.do in ("click", "press"):
            self.seen = None

    def _send(self, step: TaskStep, target: str, value: str) -> None:
        match step.do:
            case "click":
                self.page.click(target, skip_diff=True)
            case "type":
                self.page.type_text(target, value, clear=True, skip_diff=True)
            case "select":
                self.page.select(target, value, skip_diff=True)
            case "check" | "uncheck":
                self.page.check(target, step.do == "check", skip_diff=True)
            case "press":
                self.page.press(value, target, skip_diff=True)
            case _:
                raise ValueError(f"no such action: {step.do}")

    def _find(self, role: str, name: str) -> str:
        end = time.monotonic() + FIND_SECONDS
        while True:
            for scope in ("viewport", "page"):
                if self.seen is None:
                    self.seen = self._look(scope)
                    self.cost.tokens += self.seen.token_count
                found = [each.ref for each in self.seen.elements if (each.role, each.name) == (role, name) and each.ref]
                if found:
                    return found[0]
                self.seen = None
            if time.monotonic() > end:
                raise NotOnPageError(f"no {role} is called {name!r}")
            self.page.wait_for(settled=True, skip_diff=True)

    def _look(self, scope: Scope) -> types_pb2.Snapshot:
        for _ in range(STALE_RETRIES):
            try:
                return self.page.snapshot(mode="text", scope=scope)
            except RemoteError as exc:
                if exc.reason not in TRANSIENT:
                    raise
        return self.page.snapshot(mode="text", scope=scope)
