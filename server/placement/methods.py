"""The rpcs of the contract as an edge sees them: how they stream, and which field of a request names the session.

Rule 1: nothing here names an rpc that has a session: those are found by their descriptors, so that a new rpc needs no
line here. Those without a session are in one table, which a test holds to the contract.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from enum import Enum
from functools import cache

from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

import perception.v1

SESSION_FIELD, REQUEST_ID_FIELD = "session_id", "request_id"


class Way(Enum):
    """Where a call goes."""

    SESSION = "session"
    """To the worker that has the session."""
    CLAIM = "claim"
    """To a worker with a free slot."""
    ALL = "all"
    """To all workers: their answers are put together."""
    ANY = "any"
    """To one worker, whichever."""
    ANY_READ = "any_read"
    """As ANY; it changes nothing, so that it goes to another worker where one does not answer."""


WITHOUT_SESSION = {
    "CreateSession": Way.CLAIM,
    "ListSessions": Way.ALL,
    "ListProfiles": Way.ANY_READ,
    "DeleteProfile": Way.ANY,
    "ListDevices": Way.ANY_READ,
    "ParseImage": Way.ANY_READ,
    "ListDetectors": Way.ANY_READ,
    "CreateSubroutine": Way.ANY,
    "ListSubroutines": Way.ANY_READ,
    "GetSubroutine": Way.ANY_READ,
    "UpdateSubroutine": Way.ANY,
    "ListVideos": Way.ANY_READ,
    "ReadVideo": Way.ANY_READ,
    "DeleteVideo": Way.ANY,
    "DeleteSubroutine": Way.ANY,
}
"""Rpcs whose requests name no session. One that is not here goes to any worker, once."""


@dataclass(frozen=True, slots=True)
class Method:
    """One rpc.

    Attributes:
        path: `/perception.v1.ActionService/Click`.
        streams_requests, streams_answers: whether there may be several messages.
        way: where its calls go.
        session_field: number of the request's field that names the session; 0 where there is none.
        request_id_field: number of its `request_id`; 0 where there is none.
    """

    path: str
    streams_requests: bool
    streams_answers: bool
    way: Way
    session_field: int
    request_id_field: int

    @property
    def name(self) -> str:
        """`Click`."""
        return self.path.rpartition("/")[2]


@cache
def services() -> tuple[ServiceDescriptor, ...]:
    """All services of the contract."""
    found: list[ServiceDescriptor] = []
    for module in pkgutil.iter_modules(perception.v1.__path__):
        if module.name.endswith("_service_pb2"):
            stubs = importlib.import_module(f"{perception.v1.__name__}.{module.name}")
            found += stubs.DESCRIPTOR.services_by_name.values()
    return tuple(found)


@cache
def methods() -> dict[str, Method]:
    """All rpcs of the contract by path."""
    return {each.path: each for service in services() for each in map(_method, service.methods)}


def _method(rpc: MethodDescriptor) -> Method:
    session = _field_number(rpc, SESSION_FIELD)
    return Method(
        path=f"/{rpc.containing_service.full_name}/{rpc.name}",
        streams_requests=rpc.client_streaming,
        streams_answers=rpc.server_streaming,
        way=Way.SESSION if session else WITHOUT_SESSION.get(rpc.name, Way.ANY),
        session_field=session,
        request_id_field=_field_number(rpc, REQUEST_ID_FIELD),
    )


def _field_number(rpc: MethodDescriptor, name: str) -> int:
    field = rpc.input_type.fields_by_name.get(name)
    return field.number if field is not None else 0
