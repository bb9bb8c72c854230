"""What the commands share: where they print, which service they talk to, how they fail.

Results go to standard output, everything else to standard error.

Rule 1: a page's words do nothing to the terminal that shows them: its control characters are told, not sent.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
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
from perception.render.words import UNSAFE, escape_character

FAILED, BAD_INPUT = 1, 2

SETTLE_SECONDS = 3.0
"""For applications that build their page by script; a page at rest is looked at at once."""

_BAD_INPUT_CODES = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.OUT_OF_RANGE,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.UNIMPLEMENTED,
}

_CONTROL = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f]|{UNSAFE.pattern}")
"""What a terminal may obey, but for tabs and line ends: U+009B begins commands as ESC [ does (ECMA-48, 5.4)."""


def tame(text: str) -> str:
    """A text that a terminal only shows."""
    return _CONTROL.sub(escape_character, text)


class _Tame(Console):
    """Prints texts that may be a page's."""

    def print(self, *objects: Any, **options: Any) -> None:
        super().print(*(tame(each) if isinstance(each, str) else each for each in objects), **options)


out = _Tame(highlight=False, soft_wrap=True)
err = _Tame(stderr=True, highlight=False, soft_wrap=True)


def write(text: str) -> None:
    """To standard output: as it is into files and pipes, tame where a person looks on."""
    sys.stdout.write(tame(text) if sys.stdout.isatty() else text)
    sys.stdout.flush()


Address = Annotated[str, typer.Option(help="A running service, HOST:PORT or unix:PATH. Default: one of our own.")]
Timeout = Annotated[float, typer.Option(min=0.1, help="Seconds for the whole call.")]


ACCESS: dict[str, Any] = {
    "token_file": Annotated[
        Path | None, typer.Option(envvar="PERCEPTION_TOKEN_FILE", help="With --address: file with the token to show.")
    ],
    "tls_ca": Annotated[
        Path | None,
        typer.Option(
            envvar="PERCEPTION_TLS_CA", help="With --address: authority that the service is trusted by (PEM)."
        ),
    ],
    "tls_client_cert": Annotated[
        Path | None,
        typer.Option(envvar="PERCEPTION_TLS_CLIENT_CERT", help="With --address: certificate to show (PEM)."),
    ],
    "tls_client_key": Annotated[
        Path | None, typer.Option(envvar="PERCEPTION_TLS_CLIENT_KEY", help="With --address: its key (PEM).")
    ],
}
"""Options of every command that talks to a service."""

_access: ContextVar[dict[str, Any] | None] = ContextVar("perception_access", default=None)


def talks_to_service(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the options of how to be let in, which `service_client` uses."""
    signature = inspect.signature(command, eval_str=True)

    @wraps(command)
    def run(**given: Any) -> None:
        files = {name: given.pop(name) for name in ACCESS}
        _access.set(
            {
                "token_file": files["token_file"],
                "root_certificates": files["tls_ca"],
                "client_certificate": files["tls_client_cert"],
                "client_key": files["tls_client_key"],
            }
        )
        command(**given)

    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in ACCESS.items()
    ]
    own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in signature.parameters.values()]
    run.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in (*own, *added)}
    return run


def access_options() -> dict[str, Any]:
    """As `perception.connect` takes them, of the command that runs."""
    return _access.get() or {}


def print_json(message: Any) -> None:
    """The protobuf JSON form."""
    text = MessageToJson(message, always_print_fields_with_no_presence=False, ensure_ascii=False)
    write(json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n")


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
    with connect(address or None, allow_hosts=hosts, timeout_s=timeout, **access_options()) as client:
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
