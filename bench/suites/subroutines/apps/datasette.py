"""Datasette with datasette-write: SQL statements with named parameters as forms."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from perception.bench.suites.subroutines.apps.app import PROGRAMS
from perception.bench.suites.subroutines.apps.app_task import AppTask
from perception.bench.suites.subroutines.apps.shop import ShopApp, add_twin, added, moved, new_item, stored_item
from perception.bench.suites.subroutines.task import TaskStep


class DatasetteApp(ShopApp):
    name = "datasette"
    packages = "datasette"

    @property
    def database(self) -> Path:
        return self.state / "shop.db"

    def command(self) -> Sequence[str]:
        served = ("--host", "127.0.0.1", "--port", str(self.port), "--plugins-dir", str(PROGRAMS / "datasette_plugins"))
        return (self.python, "-m", "datasette", "serve", *served, str(self.database))


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
        new_item,
        added,
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
        stored_item,
        moved,
        ("id",),
        ("item/{id}", "price", "77"),
        add_twin,
    ),
)
