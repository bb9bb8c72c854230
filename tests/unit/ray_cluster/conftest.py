"""Heads of our own, in place of Ray's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest

from perception.ray_cluster.head import CHECK_ALIVE

VERSION = "2.60.0"

StartHead = Callable[..., str]


def _answer(version: str) -> bytes:
    """A status without fields, and the version."""
    return b"\x0a\x00\x12" + bytes([len(version)]) + version.encode()


@pytest.fixture
def start_head() -> Iterator[StartHead]:
    """Starts a head that asks for a token, if one is given, and returns its address."""
    servers = []

    def start(token: str = "", host: str = "127.0.0.1", *, call: str = CHECK_ALIVE, answer: bytes = b"") -> str:
        def check(_: bytes, context: Any) -> bytes:
            shown = dict(context.invocation_metadata()).get("authorization")
            if token and shown != f"Bearer {token}":
                context.abort(grpc.StatusCode.UNAUTHENTICATED, "InvalidAuthToken")
            assert token or shown is None, "a token was shown to a cluster that asks for none"
            return answer or _answer(VERSION)

        service, _, method = call[1:].partition("/")
        server = grpc.server(ThreadPoolExecutor(2))
        handlers = {method: grpc.unary_unary_rpc_method_handler(check)}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
        port = server.add_insecure_port(f"{host}:0")
        server.start()
        servers.append(server)
        return f"{host}:{port}"

    yield start
    for server in servers:
        server.stop(None).wait()
