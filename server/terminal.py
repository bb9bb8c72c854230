"""What the commands share: where they print, which service they talk to, how they fail.

Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import grpc
import typer
from google.protobuf.json_format import MessageToJson
from rich.console import Console

from perception.client import Client, RemoteError, connect
from perception.demo import serve_demo
from perception.errors import BadInputError, PerceptionError

FAILED, BAD_INPUT = 1, 2

SETTLE_SECONDS = 3.0
"""For applications that build their page by script; a page at rest is looked at at once."""

_BAD_INPUT_CODES = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.OUT_OF_RANGE,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.UNIMPLEMENTED,
}

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


Address = Annotated[str, typer.Option(help="A running service, HOST:PORT or unix:PATH. Default: one of our own.")]
Timeout = Annotated[float, typer.Option(min=0.1, help="Seconds for the whole call.")]


def print_json(message: Any) -> None:
    """The protobuf JSON form."""
    text = MessageToJson(message, always_print_fields_with_no_presence=False, ensure_ascii=False)
    sys.stdout.write(json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n")


def check_writable(*paths: Path | None) -> None:
    """Before the work, so that it is not lost."""
    for path in paths:
        if path is not None and not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
            raise BadInputError(f"{path} cannot be written: there is no such folder, or it is read-only")


@contextmanager
def page_url_of(url: str) -> Iterator[str]:
    """`demo` serves the bundled page for as long as it is needed."""
    if url != "demo":
        yield url
        return
    with serve_demo() as demo:
        yield demo.url


def hosts_of(given: str, url: str) -> tuple[str, ...]:
    """A host that the user names is allowed; the demo page has two."""
    if given == "demo":
        return "127.0.0.1", "localhost"
    try:
        host = urlsplit(url).hostname
    except ValueError:
        host = None  # the service says what is wrong with it
    return (host,) if host else ()


@contextmanager
def service_client(address: str, hosts: tuple[str, ...], timeout: float) -> Iterator[Client]:
    """Of the service at an address; of one of our own, that may open pages of these hosts, where there is none."""
    with connect(address or None, allow_hosts=hosts, timeout_s=timeout) as client:
        yield client


@contextmanager
def failing_clearly() -> Iterator[None]:
    """One line on standard error, and the exit code that tells bad input from failure."""
    try:
        yield
    except RemoteError as exc:
        err.print(f"error: {exc}", markup=False)
        raise typer.Exit(BAD_INPUT if exc.code in _BAD_INPUT_CODES else FAILED) from exc
    except BadInputError as exc:
        err.print(f"error: {exc}", markup=False)
        raise typer.Exit(BAD_INPUT) from exc
    except (PerceptionError, OSError) as exc:
        err.print(f"error: {exc}", markup=False)
        raise typer.Exit(FAILED) from exc
    except KeyboardInterrupt as exc:
        raise typer.Exit(130) from exc
