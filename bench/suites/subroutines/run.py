"""Measures subroutines: whether the ranking picks the right request, and whether the results of replayed rows are
true."""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import urlsplit

from perception.bench.suites.subroutines.app_outcomes import AppRun, TaskCost
from perception.bench.suites.subroutines.service import serve_client
from perception.bench.suites.subroutines.subroutine_app import NotesApp, serve_app
from perception.bench.suites.subroutines.subroutine_tasks import TRUE_PATH, RecordedTask, all_tasks, serve_tasks
from perception.client import Client, Page, Subroutines
from perception.render.tokens import count_tokens
from perception.v1 import subroutine_service_pb2 as pb


@dataclass(frozen=True, slots=True)
class RankedTask:
    """One task: the request chosen by the ranking, its score, and whether it is the request that performs the task."""

    task: str
    picked: str
    score: float
    right: bool


@dataclass(frozen=True, slots=True)
class ReplayedRow:
    """One row of a plan.

    Attributes:
        seconds: as the service measured it.
        success: the plan reports success.
        refused: it was not done, with the site's own reason.
        wrong: the plan's report differs from what the site did.
        by_har: a plain replay of the recorded request was accepted.
    """

    seconds: float
    success: bool
    refused: bool
    wrong: bool
    by_har: bool


@dataclass(frozen=True, slots=True)
class ReplayedPlan:
    """All rows of one plan.

    Attributes:
        site: the application's path.
        plan: what kind of plan it is.
        done_twice: rows that the site has more than once.
        snapshot_tokens: of one snapshot of the page; a row takes none.
    """

    site: str
    plan: str
    rows: tuple[ReplayedRow, ...]
    done_twice: int
    snapshot_tokens: int


@dataclass(frozen=True, slots=True)
class SubroutinesRun:
    """A run: of the ranking, of the replay or of applications; the others are empty.

    Attributes:
        apps: runs of tasks of real applications.
        costs: one for each of these tasks.
        left_out: applications that could not be installed or started, with the reason.
    """

    tasks: tuple[RankedTask, ...] = ()
    plans: tuple[ReplayedPlan, ...] = ()
    apps: tuple[AppRun, ...] = ()
    costs: tuple[TaskCost, ...] = ()
    left_out: tuple[str, ...] = ()


def rank_tasks() -> SubroutinesRun:
    """Records every task with noise, and compares the best candidate with the request that performs the task."""
    found = []
    with serve_tasks() as origin, serve_client() as client, client.open(origin + "/task?index=0") as page:
        for index, task in enumerate(all_tasks()):
            stopped = _record_task(client, page, f"{origin}/task?index={index}", task)
            best = stopped.candidates[0] if stopped.candidates else pb.RequestCandidate()
            right = (best.method, urlsplit(best.url).path) == (task.method, TRUE_PATH)
            found.append(RankedTask(task.name, f"{best.method} {best.url}", best.score, right))
    return SubroutinesRun(tasks=tuple(found))


def replay_rows(rows: int) -> SubroutinesRun:
    """Records a task once in each application, and replays rows, with a deployment in the middle."""
    plans = []
    for path in ("/rest", "/graphql-app"):
        with serve_app() as site, serve_client() as client, client.open(site.url + path) as page:
            tools = Subroutines(client)
            stopped = _record_note(tools, page, site, path)
            made = tools.create(stopped.recording_id, name=f"add{path[1:5]}")
            plans.append(_replay_plan(tools, page, site, made, rows, path))
    return SubroutinesRun(plans=tuple(plans))


def _replay_plan(
    tools: Subroutines, page: Page, site: NotesApp, made: pb.Subroutine, rows: int, path: str
) -> ReplayedPlan:
    """Every tenth row must be refused by the site: it exists already."""
    har = site.last
    tokens = count_tokens(page.snapshot(mode="text").text)
    replayed = []
    for index in range(rows):
        if index == rows // 2:
            site.deploy()
        is_twin = index % 10 == 9
        title = f"Row {index - 1 if is_twin else index}"
        done = tools.run(page, made.subroutine_id, {"title": title, "text": "x"}, request_id=f"row-{index}")
        replayed.append(
            ReplayedRow(
                done.elapsed.ToTimedelta().total_seconds(),
                done.success,
                not done.success and "there is a note called" in done.error,
                done.success is is_twin,
                _send_har(har, f"Har {index}"),
            )
        )
    titles = [each["title"] for each in site.records]
    twice = len(titles) - len(set(titles))
    return ReplayedPlan(path.strip("/"), pb.PlanKind.Name(made.plan), tuple(replayed), twice, tokens)


def _send_har(har: tuple[str, dict[str, str], bytes], title: str) -> bool:
    """Sends the recorded request again with only another title; returns whether it was accepted."""
    import httpx  # of the extra

    url, headers, body = har
    given = json.loads(body)
    note = given["variables"]["input"] if "variables" in given else given
    note["title"] = title
    answer = httpx.post(url, content=json.dumps(given).encode(), headers=headers)
    return answer.is_success and "errors" not in answer.json()


def _record_note(tools: Subroutines, page: Page, site: NotesApp, path: str) -> pb.StopRecordingResponse:
    page.navigate(f"{site.url}{path}?noise=1")
    recording_id = tools.start(page)
    page.type_text("#title", "First note", skip_diff=True)
    page.type_text("#text", "Some words", skip_diff=True)
    page.click("#save", skip_diff=True)
    page.wait_for(text="Saved", skip_diff=True)
    return tools.stop(page, recording_id)


def _record_task(client: Client, page: Page, url: str, task: RecordedTask) -> pb.StopRecordingResponse:
    """Does a task as an agent would."""
    tools = Subroutines(client)
    page.navigate(url)
    recording_id = tools.start(page)
    page.type_text("#name", "Jane Doe", skip_diff=True)
    if task.trigger == "click":
        page.click("#go", skip_diff=True)
    elif task.trigger == "enter":
        page.press("Enter", "#name", skip_diff=True)
    elif task.trigger == "select":
        page.select("#kind", "Two", skip_diff=True)
    else:
        page.check("#agree", skip_diff=True)
    page.wait_for(text="Done", skip_diff=True)
    return tools.stop(page, recording_id)
