"""Roundup: issues with messages and statuses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from perception.bench.suites.subroutines.apps.app import PROGRAMS, App, SignIn, SqliteApp, Table
from perception.bench.suites.subroutines.apps.app_task import AppTask
from perception.bench.suites.subroutines.effects import Change, Effect
from perception.bench.suites.subroutines.task import Row, TaskStep, word

PASSWORD = "correct-horse"


class RoundupApp(SqliteApp):
    name = "roundup"
    packages = "roundup"
    ready = "/"
    session_cookies = ("roundup_session_Roundupissuetracker",)
    sign_in = SignIn(
        "/",
        (
            TaskStep("type", selector="input[name=__login_name]", value="admin"),
            TaskStep("type", selector="input[name=__login_password]", value=PASSWORD),
            TaskStep("click", "button", "Login"),
            TaskStep("wait", value="Your Details"),
        ),
    )
    tables: ClassVar[tuple[Table, ...]] = (
        Table(
            "_issue",
            "id",
            ("_title AS title", "_priority AS priority", "_status AS status", "__retired__ AS gone"),
            "issue",
        ),
        Table("issue_messages", "nodeid || '/' || linkid", ("nodeid AS issue",), "message"),
        Table("_msg", "id", ("_summary AS text",), "text"),
        Table("issue_keyword", "nodeid || '/' || linkid", ("nodeid AS issue",), "keyword"),
    )

    @property
    def database(self) -> Path:
        return self.state / "tracker/db/db"

    def _admin(self, *command: str) -> None:
        self.run(self.python, "-m", "roundup.scripts.roundup_admin", "-i", str(self.state / "tracker"), *command)

    def prepare(self) -> None:
        self._admin(
            "install",
            "classic",
            "sqlite",
            f"tracker_web={self.public_url}/,mail_domain=example.org,mail_host=localhost,mail_debug="
            + str(self.state / "mail"),
        )
        self._admin("initialise", PASSWORD)

    def command(self) -> Sequence[str]:
        return (self.python, str(PROGRAMS / "roundup_site.py"), str(self.state / "tracker"), str(self.port))

    def add_issue(self, title: str) -> str:
        now = "20260102030405.000"
        self.execute("UPDATE ids SET num = num + 1 WHERE name = 'issue'")
        statement = (
            "INSERT INTO _issue (_activity, _actor, _creation, _creator, _priority, _status, _title, id) "
            "VALUES (?, 1, ?, 1, 3, 1, ?, (SELECT num - 1 FROM ids WHERE name = 'issue'))"
        )
        return str(self.execute(statement, now, now, title))


def _issue(app: App, number: int) -> Row:
    assert isinstance(app, RoundupApp)
    title = f"{word(number)} {word(number, 1)}"
    return {
        "id": app.add_issue(title),
        "title": title,
        "new": f"{word(number, 2)} {word(number, 3)}",
        "note": word(number, 4),
    }


def _twin(app: App, row: Row) -> None:
    assert isinstance(app, RoundupApp)
    app.add_issue(row["title"])


def _new_issue(app: App, number: int) -> Row:
    return {"title": f"{word(number)} {word(number, 1)}", "note": f"It says {word(number, 2)}"}


_SUBMIT = TaskStep("click", "button", "Submit Changes")
_EDIT = ("issue/{id}", "_priority", "1")

TASKS = (
    AppTask(
        "roundup",
        "change an issue's title",
        "/issue{id}",
        (TaskStep("type", selector="input[name=title]", value="{new}"), _SUBMIT),
        _issue,
        lambda row: (Effect(Change.CHANGED, f"issue/{row['id']}", {"title": row["new"]}),),
        ("id",),
        _EDIT,
        _twin,
        {"new": ""},
    ),
    AppTask(
        "roundup",
        "write a note on an issue",
        "/issue{id}",
        (TaskStep("type", selector="textarea[name='@note']", value="{note}"), _SUBMIT),
        _issue,
        lambda row: (
            Effect(Change.CHANGED, f"issue/{row['id']}", {"status": "3"}),  # by Roundup's own rule
            Effect(Change.CREATED, f"message/{row['id']}/"),
            Effect(Change.CREATED, "text/", {"text": row["note"]}),
        ),
        ("id",),
        _EDIT,
        _twin,
    ),
    AppTask(
        "roundup",
        "open an issue with a note",
        "/issue?@template=item",
        (
            TaskStep("type", selector="input[name=title]", value="{title}"),
            TaskStep("select", selector="select[name=priority]", value="bug"),
            TaskStep("type", selector="textarea[name='@note']", value="{note}"),
            TaskStep("click", "button", "Submit New Entry"),
        ),
        _new_issue,
        lambda row: (
            Effect(Change.CREATED, "issue/", {"title": row["title"], "priority": "3"}),
            Effect(Change.CREATED, "message/"),
            Effect(Change.CREATED, "text/", {"text": row["note"]}),
        ),
        rejected={"title": ""},
    ),
)
