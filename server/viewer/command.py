"""The command `perception view`. What it runs with is imported when it runs."""

from __future__ import annotations

import asyncio
import signal
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from perception.client.access_options import with_access_options
from perception.terminal import err, reporting_errors

if TYPE_CHECKING:
    from perception.server.viewer.options import ViewerOptions

DEFAULT_ADDRESS = "127.0.0.1:50051"

Address = Annotated[str, typer.Option(help="The service, HOST:PORT or unix:PATH.")]
Listen = Annotated[str, typer.Option(help="HOST:PORT of the viewer; port 0 takes a free one.")]
NoOpen = Annotated[bool, typer.Option("--no-open", help="Only print the link.")]
Certificate = Annotated[Path | None, typer.Option(help="The viewer's certificate and its chain (PEM).")]
Key = Annotated[Path | None, typer.Option(help="The certificate's private key (PEM).")]


@with_access_options
def view(
    address: Address = DEFAULT_ADDRESS,
    listen: Listen = "127.0.0.1:7900",
    no_open: NoOpen = False,
    cert: Certificate = None,
    key: Key = None,
    *,
    access: dict[str, Any],
) -> None:
    """Watch sessions in the browser, see what the model gets, and take over: until Ctrl-C."""
    with reporting_errors():
        from perception.server.viewer.beside import require_packages

        require_packages()
        asyncio.run(_view(address, listen, access, cert, key, opens=not no_open))


async def _view(
    address: str, listen: str, access: dict[str, Any], cert: Path | None, key: Path | None, *, opens: bool
) -> None:
    """Serves until SIGTERM or Ctrl-C. Raises BadInputError for options that do not do."""
    from perception.client.access import prepare_access
    from perception.server.viewer.serving import Viewer

    prepared = prepare_access(address, **access)
    by_link = bool(prepared.token or prepared.certificate) or address.startswith("unix:")
    viewer = await Viewer.start(_options(listen, cert, key, address, by_link=by_link), address, prepared)
    link = viewer.link(prepared.token) if by_link else viewer.url
    err.print(f"perception view shows {address} at {link}", markup=False)
    if by_link:
        err.print("the link works once, for ten minutes; the page makes further ones", markup=False)
    if opens:
        await asyncio.to_thread(webbrowser.open, link)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()
    await viewer.stop()


def _options(listen: str, cert: Path | None, key: Path | None, address: str, *, by_link: bool) -> ViewerOptions:
    """How it is served. Raises BadInputError where others could use it."""
    from perception.client.access import is_local
    from perception.server.viewer.certificate_names import certificate_names
    from perception.server.viewer.options import ViewerOptions, check_viewer, parse_viewer_address

    host, port = parse_viewer_address(listen, "--listen")
    options = ViewerOptions(
        host=host,
        port=port,
        names=certificate_names(cert) if cert else (),
        certificate=cert,
        key=key,
        open_to_all=not by_link and is_local(f"{host}:{port}") and is_local(address),
    )
    check_viewer(options, has_tokens=True)
    return options
