"""Health at an address of its own, for probes that have neither certificate nor token, such as Kubernetes'.

Rule 1: anyone who can connect can ask, without TLS. Nothing is answered there but health: whether the service serves.
"""

from __future__ import annotations

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from perception.browser.network import reserved_ports as own_ports
from perception.errors import BadInputError

LIVE = "live"
"""The name whose health is SERVING while the service answers at all, whether it takes sessions or not."""


class HealthPort:
    """Serves what a servicer says at one more address.

    Args:
        address: `HOST:PORT` or `unix:PATH`; empty for none.
        servicer: of the service's own port.

    Attributes:
        port: where it listens; 0 for none or a Unix socket.
    """

    def __init__(self, address: str, servicer: health.aio.HealthServicer) -> None:
        self._address = address
        self._servicer = servicer
        self._server: grpc.aio.Server | None = None
        self.port = 0

    async def start(self) -> None:
        """Raises BadInputError for an address that cannot be listened on."""
        if not self._address:
            return
        is_socket = self._address.startswith("unix:")
        if not is_socket and not self._address.rpartition(":")[2].isdecimal():
            raise BadInputError(
                f"{self._address!r} is not an address for health: write HOST:PORT or unix:PATH", field="health_address"
            )
        server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
        health_pb2_grpc.add_HealthServicer_to_server(self._servicer, server)
        try:
            port = server.add_insecure_port(self._address)
        except RuntimeError as exc:
            raise BadInputError(
                f"{self._address} cannot be listened on for health: another program uses it, or it is not an address "
                "of this machine",
                field="health_address",
            ) from exc
        await server.start()
        self._server = server
        if not is_socket:
            self.port = port
            own_ports.guard(port)
        await self._servicer.set(LIVE, health_pb2.HealthCheckResponse.SERVING)

    async def stop(self) -> None:
        """Safe to call twice."""
        server, self._server = self._server, None
        if server is None:
            return
        if self.port:
            own_ports.release(self.port)
        await server.stop(0)
