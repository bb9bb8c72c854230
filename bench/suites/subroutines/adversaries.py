"""What stands in a task's way between its recording and a run.

An adversary acts before a run, by the proxy's faults, by the application's database or in the tab. It says whether
the task can be done in spite of it: a task that can be done must not be refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from perception.bench.suites.subroutines.apps.app import App
from perception.bench.suites.subroutines.apps.app_task import AppTask
from perception.bench.suites.subroutines.fault_proxy import BANNER, SENDS_LATE, WANTS_MORE, Faults
from perception.bench.suites.subroutines.task import Row, fill
from perception.client import Page

SLOW_SECONDS = 1.5
"""Delay of a slow server: longer than a page needs to stand still, shorter than any deadline."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A run that is about to begin.

    Attributes:
        home_url: the task's start address for the row.
        other_url: the same for another object.
    """

    app: App
    task: AppTask
    page: Page
    row: Row
    home_url: str
    other_url: str


@dataclass(frozen=True, slots=True)
class Adversary:
    """One adversary.

    Attributes:
        doable: the task can be done: a refusal is false.
        applies: whether the task has what it needs.
        faults: of the proxy, during the run.
        stage: what happens before the run; the tab shows the task's start page by default.
        repeated: the call is sent twice with one request id.
        rejected: the row has values that the application refuses.
        edited: another user edits when the run's first change is on its way to the application.
        flooded: another session of the service shows a page that floods it while the run goes.
        closed: the session is closed as soon as the run has ended.
        again: the row was done before: the run must leave what it changed as it is.
        batched: rows are run as a batch, of which the application refuses one; failed rows are then run again.
    """

    name: str
    doable: bool
    applies: Callable[[AppTask, App], bool] = lambda task, app: True
    faults: Callable[[AppTask, App], Faults] = lambda task, app: Faults()
    stage: Callable[[Scene], None] = lambda scene: _show(scene)
    repeated: bool = False
    rejected: bool = False
    edited: bool = False
    flooded: bool = False
    closed: bool = False
    again: bool = False
    batched: bool = False


def _show(scene: Scene) -> None:
    scene.page.navigate(scene.home_url)


def _show_other(scene: Scene) -> None:
    scene.page.navigate(scene.other_url)


def _edit_meanwhile(scene: Scene) -> None:
    """The tab shows the page as it was before the other user's edit."""
    scene.page.navigate(scene.home_url)
    assert scene.task.untouched is not None
    record, name, value = scene.task.untouched
    scene.app.change(fill(record, scene.row), name, fill(value, scene.row))


def _add_twin(scene: Scene) -> None:
    assert scene.task.twin is not None
    scene.task.twin(scene.app, scene.row)
    scene.page.navigate(scene.home_url)


def _go_back(scene: Scene) -> None:
    """The tab shows a page of its history, as the browser kept it."""
    scene.page.navigate(scene.home_url)
    scene.page.navigate("about:blank")
    scene.page.back()


ADVERSARIES = (
    Adversary("none", True),
    Adversary("another object shown", True, lambda task, app: bool(task.object_keys), stage=_show_other),
    Adversary("edited by another user", True, lambda task, app: task.untouched is not None, stage=_edit_meanwhile),
    Adversary("an object of the same name", False, lambda task, app: task.twin is not None, stage=_add_twin),
    Adversary(
        "session expired",
        False,
        lambda task, app: bool(app.session_cookies),
        lambda task, app: Faults(drop_cookies=app.session_cookies),
    ),
    Adversary("slow server", True, faults=lambda task, app: Faults(delay_s=SLOW_SECONDS)),
    Adversary("500 once", False, faults=lambda task, app: Faults(fail_once=True)),
    Adversary("answer lost", False, faults=lambda task, app: Faults(lose_once=True)),
    Adversary("called twice with one id", True, repeated=True),
    Adversary("after going back", True, stage=_go_back),
    Adversary("deployment in between", True, faults=lambda task, app: Faults(added=BANNER)),
    Adversary("values that the application refuses", False, lambda task, app: task.rejected is not None, rejected=True),
    Adversary("edited while the run is under way", True, lambda task, app: task.untouched is not None, edited=True),
    Adversary("a neighbor that floods", True, flooded=True),
    Adversary("the page sends late", True, faults=lambda task, app: Faults(added=SENDS_LATE)),
    Adversary(
        "the page sends late, and the session is closed at once",
        True,
        faults=lambda task, app: Faults(added=SENDS_LATE),
        closed=True,
    ),
    Adversary("an answer that lies", False, faults=lambda task, app: Faults(lies=True)),
    Adversary("the browser does not send the form", False, faults=lambda task, app: Faults(added=WANTS_MORE)),
    Adversary("done before", True, lambda task, app: task.untouched is not None, again=True),
    Adversary("a batch, and its failed rows again", True, batched=True),
)
