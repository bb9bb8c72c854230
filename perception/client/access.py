"""How a client reaches a service and authenticates: plain or TLS channels, bearer tokens, client certificates.

Rule: a token is sent over TLS, or to this machine; never unencrypted to another one.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import grpc

from perception.client.message_fields import suggestion, wrong
from perception.errors import BadInputError
from perception.loopback import is_loopback
from perception.named_files import read_limited

AUTHORIZATION = "authorization"
"""The metadata key of a token, which is sent as `Bearer TOKEN` (RFC 6750)."""

LEASE_KEY = "x-perception-lease"
"""The metadata key by which the person who has control of a session marks a call as their own."""

CLOSES_BY_KEY = "perception-closes-by"
"""Key of the trailing metadata of answers in a session whose worker is to end: when that is at the latest, in seconds
since 1970."""

WORKER_HEALTH = "worker:"
"""Begins the names of workers among the services whose health an edge lists."""

WATCHER_KEY = "x-perception-watcher"
"""The metadata key by which a person who watches marks a look as their own, not the agent's."""

MAX_MESSAGE_BYTES = 16 * 2**20
"""The service's own limit, for both directions."""

CHANNEL_OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.enable_http_proxy", 0),  # a proxy that is set for the web does not reach loopback
)

MAX_SOCKET_PATH = 107
"""Bytes: Linux has 108 with the zero at the end (unix(7)), macOS 104."""

_HOST_AND_PORT = re.compile(r"(?:\[[^\[\]]+\]|[^:/\[\]\s]+):(?P<port>[0-9]{1,5})")

_OTHER_SCHEMES = ("dns:", "ipv4:", "ipv6:", "unix-abstract:", "vsock:", "xds:")
"""Addresses that gRPC takes beside ours (https://github.com/grpc/grpc/blob/master/doc/naming.md)."""

Channel = grpc.Channel
AsyncChannel = grpc.aio.Channel

MAX_ACCESS_BYTES = 2**20
"""Limit of a file with a token, certificates or a key."""


@dataclass(frozen=True, slots=True)
class Access:
    """What a client authenticates with.

    Attributes:
        token: sent with each call; empty for none.
        tls: whether the channel is encrypted.
        root_certificates: PEM of the authorities that the service's certificate is checked against; None for the
            system's.
        certificate: PEM of the client's certificate; None where the service does not ask for one.
        key: PEM of the certificate's private key; None without a certificate.
    """

    token: str = field(default="", repr=False)
    tls: bool = False
    root_certificates: bytes | None = None
    certificate: bytes | None = None
    key: bytes | None = field(default=None, repr=False)


def is_local(address: str) -> bool:
    """Whether an address can be reached from this machine alone: a Unix socket, or loopback."""
    return address.startswith("unix:") or is_loopback(address.rpartition(":")[0])


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
    """Reads what a client authenticates with at an address.

    Args:
        address: `HOST:PORT` or `unix:PATH`.
        token: the token itself.
        token_file: a file with that token, in place of `token`.
        tls: whether to encrypt; None encrypts for other machines, and where certificates are given.
        root_certificates: PEM file of the authority that the service's certificate is checked against.
        client_certificate: PEM file of the client's certificate.
        client_key: PEM file of its private key.

    Raises:
        BadInputError: the address is none, a file cannot be read, a certificate comes without its key, or a token would
            be sent unencrypted to another machine.
    """
    check_address(address)
    if token and token_file:
        raise BadInputError("a token and a token file were given: give one of them")
    if bool(client_certificate) != bool(client_key):
        raise BadInputError("a client certificate and its key go together: give both")
    if token_file:
        token = _read_token(Path(token_file))
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


def check_connection(address: Any, access: Mapping[str, Any]) -> None:
    """Raises BadInputError for an address that is not text, or an option that `prepare_access` does not have."""
    if address is not None and not isinstance(address, str):
        raise wrong("address", address, "HOST:PORT, unix:PATH, or None for a service of one's own")
    known = ["allow_hosts", "timeout_s", *list(inspect.signature(prepare_access).parameters)[1:]]
    for name in access:
        if name not in known:
            raise BadInputError(
                f"there is no parameter {name!r}{suggestion(name, known)}; there are {', '.join(known)}", field=name
            )


def check_address(address: str) -> None:
    """Raises BadInputError for an address that no service can have, and says what is wrong with it."""
    if address.startswith("unix:"):
        size = len(os.fsencode(address.removeprefix("unix:")))
        if not 0 < size <= MAX_SOCKET_PATH:
            raise BadInputError(
                f"the path of the Unix socket has {size} bytes, and systems take 1 to {MAX_SOCKET_PATH}: use a shorter "
                "one, such as a folder in /tmp",
                field="address",
            )
        return
    if address.startswith(_OTHER_SCHEMES):
        return
    if "://" in address:
        raise BadInputError(f"{address[:80]} is a URL: leave out what stands before HOST:PORT", field="address")
    found = _HOST_AND_PORT.fullmatch(address)
    if found is None or not 0 < int(found["port"]) < 2**16:
        raise BadInputError(
            f"{address[:80]!r} is not an address with a port: write HOST:PORT, such as localhost:50051 or [::1]:50051, "
            "or unix:PATH",
            field="address",
        )


def open_channel(address: str, access: Access) -> Channel:
    """Opens a blocking channel. It connects with the first call. Raises BadInputError for an invalid address."""
    check_address(address)
    if access.tls:
        channel = grpc.secure_channel(address, _credentials(access), options=CHANNEL_OPTIONS)
    else:
        channel = grpc.insecure_channel(address, options=CHANNEL_OPTIONS)
    return grpc.intercept_channel(channel, _TokenSender(access.token)) if access.token else channel


def open_async_channel(address: str, access: Access) -> AsyncChannel:
    """As `open_channel`, for asyncio. Raises BadInputError for an invalid address."""
    check_address(address)
    interceptors = [kind(access.token) for kind in _ASYNC_SENDERS] if access.token else []
    if access.tls:
        return grpc.aio.secure_channel(
            address, _credentials(access), options=CHANNEL_OPTIONS, interceptors=interceptors
        )
    return grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS, interceptors=interceptors)


def _credentials(access: Access) -> grpc.ChannelCredentials:
    return grpc.ssl_channel_credentials(access.root_certificates, access.key, access.certificate)


def _read(path: Path | str | None, what: str) -> bytes | None:
    if path is None:
        return None
    try:
        return read_limited(Path(path), MAX_ACCESS_BYTES)
    except OSError as exc:
        raise BadInputError(f"{what} cannot be read: {exc.strerror}") from exc


def _read_token(path: Path) -> str:
    """The one token in a file: alone on its line, or after its name as in a service's token file."""
    try:
        lines = [line.split() for line in read_limited(path, MAX_ACCESS_BYTES).decode("utf-8-sig").split("\n")]
    except (OSError, UnicodeDecodeError) as exc:
        raise BadInputError("the token file cannot be read: name a text file with one token") from exc
    found = [words[-1] for words in lines if words and not words[0].startswith("#")]
    if len(found) != 1:
        raise BadInputError(f"the token file holds {len(found)} tokens: a client's file holds one")
    return found[0]


class _CallDetails(NamedTuple):
    """Details of a call with the token added (gRPC's own class cannot be changed)."""

    method: Any
    timeout: Any
    metadata: Any
    credentials: Any
    wait_for_ready: Any
    compression: Any = None


class _Sender:
    """Sends the token with every call."""

    def __init__(self, token: str) -> None:
        self._entry = (AUTHORIZATION, f"Bearer {token}")

    def send(self, continuation: Callable[[Any, Any], Any], details: Any, request: Any) -> Any:
        metadata = (*(details.metadata or ()), self._entry)
        compression = getattr(details, "compression", None)
        return continuation(
            _CallDetails(
                details.method, details.timeout, metadata, details.credentials, details.wait_for_ready, compression
            ),
            request,
        )

    async def send_async(self, continuation: Callable[[Any, Any], Any], details: Any, request: Any) -> Any:
        metadata = grpc.aio.Metadata(*(details.metadata or ()), self._entry)
        return await continuation(details._replace(metadata=metadata), request)


_send: Any = _Sender.send
_send_async: Any = _Sender.send_async


class _TokenSender(
    _Sender,
    grpc.UnaryUnaryClientInterceptor,
    grpc.UnaryStreamClientInterceptor,
    grpc.StreamUnaryClientInterceptor,
    grpc.StreamStreamClientInterceptor,
):
    intercept_unary_unary = intercept_unary_stream = intercept_stream_unary = intercept_stream_stream = _send


class _UnaryUnary(_Sender, grpc.aio.UnaryUnaryClientInterceptor):
    intercept_unary_unary = _send_async


class _UnaryStream(_Sender, grpc.aio.UnaryStreamClientInterceptor):
    intercept_unary_stream = _send_async


class _StreamUnary(_Sender, grpc.aio.StreamUnaryClientInterceptor):
    intercept_stream_unary = _send_async


class _StreamStream(_Sender, grpc.aio.StreamStreamClientInterceptor):
    intercept_stream_stream = _send_async


_ASYNC_SENDERS: tuple[Callable[[str], Any], ...] = (_UnaryUnary, _UnaryStream, _StreamUnary, _StreamStream)
"""An asyncio channel needs one class for each kind of call."""
