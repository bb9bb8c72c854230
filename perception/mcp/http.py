"""The streamable HTTP transport.

Rule 1: as for the service, loopback needs nothing more; an address that others can reach needs TLS and tokens.
Rule 2: only requests for a known host are answered, and none from a web page of another origin, another port of this
machine included: no page that a browser on this machine shows can reach the server (DNS rebinding).
Rule 3: a connection belongs to the token that opened it; the SDK refuses any other one for it.
"""

from __future__ import annotations

import asyncio
import hashlib
import socket
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import AnyHttpUrl
from starlette.applications import Starlette

from perception.deadline import loop_time
from perception.errors import BadInputError
from perception.interaction.answers import ToolNames
from perception.mcp.departures import SESSION_HEADER, Departures, RequestWatch
from perception.mcp.ending import END_SECONDS, RefuseAtEnd
from perception.mcp.http_options import HttpOptions
from perception.mcp.server import Context, make_server
from perception.mcp.stdio import signaled
from perception.tools.backend import Backend
from perception.tools.offer import Offer
from perception.tools.sessions import Caller, Connection

PATH = "/mcp"

MAX_BODY_BYTES = 16 * 2**20
"""Limit of a request: what the service takes."""

TRUST_SECONDS = 30.0
"""How long a token that the service has taken is not asked about again. Each call carries it to the service anyway."""

MAX_TRUSTED = 256

IDLE_SECONDS = 1800.0
"""A connection that is not used for this long is closed, with its session. As the service's own limit."""

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class CallerTokens:
    """Bearer tokens, checked by the service itself. A `TokenVerifier` of the SDK."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._trusted: OrderedDict[str, float] = OrderedDict()

    async def verify_token(self, token: str) -> AccessToken | None:
        digest = hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
        if self._trusted.get(digest, 0.0) < loop_time():
            if not await self._backend.takes(token):
                self._trusted.pop(digest, None)
                return None
            self._trusted[digest] = loop_time() + TRUST_SECONDS
            self._trusted.move_to_end(digest)
            if len(self._trusted) > MAX_TRUSTED:
                self._trusted.popitem(last=False)
        return AccessToken(token=token, client_id=digest, scopes=[])


class Connections:
    """The connections of all clients, by the SDK's id. A request of the stateless protocol has none.

    Attributes:
        departures: those whose clients may have gone.
    """

    def __init__(self, backend: Backend, names: ToolNames) -> None:
        self._backend = backend
        self._names = names
        self._known: dict[str, Connection] = {}
        self.departures = Departures(self._end)

    async def of(self, context: Context) -> Connection:
        """The connection of a request."""
        request = context.request
        assert request is not None
        user = request.scope.get("user")
        caller = await self._backend.caller(user.access_token.token if user is not None else "")
        key = request.headers.get(SESSION_HEADER, "")
        if not key or context.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return Connection(caller, keeps_state=False, names=self._names, make_room=partial(self._make_room, caller))
        connection = self._known.get(key)
        if connection is None:
            connection = self._known[key] = Connection(
                caller, names=self._names, make_room=partial(self._make_room, caller)
            )
            # The SDK's place for what ends with a connection; its request context has no public way to it yet.
            context.session._connection.exit_stack.push_async_callback(self._end, key)
        if connection.caller is not caller:  # the private service was started again
            connection.caller, connection.default = caller, ""
        return connection

    async def _make_room(self, caller: Caller) -> bool:
        """Closes the session of a client of the same caller that has gone. False where none has."""
        return await self.departures.close_one(lambda key: key in self._known and self._known[key].caller is caller)

    async def _end(self, key: str) -> None:
        if connection := self._known.pop(key, None):
            await connection.close_default()


def make_http_app(backend: Backend, offer: Offer, options: HttpOptions, ending: asyncio.Event) -> Starlette:
    """The ASGI application. It takes no request after `ending` is set."""
    connections = Connections(backend, offer.names)
    server = make_server(offer, connections.of)
    hosts = [*_LOOPBACK, *options.names]
    scheme, default_port = ("https", 443) if options.certificate else ("http", 80)
    own = [f"{host}:{options.port}" for host in hosts] + list(options.names)  # names also where a proxy has the port
    security = TransportSecuritySettings(
        allowed_hosts=[form for host in hosts for form in (host, f"{host}:*")],
        allowed_origins=[f"{scheme}://{each}" for each in (*own, *(hosts if options.port == default_port else ()))],
    )
    auth = None
    if options.by_token:
        issuer = AnyHttpUrl(f"{scheme}://{(options.names or _LOOPBACK)[0]}")
        auth = AuthSettings(issuer_url=issuer, resource_server_url=None)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_BODY_BYTES,
        session_idle_timeout=IDLE_SECONDS,
        transport_security=security,
        host=options.host,
        auth=auth,
        token_verifier=CallerTokens(backend) if options.by_token else None,
    )
    app.add_middleware(RequestWatch, departures=connections.departures)
    app.add_middleware(RefuseAtEnd, ending=ending)
    return app


async def serve_http(backend: Backend, offer: Offer, options: HttpOptions, report_ready: Callable[[str], None]) -> None:
    """Serves until SIGTERM or SIGINT.

    Args:
        backend: the service.
        offer: the tools.
        options: where and how to listen.
        report_ready: is given the URL as soon as the server listens.

    Raises:
        BadInputError: the address cannot be listened at, or a file of the certificate cannot be used.
    """
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        listening = socket.create_server((options.host, options.port), family=family)
    except OSError as exc:
        raise _unusable(options, exc) from exc
    ending, port = asyncio.Event(), listening.getsockname()[1]
    app = make_http_app(backend, offer, replace(options, port=port), ending)
    try:
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="off",
            ssl_certfile=options.certificate,
            ssl_keyfile=options.key,
            timeout_graceful_shutdown=1,
        )
        config.load()
    except OSError as exc:  # ssl.SSLError is one
        listening.close()
        raise _unusable(options, exc) from exc
    host = f"[{options.host}]" if ":" in options.host else options.host
    scheme = "https" if options.certificate else "http"
    asked = asyncio.ensure_future(signaled())
    await asyncio.sleep(0)  # a signal that comes from here on is noticed
    report_ready(f"{scheme}://{host}:{port}{PATH}")
    server = _Server(config)
    serving = asyncio.ensure_future(server.serve(sockets=[listening]))
    try:
        async with app.router.lifespan_context(app):  # closes streams at its end, before uvicorn waits for them
            await asyncio.wait((serving, asked), return_when=asyncio.FIRST_COMPLETED)
            ending.set()
            await asyncio.wait((asyncio.ensure_future(backend.close()),), timeout=END_SECONDS)
        server.should_exit = True
        await serving
    finally:
        asked.cancel()


def _unusable(options: HttpOptions, exc: OSError) -> BadInputError:
    return BadInputError(f"{options.host}:{options.port}: {exc.strerror or exc}")


class _Server(uvicorn.Server):
    """Leaves signals alone: uvicorn ends the process by the signal that it has got, without what comes after it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
