"""Calls every rpc that a service has with each kind of credential.

The service lists its rpcs by reflection, so that a new one is tested without being named here.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pool import Default
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2
from grpc_channelz.v1 import channelz_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from perception import v1
from perception.client.child import ServiceChild
from perception.v1 import session_service_pb2

AUTH_CALL_SECONDS = 30.0
"""For one call: the first session starts a browser."""

MINE, OTHERS = "mine", "another's"

_DESCRIBED = (
    channelz_pb2,
    health_pb2,
    *(import_module(f"perception.v1.{each.name}") for each in iter_modules(v1.__path__) if each.name.endswith("_pb2")),
)
"""Imported so that the descriptor pool has every service."""


@dataclass(frozen=True, slots=True)
class RpcAnswer:
    """The result of one call."""

    code: str
    reason: str = ""
    message: str = ""

    @property
    def shown(self) -> str:
        return self.reason or self.code


@dataclass(frozen=True, slots=True)
class RpcAnswers:
    """One rpc's answer to each kind of credential. `wrong`: kinds with a wrong answer."""

    rpc: str
    answers: Mapping[str, RpcAnswer]
    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuthRun:
    """A run: a row for each rpc."""

    rows: tuple[RpcAnswers, ...]


@dataclass(frozen=True, slots=True)
class ServiceMethod:
    """One method of a service, by its descriptor."""

    descriptor: MethodDescriptor

    @property
    def path(self) -> str:
        return f"/{self.descriptor.containing_service.full_name}/{self.descriptor.name}"

    @property
    def is_open(self) -> bool:
        """Whether it answers without credentials. The list of health does not: it names the workers of an edge."""
        is_health = self.descriptor.containing_service.full_name == "grpc.health.v1.Health"
        return is_health and self.descriptor.name != "List"

    @property
    def has_session(self) -> bool:
        return "session_id" in self.descriptor.input_type.fields_by_name


def headers_of(tokens: dict[str, str]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Metadata by kind of credential. All but the last two are refused everywhere."""
    mine = tokens[MINE]
    shown = {
        "none": (),
        "empty": ("",),
        "no scheme": (mine,),
        "other scheme": (f"Basic {mine}",),
        "no token": ("Bearer ",),
        "two words": (f"Bearer {mine} {mine}",),
        "twice": (f"Bearer {mine}", f"Bearer {mine}"),
        "wrong": (f"Bearer {secrets.token_urlsafe(32)}",),
        "cut off": (f"Bearer {mine[:-1]}",),
        "longer": (f"Bearer {mine}a",),
        "other case": (f"Bearer {mine.swapcase()}",),
        MINE: (f"Bearer {mine}",),
        OTHERS: (f"Bearer {tokens[OTHERS]}",),
    }
    return {kind: tuple(("authorization", value) for value in values) for kind, values in shown.items()}


def rpcs_of(channel: grpc.Channel, metadata: tuple[tuple[str, str], ...]) -> list[ServiceMethod]:
    """Every rpc that a service lists. The one that holds off an agent's calls, and the one that closes a session, come
    last."""
    last = ("TakeControl", "CloseSession")
    ask = reflection_pb2.ServerReflectionRequest(list_services="")
    replies = channel.stream_stream(
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )(iter([ask]), metadata=metadata, timeout=AUTH_CALL_SECONDS)
    names = [each.name for reply in replies for each in reply.list_services_response.service]
    pool: Any = Default()
    found = [ServiceMethod(method) for name in names for method in pool.FindServiceByName(name).methods]
    return sorted(found, key=lambda rpc: last.index(rpc.descriptor.name) if rpc.descriptor.name in last else -1)


def call(
    channel: grpc.Channel, rpc: ServiceMethod, metadata: tuple[tuple[str, str], ...], session_id: str = ""
) -> RpcAnswer:
    """Calls with an empty request, except for the session; of a stream, the first answer counts."""
    method = rpc.descriptor
    kind = GetMessageClass(method.input_type)
    request = kind(**({"session_id": session_id} if rpc.has_session else {}))
    arity = f"{_arity(method.client_streaming)}_{_arity(method.server_streaming)}"
    stub = getattr(channel, arity)(
        rpc.path,
        request_serializer=kind.SerializeToString,
        response_deserializer=GetMessageClass(method.output_type).FromString,
    )
    given = iter([request]) if method.client_streaming else request
    try:
        called = stub(given, metadata=metadata, timeout=AUTH_CALL_SECONDS)
        if method.server_streaming:
            next(called)
            called.cancel()
    except grpc.RpcError as exc:
        return _answer_of(exc)
    return RpcAnswer("OK")


def should_be(rpc: ServiceMethod, kind: str, answer: RpcAnswer) -> bool:
    """Whether an answer to a kind of credential is correct. The session always belongs to the first caller."""
    if rpc.is_open:
        return answer.code in ("OK", "UNIMPLEMENTED")
    if kind == MINE:
        return answer.code != "UNAUTHENTICATED" and answer.reason != "UNKNOWN_SESSION"
    if kind == OTHERS:
        return answer.code != "UNAUTHENTICATED" and (not rpc.has_session or answer.reason == "UNKNOWN_SESSION")
    return (answer.code, answer.reason) == ("UNAUTHENTICATED", "UNAUTHENTICATED")


def create_session(channel: grpc.Channel, metadata: tuple[tuple[str, str], ...]) -> str:
    """The id of a new session."""
    stub = channel.unary_unary(
        "/perception.v1.SessionService/CreateSession",
        request_serializer=session_service_pb2.CreateSessionRequest.SerializeToString,
        response_deserializer=session_service_pb2.CreateSessionResponse.FromString,
    )
    reply = stub(session_service_pb2.CreateSessionRequest(), metadata=metadata, timeout=AUTH_CALL_SECONDS)
    return str(reply.session.session_id)


def _arity(is_stream: bool) -> str:
    return "stream" if is_stream else "unary"


def _answer_of(error: Any) -> RpcAnswer:
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            for detail in status_pb2.Status.FromString(value).details:
                info = error_details_pb2.ErrorInfo()
                if detail.Unpack(info):
                    return RpcAnswer(error.code().name, info.reason, error.details() or "")
    return RpcAnswer(error.code().name, "", error.details() or "")


def measure(address: str, tokens: dict[str, str]) -> list[tuple[ServiceMethod, dict[str, RpcAnswer]]]:
    """Every rpc with its answer to each kind of credential, for a session of the first caller."""
    headers = headers_of(tokens)
    kinds = [kind for kind in headers if kind != MINE] + [MINE]
    with grpc.insecure_channel(address) as channel:
        session_id = create_session(channel, headers[MINE])
        rpcs = rpcs_of(channel, headers[MINE])
        return [(rpc, {kind: call(channel, rpc, headers[kind], session_id) for kind in kinds}) for rpc in rpcs]


def run_auth() -> AuthRun:
    """Starts a service with two callers, and calls every rpc with every kind of credential."""
    tokens = {MINE: secrets.token_urlsafe(32), OTHERS: secrets.token_urlsafe(32)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokens"
        path.touch(0o600)
        path.write_text(f"me {tokens[MINE]}\nother {tokens[OTHERS]}\n")
        child = ServiceChild.start(options=("--token-file", str(path)))
        try:
            rows = measure(child.address, tokens)
        finally:
            child.stop()
    return AuthRun(
        tuple(
            RpcAnswers(
                rpc.path.strip("/").removeprefix("perception.v1."),
                answers,
                tuple(kind for kind, answer in answers.items() if not should_be(rpc, kind, answer)),
            )
            for rpc, answers in rows
        )
    )
