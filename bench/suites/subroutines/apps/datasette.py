"""Datasette with datasette-write: SQL statements with named parameters as forms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from perception.bench.suites.subroutines.apps.app import PROGRAMS, App, SqliteApp, Table
from perception.bench.suites.subroutines.effects import Change, Effect
from perception.bench.suites.subroutines.task import AppTask, Row, TaskStep, word


class DatasetteApp(SqliteApp):
    name = "datasette"
    packages = "datasette"
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
        served = ("--host", "127.0.0.1", "--port", str(self.port), "--plugins-dir", str(PROGRAMS / "datasette_plugins"))
        return (self.python, "-m", "datasette", "serve", *served, str(self.database))


def _item(app: App, number: int) -> Row:
    assert isinstance(app, DatasetteApp)
    title = f"{word(number)} {word(number, 1)}"
    return {"id": app.add_item(title), "title": title, "shelf": word(number, 2)}


def _new_item(app: App, number: int) -> Row:
    return {"title": f"{word(number)} {word(number, 1)}", "shelf": word(number, 2), "price": str(100 + number)}


def _twin(app: App, row: Row) -> None:
    assert isinstance(app, DatasetteApp)
    app.add_item(row["title"])


def _moved(row: Row) -> tuple[Effect, ...]:
    return (Effect(Change.CHANGED, f"item/{row['id']}", {"shelf": row["shelf"]}),)


def _added(row: Row) -> tuple[Effect, ...]:
    return (Effect(Change.CREATED, "item/", {"title": row["title"], "shelf": row["shelf"]}),)


_WRITE = "/shop/-/write?sql="

TASKS = (
    AppTask(
        "datasette",
        "insert a row by a statement with parameters",
        _WRITE + "insert+into+item+(title,shelf)+values+(:title,:shelf)",
        (
            TaskStep("type", "textbox", "title", "{title}"),
            TaskStep("type", "textbox", "shelf", "{shelf}"),
            TaskStep("click", "button", "Execute query"),
        ),
        _new_item,
        _added,
    ),
    AppTask(
        "datasette",
        "change a row by a statement with parameters",
        _WRITE + "update+item+set+shelf=:shelf+where+id=:id",
        (
            TaskStep("type", "textbox", "shelf", "{shelf}"),
            TaskStep("type", "textbox", "id", "{id}"),
            TaskStep("click", "button", "Execute query"),
        ),
        _item,
        _moved,
        ("id",),
        ("item/{id}", "price", "77"),
        _twin,
    ),
)
