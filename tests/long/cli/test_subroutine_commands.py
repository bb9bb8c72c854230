"""`perception record` and `perception subroutine`, on a service that runs, at an application that is hard to replay."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from perception.bench.suites.subroutines.subroutine_app import NotesApp
from perception.cli.subroutines import app as commands
from perception.cli.subroutines import record
from perception.server.app import Service
from perception.tool_names import tool_name
from perception.v1 import subroutine_service_pb2 as pb
from tests.long.server.test_subroutines import Tools
from tests.support.played_model import Played, says

pytestmark = pytest.mark.usefixtures("kept_contexts")

cli = typer.Typer()
cli.add_typer(commands, name="subroutine")
cli.command()(record)


@pytest.fixture
def played() -> Iterator[Played]:
    endpoint = Played()
    yield endpoint
    endpoint.close()


async def call(service: Service, *arguments: str, stdin: str = "") -> Result:
    """Runs a command beside the service, which lives in this process."""
    address = ("--address", service.context.settings.address)
    return await asyncio.to_thread(lambda: CliRunner().invoke(cli, [*arguments, *address], input=stdin))


async def test_subroutine_is_listed_shown_run_and_deleted(service: Service, tools: Tools, made: pb.Subroutine) -> None:
    app, name = tools.app, made.subroutine_id
    listed = json.loads((await call(service, "subroutine", "list", "--origin", app.url, "--format", "tools")).stdout)
    assert [each["name"] for each in listed] == [tool_name(made.name)]
    assert listed[0]["parameters"]["required"] == ["title", "text"]
    assert "networkOrDom" in (await call(service, "subroutine", "show", name)).stdout
    done = await call(service, "subroutine", "run", name, "-s", "title=From the shell", "-s", "text=x")
    assert (done.exit_code, tools.titles()[-1]) == (0, "From the shell")
    again = await call(service, "subroutine", "run", name, "-s", "title=From the shell", "-s", "text=x")
    assert (again.exit_code, "there is a note called From the shell already" in again.stderr) == (1, True)
    assert (await call(service, "subroutine", "run", name, "-s", "nonsense")).exit_code == 2
    assert (await call(service, "subroutine", "delete", name)).exit_code == 0
    assert (await call(service, "subroutine", "show", name)).exit_code == 2


async def test_batch_runs_each_row_once_and_goes_on_where_it_was(
    service: Service, tools: Tools, made: pb.Subroutine, tmp_path: Path
) -> None:
    rows, results = tmp_path / "rows.csv", tmp_path / "results.jsonl"
    rows.write_text("title,text\n" + "".join(f"Row {index % 5},x\n" for index in range(6)))
    first = await call(
        service, "subroutine", "batch", made.subroutine_id, str(rows), "--out", str(results), "--sessions", "2"
    )
    assert "5 succeeded, 0 unverified, 1 failed" in first.stdout
    assert sorted(tools.titles()) == sorted(["First note", *(f"Row {index}" for index in range(5))])
    failed = [each for each in map(json.loads, results.read_text().splitlines()) if each.get("success") is False]
    assert ["there is a note called" in each["error"] for each in failed] == [True]
    lines = results.read_text().splitlines(keepends=True)
    ended = next(line for line in lines if json.loads(line) | {"row": 6} == json.loads(line) and "ended" in line)
    results.write_text("".join(line for line in lines if line != ended))
    second = await call(service, "subroutine", "batch", made.subroutine_id, str(rows), "--out", str(results))
    assert "0 succeeded, 0 unverified, 0 failed, 5 had ended before, 1 are not known" in second.stdout
    assert "row 6 was begun before and never ended" in second.stderr
    assert len(tools.titles()) == 6


async def test_bad_row_fails_alone_and_failed_rows_are_run_again_when_asked(
    service: Service, tools: Tools, made: pb.Subroutine, tmp_path: Path
) -> None:
    rows, results = tmp_path / "rows.csv", tmp_path / "results.jsonl"
    command = ("subroutine", "batch", made.subroutine_id, str(rows), "--out", str(results))
    rows.write_text("title,text\nOne,x\n,x\nOne,x\nTwo\n")
    first = await call(service, *command)
    assert (first.exit_code, "1 succeeded, 0 unverified, 3 failed" in first.stdout) == (1, True)
    assert "row 2 cannot be run: parameter 'title' is missing" in first.stderr
    assert "row 4 cannot be run: it has more or fewer values" in first.stderr
    rows.write_text("title,text\nOne,x\nTwo,x\nThree,x\nFour,x\n")
    refused = await call(service, *command)
    assert (refused.exit_code, "row 3 is another one" in refused.stderr) == (2, True)
    second = await call(service, *command, "--retry-failed")
    assert (second.exit_code, "3 succeeded, 0 unverified, 0 failed, 1 had ended before" in second.stdout) == (0, True)
    assert sorted(tools.titles()) == ["First note", "Four", "One", "Three", "Two"]


async def test_language_model_computes_a_column_for_each_row(
    service: Service, tools: Tools, made: pb.Subroutine, tmp_path: Path, played: Played
) -> None:
    rows, results = tmp_path / "rows.csv", tmp_path / "results.jsonl"
    command = ("subroutine", "batch", made.subroutine_id, str(rows), "--out", str(results))
    rows.write_text("title,topic\nOne,cats\nTwo,\nThree,dogs\n")
    mapping = ("--map", "text=Write a sentence about {topic}")
    assert (await call(service, *command, *mapping)).exit_code == 2
    assert (await call(service, *command, "--map", "txt=x")).exit_code == 2
    played.replies = [says("Cats purr."), says(" "), says("")]
    done = await call(service, *command, *mapping, "--llm", "small", "--llm-url", played.url)
    assert "1 succeeded, 0 unverified, 2 failed" in done.stdout, done.stderr
    assert '"topic": "cats"' in played.asked[0][2]["messages"][1]["content"]
    ended = [each for each in map(json.loads, results.read_text().splitlines()) if each["state"] == "ended"]
    assert [each.get("computed") for each in ended] == [{"text": "Cats purr."}, None, None]
    assert "names the column 'topic', which the row does not have" in ended[1]["error"]
    assert "cannot be used: it is empty" in ended[2]["error"]
    assert sorted(tools.titles()) == ["First note", "One"]


async def test_recording_without_actions_is_reported(service: Service, app: NotesApp) -> None:
    recorded = await call(service, "record", f"{app.url}/rest", "--headless", stdin="\n")
    assert (recorded.exit_code, "Recorded at" in recorded.stdout) == (0, True)
    made = await call(service, "record", f"{app.url}/rest", "--headless", "--name", "Nothing", stdin="\n")
    assert (made.exit_code, "no effect" in made.stderr) == (1, True)


def test_recording_without_a_display_says_so_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    done = CliRunner().invoke(cli, ["record", "https://example.org"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: there is no display for the window")
    assert len(" ".join(done.stderr.split("\n")).split("error:")) == 2
