"""Sends every request of the contract to a real service over gRPC: half of them random, half nearly valid.

A case may have any deadline, none at all or years, and may be cancelled in the middle. The service must answer each
within its deadline with a code of the contract and an ErrorInfo of ours, and must work normally afterwards.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

import grpc
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.text_format import MessageToString

from perception.bench.suites.fuzz.fuzzed_sessions import FuzzedSessions
from perception.bench.suites.fuzz.outcomes import PartOutcome, judge
from perception.bench.suites.fuzz.random_values import make
from perception.client.sent_streams import ending_as_answered
from perception.v1 import (
    action_service_pb2,
    control_service_pb2,
    detection_service_pb2,
    extraction_service_pb2,
    file_service_pb2,
    live_service_pb2,
    network_service_pb2,
    page_tool_service_pb2,
    perception_service_pb2,
    session_service_pb2,
    subroutine_service_pb2,
    video_service_pb2,
)

MODULES = (
    session_service_pb2,
    perception_service_pb2,
    detection_service_pb2,
    action_service_pb2,
    extraction_service_pb2,
    subroutine_service_pb2,
    file_service_pb2,
    network_service_pb2,
    page_tool_service_pb2,
    live_service_pb2,
    control_service_pb2,
    video_service_pb2,
)
WORKERS = 8
CHECK_EVERY_REQUESTS = 1000
RENEW_EVERY = 250
"""Cases after which the sessions are replaced: by then many show another page, or none."""

GRACE_SECONDS = 2.0
"""Allowed lateness of an answer."""

DEADLINES = (0.0, 0.001, 0.02, 0.05, 0.1, 0.3, 0.3, 0.5, 0.5, 1.0, 1.0, 1.0, 3.0, 3.0, 1e8)
"""Seconds; after the last one, three years, a case is cancelled."""

YEARS = 1e7
"""Seconds from which a deadline does not limit a case."""

REQUEST_PATIENCE_SECONDS = 0.5
"""Time after which a case without a deadline of its own is cancelled."""

RARE = {"CreateSession": 0.15, "CloseSession": 0.05, "ParseImage": 0.3, "TakeControl": 0.02, "RequestHuman": 0.1}
"""Probability that a nearly valid request is sent unchanged if it is slow, or removes or stops the others' sessions."""

SHRINK_TRIES = 60


@dataclass(frozen=True, slots=True)
class FuzzedMethod:
    """One method of the contract."""

    path: str
    name: str
    method: MethodDescriptor


def every_rpc() -> list[FuzzedMethod]:
    return [
        FuzzedMethod(f"/{service.full_name}/{method.name}", method.name, method)
        for module in MODULES
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    ]


@dataclass(frozen=True, slots=True)
class RequestCase:
    """One call. `call_off_s`: it is cancelled after this time; None for never."""

    rpc: FuzzedMethod
    request: Message
    deadline_s: float
    call_off_s: float | None

    def __str__(self) -> str:
        asked = MessageToString(self.request, as_one_line=True, as_utf8=True)
        return f"{self.rpc.name} within {self.deadline_s:g} s, cancelled after {self.call_off_s}: {asked}"


def draw_case(
    rpcs: list[FuzzedMethod], random: Random, hint_of: Callable[[Random], Any] | None, *, is_odd: bool = False
) -> RequestCase:
    """A case; `hint_of` returns values that are currently valid. A random one has only a valid session."""
    rpc = random.choice(rpcs)
    if hint_of is None or is_odd or (random.random() > RARE.get(rpc.name, 1.0)):
        request = make(rpc.method.input_type, random)
        field = rpc.method.input_type.fields_by_name.get("session_id")
        if hint_of is not None and field is not None and rpc.name not in RARE and random.random() < 0.9:
            request.session_id = hint_of(random)(field, random)  # type: ignore[attr-defined]
            if "tab_id" in rpc.method.input_type.fields_by_name and random.random() < 0.8:
                request.ClearField("tab_id")
    else:
        request = nearly_valid(rpc, random, hint_of(random))
    deadline_s = random.choice(DEADLINES)
    call_off_s = random.uniform(0, 0.1) if random.random() < 0.1 else None
    if deadline_s > YEARS and call_off_s is None:
        call_off_s = REQUEST_PATIENCE_SECONDS
    return RequestCase(rpc, request, deadline_s, call_off_s)


def nearly_valid(rpc: FuzzedMethod, random: Random, hint: Any, density: float | None = None) -> Message:
    """A request with what its rpc needs. `density`: probability of each other field; drawn when None, and with 0 none
    that is needed is left out."""
    request = make(rpc.method.input_type, random, hint, random.choice((0.1, 0.2, 0.4)) if density is None else density)
    for name in ("session_id", "target", "from", "to", "key", "expression", "url", "recording_id", "subroutine_id"):
        field = rpc.method.input_type.fields_by_name.get(name)
        if field is None or (density != 0 and random.random() < 0.03):
            continue
        value = hint(field, random)
        if value is None or (density != 0 and name in ("target", "url") and random.random() < 0.2):
            continue
        if field.message_type is not None:
            getattr(request, name).CopyFrom(value)
        else:
            setattr(request, name, value)
    return request


def _arity(is_stream: bool) -> str:
    return "stream" if is_stream else "unary"


async def send(channel: grpc.aio.Channel, case: RequestCase) -> tuple[str, str, Message | None]:
    """The code, what is wrong with the answer (empty for nothing), and the answer if there is one."""
    reply_class: Any = GetMessageClass(case.rpc.method.output_type)
    request_class: Any = type(case.request)
    is_stream = case.rpc.method.server_streaming
    takes_stream = case.rpc.method.client_streaming
    open_call: Any = getattr(channel, f"{_arity(takes_stream)}_{_arity(is_stream)}")
    rpc = open_call(case.rpc.path, request_class.SerializeToString, reply_class.FromString)
    start = time.monotonic()
    if takes_stream:
        rpc = ending_as_answered(rpc)
    call = rpc(iter([case.request, case.request]) if takes_stream else case.request, timeout=case.deadline_s)

    async def run() -> Message | None:
        if not is_stream:
            return await call  # type: ignore[no-any-return]
        last = None
        async for reply in call:
            last = reply
            if time.monotonic() - start > REQUEST_PATIENCE_SECONDS:
                break
        return last

    task = asyncio.create_task(run())
    limit = case.deadline_s if case.call_off_s is None else min(case.deadline_s, case.call_off_s)
    try:
        done, _ = await asyncio.wait([task], timeout=limit + (0 if case.call_off_s is not None else GRACE_SECONDS))
        if not done and case.call_off_s is None:
            # Our own loop may have been blocked by another case of many megabytes: received data is read first.
            done, _ = await asyncio.wait([task], timeout=1)
        if not done:
            call.cancel()
            await asyncio.wait([task], timeout=GRACE_SECONDS)
            if not task.done():
                return "HANG", "the call goes on after it was cancelled", None
            if case.call_off_s is None:
                return "HANG", f"no answer {GRACE_SECONDS:g} s after the deadline", None
        return "OK", "", task.result()
    except asyncio.CancelledError:
        return "CANCELLED", "" if case.call_off_s is not None else "CANCELLED, and nobody asked for it", None
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.CANCELLED and case.call_off_s is not None:
            return "CANCELLED", "", None
        return (*judge(error), None)
    finally:
        call.cancel()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def fuzz_messages(world: FuzzedSessions, cases: int, seed: int, *, renew_every: int = RENEW_EVERY) -> PartOutcome:
    """Sends the cases, several at a time."""
    outcome = PartOutcome("messages")
    start = time.monotonic()
    rpcs = every_rpc()
    numbers = iter(range(cases))
    next_renewal, next_check = renew_every, CHECK_EVERY_REQUESTS

    async def work() -> None:
        for number in numbers:
            random = Random(f"{seed} messages {number}")
            case = draw_case(rpcs, random, world.hint, is_odd=number % 2 == 0)
            code, why, reply = await send(world.client.channel, case)
            outcome.count(code)
            if reply is not None:
                world.learn(reply)
            if why:
                small = await shrink(world.client.channel, case, code)
                outcome.fail(number, small, why)
            if outcome.cases >= limit:
                return

    await world.renew()
    limit = 0
    while outcome.cases < cases:
        limit = min(next_renewal, cases)
        await asyncio.gather(*(work() for _ in range(WORKERS)))
        next_renewal = outcome.cases + renew_every
        try:
            await world.renew()
        except Exception as exc:  # any failure is the result of the cases before it
            outcome.fail(outcome.cases, "sessions replaced", f"{type(exc).__name__}: {exc}")
            break
        if outcome.cases >= next_check or outcome.cases >= cases:
            next_check += CHECK_EVERY_REQUESTS
            if wrong := await world.check():
                outcome.fail(outcome.cases, "health after these cases", wrong)
    outcome.seconds = time.monotonic() - start
    return outcome


async def shrink(channel: grpc.aio.Channel, case: RequestCase, code: str) -> RequestCase:
    """The same case with the fewest fields that still produce the code."""
    for smaller in islice(_fewer(case.request), SHRINK_TRIES):
        less = RequestCase(case.rpc, smaller, case.deadline_s, case.call_off_s)
        if (await send(channel, less))[0] == code:
            return await shrink(channel, less, code)
    return case


def _fewer(message: Message) -> Iterator[Message]:
    """The message without one of its fields, or with a smaller one."""
    for field, value in message.ListFields():
        smaller = type(message)()
        smaller.CopyFrom(message)
        smaller.ClearField(field.name)
        yield smaller
        if not field.is_repeated and field.type == FieldDescriptor.TYPE_MESSAGE:
            for part in _fewer(value):
                smaller = type(message)()
                smaller.CopyFrom(message)
                getattr(smaller, field.name).CopyFrom(part)
                yield smaller
