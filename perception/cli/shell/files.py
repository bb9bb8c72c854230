"""Commands for files: downloads to this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from perception.cli.shell.context import Context
from perception.cli.shell.results import Result
from perception.errors import BadInputError
from perception.interaction.answers import lines
from perception.interaction.report import download_line
from perception.v1 import session_service_pb2 as session_pb


async def download(context: Context) -> Result:
    """Saves a download of the session on this machine, or lists all."""
    values = context.values
    session = context.session()
    if values["list"]:
        found = await session.page.downloads(timeout_s=context.left_s)
        told = lines(*(download_line(session.state, each) for each in found)) or "this session has no download"
        return Result(told, session_pb.Session(downloads=found))
    with progress_bar("download") as on_progress:
        path = await session.page.save_download(
            Path(values["out"] or "."), values["id"] or "", on_progress=on_progress, timeout_s=context.left_s
        )
    return Result(f"{path}: {path.stat().st_size} bytes", data={"path": str(path), "sizeBytes": path.stat().st_size})


async def print_page(context: Context) -> Result:
    """Prints the page to a PDF."""
    values = context.values
    out = writable_file(values["out"], "print")
    given = {
        "paper": values["paper"],
        "landscape": values["landscape"] or None,
        "margins": values["margin"],
        "page_ranges": values["pages"],
        "background": values["background"] or None,
        "scale": values["scale"],
        "reveal_sensitive": values["reveal_sensitive"] or None,
    }
    options = {name: value for name, value in given.items() if value is not None}
    await context.session().page.pdf(out, timeout_s=context.left_s, **options)
    size = out.stat().st_size
    return Result(f"{out}: {size} bytes", data={"path": str(out), "sizeBytes": size})


@contextmanager
def progress_bar(name: str) -> Iterator[Callable[[int, int], object] | None]:
    """Shows how far a transfer is, where a person watches; None where nobody does.

    Yields:
        What is called with the bytes so far and in all.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(name, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


def writable_file(path: str, command: str) -> Path:
    """Refuses a file that cannot be written before the work is done for it. Raises BadInputError."""
    out = Path(path)
    if out.is_dir() or not out.parent.is_dir() or not os.access(out.parent, os.W_OK):
        raise BadInputError(f"{command}: {out} cannot be written: name a file in a folder that can")
    return out
