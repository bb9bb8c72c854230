"""A viewer and its port: start and stop."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from typing import Self

import uvicorn

from perception.client.access import Access, AsyncChannel, open_async_channel
from perception.errors import BadInputError
from perception.server.viewer.app import make_viewer_app
from perception.server.viewer.calls import ServiceCalls
from perception.server.viewer.connections import MAX_CONNECTIONS, BoundedHttpProtocol
from perception.server.viewer.logins import Logins
from perception.server.viewer.options import ViewerOptions

MAX_SOCKET_MESSAGE_BYTES = 256 * 1024
"""Limit of a message over a WebSocket from a browser: what somebody pastes."""

STOP_SECONDS = 2
"""For answers that are under way."""


class _Server(uvicorn.Server):
    """A server whose process handles signals itself."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Viewer:
    """A viewer that runs. Use `start`, then `stop`.

    Attributes:
        url: where people find it.
        port: where it listens.
        logins: who is logged in.
    """

    def __init__(
        self, server: _Server, listening: socket.socket, channel: AsyncChannel, logins: Logins, options: ViewerOptions
    ) -> None:
        self._server = server
        self._channel = channel
        self.logins = logins
        self.port = listening.getsockname()[1]
        self.url = _url(options, self.port)
        self._running = asyncio.create_task(server.serve(sockets=[listening]), name="viewer")

    @classmethod
    async def start(cls, options: ViewerOptions, address: str, access: Access) -> Self:
        """Listens and serves.

        Args:
            options: how it is served.
            address: of the service, `HOST:PORT` or `unix:PATH`.
            access: how the service is reached. The token in it is not used: each person has their own.

        Raises:
            BadInputError: the address cannot be listened at, or the certificate cannot be used.
        """
        family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
        try:
            listening = socket.create_server((options.host, options.port), family=family)
        except OSError as exc:
            raise BadInputError(
                f"the viewer cannot listen at {options.host}:{options.port} ({exc.strerror or exc}): is there another "
                "one? Port 0 takes a free one",
                field="viewer",
            ) from exc
        try:
            channel = open_async_channel(address, _without_token(access))
            logins = Logins()
            app = make_viewer_app(logins, ServiceCalls(channel), options, listening.getsockname()[1])
            config = uvicorn.Config(
                app,
                lifespan="off",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                http=BoundedHttpProtocol,
                ws="websockets-sansio",
                ws_max_size=MAX_SOCKET_MESSAGE_BYTES,
                ws_per_message_deflate=False,
                ssl_certfile=options.certificate,
                ssl_keyfile=options.key,
                limit_concurrency=MAX_CONNECTIONS,
                timeout_graceful_shutdown=STOP_SECONDS,
            )
            config.load()
        except OSError as exc:  # ssl.SSLError is one
            listening.close()
            raise BadInputError(f"the viewer's certificate cannot be used: {exc}", field="viewer") from exc
        return cls(_Server(config), listening, channel, logins, options)

    def link(self, token: str = "") -> str:
        """An address that logs one browser in with this token, once."""
        return f"{self.url}#login={self.logins.make_code(token)}"

    async def stop(self) -> None:
        """Closes all connections and the port."""
        self.logins.end_all()
        self._server.should_exit = True
        await asyncio.gather(self._running, return_exceptions=True)
        await self._channel.close()

    async def wait(self) -> None:
        """Returns when it has stopped."""
        await self._running


def _without_token(access: Access) -> Access:
    return Access(
        tls=access.tls, root_certificates=access.root_certificates, certificate=access.certificate, key=access.key
    )


def _url(options: ViewerOptions, port: int) -> str:
    named = (name for name in options.names if not name.startswith("*"))
    host = next(named, options.host) if options.certificate else options.host
    host = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return f"{'https' if options.certificate else 'http'}://{host}:{port}/"
