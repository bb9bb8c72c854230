"""Options that several commands have, and `service_command`, which gives a command those of how to authenticate."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from perception.cli.failures import reporting_errors

SETTLE_SECONDS = 3.0
"""For applications that build their page by script; a page at rest is captured at once."""

TEXT_TOKENS = 8000
"""Default limit on printed text, o200k tokens: about 13 times an average screen. A page may have 1.4 million, and an
agent reads all that a command prints."""

Address = Annotated[str, typer.Option(help="A running service, HOST:PORT or unix:PATH. Default: start one for this.")]
Timeout = Annotated[float, typer.Option(min=0.1, help="Seconds for the whole call.")]
Settle = Annotated[float, typer.Option(min=0, help="Longest wait for the page to come to rest, in seconds.")]
Url = Annotated[str, typer.Argument(help="The page, or `demo` for the bundled demo page.")]
Device = Annotated[
    str, typer.Option(help="Open the page as this device, a name of `perception devices`, such as 'iPhone 15'.")
]
Profile = Annotated[str, typer.Option(help="Use logins that the service keeps by this name, and keep them at the end.")]
State = Annotated[
    Path | None, typer.Option(help="Begin with logins of this file: state, cookies.txt, cookies as JSON, cURL command.")
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        min=0, help=f"Limit on the text (o200k tokens); 0 for none. Default: {TEXT_TOKENS}, and none for JSON."
    ),
]
Annotate = Annotated[Path | None, typer.Option(help="Write the annotated screenshot here (PNG).")]

ACCESS: dict[str, Any] = {
    "token_file": Annotated[
        Path | None, typer.Option(envvar="PERCEPTION_TOKEN_FILE", help="With --address: file with the token to send.")
    ],
    "tls_ca": Annotated[
        Path | None,
        typer.Option(
            envvar="PERCEPTION_TLS_CA", help="With --address: authority that signed the service's certificate (PEM)."
        ),
    ],
    "tls_client_cert": Annotated[
        Path | None,
        typer.Option(envvar="PERCEPTION_TLS_CLIENT_CERT", help="With --address: the client's certificate (PEM)."),
    ],
    "tls_client_key": Annotated[
        Path | None, typer.Option(envvar="PERCEPTION_TLS_CLIENT_KEY", help="With --address: its private key (PEM).")
    ],
}
"""Options of every command that calls a service."""


def token_limit(given: int | None, *, as_json: bool) -> int:
    """The limit on an answer's text: as given, else the default, which only text has, since programs read JSON."""
    if given is not None:
        return given
    return 0 if as_json else TEXT_TOKENS


_access: ContextVar[dict[str, Any] | None] = ContextVar("perception_access", default=None)


def service_command(command: Callable[..., None]) -> Callable[..., None]:
    """A command that calls a service: with the options of how to authenticate, and with clear errors."""
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
        with reporting_errors():
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
    """How the running command authenticates, as `perception.connect` takes it."""
    return _access.get() or {}
