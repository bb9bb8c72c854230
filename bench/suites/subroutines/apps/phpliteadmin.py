"""phpLiteAdmin of Debian: an SQLite file in the browser, rendered by a server in PHP."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from perception.bench.suites.subroutines.apps.app import SignIn
from perception.bench.suites.subroutines.apps.app_task import AppTask
from perception.bench.suites.subroutines.apps.php import php_command, php_environment
from perception.bench.suites.subroutines.apps.shop import (
    ShopApp,
    add_twin,
    added,
    deleted,
    moved,
    new_item,
    stored_item,
)
from perception.bench.suites.subroutines.task import TaskStep

PASSWORD = "correct-horse"


class PhpLiteAdminApp(ShopApp):
    name = "phpliteadmin"
    packages = "phpliteadmin"
    ready = "/phpliteadmin.php"
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
        super().prepare()

    def environment(self) -> dict[str, str]:
        return php_environment(self.folder)

    def command(self) -> Sequence[str]:
        return php_command(self.folder, self.state, self.port, self.state / "pages")


_TABLE = "/phpliteadmin.php?table=item"

TASKS = (
    AppTask(
        "phpliteadmin",
        "change a row's shelf",
        _TABLE + "&action=row_editordelete&pk=%5B{id}%5D&type=edit",
        (TaskStep("type", selector="[name='2[]']", value="{shelf}"), TaskStep("click", "button", "Save Changes")),
        stored_item,
        moved,
        ("id",),
        ("item/{id}", "price", "77"),
        add_twin,
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
        new_item,
        added,
    ),
    AppTask(
        "phpliteadmin",
        "delete a row",
        _TABLE + "&action=row_editordelete&pk=%5B{id}%5D&type=delete",
        (TaskStep("click", "button", "Confirm"),),
        stored_item,
        deleted,
        ("id",),
        None,
        add_twin,
    ),
)
