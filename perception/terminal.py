"""What the commands of all rooms share: where they print, how they fail, the `--format` option.

Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 failure, 2 bad input with one
clear line, 130 interrupted. `perception.plain_output` is the part of it that needs no library.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console

from perception.errors import BadInputError, PerceptionError
from perception.page_words import unmarked_words
from perception.plain_output import BAD_INPUT, FAILED, INTERRUPTED, tame, write

__all__ = [
    "BAD_INPUT",
    "FAILED",
    "INTERRUPTED",
    "Output",
    "OutputFormat",
    "check_writable",
    "err",
    "fail",
    "out",
    "reporting_errors",
    "tame",
    "write",
]


class OutputFormat(Enum):
    """What is printed."""

    TEXT = "text"
    JSON = "json"


Output = Annotated[OutputFormat, typer.Option("--format", help="Text for reading, or the protobuf JSON form.")]


class _TameConsole(Console):
    """Prints texts that may come from a page."""

    def print(self, *objects: Any, **options: Any) -> None:
        super().print(*(tame(each) if isinstance(each, str) else each for each in objects), **options)


out = _TameConsole(highlight=False, soft_wrap=True)
err = _TameConsole(stderr=True, highlight=False, soft_wrap=True)


def check_writable(*paths: Path | None) -> None:
    """Refuses files that cannot be written before the work is done for them. Raises BadInputError."""
    for path in paths:
        if path is not None and not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
            raise BadInputError(f"{path} cannot be written: there is no such folder, or it is read-only")


def fail(message: object, code: int) -> NoReturn:
    """Prints one line on standard error and ends the command with that exit code."""
    err.print(f"error: {unmarked_words(str(message))}", markup=False)
    raise typer.Exit(code)


@contextmanager
def reporting_errors() -> Iterator[None]:
    """Turns our errors into one line on standard error and an exit code: 2 for bad input, 1 for failures."""
    try:
        yield
    except BadInputError as exc:
        fail(exc, BAD_INPUT)
    except (PerceptionError, OSError) as exc:
        fail(exc, FAILED)
    except KeyboardInterrupt as exc:
        raise typer.Exit(INTERRUPTED) from exc
