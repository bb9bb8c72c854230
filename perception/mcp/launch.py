"""Starts a server: the tools of its options, the service behind them, and the transport."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from perception.client.child import ServiceChild
from perception.client.shared_service import SharedService
from perception.loading import loading
from perception.mcp.fork_server import start_fork_server
from perception.mcp.http_options import HttpOptions, check_http
from perception.mcp.stdio import serve_stdio
from perception.tools.backend import Backend, BackendOptions
from perception.tools.keep_alive import LEASE_SECONDS, keep_alive
from perception.tools.offer import make_offer

NEXT_START_SECONDS = 5.0
"""Until a server that goes on starts a fork server: its client has its first page by then. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What the command line says.

    Attributes:
        profile: name of a profile.
        tools: names of the offered tools; empty for the profile's default ones.
        subroutine_tools: each saved subroutine is a tool of its own.
        backend: which service.
        http: where to listen; None for stdio.
    """

    profile: str
    tools: Sequence[str]
    subroutine_tools: bool
    backend: BackendOptions
    http: HttpOptions | None


async def serve(
    options: ServerOptions,
    started: ServiceChild | None,
    shared: SharedService | None,
    report_ready: Callable[[str], None],
) -> None:
    """Serves until the client has gone (stdio), or SIGTERM or SIGINT comes.

    Args:
        options: of the command line.
        started: the private service, started ahead; None with an address, or with one that is shared.
        shared: the private service that other servers of this user have as well.
        report_ready: is given the URL as soon as an HTTP server listens.

    Raises:
        BadInputError: options that do not go together, or an address that is not to be had.
        RemoteError: no service answers at the address.
    """
    timeout_s, with_subroutines = options.backend.timeout_s, options.subroutine_tools
    with loading():
        offer = make_offer(options.profile, options.tools, timeout_s, with_subroutines=with_subroutines)
    lease_s = None if started else LEASE_SECONDS
    backend = Backend(
        replace(options.backend, session={**options.backend.session, **offer.session}, lease_s=lease_s), started, shared
    )
    forking = asyncio.create_task(_be_faster_next_time()) if shared else None
    watching = asyncio.create_task(backend.end_unused() if started else keep_alive(lambda: backend.callers))
    try:
        if options.http is not None:
            from perception.mcp.http import serve_http  # its libraries take half a second, which stdio does not need

            check_http(options.http)
            await backend.check(asks_for_tokens=options.http.by_token)
            await serve_http(backend, offer, options.http, report_ready)
        else:
            await backend.check(asks_for_tokens=False)
            await serve_stdio(backend, offer)
    finally:
        watching.cancel()
        if forking is not None:
            forking.cancel()
            await asyncio.to_thread(start_fork_server)
        await backend.close()


async def _be_faster_next_time() -> None:
    await asyncio.sleep(NEXT_START_SECONDS)
    await asyncio.to_thread(start_fork_server)
