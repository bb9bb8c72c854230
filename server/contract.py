"""The rpcs of the contract: how they stream, which field of a request names the session, and the rules that their
options say (proto/perception/v1/options.proto).

Rule 1: nothing here names an rpc or a service: a new one needs no line here.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Any

from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message

import perception.v1
from perception.v1.options_pb2 import MethodRules, needed, rules

SESSION_FIELD, REQUEST_ID_FIELD = "session_id", "request_id"

NO_RULES = MethodRules()
"""Rules of methods that are not the contract's."""


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


@dataclass(frozen=True, slots=True)
class Method:
    """One rpc.

    Attributes:
        path: `/perception.v1.ActionService/Click`.
        streams_requests, streams_answers: whether there may be several messages.
        way: where its calls go.
        session_field: number of the request's field that names the session; 0 where there is none.
        request_id_field: number of its `request_id`; 0 where there is none.
        rules: how its calls are treated.
    """

    path: str
    streams_requests: bool
    streams_answers: bool
    way: Way
    session_field: int
    request_id_field: int
    rules: MethodRules = field(default_factory=MethodRules)

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


def rules_of(path: str) -> MethodRules:
    """How calls of an rpc are treated; nothing is said of methods that are not the contract's."""
    method = methods().get(path)
    return NO_RULES if method is None else method.rules


def rules_of_request(request: Message) -> MethodRules:
    """Those of the rpc that takes such a request."""
    return rules_of(_paths_by_request()[request.DESCRIPTOR.full_name])


def is_needed(target: FieldDescriptor) -> bool:
    """Whether a step of a batch needs this target."""
    options: Any = target.GetOptions()
    return bool(options.Extensions[needed])


@cache
def _paths_by_request() -> dict[str, str]:
    return {rpc.input_type.full_name: _path(rpc) for service in services() for rpc in service.methods}


def _method(rpc: MethodDescriptor) -> Method:
    session = _field_number(rpc, SESSION_FIELD)
    return Method(
        path=_path(rpc),
        streams_requests=rpc.client_streaming,
        streams_answers=rpc.server_streaming,
        way=Way.SESSION if session else _way_without_session(_rules(rpc)),
        session_field=session,
        request_id_field=_field_number(rpc, REQUEST_ID_FIELD),
        rules=_rules(rpc),
    )


def _rules(rpc: MethodDescriptor) -> MethodRules:
    options: Any = rpc.GetOptions()  # the stubs know no extensions
    said: MethodRules = options.Extensions[rules]
    return said


def _way_without_session(said: MethodRules) -> Way:
    match said.way:
        case MethodRules.WAY_FREE_SLOT:
            return Way.CLAIM
        case MethodRules.WAY_ALL_WORKERS:
            return Way.ALL
    return Way.ANY_READ if said.read_only else Way.ANY


def _path(rpc: MethodDescriptor) -> str:
    return f"/{rpc.containing_service.full_name}/{rpc.name}"


def _field_number(rpc: MethodDescriptor, name: str) -> int:
    found = rpc.input_type.fields_by_name.get(name)
    return found.number if found is not None else 0
