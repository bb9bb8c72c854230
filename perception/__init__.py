"""The eyes and hands of web agents: a vision-assisted perception service over gRPC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from perception.client import (
        AsyncClient,
        AsyncPage,
        BadInputError,
        Client,
        Page,
        PerceptionError,
        RemoteError,
        ScriptError,
        aconnect,
        connect,
    )

__all__ = [
    "AsyncClient",
    "AsyncPage",
    "BadInputError",
    "Client",
    "Page",
    "PerceptionError",
    "RemoteError",
    "ScriptError",
    "aconnect",
    "connect",
]


def __getattr__(name: str) -> Any:
    """The client loads grpc, which those who import other rooms need not wait for."""
    if name in __all__:
        from perception import client

        return getattr(client, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
