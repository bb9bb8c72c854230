"""Where an HTTP server listens, and what that needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perception.client.access import is_local
from perception.errors import BadInputError


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """Where and how the server listens.

    Attributes:
        host: address to listen at.
        port: 0 for a free one.
        names: host names by which clients reach it, beside those of loopback.
        certificate: PEM file; None for no TLS.
        key: PEM file of its private key.
        by_token: callers send tokens, which the service checks.
    """

    host: str
    port: int
    names: Sequence[str] = ()
    certificate: Path | None = None
    key: Path | None = None
    by_token: bool = False


def parse_http_address(address: str) -> tuple[str, int]:
    """`127.0.0.1:8931` as host and port. Raises BadInputError for another form."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    if not host or not port.isascii() or not port.isdecimal() or int(port) > 65535:
        raise BadInputError(f"--http is {address[:60]!r}: it takes HOST:PORT, such as 127.0.0.1:8931")
    return host, int(port)


def check_http(options: HttpOptions) -> None:
    """Rule 1. Raises BadInputError for an address that others can reach without TLS and tokens."""
    if bool(options.certificate) != bool(options.key):
        raise BadInputError("--tls-cert and --tls-key go together: give both")
    if is_local(f"{options.host}:{options.port}"):
        return
    if options.certificate is None:
        raise BadInputError(f"{options.host} can be reached by others: give --tls-cert and --tls-key, or use 127.0.0.1")
    if not options.by_token:
        raise BadInputError(
            f"{options.host} can be reached by others: give --callers, or --address of a service with tokens"
        )
    if not options.names:
        raise BadInputError(f"{options.host} can be reached by others: name it as clients call it by --name HOST")
