"""The shop that the database administrations have: one table of items, and what tasks do with it."""

from __future__ import annotations

from typing import ClassVar

from perception.bench.suites.subroutines.apps.app import App, SqliteApp, Table
from perception.bench.suites.subroutines.effects import Change, Effect
from perception.bench.suites.subroutines.task import Row, word


class ShopApp(SqliteApp):
    """An application that shows a table of items."""

    tables: ClassVar[tuple[Table, ...]] = (Table("item", "id", ("title", "shelf", "price")),)

    def prepare(self) -> None:
        self.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT NOT NULL, shelf TEXT, price INTEGER)")
        self.add_item("First item")

    def add_item(self, title: str) -> str:
        return str(self.execute("INSERT INTO item (title, shelf, price) VALUES (?, 'old', 5)", title))


def stored_item(app: App, number: int) -> Row:
    """An item that is there, and the shelf that a task moves it to."""
    assert isinstance(app, ShopApp)
    title = f"{word(number)} {word(number, 1)}"
    return {"id": app.add_item(title), "title": title, "shelf": word(number, 2)}


def new_item(_: App, number: int) -> Row:
    """An item that a task adds."""
    return {"title": f"{word(number)} {word(number, 1)}", "shelf": word(number, 2), "price": str(100 + number)}


def add_twin(app: App, row: Row) -> None:
    """Adds an item of the same title."""
    assert isinstance(app, ShopApp)
    app.add_item(row["title"])


def moved(row: Row) -> tuple[Effect, ...]:
    return (Effect(Change.CHANGED, f"item/{row['id']}", {"shelf": row["shelf"]}),)


def added(row: Row) -> tuple[Effect, ...]:
    return (Effect(Change.CREATED, "item/", {"title": row["title"], "shelf": row["shelf"]}),)


def deleted(row: Row) -> tuple[Effect, ...]:
    return (Effect(Change.DELETED, f"item/{row['id']}"),)
