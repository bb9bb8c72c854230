"""The metrics, served over HTTP for Prometheus to fetch.

Rule 1: whoever reaches it reads it, without TLS or a token; so it listens on loopback unless public is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import start_http_server

from perception.browser import own_ports
from perception.errors import BadInputError

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@contextmanager
def served_metrics(address: str, *, public: bool = False) -> Iterator[int]:
    """Serves them at `HOST:PORT` meanwhile; nothing where the address is empty.

    Yields:
        The port.

    Raises:
        BadInputError: it names no port, cannot be listened on, or is public and that was not asked for.
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
        raise BadInputError(f"{address!r} is no address for metrics: write HOST:PORT", field="metrics_address")
    if host not in LOOPBACK and not public:
        raise BadInputError(
            f"metrics at {address} could be read from other machines, by anybody: use 127.0.0.1:PORT, or add "
            "--metrics-public if the network keeps others out",
            field="metrics_address",
        )
    return host, int(port)
