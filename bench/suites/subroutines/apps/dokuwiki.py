"""DokuWiki of Debian: pages as files, rendered by a server in PHP."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import ClassVar

from perception.bench.suites.subroutines.apps.app import App
from perception.bench.suites.subroutines.apps.app_task import AppTask
from perception.bench.suites.subroutines.apps.php import php_command, php_environment
from perception.bench.suites.subroutines.effects import Change, Effect, State
from perception.bench.suites.subroutines.task import Row, TaskStep, word


class DokuWikiApp(App):
    name = "dokuwiki"
    packages = "dokuwiki"
    locks = True
    ready = "/doku.php"
    session_cookies: ClassVar[tuple[str, ...]] = ("DokuWiki",)

    def prepare(self) -> None:
        pages, data = self.state / "pages", self.state / "data"
        shutil.copytree(self.folder / "usr/share/dokuwiki", pages, symlinks=True)
        for name in ("plugins", "tpl"):
            (pages / "lib" / name).unlink()  # an absolute link
            shutil.copytree(self.folder / "var/lib/dokuwiki/lib" / name, pages / "lib" / name, symlinks=True)
        for script in (*(pages / "vendor/composer").glob("*.php"), *(pages / "inc").glob("*.php")):
            text = script.read_text("utf-8")
            script.write_text(text.replace("'/usr/share/php", f"'{self.folder}/usr/share/php"), "utf-8")
        shutil.copytree(self.folder / "var/lib/dokuwiki/data", data, symlinks=True)
        shutil.copytree(self.folder / "etc/dokuwiki", self.state / "conf", ignore_dangling_symlinks=True)
        for each in ("inc/preload.php",):
            (pages / each).write_text(
                f"<?php define('DOKU_CONF', '{self.state}/conf/'); define('DOKU_MAIN_CONF', '{self.state}/conf/');"
            )
        settings = {"savedir": str(data), "useacl": 0, "title": "Bench", "updatecheck": 0}
        lines = [f"$conf['{key}'] = {value!r};" for key, value in settings.items()]
        (self.state / "conf/local.php").write_text("<?php\n" + "\n".join(lines))

    def environment(self) -> dict[str, str]:
        return php_environment(self.folder)

    def command(self) -> Sequence[str]:
        return php_command(self.folder, self.state, self.port, self.state / "pages")

    def truth(self) -> State:
        files = sorted((self.state / "data/pages").rglob("*.txt"))
        return {f"page/{each.stem}": {"text": each.read_text("utf-8")} for each in files}

    def change(self, record: str, name: str, value: str) -> None:
        self.write(record.partition("/")[2], value)

    def is_ignored(self, method: str, path: str) -> bool:
        return path.startswith("/lib/exe/ajax.php")  # locks and drafts

    def write(self, page: str, text: str) -> None:
        (self.state / f"data/pages/{page}.txt").write_text(text, "utf-8")


def _page(app: App, number: int) -> Row:
    assert isinstance(app, DokuWikiApp)
    name = word(number).lower()
    app.write(name, f"====== {name} ======\n\nold words\n")
    return {"name": name, "text": f"All new {word(number, 2)} {word(number, 3)}"}


def _new_page(app: App, number: int) -> Row:
    return {"name": word(number).lower(), "text": f"First {word(number, 2)} {word(number, 3)}"}


_WRITE = (
    TaskStep("type", selector="#wiki__text", value="{text}"),
    TaskStep("click", "button", "Save"),
)

TASKS = (
    AppTask(
        "dokuwiki",
        "replace a page's text",
        "/doku.php?id={name}&do=edit",
        _WRITE,
        _page,
        lambda row: (Effect(Change.CHANGED, f"page/{row['name']}", {"text": row["text"]}),),
        ("name",),
    ),
    AppTask(
        "dokuwiki",
        "write a new page from its empty place",
        "/doku.php?id={name}",
        (TaskStep("click", "link", "Create this page [e]"), *_WRITE),
        _new_page,
        lambda row: (Effect(Change.CREATED, f"page/{row['name']}", {"text": row["text"]}),),
        ("name",),
    ),
)
