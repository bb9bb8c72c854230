"""A batch of a recorded task, by the command that users run: `perception subroutine batch`, and `--retry-failed`."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict

from perception.bench.suites.subroutines.apps.app import SignIn
from perception.bench.suites.subroutines.effects import RunAnswer
from perception.bench.suites.subroutines.snapshot_agent import perform
from perception.client import Client, Subroutines
from perception.subroutines.batch_rows import had_no_effect
from perception.v1 import subroutine_service_pb2 as pb

BATCH_SECONDS = 240.0
"""Limit of one command, with its login: a row takes 45 s at most."""

MAX_SAID = 300
"""Characters of what a command says that has not run a row."""


@dataclass(frozen=True, slots=True)
class BatchCommand:
    """The command over the rows of one file.

    Attributes:
        address: of the service.
        url: where the sessions begin.
        made: the subroutine.
        login: options of the command by which its sessions sign in.
        folder: for its files.
    """

    address: str
    url: str
    made: pb.Subroutine
    login: tuple[str, ...]
    folder: Path

    def run(self, rows: Sequence[Mapping[str, object]], *, retry_failed: bool = False) -> dict[int, RunAnswer]:
        """Runs it. Returns what it says of each row that it has to run, by the row's number from 1: of the rows without
        a result, or of those that failed without an effect. A row that it has not run failed with NOT_RUN."""
        given, results = self.folder / "rows.jsonl", self.folder / "results.jsonl"
        given.write_text("".join(json.dumps(row) + "\n" for row in rows))
        known = _lines(results)
        failed = [
            line["row"] for line in known if line["state"] == "ended" and not line["success"] and had_no_effect(line)
        ]
        options = (*self.login, *(("--retry-failed",) if retry_failed else ()))
        files = (str(given), "--out", str(results), "--address", self.address, "--url", self.url)
        command = (sys.executable, "-m", "perception", "subroutine", "batch", self.made.subroutine_id, *files, *options)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=BATCH_SECONDS, check=False)
            said = done.stderr.strip()
        except subprocess.TimeoutExpired:
            said = f"no end within {BATCH_SECONDS:g} s"
        ended = {line["row"]: _answer_of(line) for line in _lines(results)[len(known) :] if line["state"] == "ended"}
        wanted = failed if retry_failed else range(1, len(rows) + 1)
        return {number: ended.get(number, RunAnswer(False, "NOT_RUN", said[-MAX_SAID:])) for number in wanted}


def record_login(client: Client, url: str, sign_in: SignIn | None, name: str) -> tuple[str, ...]:
    """Records how one signs in, and returns the options by which a batch does it; none where nobody signs in."""
    if sign_in is None:
        return ()
    tools = Subroutines(client)
    with client.open(url + sign_in.path) as page:
        recording = tools.start(page)
        perform(page, sign_in.steps, {})
        stopped = tools.stop(page, recording)
    made = tools.create(stopped.recording_id, name=name)
    typed = [step.value for step in sign_in.steps if step.do == "type"]
    described = MessageToDict(made.parameters_schema).get("properties", {})
    shown = {str(example): key for key, of_key in described.items() for example in of_key.get("examples", ())}
    hidden = [key for key in described if key not in shown.values()]  # a password has no example
    given = {shown[value] if value in shown else hidden.pop(0): value for value in typed}
    options = [option for pair in given.items() for option in ("--login-with", "=".join(pair))]
    return ("--login", made.subroutine_id, *options)


def _lines(results: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []


def _answer_of(line: Mapping[str, Any]) -> RunAnswer:
    return RunAnswer(
        line["success"], line.get("reason", ""), line.get("error", ""), line.get("sent", False), json.dumps(line)
    )
