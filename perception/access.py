"""How a client reaches a service and shows who it is: plain or TLS channels, bearer tokens, certificates.

Rule: a token goes out over TLS, or to this machine itself; never in the clear to another one.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import grpc

from perception.errors import BadInputError

AUTHORIZATION = "authorization"
"""The metadata key that a token travels under, as `Bearer TOKEN` (RFC 6750)."""


@dataclass(frozen=True, slots=True)
class Access:
    """What a client needs to be let in.

    Attributes:
        token: shown with each call; empty for none.
        tls: whether the channel is encrypted.
        root_certificates: PEM of the authorities that the service is trusted by; None for the system's.
        certificate, key: PEM of the client's own, where the service asks for one.
    """

    token: str = field(default="", repr=False)
    tls: bool = False
    root_certificates: bytes | None = None
    certificate: bytes | None = None
    key: bytes | None = field(default=None, repr=False)


def is_local(address: str) -> bool:
    """Whether an address can be reached from this machine alone: a Unix socket, or loopback."""
    if address.startswith("unix:"):
        return True
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def prepare_access(
    address: str,
    *,
    token: str = "",
    token_file: Path | str | None = None,
    tls: bool | None = None,
    root_certificates: Path | str | None = None,
    client_certificate: Path | str | None = None,
    client_key: Path | str | None = None,
) -> Access:
    """What to show at an address. Without `tls` it is TLS for other machines, and where certificates are given.

    Raises:
        BadInputError: a file cannot be read, a certificate comes without its key, or a token would go out in the clear.
    """
    if token and token_file:
        raise BadInputError("a token and a token file were given: give one of them")
    if bool(client_certificate) != bool(client_key):
        raise BadInputError("a client certificate and its key go together: give both")
    if token_file:
        token = _token_of(Path(token_file))
    given = root_certificates is not None or client_certificate is not None
    encrypted = tls if tls is not None else given or not is_local(address)
    if given and not encrypted:
        raise BadInputError("certificates are for TLS, which was turned off: leave one of the two out")
    if token and not encrypted and not is_local(address):
        raise BadInputError(f"a token is not sent to {address} in the clear: use TLS")
    return Access(
        token=token,
        tls=encrypted,
        root_certificates=_read(root_certificates, "the authority's certificate"),
        certificate=_read(client_certificate, "the client's certificate"),
        key=_read(client_key, "the client's key"),
    )


def open_channel(address: str, access: Access, options: Sequence[tuple[str, Any]]) -> grpc.Channel:
    """A blocking channel."""
    if access.tls:
        channel = grpc.secure_channel(address, _credentials(access), options=options)
    else:
        channel = grpc.insecure_channel(address, options=options)
    return grpc.intercept_channel(channel, _Showing(access.token)) if access.token else channel


def open_async_channel(address: str, access: Access, options: Sequence[tuple[str, Any]]) -> grpc.aio.Channel:
    """As `open_channel`, for asyncio."""
    shown = [kind(access.token) for kind in _ASYNC] if access.token else []
    if access.tls:
        return grpc.aio.secure_channel(address, _credentials(access), options=options, interceptors=shown)
    return grpc.aio.insecure_channel(address, options=options, interceptors=shown)


def _credentials(access: Access) -> grpc.ChannelCredentials:
    return grpc.ssl_channel_credentials(access.root_certificates, access.key, access.certificate)


def _read(path: Path | str | None, what: str) -> bytes | None:
    if path is None:
        return None
    try:
        return Path(path).read_bytes()
    except OSError as exc:
        raise BadInputError(f"{what} cannot be read: {exc.strerror}") from exc


def _token_of(path: Path) -> str:
    """The one token in a file: alone on its line, or after its name as in a service's token file."""
    try:
        lines = [line.split() for line in path.read_text("utf-8-sig").split("\n")]
    except (OSError, UnicodeDecodeError) as exc:
        raise BadInputError("the token file cannot be read: name a text file with one token") from exc
    found = [words[-1] for words in lines if words and not words[0].startswith("#")]
    if len(found) != 1:
        raise BadInputError(f"the token file holds {len(found)} tokens: a client's holds its own alone")
    return found[0]


class _Details(NamedTuple):
    """Of a call, with one thing more to show (grpc's own class cannot be changed)."""

    method: Any
    timeout: Any
    metadata: Any
    credentials: Any
    wait_for_ready: Any
    compression: Any = None


class _Shown:
    """Shows the token with every call."""

    def __init__(self, token: str) -> None:
        self._shown = (AUTHORIZATION, f"Bearer {token}")

    def show(self, continuation: Callable[[Any, Any], Any], details: Any, request: Any) -> Any:
        metadata = (*(details.metadata or ()), self._shown)
        compression = getattr(details, "compression", None)
        return continuation(
            _Details(
                details.method, details.timeout, metadata, details.credentials, details.wait_for_ready, compression
            ),
            request,
        )

    async def show_async(self, continuation: Callable[[Any, Any], Any], details: Any, request: Any) -> Any:
        metadata = grpc.aio.Metadata(*(details.metadata or ()), self._shown)
        return await continuation(details._replace(metadata=metadata), request)


_show: Any = _Shown.show
_show_async: Any = _Shown.show_async


class _Showing(
    _Shown,
    grpc.UnaryUnaryClientInterceptor,
    grpc.UnaryStreamClientInterceptor,
    grpc.StreamUnaryClientInterceptor,
    grpc.StreamStreamClientInterceptor,
):
    intercept_unary_unary = intercept_unary_stream = intercept_stream_unary = intercept_stream_stream = _show


class _UnaryUnary(_Shown, grpc.aio.UnaryUnaryClientInterceptor):
    intercept_unary_unary = _show_async


class _UnaryStream(_Shown, grpc.aio.UnaryStreamClientInterceptor):
    intercept_unary_stream = _show_async


class _StreamUnary(_Shown, grpc.aio.StreamUnaryClientInterceptor):
    intercept_stream_unary = _show_async


class _StreamStream(_Shown, grpc.aio.StreamStreamClientInterceptor):
    intercept_stream_stream = _show_async


_ASYNC: tuple[Callable[[str], Any], ...] = (_UnaryUnary, _UnaryStream, _StreamUnary, _StreamStream)
"""asyncio's channels want a class for each kind of call."""
