"""The Python client, in a blocking and an asyncio form.

    with perception.connect() as client, client.open("https://example.org") as page:
        print(page.snapshot().text)
        page.click("e3")

Given no address, `connect` starts a service of its own that nobody else can call, and ends it again. The generated
stubs are there for all that has no method here: `client.sessions`, `.perception`, `.detection`, `.actions`,
`.extraction`, `.files`; `client.call(client.detection.ListDetectors, request)` calls one.

Every method takes `timeout_s`, the seconds that it may take; the client's, 60 by default, where it is None. Every error
is a PerceptionError: BadInputError for arguments that make no request (nothing was sent), RemoteError for what the
service refused (`reason` says why), ScriptError for a script that threw. `perception.errors` has a class for each
reason, so that nobody need write one out: `error.reason == perception.errors.StaleRefError.reason`.

Both forms come from one source: of `_async`, the methods that are an rpc each are made from the contract by
`.ci/client_methods.py`, and the others written by hand; `_sync` is made from it by `.ci/sync_client.py`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from perception.client._async.connection import AsyncClient, aconnect
    from perception.client._async.page import AsyncPage
    from perception.client._async.subroutines import AsyncSubroutines
    from perception.client._sync.connection import Client, connect
    from perception.client._sync.page import Page
    from perception.client._sync.subroutines import Subroutines
    from perception.client.errors import RemoteError, ScriptError
    from perception.client.message_fields import TargetLike
    from perception.errors import BadInputError, PerceptionError

__all__ = [
    "AsyncClient",
    "AsyncPage",
    "AsyncSubroutines",
    "BadInputError",
    "Client",
    "Page",
    "PerceptionError",
    "RemoteError",
    "ScriptError",
    "Subroutines",
    "TargetLike",
    "aconnect",
    "connect",
]

_MODULES = {
    "AsyncClient": "perception.client._async.connection",
    "AsyncPage": "perception.client._async.page",
    "AsyncSubroutines": "perception.client._async.subroutines",
    "BadInputError": "perception.errors",
    "Client": "perception.client._sync.connection",
    "Page": "perception.client._sync.page",
    "PerceptionError": "perception.errors",
    "RemoteError": "perception.client.errors",
    "ScriptError": "perception.client.errors",
    "Subroutines": "perception.client._sync.subroutines",
    "TargetLike": "perception.client.message_fields",
    "aconnect": "perception.client._async.connection",
    "connect": "perception.client._sync.connection",
}


def __getattr__(name: str) -> Any:
    """Who uses one form of the client does not load the other one."""
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
