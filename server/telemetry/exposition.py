"""Serves the metrics over HTTP for Prometheus.

Rule 1: anyone who can connect can read them, without TLS or a token. It therefore listens on loopback unless public
access is enabled.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import start_http_server

from perception.browser.network import reserved_ports as own_ports
from perception.errors import BadInputError

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")


@contextmanager
def served_metrics(address: str, *, public: bool = False) -> Iterator[int]:
    """Serves the metrics at `HOST:PORT` within the context; does nothing if the address is empty.

    Yields:
        The port.

    Raises:
        BadInputError: the address has no port, cannot be listened on, or is public without public access being enabled.
    """
    if not address:
        yield 0
        return
    host, port = _parts(address, public=public)
    try:
        server, thread = start_http_server(port, host)
    except OSError as exc:
        raise BadInputError(
            f"{address} cannot be listened on for metrics: another program uses it, or no address of this machine",
            field="metrics_address",
        ) from exc
    own_ports.guard(server.server_port)
    try:
        yield server.server_port
    finally:
        own_ports.release(server.server_port)
        server.shutdown()
        server.server_close()
        thread.join()


def _parts(address: str, *, public: bool) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise BadInputError(f"{address!r} is not an address for metrics: write HOST:PORT", field="metrics_address")
    if host not in LOOPBACK_HOSTS and not public:
        raise BadInputError(
            f"metrics at {address} could be read from other machines, by anybody: use 127.0.0.1:PORT, or add "
            "--metrics-public if the network keeps others out",
            field="metrics_address",
        )
    return host, int(port)
