"""What becomes of a service to which all kinds of bad things happen.

python -m perception.bench.faults [--way WORD…]

After each fault: what its callers were told, whether anything was lost that had been acknowledged or done twice, and
how long it took until a new session could be opened, looked at and pressed in. At the end: what has leaked.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from perception.bench.fault_lab import Lab, serve_site
from perception.bench.fault_ways import WAYS, SkippedError
from perception.bench.machine import chromium_version, machine_facts
from perception.bench.report.files import put_out
from perception.bench.report.model import Cell, Column, Report, Table, Unit
from perception.browser.footprint import process_tree
from perception.client import RemoteError
from perception.errors import BadInputError, first_line

FILES_SLACK = 8
"""Open files that may be more at the end: connections of ours, pools of threads."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, what was told of it, and seconds until the service worked again. `wrong`: what must not be."""

    way: str
    told: str
    again_s: float | None = None
    wrong: str = ""
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class Belongings:
    """What a service holds when it has no sessions."""

    processes: int
    files: int
    threads: int
    folders: int


async def run_faults(ways: list[str]) -> tuple[list[Fault], Belongings, Belongings]:
    """Every fault in turn, on one service (some of them end it, and start it again)."""
    # A short name: else browsers would have their sockets in another folder, where nobody counts what is left.
    with serve_site() as site, tempfile.TemporaryDirectory(prefix="pf-") as name:
        folder = Path(name)
        os.chmod(name, 0o755)  # the browser's user has to pass through
        lab = Lab(site, folder)
        await lab.start()
        try:
            for _ in range(2):
                counted = await lab.open()
                await counted.page.snapshot(mode="vision")
                await counted.page.close()
            before = belongings(lab)
            found = []
            for each in ways:
                found.append(await _inject(lab, each))
                typer.echo(f"{found[-1].way}: {found[-1].wrong or found[-1].told}", err=True)
            after = belongings(lab)
            log = (folder / "log").read_text()
        finally:
            await lab.stop()
    if "internal error" in log:
        lines = [line for line in log.splitlines() if "internal error" in line]
        found.append(Fault("the service's log", "", wrong=f"{len(lines)} internal errors: {lines[0][:1500]}"))
    return found, before, after


async def _inject(lab: Lab, way: str) -> Fault:
    lab.pages.clear()
    try:
        told, wrong = await asyncio.wait_for(WAYS[way](lab), 240), ""
    except SkippedError as exc:
        return Fault(way, str(exc), skipped=True)
    except (AssertionError, RemoteError, TimeoutError) as exc:
        told, wrong = "", first_line(exc)
    try:
        await lab.close_sessions()
        again_s: float | None = await lab.works_again()
    except (RemoteError, TimeoutError) as exc:
        again_s, wrong = None, wrong or f"it does not work again: {first_line(exc)}"
    wrong = "; ".join(filter(None, (wrong, *lab.wrong_counts())))
    return Fault(way, told, again_s, wrong)


def belongings(lab: Lab) -> Belongings:
    return Belongings(
        processes=len(process_tree(lab.pid)),
        files=len(os.listdir(f"/proc/{lab.pid}/fd")),
        threads=len(os.listdir(f"/proc/{lab.pid}/task")),
        folders=len(list(lab.temporary.iterdir())),
    )


def faults_report(
    found: list[Fault], before: Belongings, after: Belongings, machine: dict[str, str], command: str
) -> Report:
    """A row for each fault, and what there was before and after all of them."""
    rows: list[tuple[Cell, ...]] = [
        (each.way, each.told, each.again_s, "not injected" if each.skipped else each.wrong or "as it should be")
        for each in found
    ]
    columns = (Column("fault"), Column("callers were told"), Column("s to work again", Unit.NUMBER), Column("verdict"))
    held: list[tuple[Cell, ...]] = [
        ("processes", before.processes, after.processes),
        ("open files of the service", before.files, after.files),
        ("its threads", before.threads, after.threads),
        ("temporary folders", before.folders, after.folders),
    ]
    injected = [each for each in found if not each.skipped]
    wrong = [each for each in injected if each.wrong]
    slowest = max((each.again_s or 0.0 for each in injected), default=0.0)
    return Report(
        title="Faults",
        summary=(
            f"{len(injected)} faults, {len(wrong)} with something that must not be; "
            f"at most {slowest:.1f} s until the service worked again.",
        ),
        facts=machine,
        tables=(
            Table("faults", "Faults", columns, tuple(rows), "Acknowledged presses are counted by the site."),
            Table(
                "held",
                "Without a session, before and after all",
                (Column(""), Column("before", Unit.COUNT), Column("after", Unit.COUNT)),
                tuple(held),
            ),
        ),
        charts=(),
        skipped=(),
        command=command,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def main(
    way: Annotated[list[str] | None, typer.Option(help="Only faults with this word in their name; repeatable.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the report as one HTML file.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write the report as Markdown.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write every number as JSON.")] = None,
) -> None:
    """Inject them, and print a report. Exits with 1 when something was lost, done twice, or leaked."""
    chosen = [each for each in WAYS if not way or any(word in each for word in way)]
    if not chosen:
        raise BadInputError(f"no fault's name has {' or '.join(way or [])} in it: leave --way out for all of them")
    machine = machine_facts(chromium_version())
    found, before, after = asyncio.run(run_faults(chosen))
    command = " ".join(["python -m perception.bench.faults", *sys.argv[1:]])
    put_out(faults_report(found, before, after, machine, command), html, markdown, json_file)
    leaked = after.files > before.files + FILES_SLACK or after.processes > before.processes
    if leaked or after.folders > before.folders or any(each.wrong for each in found):
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
