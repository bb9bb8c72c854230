"""phpLiteAdmin of Debian: an SQLite file in the browser, rendered by a server in PHP."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from perception.bench.suites.subroutines.apps.app import App, SignIn, SqliteApp, Table
from perception.bench.suites.subroutines.apps.php import php_command, php_environment
from perception.bench.suites.subroutines.effects import Change, Effect
from perception.bench.suites.subroutines.task import AppTask, Row, TaskStep, word

PASSWORD = "correct-horse"


class PhpLiteAdminApp(SqliteApp):
    name = "phpliteadmin"
    packages = "phpliteadmin"
    ready = "/phpliteadmin.php"
    tables: ClassVar[tuple[Table, ...]] = (Table("item", "id", ("title", "shelf", "price")),)
    session_cookies = ("PHPSESSID",)
    sign_in = SignIn(
        "/phpliteadmin.php",
        (
            TaskStep("type", selector="input[type=password]", value=PASSWORD),
            TaskStep("press", selector="input[type=password]", value="Enter"),
            TaskStep("wait", value="shop.db"),
        ),
    )

    @property
    def database(self) -> Path:
        return self.state / "data/shop.db"

    def prepare(self) -> None:
        (self.state / "data").mkdir()
        pages = self.state / "pages"
        shutil.copytree(self.folder / "usr/share/phpliteadmin", pages, symlinks=True)
        (pages / "phpliteadmin.config.php").unlink()
        words = f"<?php $password = '{PASSWORD}'; $directory = '{self.state}/data'; $subdirectories = false;"
        (pages / "phpliteadmin.config.php").write_text(words, "utf-8")
        self.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT NOT NULL, shelf TEXT, price INTEGER)")
        self.add_item("First item")

    def add_item(self, title: str) -> str:
        return str(self.execute("INSERT INTO item (title, shelf, price) VALUES (?, 'old', 5)", title))

    def environment(self) -> dict[str, str]:
        return php_environment(self.folder)

    def command(self) -> Sequence[str]:
        return php_command(self.folder, self.state, self.port, self.state / "pages")


def _item(app: App, number: int) -> Row:
    assert isinstance(app, PhpLiteAdminApp)
    title = f"{word(number)} {word(number, 1)}"
    return {"id": app.add_item(title), "title": title, "shelf": word(number, 2)}


def _new_item(app: App, number: int) -> Row:
    return {"title": f"{word(number)} {word(number, 1)}", "shelf": word(number, 2), "price": str(100 + number)}


def _twin(app: App, row: Row) -> None:
    assert isinstance(app, PhpLiteAdminApp)
    app.add_item(row["title"])


def _moved(row: Row) -> tuple[Effect, ...]:
    return (Effect(Change.CHANGED, f"item/{row['id']}", {"shelf": row["shelf"]}),)


def _added(row: Row) -> tuple[Effect, ...]:
    return (Effect(Change.CREATED, "item/", {"title": row["title"], "shelf": row["shelf"]}),)


_TABLE = "/phpliteadmin.php?table=item"

TASKS = (
    AppTask(
        "phpliteadmin",
        "change a row's shelf",
        _TABLE + "&action=row_editordelete&pk=%5B{id}%5D&type=edit",
        (TaskStep("type", selector="[name='2[]']", value="{shelf}"), TaskStep("click", "button", "Save Changes")),
        _item,
        _moved,
        ("id",),
        ("item/{id}", "price", "77"),
        _twin,
    ),
    AppTask(
        "phpliteadmin",
        "insert a row",
        _TABLE + "&action=row_create",
        (
            TaskStep("type", selector="[name='0:1']", value="{title}"),
            TaskStep("type", selector="[name='0:2']", value="{shelf}"),
            TaskStep("click", "button", "Insert"),
        ),
        _new_item,
        _added,
    ),
    AppTask(
        "phpliteadmin",
        "delete a row",
        _TABLE + "&action=row_editordelete&pk=%5B{id}%5D&type=delete",
        (TaskStep("click", "button", "Confirm"),),
        _item,
        lambda row: (Effect(Change.DELETED, f"item/{row['id']}"),),
        ("id",),
        None,
        _twin,
    ),
)
