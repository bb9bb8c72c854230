"""Sends every request of the contract once for each of its fields and each edge value of that field: all else of the
request is valid. Found by descriptors, so that a new field is in it by itself.

The service must answer each within its deadline with a code of the contract, and never with one that says that it has
failed itself.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from perception.bench.suites.fuzz.fuzzed_sessions import FuzzedSessions
from perception.bench.suites.fuzz.outcomes import PartOutcome
from perception.bench.suites.fuzz.random_values import deep_value
from perception.bench.suites.fuzz.requests_sent import (
    WORKERS,
    FuzzedMethod,
    RequestCase,
    every_rpc,
    nearly_valid,
    send,
)
from perception.v1 import session_service_pb2 as session_pb

FIELD_SECONDS = 1.0
"""Deadline of a case."""

MAX_FIELD_DEPTH = 3
"""Messages in messages whose fields are tried, such as target.named.name and action_options.settle_timeout.nanos."""

RENEW_SECONDS = 20.0
"""After which the sessions are replaced: by then many show another page, or none."""

STRINGS = ("", "x" * 256, "\u00e4" * 10_000, "\0", "a\0b", "../" * 400, "\u202e", "[" * 3000, "-1", "1e999")
DOUBLES = (float("nan"), float("inf"), float("-inf"), 1e308, -1e308, 5e-324)
BYTES = (b"", b"\0", b"\xff" * 10_000)
RANGES = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), -1, 2**31 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), -1, 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (2**32 - 1,),
    FieldDescriptor.CPPTYPE_UINT64: (2**64 - 1,),
    FieldDescriptor.CPPTYPE_ENUM: (-1, 9999, 2**31 - 1),
}
SPANS = (
    (2**63 - 1, 0),
    (-(2**63), 0),
    (315_576_000_000, 999_999_999),
    (-1, 5),
    (0, -1),
    (0, 2**31 - 1),
    (-62_135_596_801, 0),
)
"""Seconds and nanoseconds of a Duration or a Timestamp."""

NEVER_VALID = frozenset(("CloseSession", "TakeControl"))
"""Rpcs that would end or stop the session that the other cases use: only requests that name none are sent."""


@dataclass(frozen=True, slots=True)
class FieldCase:
    """One field of one request, by the names that lead to it, and its value."""

    rpc: FuzzedMethod
    path: tuple[FieldDescriptor, ...]
    value: Any

    def __str__(self) -> str:
        return f"{self.rpc.name}.{'.'.join(each.name for each in self.path)} = {str(self.value)[:80]!r}"


def every_field() -> list[FieldCase]:
    """All cases, in the order of the contract."""
    return [
        FieldCase(rpc, path, value)
        for rpc in every_rpc()
        for path in _paths(rpc.method.input_type)
        for value in _values(path[-1])
    ]


def _paths(kind: Descriptor, before: tuple[FieldDescriptor, ...] = ()) -> Iterator[tuple[FieldDescriptor, ...]]:
    for field in kind.fields:
        path = (*before, field)
        if _values(field):
            yield path
        elif field.message_type is not None and len(path) <= MAX_FIELD_DEPTH:
            yield from _paths(field.message_type, path)


def _values(field: FieldDescriptor) -> tuple[Any, ...]:
    """Edge values of a field; none for a boolean, and for a message whose fields are tried themselves."""
    if field.message_type is not None:
        name = field.message_type.full_name
        if name in ("google.protobuf.Duration", "google.protobuf.Timestamp"):
            return SPANS
        if name in ("google.protobuf.Struct", "google.protobuf.Value"):
            return (*DOUBLES[:3], "deep", "x" * 200_000, "\0")
        return ()
    if field.type == FieldDescriptor.TYPE_BYTES:
        return BYTES
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        return STRINGS
    if field.cpp_type in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
        return DOUBLES
    return RANGES.get(field.cpp_type, ())


def make_request(case: FieldCase, hint: Any, random: Random) -> Message:
    """The request of a case: valid but for its field."""
    request = nearly_valid(case.rpc, random, hint, density=0.0)
    if case.rpc.name in NEVER_VALID:
        request.ClearField("session_id")
    message: Any = request
    for field in case.path[:-1]:
        if _is_in_map(field):
            message = message["x"]
        else:
            message = getattr(message, field.name)
            message = message.add() if field.is_repeated and not _is_map(field) else message
    if _is_in_map(case.path[-1]):
        message.update({case.value: "x"} if case.path[-1].name == "key" else {"x": case.value})
    else:
        _set(message, case.path[-1], case.value)
    return request


def _is_in_map(field: FieldDescriptor) -> bool:
    """Whether a field is the key or the value of a map's entry."""
    kind = field.containing_type
    return kind is not None and bool(kind.GetOptions().map_entry)


def _is_map(field: FieldDescriptor) -> bool:
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


def _set(message: Any, field: FieldDescriptor, value: Any) -> None:
    if field.message_type is None:
        if field.is_repeated:
            getattr(message, field.name).append(value)
        else:
            setattr(message, field.name, value)
        return
    target = getattr(message, field.name)
    target = target.add() if field.is_repeated else target
    target.SetInParent()
    if isinstance(value, tuple):
        target.seconds, target.nanos = value
        return
    if field.message_type.name == "Struct":
        target = target.fields["x"]
    if value == "deep":
        deep_value(target)
    elif isinstance(value, str):
        target.string_value = value
    else:
        target.number_value = value


async def fuzz_fields(world: FuzzedSessions, cases: int, seed: int) -> PartOutcome:
    """Sends the cases, several at a time: of all there are, `cases` that the seed chooses."""
    outcome = PartOutcome("fields")
    start = time.monotonic()
    chosen = Random(seed).sample(found := every_field(), min(cases, len(found)))
    numbers = iter(range(len(chosen)))

    async def work(until_s: float) -> None:
        for number in numbers:
            case, random = chosen[number], Random(f"{seed} fields {number}")
            request = make_request(case, world.hint(random), random)
            code, why, reply = await send(world.client.channel, RequestCase(case.rpc, request, FIELD_SECONDS, None))
            outcome.count(code)
            if isinstance(reply, session_pb.CreateSessionResponse):
                await world.close_one(reply.session.session_id)
            if why:
                outcome.fail(number, case, why)
            if time.monotonic() > until_s:
                return

    while outcome.cases < len(chosen):
        await world.renew()
        await asyncio.gather(*(work(time.monotonic() + RENEW_SECONDS) for _ in range(WORKERS)))
    if wrong := await world.check():
        outcome.fail(outcome.cases, "health after these cases", wrong)
    outcome.seconds = time.monotonic() - start
    return outcome
