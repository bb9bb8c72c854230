"""What subroutines are measured on: the tasks differ, and the application takes nothing that it should not."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

import pytest

from perception.bench.suites.subroutines.subroutine_app import NotesApp
from perception.bench.suites.subroutines.subroutine_tasks import all_tasks, page_of

NOTE = {"title": "One", "text": "x", "kind": "n"}


def test_there_are_at_least_forty_different_tasks() -> None:
    tasks = all_tasks()
    assert len({task.name for task in tasks}) == len(tasks) >= 40
    assert len({page_of(task, "") for task in tasks}) == len(tasks)


def send(app: NotesApp, path: str, **wrong: Any) -> tuple[int, dict[str, Any]]:
    """A request as the page makes it, but for what is wrong."""
    if path == "/graphql":
        given: dict[str, Any] = {"doc_id": wrong.get("doc_id", app.doc_id), "variables": {"input": NOTE}}
    else:
        given = {**NOTE, "nonce": wrong.get("nonce") or app.nonce()}
    body = json.dumps(given).encode()
    signature = hmac.new(app.key.encode(), body, hashlib.sha256).hexdigest()
    headers = {"x-signature": wrong.get("signature", signature), "x-csrf-token": wrong.get("csrf") or app.token()}
    return app.take(path, headers, body)


@pytest.mark.parametrize("path", ["/api/notes", "/graphql"])
def test_application_takes_a_note_once(path: str) -> None:
    app = NotesApp()
    assert "errors" not in send(app, path)[1]
    assert "already" in send(app, path)[1]["errors"][0]["message"]
    assert [each["title"] for each in app.records] == ["One"]


WRONG = [
    pytest.param("/api/notes", {"signature": "0" * 64}, "signature", id="signature"),
    pytest.param("/api/notes", {"csrf": "old"}, "CSRF", id="csrf"),
    pytest.param("/api/notes", {"nonce": "old"}, "nonce", id="nonce"),
    pytest.param("/graphql", {"doc_id": "old"}, "operation", id="operation"),
]


@pytest.mark.parametrize(("path", "wrong", "why"), WRONG)
def test_application_refuses_what_is_replayed(path: str, wrong: dict[str, Any], why: str) -> None:
    app = NotesApp()
    assert why in send(app, path, **wrong)[1]["errors"][0]["message"]
    assert app.records == []


def test_deployment_ends_what_was_given_out_before() -> None:
    app = NotesApp()
    token, doc_id = app.token(), app.doc_id
    app.deploy()
    assert send(app, "/graphql", csrf=token)[0] == 403
    assert send(app, "/graphql", doc_id=doc_id)[0] == 400
