"""Streamlit: a page that a program draws, over a WebSocket."""

from __future__ import annotations

import json
from collections.abc import Sequence

from perception.bench.suites.subroutines.apps.app import PROGRAMS, App
from perception.bench.suites.subroutines.apps.app_task import AppTask
from perception.bench.suites.subroutines.effects import Change, Effect, State
from perception.bench.suites.subroutines.task import Row, TaskStep, word


class StreamlitApp(App):
    name = "streamlit"
    packages = "streamlit"
    ready = "/_stcore/health"
    quiet_s = 1.0

    def prepare(self) -> None:
        (self.state / "orders.jsonl").touch()

    def command(self) -> Sequence[str]:
        options = {
            "server.port": str(self.port),
            "server.address": "127.0.0.1",
            "server.headless": "true",
            "server.enableCORS": "false",
            "server.enableXsrfProtection": "false",
            "browser.gatherUsageStats": "false",
        }
        pairs = [text for key, value in options.items() for text in (f"--{key}", value)]
        return (self.python, "-m", "streamlit", "run", str(PROGRAMS / "streamlit_site.py"), *pairs)

    def truth(self) -> State:
        lines = (self.state / "orders.jsonl").read_text("utf-8").splitlines()
        return {f"order/{number}": json.loads(line) for number, line in enumerate(lines)}

    def change(self, record: str, name: str, value: str) -> None:
        raise NotImplementedError


def _order(app: App, number: int) -> Row:
    return {"customer": f"{word(number)} {word(number, 1)}", "product": word(number, 2)}


TASKS = (
    AppTask(
        "streamlit",
        "order a product",
        "/",
        (
            TaskStep("type", "textbox", "Customer", "{customer}"),
            TaskStep("type", "textbox", "Product", "{product}"),
            TaskStep("click", "button", "Order"),
            TaskStep("wait", value="has ordered"),
        ),
        _order,
        lambda row: (Effect(Change.CREATED, "order/", {"customer": row["customer"], "product": row["product"]}),),
    ),
)
