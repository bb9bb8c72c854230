"""Options of a command that calls a service: how it authenticates. For commands alone, as it loads Typer."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

_OPTIONS: dict[str, tuple[str, Any]] = {
    "token_file": (
        "token_file",
        Annotated[
            Path | None,
            typer.Option(envvar="PERCEPTION_TOKEN_FILE", help="With --address: file with the token to send."),
        ],
    ),
    "tls_ca": (
        "root_certificates",
        Annotated[
            Path | None,
            typer.Option(
                envvar="PERCEPTION_TLS_CA",
                help="With --address: authority that signed the service's certificate (PEM).",
            ),
        ],
    ),
    "tls_client_cert": (
        "client_certificate",
        Annotated[
            Path | None,
            typer.Option(envvar="PERCEPTION_TLS_CLIENT_CERT", help="With --address: the client's certificate (PEM)."),
        ],
    ),
    "tls_client_key": (
        "client_key",
        Annotated[
            Path | None,
            typer.Option(envvar="PERCEPTION_TLS_CLIENT_KEY", help="With --address: its private key (PEM)."),
        ],
    ),
}
"""By the parameter of the command: the argument of `perception.client.access.prepare_access`, and the option."""


def with_access_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command with these options. It gets them as `access`, which `perception.connect` takes."""
    signature = inspect.signature(command, eval_str=True)

    @wraps(command)
    def run(**given: Any) -> None:
        access = {argument: given.pop(name) for name, (argument, _) in _OPTIONS.items()}
        command(**given, access=access)

    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, (_, kind) in _OPTIONS.items()
    ]
    own = [
        each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, each in signature.parameters.items()
        if name != "access"
    ]
    run.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in (*own, *added)}
    return run
