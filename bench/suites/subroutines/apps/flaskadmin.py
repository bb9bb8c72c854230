"""Flask-Admin: the administration of a table, by a server in Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from perception.bench.suites.subroutines.apps.app import PROGRAMS, App, SqliteApp, Table
from perception.bench.suites.subroutines.apps.app_task import AppTask
from perception.bench.suites.subroutines.effects import Change, Effect
from perception.bench.suites.subroutines.task import Row, TaskStep, word


class FlaskAdminApp(SqliteApp):
    name = "flaskadmin"
    packages = "flaskadmin"
    ready = "/admin/book/"
    tables: ClassVar[tuple[Table, ...]] = (Table("book", "id", ("title", "author", "price")),)

    @property
    def database(self) -> Path:
        return self.state / "books.db"

    def prepare(self) -> None:
        pass  # the program makes its table

    def add_book(self, title: str, author: str = "Old") -> str:
        return str(self.execute("INSERT INTO book (title, author, price) VALUES (?, ?, 5)", title, author))

    def command(self) -> Sequence[str]:
        return (self.python, str(PROGRAMS / "flaskadmin_site.py"), str(self.database), str(self.port))


def _book(app: App, number: int) -> Row:
    assert isinstance(app, FlaskAdminApp)
    title = f"{word(number)} {word(number, 1)}"
    return {"id": app.add_book(title), "title": title, "author": f"{word(number, 2)} {word(number, 3)}"}


def _new_book(app: App, number: int) -> Row:
    return {"title": f"{word(number)} {word(number, 1)}", "author": f"{word(number, 2)} {word(number, 3)}"}


def _searched_book(app: App, number: int) -> Row:
    assert isinstance(app, FlaskAdminApp)
    row = _new_book(app, number)
    app.add_book(row["title"], row["author"])
    other = f"{word(number, 4)} {word(number, 5)}"
    app.add_book(f"Other {other}", other)
    return {**row, "other": other}


def _twin(app: App, row: Row) -> None:
    assert isinstance(app, FlaskAdminApp)
    app.add_book(f"{row['title']} II")


TASKS = (
    AppTask(
        "flaskadmin",
        "change a book's author",
        "/admin/book/edit/?id={id}",
        (TaskStep("type", "textbox", "Author", "{author}"), TaskStep("click", "button", "Save")),
        _book,
        lambda row: (Effect(Change.CHANGED, f"book/{row['id']}", {"author": row["author"]}),),
        ("id",),
        ("book/{id}", "price", "77"),
        _twin,
        {"author": "x" * 200},
    ),
    AppTask(
        "flaskadmin",
        "add a book",
        "/admin/book/new/",
        (
            TaskStep("type", selector="input[name=title]", value="{title}"),
            TaskStep("type", "textbox", "Author", "{author}"),
            TaskStep("click", "button", "Save"),
        ),
        _new_book,
        lambda row: (Effect(Change.CREATED, "book/", {"title": row["title"], "author": row["author"]}),),
        rejected={"title": "x" * 200},
    ),
    AppTask(
        "flaskadmin",
        "search for books",
        "/admin/book/",
        (
            TaskStep("type", selector="input[name=search]", value="{title}"),
            TaskStep("press", selector="input[name=search]", value="Enter"),
        ),
        _searched_book,
        lambda row: (),
        finds=lambda row: ((row["title"], row["author"]), (row["other"],)),
    ),
)
