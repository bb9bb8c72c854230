"""sqlite-web: an SQLite file in the browser."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from perception.bench.suites.subroutines.apps.app import App, SqliteApp, Table
from perception.bench.suites.subroutines.effects import Change, Effect
from perception.bench.suites.subroutines.task import AppTask, Row, TaskStep, word


class SqliteWebApp(SqliteApp):
    name = "sqliteweb"
    packages = "sqliteweb"
    tables: ClassVar[tuple[Table, ...]] = (Table("item", "id", ("title", "shelf", "price")),)

    @property
    def database(self) -> Path:
        return self.state / "shop.db"

    def prepare(self) -> None:
        self.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT NOT NULL, shelf TEXT, price INTEGER)")
        self.add_item("First item")

    def add_item(self, title: str) -> str:
        return str(self.execute("INSERT INTO item (title, shelf, price) VALUES (?, 'old', 5)", title))

    def command(self) -> Sequence[str]:
        return (
            self.python,
            "-m",
            "sqlite_web.sqlite_web",
            "-x",
            "-H",
            "127.0.0.1",
            "-p",
            str(self.port),
            str(self.database),
        )


def _item(app: App, number: int) -> Row:
    assert isinstance(app, SqliteWebApp)
    title = f"{word(number)} {word(number, 1)}"
    return {
        "id": (made := app.add_item(title)),
        "key": urlsafe_b64encode(f"[{made}]".encode()).decode(),
        "title": title,
        "shelf": word(number, 2),
    }


def _new_item(app: App, number: int) -> Row:
    return {"title": f"{word(number)} {word(number, 1)}", "shelf": word(number, 2), "price": str(100 + number)}


def _twin(app: App, row: Row) -> None:
    assert isinstance(app, SqliteWebApp)
    app.add_item(row["title"])


def _moved(row: Row) -> tuple[Effect, ...]:
    return (Effect(Change.CHANGED, f"item/{row['id']}", {"shelf": row["shelf"]}),)


def _added(row: Row) -> tuple[Effect, ...]:
    return (Effect(Change.CREATED, "item/", {"title": row["title"], "shelf": row["shelf"]}),)


TASKS = (
    AppTask(
        "sqliteweb",
        "change a row's shelf",
        "/item/update/{key}/",
        (
            TaskStep("check", selector="input[name=chk_shelf]"),
            TaskStep("type", "textbox", "shelf", "{shelf}"),
            TaskStep("click", "button", "Update"),
        ),
        _item,
        _moved,
        ("key",),
        ("item/{id}", "price", "77"),
        _twin,
    ),
    AppTask(
        "sqliteweb",
        "insert a row",
        "/item/insert/",
        (
            TaskStep("type", "textbox", "title", "{title}"),
            TaskStep("type", "textbox", "shelf", "{shelf}"),
            TaskStep("click", "button", "Insert"),
        ),
        _new_item,
        _added,
    ),
    AppTask(
        "sqliteweb",
        "delete a row",
        "/item/delete/{key}/",
        (TaskStep("click", "button", "Delete"),),
        _item,
        lambda row: (Effect(Change.DELETED, f"item/{row['id']}"),),
        ("key",),
        None,
        _twin,
    ),
)
