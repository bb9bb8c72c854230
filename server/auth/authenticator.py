"""Authentication: where the service listens, and who may call it.

Rule 1: by default only this machine's users may call. An address that others can reach needs TLS and tokens.
Rule 2: with tokens, every call needs one, reflection and channelz included. Only health does not: load balancers and
orchestrators have no token. Its List does, as it names an edge's workers.
Rule 3: a refusal reveals nothing about valid credentials.
Rule 4: a token may have fewer rights than all; `rights` says which call needs which.
Rule 5: what is under way ends with its token; `token_watch` does that.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import grpc
import structlog
from grpc_health.v1 import health

from perception.client.access import AUTHORIZATION, is_local
from perception.errors import BadInputError, UnauthenticatedError
from perception.instrumentation.metrics import AUTH_FAILED
from perception.server.auth.edge_callers import EDGE, take_caller
from perception.server.auth.private_file import reread_private
from perception.server.auth.rights import require_right, right_needed
from perception.server.auth.session_ids import KEYS_NAME, ClusterKey, parse_keys
from perception.server.auth.token_file import TOKEN, BearerToken, find_token, read_tokens
from perception.server.auth.token_watch import TokenWatch
from perception.server.rpc_call import RpcCall
from perception.server.settings import Settings

log = structlog.get_logger(__name__)

_OPEN = frozenset(f"/{health.SERVICE_NAME}/{rpc}" for rpc in ("Check", "Watch"))


class Authenticator:
    """Authentication of one service. Raises BadInputError where it would be open to others, or for unusable files.

    Attributes:
        watch: ends what a token began when the token is taken away.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        _check_address(settings)
        path = settings.token_file
        self._tokens = tokens = reread_private(path, "the token file", read_tokens) if path is not None else None
        if tokens is not None and not tokens.content:
            raise BadInputError("the token file holds no token: make one by `perception token new NAME`")
        self.watch = TokenWatch(lambda: tokens.content if tokens is not None else ())
        self._edge_keys = _edge_keys(settings)
        self._certificates = settings.tls_client_ca is not None
        self._credentials = _credentials(settings)

    def open(self, server: grpc.aio.Server) -> int:
        """Binds the address. Returns the TCP port; an arbitrary number for a Unix socket.

        Raises:
            BadInputError: it cannot be bound.
        """
        address = self._settings.address
        try:
            if self._credentials is not None:
                return int(server.add_secure_port(address, self._credentials))
            with _only_for_me(address):
                return int(server.add_insecure_port(address))
        except RuntimeError as exc:
            raise BadInputError(
                f"{address} cannot be listened on: another program uses it, or it is not an address of this machine",
                field="address",
            ) from exc

    @asynccontextmanager
    async def gate(self, call: RpcCall, request: Any, context: Any) -> AsyncIterator[None]:
        """Sets the principal of a call. Raises UnauthenticatedError, and RightMissingError, also when its token is
        taken away during the call."""
        if call.method not in _OPEN:
            if self._edge_keys is not None:
                if self._certificates:
                    _require_edge(context.auth_context())
                take_caller(call, context.invocation_metadata() or (), self._edge_keys)
                if call.right is not None:
                    require_right(call.right, call, context)
            elif self._tokens is not None:
                token = self._by_token(context.invocation_metadata() or (), self._tokens.content)
                call.principal, call.right = token.principal, token.right
                require_right(token.right, call, context)
                async with self.watch.guard(call, token, right_needed(call, context)):
                    yield
                return
            elif self._certificates:
                call.principal = _by_certificate(context.auth_context())
        yield

    def _by_token(self, metadata: Any, tokens: tuple[BearerToken, ...]) -> BearerToken:
        shown = [value for key, value in metadata if key == AUTHORIZATION]
        if not shown:
            raise _refusal("missing")
        scheme, _, token = shown[0].partition(" ") if isinstance(shown[0], str) else ("", "", "")
        if len(shown) > 1 or scheme.lower() != "bearer" or not TOKEN.fullmatch(token):
            raise _refusal("wrong")
        found = find_token(token, tokens)
        if found is None:
            raise _refusal("wrong")
        return found


def _require_edge(shown: Any) -> None:
    """Raises UnauthenticatedError for a certificate of the cluster that is not an edge's."""
    if list(shown.get("x509_common_name", ())) != [EDGE.encode()]:
        AUTH_FAILED.labels(reason="certificate").inc()
        raise UnauthenticatedError(
            "this is a worker, which takes calls from edges alone: the certificate is not an edge's"
        )


def _edge_keys(settings: Settings) -> Callable[[], tuple[ClusterKey, ...]] | None:
    """The keys that edges sign callers with; None for a service that is not a worker. Raises BadInputError."""
    if not settings.worker:
        return None
    if settings.session_keys is None:
        raise BadInputError(
            "a worker knows its edges by the session keys that it shares with them: give --cluster, or --session-keys "
            "on one machine"
        )
    if settings.token_file is not None:
        raise BadInputError("tokens are checked by edges: give --token-file to them, and not to a worker")
    keys = reread_private(settings.session_keys, KEYS_NAME, parse_keys)
    return lambda: keys.content


def _refusal(why: str) -> UnauthenticatedError:
    AUTH_FAILED.labels(reason=why).inc()
    return UnauthenticatedError("this service wants a token that it knows: send `authorization: Bearer TOKEN`")


def _by_certificate(shown: Any) -> str:
    """The first alternative name of the caller's certificate, else its common name."""
    for field in ("x509_subject_alternative_name", "x509_common_name"):
        for name in shown.get(field, ()):
            if name:
                return str(name.decode("utf-8", "replace"))
    AUTH_FAILED.labels(reason="certificate").inc()
    raise UnauthenticatedError("the client's certificate names nobody: use one with a subject")


def _check_address(settings: Settings) -> None:
    """Refuses a public address without TLS and tokens: callers control a browser. Raises BadInputError."""
    address = settings.address
    is_socket, has_tls = address.startswith("unix:"), bool(settings.tls_cert or settings.tls_key)
    if not is_socket and not address.rpartition(":")[2].isdecimal():
        raise BadInputError(f"{address!r} names no port: write HOST:PORT or unix:PATH", field="address")
    if bool(settings.tls_cert) != bool(settings.tls_key):
        raise BadInputError("a certificate and its key go together: give both --tls-cert and --tls-key", field="tls")
    if settings.tls_client_ca and not has_tls:
        raise BadInputError("--tls-client-ca is for TLS: give --tls-cert and --tls-key, too", field="tls_client_ca")
    if is_socket and has_tls:
        raise BadInputError("a Unix socket takes no TLS, as it leads to this machine alone: leave it out", field="tls")
    if settings.worker and not is_local(address) and not (has_tls and settings.tls_client_ca):
        raise BadInputError(
            f"{address} can be reached from other machines: make certificates by `perception cluster init FOLDER`, and "
            "give --cluster FOLDER to the worker and its edges",
            field="cluster",
        )
    if not settings.worker and not is_local(address) and not (has_tls and settings.token_file):
        raise BadInputError(
            f"{address} can be reached from other machines: give --tls-cert, --tls-key and --token-file, or use "
            "127.0.0.1:PORT or unix:PATH",
            field="address",
        )


def _credentials(settings: Settings) -> grpc.ServerCredentials | None:
    """TLS credentials; None for no TLS. Raises BadInputError."""
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    from perception.server.auth.tls_files import server_credentials  # loads cryptography, which only TLS needs

    return server_credentials(settings.tls_cert, settings.tls_key, settings.tls_client_ca)


@contextmanager
def _only_for_me(address: str) -> Iterator[None]:
    """Creates Unix sockets with mode 0600 from the start; gRPC uses the process's umask."""
    if not address.startswith("unix:"):
        yield
        return
    before = os.umask(0o177)
    try:
        yield
    finally:
        os.umask(before)
