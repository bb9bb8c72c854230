"""TiddlyWiki on its own server: a page that is the application, with its entries as files."""

from __future__ import annotations

from collections.abc import Sequence

from perception.bench.suites.subroutines.apps.app import App
from perception.bench.suites.subroutines.apps.app_task import AppTask
from perception.bench.suites.subroutines.effects import Change, Effect, State
from perception.bench.suites.subroutines.task import Row, TaskStep, word


class TiddlyWikiApp(App):
    name = "tiddlywiki"
    packages = "tiddlywiki"
    ready = "/status"
    quiet_s = 2.0

    def _program(self, *command: str) -> Sequence[str]:
        script = self.folder / "node_modules/tiddlywiki/tiddlywiki.js"
        return ("node", str(script), str(self.state / "wiki"), *command)

    def prepare(self) -> None:
        self.run(*self._program("--init", "server"))

    def command(self) -> Sequence[str]:
        return self._program("--listen", "host=127.0.0.1", f"port={self.port}")

    def truth(self) -> State:
        found = {}
        for each in sorted((self.state / "wiki/tiddlers").glob("*.tid")):
            head, _, text = each.read_text("utf-8").partition("\n\n")
            fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
            title = fields.get("title", "")  # empty while the file is written
            if title and not title.startswith(("$:/", "Draft of")):
                found[f"tiddler/{title}"] = {"text": text, "tags": fields.get("tags", "")}
        return found

    def change(self, record: str, name: str, value: str) -> None:
        raise NotImplementedError


def _tiddler(app: App, number: int) -> Row:
    return {"title": f"{word(number)} {word(number, 1)}", "tag": word(number, 2)}


TASKS = (
    AppTask(
        "tiddlywiki",
        "write a tiddler with a tag",
        "/",
        (
            TaskStep("click", "button", "new tiddler"),
            TaskStep("type", selector="input.tc-titlebar", value="{title}"),
            TaskStep("type", "textbox", "tag name", "{tag}"),
            TaskStep("click", "button", "add"),
            TaskStep("click", "button", "Confirm changes to this tiddler"),
        ),
        _tiddler,
        lambda row: (Effect(Change.CREATED, "tiddler/", {"tags": row["tag"]}),),
    ),
)
