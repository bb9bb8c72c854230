"""Tasks to record, each with one request that performs it and with noise: the truth for a ranking."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from importlib.resources import files
from itertools import product
from urllib.parse import parse_qsl, urlsplit

from perception.bench.pages.local_site import SiteHandler, serve_handler

NOISE_MS = 150
"""Interval of polls: one is sent right after every click."""


@dataclass(frozen=True, slots=True)
class RecordedTask:
    """How a page sends typed text: the method, the format, the trigger, and the delay (ms).

    via: fetch, xhr or form. body: json, graphql, persisted (a GraphQL operation by id), urlencoded, formdata or none.
    trigger: click, enter, select or check.
    """

    via: str
    method: str
    body: str
    trigger: str = "click"
    delay_ms: int = 0

    @property
    def name(self) -> str:
        return f"{self.via} {self.method} {self.body} {self.trigger} {self.delay_ms}"


def all_tasks() -> tuple[RecordedTask, ...]:
    """All 47 tasks."""
    mutating = ("POST", "PUT", "PATCH", "DELETE")
    plain = product(mutating, ("json", "urlencoded", "formdata", "none"))
    older = product(("POST", "PUT"), ("json", "urlencoded"))
    forms = product(("urlencoded", "formdata"), ("click", "enter"))
    graphs = product(("graphql", "persisted"), (0, 300, 900))
    searches = product(("click", "enter"), (0, 900))
    changes = product(("POST", "PATCH"), ("select", "check"), (0, 300))
    return (
        *(RecordedTask("fetch", method, body) for method, body in plain),
        *(RecordedTask("xhr", method, body, "enter") for method, body in older),
        *(RecordedTask("form", "POST", body, trigger) for body, trigger in forms),
        *(RecordedTask("fetch", "POST", body, "click", delay) for body, delay in graphs),
        *(RecordedTask("fetch", "POST", body, "enter") for body in ("graphql", "persisted")),
        *(RecordedTask("fetch", "GET", "none", trigger, delay) for trigger, delay in searches),
        *(RecordedTask("fetch", "POST", "json", "click", delay) for delay in (300, 900, 2000)),
        *(RecordedTask("fetch", method, "json", trigger, delay) for method, trigger, delay in changes),
    )


_TASK_PAGE = """<!doctype html><title>Task</title><h1>Task</h1>
<form id=form method=post action="{path}" enctype="{enctype}">
<label>Name <input id=name name=name></label>
<label>Kind <select id=kind name=kind><option>One<option>Two</select></label>
<label><input type=checkbox id=agree name=agree> Agree</label>
<button id=go type="{button}">Go</button></form><p role=status id=said></p>
<script>{script}</script>"""

_TASK_SCRIPT = files(__package__).joinpath("subroutine_tasks.js").read_text("utf-8").strip().rstrip(";")

TRUE_PATH = "/api/items/7"


def page_of(task: RecordedTask, analytics: str) -> str:
    """The page of a task."""
    given = {**asdict(task), "path": TRUE_PATH, "noise_ms": NOISE_MS, "analytics": analytics}
    return _TASK_PAGE.format(
        path=TRUE_PATH,
        enctype="multipart/form-data" if task.body == "formdata" else "application/x-www-form-urlencoded",
        button="submit" if task.via == "form" else "button",
        script=f"{_TASK_SCRIPT}({json.dumps(given)});",
    )


class _TaskHandler(SiteHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path == "/task":
            index = int(dict(parse_qsl(url.query))["index"])
            host = self.headers["Host"].replace("127.0.0.1", "localhost")
            self.respond(page_of(all_tasks()[index], f"http://{host}").encode(), "text/html; charset=utf-8")
        else:
            self.respond(b'{"items":[1,2,3]}', "application/json")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        is_page = self.headers.get("Sec-Fetch-Mode") == "navigate"
        self.respond(
            b"<p role=status>Done</p>" if is_page else b'{"ok":true}', "text/html" if is_page else "application/json"
        )

    do_PUT = do_PATCH = do_DELETE = do_POST


def serve_tasks() -> AbstractContextManager[str]:
    """The origin of the tasks' pages (`/task?index=N`), valid within the context."""
    return serve_handler(_TaskHandler)
