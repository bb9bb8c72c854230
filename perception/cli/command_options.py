"""Options that several commands have, and `service_command`, which gives a command those of how to authenticate."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from perception.cli.failures import reporting_errors
from perception.client.access_options import with_access_options

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


def token_limit(given: int | None, *, as_json: bool) -> int:
    """The limit on an answer's text: as given, else the default, which only text has, since programs read JSON."""
    if given is not None:
        return given
    return 0 if as_json else TEXT_TOKENS


_access: ContextVar[dict[str, Any] | None] = ContextVar("perception_access", default=None)


def service_command(command: Callable[..., None]) -> Callable[..., None]:
    """A command that calls a service: with the options of how to authenticate, and with clear errors."""

    @wraps(command)
    def run(access: dict[str, Any], **given: Any) -> None:
        _access.set(access)
        with reporting_errors():
            command(**given)

    return with_access_options(run)


def access_options() -> dict[str, Any]:
    """How the running command authenticates, as `perception.connect` takes it."""
    return _access.get() or {}
