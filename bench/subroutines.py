"""Measures subroutines: whether the ranking picks the request that does a task, and what becomes of many rows.

python -m perception.bench.subroutines ranking
python -m perception.bench.subroutines replay --rows 200
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from perception.bench.subroutine_app import App, serve_app
from perception.bench.subroutine_tasks import TRUE_PATH, Task, all_tasks, serve_tasks
from perception.client import Client, Page, connect
from perception.render.tokens import count_tokens
from perception.subroutine_client import Subroutines
from perception.v1 import subroutine_service_pb2 as pb

app = typer.Typer(help="Measure subroutines.", no_args_is_help=True)

HOSTS = ("127.0.0.1", "localhost")


@app.command()
def ranking() -> None:
    """Record every task with noise around, and hold the best candidate against the truth. Prints JSON."""
    missed = []
    with serve_tasks() as origin, _service() as client:
        tasks = all_tasks()
        with client.open(origin + "/task?index=0") as page:
            for index, task in enumerate(tasks):
                stopped = _record_task(client, page, f"{origin}/task?index={index}", task)
                best = stopped.candidates[0] if stopped.candidates else pb.RequestCandidate()
                if (best.method, urlsplit(best.url).path) != (task.method, TRUE_PATH):
                    missed.append({"task": task.name, "picked": f"{best.method} {best.url}", "score": best.score})
    share = (len(tasks) - len(missed)) / len(tasks)
    print(
        json.dumps({"tasks": len(tasks), "right": len(tasks) - len(missed), "share": round(share, 4), "missed": missed})
    )


@app.command()
def replay(rows: Annotated[int, typer.Option(min=2, help="Rows of each plan.")] = 200) -> None:
    """Record once, replay rows with a deployment in the middle; beside it a HAR replay, and snapshots. Prints JSON."""
    found = {}
    for path in ("/rest", "/graphql-app"):
        with serve_app() as site, _service() as client, client.open(site.url + path) as page:
            tools = Subroutines(client)
            stopped = _record_note(tools, page, site, path)
            made = tools.create(stopped.recording_id, name=f"add{path[1:5]}")
            found[path[1:]] = _replay_rows(tools, page, site, made, rows)
    print(json.dumps(found, indent=2))


def _replay_rows(tools: Subroutines, page: Page, site: App, made: pb.Subroutine, rows: int) -> dict[str, Any]:
    """Every tenth row is one that the site has to refuse: it is there already."""
    har = site.last
    tokens = count_tokens(page.snapshot(mode="text").text)
    spent, wrong, succeeded, refused, by_har = [], 0, 0, 0, 0
    for index in range(rows):
        if index == rows // 2:
            site.deploy()
        is_twin = index % 10 == 9
        title = f"Row {index - 1 if is_twin else index}"
        done = tools.run(page, made.subroutine_id, {"title": title, "text": "x"}, request_id=f"row-{index}")
        spent.append(done.elapsed.ToTimedelta().total_seconds())
        succeeded += done.success
        refused += not done.success and "there is a note called" in done.error
        wrong += done.success is is_twin
        by_har += _send_har(har, f"Har {index}")
    titles = [each["title"] for each in site.records]
    return {
        "plan": pb.PlanKind.Name(made.plan),
        "rows": rows,
        "succeeded": succeeded,
        "refused with the site's reason": refused,
        "otherwise": rows - succeeded - refused,
        "against the truth": wrong,
        "done twice": len(titles) - len(set(titles)),
        "seconds a row, median": round(statistics.median(spent), 3),
        "seconds a row, 90th percentile": round(statistics.quantiles(spent, n=10)[-1], 3),
        "tokens a row": 0,
        "tokens of one snapshot of that page": tokens,
        "HAR replay, succeeded": by_har,
    }


def _send_har(har: tuple[str, dict[str, str], bytes], title: str) -> bool:
    """The recorded request once more, with another title and nothing else made anew."""
    url, headers, body = har
    given = json.loads(body)
    note = given["variables"]["input"] if "variables" in given else given
    note["title"] = title
    request = urllib.request.Request(url, json.dumps(given).encode(), headers, method="POST")
    try:
        with urllib.request.urlopen(request) as answer:
            return "errors" not in json.loads(answer.read())
    except urllib.error.HTTPError:
        return False


def _record_note(tools: Subroutines, page: Page, site: App, path: str) -> pb.StopRecordingResponse:
    page.navigate(f"{site.url}{path}?noise=1")
    recording_id = tools.start(page)
    page.type_text("#title", "First note", skip_diff=True)
    page.type_text("#text", "Some words", skip_diff=True)
    page.click("#save", skip_diff=True)
    page.wait_for(text="Saved", skip_diff=True)
    return tools.stop(page, recording_id)


def _record_task(client: Client, page: Page, url: str, task: Task) -> pb.StopRecordingResponse:
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


@contextmanager
def _service() -> Iterator[Client]:
    """A service whose recordings go with it."""
    with tempfile.TemporaryDirectory(prefix="perception-subroutines-") as folder:
        before = os.environ.get("PERCEPTION_DATA_DIR")
        os.environ["PERCEPTION_DATA_DIR"] = folder
        try:
            with connect(allow_hosts=HOSTS) as client:
                yield client
        finally:
            os.environ.pop("PERCEPTION_DATA_DIR")
            if before is not None:
                os.environ["PERCEPTION_DATA_DIR"] = before


if __name__ == "__main__":
    app()
