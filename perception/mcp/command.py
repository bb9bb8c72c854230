"""The command `perception mcp`. What it runs with is imported when it runs."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Sequence
from enum import Enum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from perception.client.access_options import with_access_options
from perception.errors import BadInputError, PerceptionError
from perception.loading import loading
from perception.terminal import err, out, reporting_errors

if TYPE_CHECKING:
    from perception.client.child import ServiceChild
    from perception.client.shared_service import SharedService


class ProfileName(Enum):
    """Whose tools a server offers."""

    DEFAULT = "default"
    PLAYWRIGHT = "playwright"


Address = Annotated[
    str, typer.Option(help="A running service, HOST:PORT or unix:PATH. Default: a private one, started on first use.")
]
Unshared = Annotated[
    bool,
    typer.Option("--unshared", help="Have a private service for this server alone. Default over stdio: share one."),
]
Http = Annotated[str, typer.Option(help="Serve streamable HTTP at HOST:PORT. Default: stdio.")]
Profile = Annotated[ProfileName, typer.Option(help="Our tools, or those of Playwright MCP by name.")]
Tools = Annotated[
    list[str] | None,
    typer.Option(help="Offer this tool; may be repeated. `default` and `all` stand for several."),
]
SubroutineTools = Annotated[
    bool, typer.Option("--subroutine-tools", help="Offer each saved subroutine as a tool of its own.")
]
ShowTools = Annotated[
    bool, typer.Option("--show-tools", help="Print the tools with the tokens that each costs, and end.")
]
AllowHost = Annotated[
    list[str] | None, typer.Option(help="Private host that pages of a private service may reach; may be repeated.")
]
PageToolsOf = Annotated[
    list[str] | None, typer.Option(help="With --tools page: origin whose pages' tools may be called; may be repeated.")
]
Timeout = Annotated[float, typer.Option(min=0.1, help="Seconds for each call of a tool.")]
Callers = Annotated[
    Path | None, typer.Option(help="With --http: who may call, NAME TOKEN on each line (`perception token new`).")
]
Name = Annotated[
    list[str] | None, typer.Option(help="With --http: host name that clients call it by; may be repeated.")
]
TlsCert = Annotated[Path | None, typer.Option(help="With --http: the certificate and its chain (PEM).")]
TlsKey = Annotated[Path | None, typer.Option(help="With --http: the certificate's private key (PEM).")]


@with_access_options
def mcp(
    address: Address = "",
    http: Http = "",
    unshared: Unshared = False,
    profile: Profile = ProfileName.DEFAULT,
    tools: Tools = None,
    subroutine_tools: SubroutineTools = False,
    show_tools: ShowTools = False,
    allow_host: AllowHost = None,
    page_tools_of: PageToolsOf = None,
    timeout: Timeout = 60.0,
    callers: Callers = None,
    name: Name = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    *,
    access: dict[str, Any],
) -> None:
    """Run the MCP server: the service as tools for a language model, over stdio or HTTP."""
    with reporting_errors():
        if show_tools:
            _show_tools(profile.value, tools or [])
            return
        _serve(
            profile=profile.value,
            tools=tools or [],
            subroutine_tools=subroutine_tools,
            is_shared=not (address or unshared or http),
            http=_http(http, address, callers, name or [], tls_cert, tls_key),
            backend={
                "address": address,
                "access": access if address else {},
                "allow_hosts": allow_host or [],
                "service_options": ["--token-file", str(callers)] if callers else [],
                "timeout_s": timeout,
                "session": {"page_tool_origins": page_tools_of} if page_tools_of else {},
            },
        )
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # a thread may wait for a line on standard input, which nothing can stop


def _http(
    http: str, address: str, callers: Path | None, names: list[str], certificate: Path | None, key: Path | None
) -> dict[str, Any] | None:
    """The options of the HTTP transport; None for stdio. Raises BadInputError for options that do not go together."""
    if not http:
        if callers or names or certificate or key:
            raise BadInputError(
                "--callers, --name, --tls-cert and --tls-key are for --http: give it, or leave them out"
            )
        return None
    if callers and address:
        raise BadInputError("--callers is for a private service: the service at --address has its own --token-file")
    from perception.client.access import is_local

    by_token = callers is not None or (bool(address) and not is_local(http))
    return {"address": http, "names": names, "certificate": certificate, "key": key, "by_token": by_token}


def _serve(is_shared: bool, http: dict[str, Any] | None, backend: dict[str, Any], **options: Any) -> None:
    """Runs the server. Its libraries take a second to load; a private service starts meanwhile.

    Raises:
        BadInputError: the SDK is not installed, or there is no such profile, tool or address.
    """
    if find_spec("mcp") is None:
        raise BadInputError("the MCP server needs a package more: pip install 'perception-service[mcp]'")
    from perception.client.child import WITH_BROWSER, ServiceChild

    signal.signal(signal.SIGTERM, _end_early)
    options_of_service = (*WITH_BROWSER, *backend["service_options"])
    shared = _begin_shared(backend["allow_hosts"], options_of_service) if is_shared else None
    ahead = None
    if not backend["address"] and shared is None:
        ahead = ServiceChild.launch(backend["allow_hosts"], options_of_service)
    try:
        _run(http, backend, options, ahead, shared)
    finally:
        if ahead is not None:
            ahead.stop()


def _begin_shared(hosts: Sequence[str], options: Sequence[str]) -> SharedService | None:
    """The service that is shared, which runs or starts; None where none can be."""
    from perception.mcp.shared import shared_service

    allowed = [word for host in hosts for word in ("--allow-host", host)]
    try:
        shared = shared_service((*allowed, *options))
        if shared is not None:
            shared.begin()
    except (PerceptionError, OSError):  # starting one for this server alone says what is wrong
        return None
    return shared


def _end_early(*_: object) -> NoReturn:
    """Ends a server that is still starting, with its private service."""
    raise SystemExit(0)


def _run(
    http: dict[str, Any] | None,
    backend: dict[str, Any],
    options: dict[str, Any],
    ahead: ServiceChild | None,
    shared: SharedService | None,
) -> None:
    with loading():
        from perception.mcp.http_options import HttpOptions, parse_http_address
        from perception.mcp.launch import ServerOptions, serve
        from perception.tools.backend import BackendOptions

    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    listen = None
    if http is not None:
        host, port = parse_http_address(http.pop("address"))
        listen = HttpOptions(host=host, port=port, **http)
    server = ServerOptions(backend=BackendOptions(**backend), http=listen, **options)
    asyncio.run(serve(server, ahead, shared, lambda url: err.print(f"perception mcp serves at {url}", markup=False)))


def _show_tools(profile: str, names: list[str]) -> None:
    """Prints each tool with its o200k tokens, and the sum."""
    from perception.tools.offer import make_offer
    from perception.tools.schema import schema_tokens

    total = 0
    tools = make_offer(profile, names, timeout_s=1.0).tools
    for tool in tools:
        schema = tool.schema
        tokens = schema_tokens(tool.name, tool.description, schema)
        total += tokens
        out.print(f"{tokens:5d}  {tool.name}  {json.dumps(schema, ensure_ascii=False)}", markup=False)
    out.print(f"{total:5d}  {len(tools)} tools: name, description and schema, o200k tokens", markup=False)
