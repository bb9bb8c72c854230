"""Trac: tickets and wiki pages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from perception.bench.suites.subroutines.apps.app import App, SqliteApp, Table
from perception.bench.suites.subroutines.apps.app_task import AppTask
from perception.bench.suites.subroutines.effects import Change, Effect
from perception.bench.suites.subroutines.task import Row, TaskStep, word


class TracApp(SqliteApp):
    name = "trac"
    packages = "trac"
    ready = "/wiki/WikiStart"
    session_cookies = ("trac_form_token",)
    tables: ClassVar[tuple[Table, ...]] = (
        Table("ticket", "id", ("summary", "component", "priority", "status", "owner", "keywords", "description")),
        Table("ticket_change", "ticket || '/' || time || '/' || field", ("ticket", "field", "newvalue"), "change"),
        Table("wiki", "name || '/' || version", ("name", "text")),
    )

    @property
    def database(self) -> Path:
        return self.state / "env/db/trac.db"

    def _admin(self, *command: str) -> None:
        self.run(self.python, "-W", "ignore", "-m", "trac.admin.console", str(self.state / "env"), *command)

    def prepare(self) -> None:
        self._admin("initenv", "Bench", "sqlite:db/trac.db")
        rights = ("TICKET_ADMIN", "WIKI_ADMIN", "TRAC_ADMIN")
        self._admin("permission", "add", "anonymous", *rights)

    def command(self) -> Sequence[str]:
        served = ("--hostname", "127.0.0.1", "--port", str(self.port), "-s", str(self.state / "env"))
        return (self.python, "-W", "ignore", "-m", "trac.web.standalone", *served)

    def add_ticket(self, summary: str) -> str:
        now = int(time.time() * 1e6)
        statement = (
            "INSERT INTO ticket (type, time, changetime, component, severity, priority, owner, reporter, version, "
            "milestone, status, resolution, summary, description, keywords, cc) VALUES ('defect', ?, ?, 'component1', "
            "'', 'major', 'somebody', 'anonymous', '', '', 'new', '', ?, 'words', '', '')"
        )
        return str(self.execute(statement, now, now, summary))

    def change(self, record: str, name: str, value: str) -> None:
        """As Trac stores an edit: by the time of the change it refuses a form that was loaded before."""
        super().change(record, name, value)
        prefix, _, key = record.partition("/")
        if prefix == "ticket":
            self.execute("UPDATE ticket SET changetime = ? WHERE id = ?", int(time.time() * 1e6), key)

    def add_page(self, name: str, text: str) -> None:
        statement = (
            "INSERT INTO wiki (name, version, time, author, text, comment, readonly) VALUES (?, 1, ?, 'a', ?, '', 0)"
        )
        self.execute(statement, name, int(time.time() * 1e6), text)


def _ticket(app: App, number: int) -> Row:
    assert isinstance(app, TracApp)
    summary = f"{word(number)} {word(number, 1)} fails"
    return {
        "id": app.add_ticket(summary),
        "summary": summary,
        "comment": f"Seen by {word(number, 2)}",
        "key": word(number, 3),
    }


def _twin(app: App, row: Row) -> None:
    assert isinstance(app, TracApp)
    app.add_ticket(row["summary"])


def _new_ticket(app: App, number: int) -> Row:
    return {"summary": f"{word(number)} breaks {word(number, 1)}", "words": f"It says {word(number, 2)}"}


def _page(app: App, number: int) -> Row:
    assert isinstance(app, TracApp)
    name = f"{word(number)}Page"
    app.add_page(name, f"= {name} =\nold words\n")
    return {"name": name, "text": f"All new: {word(number, 2)} {word(number, 3)}"}


def _change(row: Row, name: str, value: str) -> Effect:
    return Effect(Change.CREATED, f"change/{row['id']}/", {"field": name, "newvalue": value})


_SUBMIT = TaskStep("click", "button", "Submit changes")
_EDIT = ("ticket/{id}", "priority", "minor")

TASKS = (
    AppTask(
        "trac",
        "comment on a ticket",
        "/ticket/{id}",
        (TaskStep("type", selector="#comment", value="{comment}"), _SUBMIT),
        _ticket,
        lambda row: (_change(row, "comment", row["comment"]),),
        ("id",),
        _EDIT,
        _twin,
    ),
    AppTask(
        "trac",
        "give a ticket keywords",
        "/ticket/{id}",
        (
            TaskStep("click", "link", "Modify"),
            TaskStep("type", "textbox", "Keywords:", "{key}"),
            _SUBMIT,
        ),
        _ticket,
        lambda row: (
            Effect(Change.CHANGED, f"ticket/{row['id']}", {"keywords": row["key"]}),
            _change(row, "keywords", row["key"]),
            _change(row, "comment", ""),
        ),
        ("id",),
        _EDIT,
        _twin,
    ),
    AppTask(
        "trac",
        "file a ticket",
        "/newticket",
        (
            TaskStep("type", "textbox", "Summary:", "{summary}"),
            TaskStep("type", selector="#field-description", value="{words}"),
            TaskStep("click", "button", "Create ticket"),
        ),
        _new_ticket,
        lambda row: (
            Effect(
                Change.CREATED, "ticket/", {"summary": row["summary"], "description": row["words"], "status": "new"}
            ),
        ),
        rejected={"summary": ""},
    ),
    AppTask(
        "trac",
        "replace a wiki page's text",
        "/wiki/{name}?action=edit",
        (
            TaskStep("type", selector="#text", value="{text}"),
            TaskStep("click", "button", "Submit changes"),
        ),
        _page,
        lambda row: (Effect(Change.CREATED, f"wiki/{row['name']}/", {"text": row["text"]}),),
        ("name",),
    ),
)
