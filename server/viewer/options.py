"""Where the viewer listens, and what that needs.

Rule 1: as for the service, loopback needs nothing more; an address that others can reach needs TLS and logins by token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perception.client.access import is_local
from perception.errors import BadInputError


@dataclass(frozen=True, slots=True)
class ViewerOptions:
    """How one viewer is served.

    Attributes:
        host: address to listen at.
        port: 0 for a free one.
        names: host names by which people reach it, beside those of loopback: those of its certificate.
        certificate: PEM file; None for no TLS.
        key: PEM file of its private key.
        open_to_all: people need no login, as the service does not ask for tokens and everybody on this machine can call
            it anyway.
    """

    host: str
    port: int
    names: Sequence[str] = ()
    certificate: Path | None = None
    key: Path | None = None
    open_to_all: bool = False


def parse_viewer_address(address: str, option: str = "--viewer") -> tuple[str, int]:
    """`127.0.0.1:7900` as host and port. Raises BadInputError for another form."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    if not host or not port.isascii() or not port.isdecimal() or int(port) > 65535:
        raise BadInputError(f"{option} is {address[:60]!r}: it takes HOST:PORT, such as 127.0.0.1:7900", field="viewer")
    return host, int(port)


def check_viewer(options: ViewerOptions, *, has_tokens: bool) -> None:
    """Rule 1. Raises BadInputError for an address that others can reach without TLS and tokens."""
    if bool(options.certificate) != bool(options.key):
        raise BadInputError("a certificate and its key go together: give both", field="viewer")
    if is_local(f"{options.host}:{options.port}"):
        return
    if options.certificate is None:
        raise BadInputError(
            f"the viewer at {options.host} can be reached by others: give a certificate and its key, or use "
            "127.0.0.1:7900",
            field="viewer",
        )
    if not has_tokens:
        raise BadInputError(
            f"the viewer at {options.host} can be reached by others, and the service asks nobody for a token: start "
            "the service with --token-file, or use 127.0.0.1:7900",
            field="viewer",
        )
