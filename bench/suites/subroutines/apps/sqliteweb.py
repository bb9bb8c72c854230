"""sqlite-web: an SQLite file in the browser."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Sequence
from pathlib import Path

from perception.bench.suites.subroutines.apps.app import App
from perception.bench.suites.subroutines.apps.app_task import AppTask
from perception.bench.suites.subroutines.apps.shop import (
    ShopApp,
    add_twin,
    added,
    deleted,
    moved,
    new_item,
    stored_item,
)
from perception.bench.suites.subroutines.task import Row, TaskStep


class SqliteWebApp(ShopApp):
    name = "sqliteweb"
    packages = "sqliteweb"

    @property
    def database(self) -> Path:
        return self.state / "shop.db"

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
    row = stored_item(app, number)
    return {**row, "key": urlsafe_b64encode(f"[{row['id']}]".encode()).decode()}


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
        moved,
        ("key",),
        ("item/{id}", "price", "77"),
        add_twin,
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
        new_item,
        added,
    ),
    AppTask(
        "sqliteweb",
        "delete a row",
        "/item/delete/{key}/",
        (TaskStep("click", "button", "Delete"),),
        _item,
        deleted,
        ("key",),
        None,
        add_twin,
    ),
)
