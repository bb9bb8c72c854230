"""`perception record` and `perception subroutine`: tasks recorded once, and run again as tools."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from google.protobuf.json_format import MessageToDict
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from perception.cli.batch_run import Batch
from perception.cli.command_options import Address, Timeout, service_command
from perception.cli.printing import print_json
from perception.cli.service import find_subroutine, hosts_of, page_url_of, service_client
from perception.cli.subroutine_changes import edit, read_text, refine
from perception.client import Client, Page, Subroutines
from perception.client.plain_values import tool_of, tools_of
from perception.errors import BadInputError
from perception.host_os import has_display
from perception.page_words import unmarked_words
from perception.subroutines.batch_rows import read_rows, resume
from perception.terminal import FAILED, check_writable, err, out, write
from perception.v1 import subroutine_service_pb2 as pb

app = typer.Typer(name="subroutine", help="Tasks recorded once, run again as tools.", no_args_is_help=True)
app.command()(refine)
app.command()(edit)


class PlanName(Enum):
    """How a subroutine does its task."""

    AUTO = "auto"
    DOM = "dom"
    NETWORK = "network"
    HYBRID = "hybrid"


class ListFormat(Enum):
    """What is printed of subroutines: for reading, the protobuf JSON form, or tools for an agent."""

    TEXT = "text"
    JSON = "json"
    TOOLS = "tools"


Plan = Annotated[PlanName, typer.Option(help="How it does the task. Default: chosen from the recording.")]
Name = Annotated[str, typer.Option(help="What it is called, such as add_user.")]
Description = Annotated[str, typer.Option(help="What it does, for agents that choose among tools.")]
Parameters = Annotated[
    list[str] | None, typer.Option("--set", "-s", help="NAME=VALUE; may be repeated. VALUE is JSON, else text.")
]
Rename = Annotated[list[str] | None, typer.Option(help="OLD=NEW: another name for a parameter; may be repeated.")]

Url = Annotated[str, typer.Option(help="Page to begin at. Default: the root of its origin.")]
Login = Annotated[str, typer.Option(help="A subroutine that logs in, run first in each session.")]
LoginWith = Annotated[list[str] | None, typer.Option(help="NAME=VALUE for --login; may be repeated.")]


@service_command
def record(
    url: Annotated[str, typer.Argument(help="Where the task begins, or `demo` for the bundled demo page.")],
    name: Annotated[str, typer.Option(help="Make a subroutine of this name.")] = "",
    description: Description = "",
    plan: Plan = PlanName.AUTO,
    rename: Rename = None,
    headless: Annotated[
        bool, typer.Option("--headless", help="Without a window: another client does the task.")
    ] = False,
    output: Annotated[ListFormat, typer.Option("--format", help="For reading, or JSON.")] = ListFormat.TEXT,
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Record a task that is done in a browser window, until Enter is pressed here."""
    if not headless and not address:
        _require_display()
        os.environ.setdefault("PERCEPTION_HEADLESS", "false")  # for the service that is started for this
    with page_url_of(url) as page_url, service_client(address, hosts_of(url, page_url), timeout) as client:
        tools = Subroutines(client)
        with client.open(page_url) as page:
            recording_id = tools.start(page)
            err.print(f"recording session {page.session_id}: do the task, then press Enter here", markup=False)
            sys.stdin.readline()
            stopped = tools.stop(page, recording_id)
        made = _create(tools, [recording_id], name, description, plan, rename) if name else None
    if output is not ListFormat.TEXT:
        print_json(made or stopped)
        return
    out.print(f"recording {recording_id}", markup=False)
    out.print(stopped.context, markup=False)
    for each in stopped.open_requests:
        err.print(f"{each} had not ended: record the task again and wait for its answer", markup=False)
    if made is not None:
        _print_made(made)


@app.command()
@service_command
def create(
    recording: Annotated[list[str], typer.Argument(help="One recording, or two of the same task.")],
    name: Name,
    description: Description = "",
    plan: Plan = PlanName.AUTO,
    rename: Rename = None,
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Make a subroutine of one recording, or of two of the same task with other values."""
    with service_client(address, (), timeout) as client:
        _print_made(_create(Subroutines(client), recording, name, description, plan, rename))


@app.command("list")
@service_command
def list_all(
    origin: Annotated[str, typer.Option(help="Only those of this origin.")] = "",
    output: Annotated[ListFormat, typer.Option("--format", help="For reading, JSON, or as an agent's tools.")] = (
        ListFormat.TEXT
    ),
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """List subroutines."""
    with service_client(address, (), timeout) as client:
        found = Subroutines(client).all(origin)
    if output is ListFormat.JSON:
        print_json(pb.ListSubroutinesResponse(subroutines=found))
    elif output is ListFormat.TOOLS:
        write(json.dumps(tools_of(found), ensure_ascii=False, indent=2) + "\n")
    else:
        for each in found:
            plan = pb.PlanKind.Name(each.plan).removeprefix("PLAN_KIND_").lower()
            changed = ", changed by hand" if each.changed_by_hand else ""
            names = ", ".join(tool_of(each)["parameters"]["properties"])
            out.print(f"{each.subroutine_id}  {plan}{changed}  {each.origin}  ({names})", markup=False)


@app.command()
@service_command
def show(
    subroutine_id: Annotated[str, typer.Argument(help="As `list` prints it.")],
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Print a subroutine's parameters and script."""
    with service_client(address, (), timeout) as client:
        made = find_subroutine(Subroutines(client), subroutine_id)
    _print_made(made)


@app.command()
@service_command
def delete(
    subroutine_id: Annotated[str, typer.Argument(help="As `list` prints it.")],
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Delete a subroutine and its files."""
    with service_client(address, (), timeout) as client:
        Subroutines(client).delete(subroutine_id)


@app.command()
@service_command
def run(
    subroutine_id: Annotated[str, typer.Argument(help="As `list` prints it.")],
    parameters: Parameters = None,
    url: Url = "",
    login: Login = "",
    login_with: LoginWith = None,
    output: Annotated[ListFormat, typer.Option("--format", help="For reading, or JSON.")] = ListFormat.TEXT,
    address: Address = "",
    timeout: Timeout = 60.0,
) -> None:
    """Run a subroutine once."""
    given = _given(parameters or [])
    with (
        _at_origin(address, subroutine_id, url, timeout) as (client, made, start_url),
        _open_page(client, start_url, login, login_with or []) as page,
    ):
        done = Subroutines(client).run(page, made.subroutine_id, given)
    if output is ListFormat.TEXT:
        for step in done.steps:
            out.print(f"{'ok  ' if step.done else 'FAIL'} {step.description}", markup=False)
        out.print(json.dumps(MessageToDict(done.data), ensure_ascii=False), markup=False)
    else:
        print_json(done)
    if not done.success:
        err.print(f"error: {unmarked_words(done.error)}", markup=False)
        raise typer.Exit(FAILED)


@app.command()
@service_command
def batch(
    subroutine_id: Annotated[str, typer.Argument(help="As `list` prints it.")],
    rows: Annotated[Path, typer.Argument(help="CSV with a header, or JSON Lines; columns are parameters.")],
    results: Annotated[Path, typer.Option("--out", help="Results (JSON Lines). An existing file is continued.")],
    sessions: Annotated[int, typer.Option(min=1, help="Sessions at once.")] = 1,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run again what failed before it had an effect.")
    ] = False,
    rate: Annotated[float, typer.Option(min=0, help="Rows a minute at most; 0 for no limit.")] = 0.0,
    computed: Annotated[
        list[str] | None,
        typer.Option("--map", help="NAME=INSTRUCTION: --llm computes this column; {column} is the row's cell."),
    ] = None,
    llm: Annotated[str, typer.Option(help="A language model for --map.")] = "",
    llm_url: Annotated[str, typer.Option(help="Address of its OpenAI-compatible endpoint, up to /v1.")] = "",
    llm_key_variable: Annotated[str, typer.Option(help="Environment variable with its key, if it needs one.")] = "",
    url: Url = "",
    login: Login = "",
    login_with: LoginWith = None,
    address: Address = "",
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for each row.")] = 60.0,
) -> None:
    """Run a subroutine over many rows, each at most once."""
    from perception.cli.mapped_columns import MappedColumns  # with what counts tokens, which takes time to load
    from perception.llm.endpoint import Endpoint

    check_writable(results)
    endpoint = Endpoint(llm_url, llm, llm_key_variable) if llm or llm_url else None
    with _at_origin(address, subroutine_id, url, timeout) as (client, made, start_url):
        schema = tool_of(made)["parameters"]
        columns = MappedColumns(computed or (), endpoint, schema)
        is_csv = rows.suffix.lower() == ".csv"
        found, bad = read_rows(read_text(rows), schema, is_csv=is_csv, computed=columns.names, sources=columns.sources)
        resumed = resume(found, read_text(results) if results.exists() else "", retry_failed=retry_failed)
        for each in bad:
            err.print(f"row {each.number} cannot be run: {each.error}", markup=False)
        work = Batch(
            client,
            made,
            lambda: _open_page(client, start_url, login, login_with or []),
            results,
            columns.complete,
            rows_a_minute=rate,
            timeout_s=timeout,
        )
        shown = (TextColumn("rows"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*shown, console=err) as progress:
            bar = progress.add_task("rows", total=len(found), completed=len(found) - len(resumed.left))
            work.run(resumed.left, bad, sessions, lambda _: progress.advance(bar))
    for row in resumed.unknown:
        err.print(f"row {row.number} was begun before and never ended: look whether it was done", markup=False)
    for row in resumed.doubtful:
        err.print(f"row {row.number} failed after something was sent: look whether it was done", markup=False)
    out.print(
        f"{work.succeeded} succeeded, {work.unverified} unverified, {work.failed} failed, {resumed.ended} had ended "
        f"before, {len(resumed.unknown)} are not known"
    )
    if work.failed or work.unverified or resumed.unknown:
        raise typer.Exit(FAILED)


def _require_display() -> None:
    """Raises BadInputError where no window can be shown."""
    if not has_display():
        raise BadInputError(
            "there is no display for the window (neither DISPLAY nor WAYLAND_DISPLAY is set): run it in a desktop "
            "session or under xvfb-run, or use --headless and let another client do the task"
        )


@contextmanager
def _at_origin(
    address: str, subroutine_id: str, url: str, timeout: float
) -> Iterator[tuple[Client, pb.Subroutine, str]]:
    """A client that may open a subroutine's origin, the subroutine, and where to begin."""
    with service_client(address, (), timeout) as client:
        made = find_subroutine(Subroutines(client), subroutine_id)
        start_url = url or f"{made.origin}/"
        if address:
            yield client, made, start_url
            return
    with service_client("", hosts_of("", start_url), timeout) as client:
        yield client, made, start_url


def _open_page(client: Client, url: str, login: str, login_with: list[str]) -> Page:
    """A session at a page, logged in if a login is given.

    Raises:
        BadInputError: the login did not succeed.
    """
    page = client.open(url)
    try:
        if login:
            tools = Subroutines(client)
            done = tools.run(page, find_subroutine(tools, login).subroutine_id, _given(login_with))
            if not done.success:
                raise BadInputError(f"the login did not succeed: {unmarked_words(done.error)}")
    except BaseException:
        page.close()
        raise
    return page


def _create(
    tools: Subroutines, recordings: list[str], name: str, description: str, plan: PlanName, rename: list[str] | None
) -> pb.Subroutine:
    wanted = "" if plan is PlanName.AUTO else plan.value
    pairs = [each.partition("=") for each in rename or ()]
    for old, _, new in pairs:
        if not old or not new:
            raise BadInputError(f"{old[:60]!r} is not a new name: write --rename OLD=NEW")
    names = {old: new for old, _, new in pairs}
    return tools.create(*recordings, name=name, description=description, plan=wanted, rename=names)


def _print_made(made: pb.Subroutine) -> None:
    out.print(f"{made.subroutine_id} on {made.origin}", markup=False)
    out.print(made.plan_reason, markup=False)
    out.print(json.dumps(tool_of(made)["parameters"], ensure_ascii=False, indent=2), markup=False)
    out.print(made.body, markup=False)


def _given(parameters: list[str]) -> Mapping[str, Any]:
    """The values of NAME=VALUE pairs: JSON where they are JSON, else text. Raises BadInputError."""
    given: dict[str, Any] = {}
    for each in parameters:
        name, found, text = each.partition("=")
        if not found or not name:
            raise BadInputError(f"{each[:60]!r} is not a parameter: write NAME=VALUE")
        try:
            given[name] = json.loads(text)
        except ValueError:
            given[name] = text
    return given
