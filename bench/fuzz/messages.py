"""Every request of the contract over real gRPC, to a real service: half of them odd all through, half nearly valid.

A case may have any deadline, none at all or years, and may be called off in the middle. The service has to answer each
within its deadline by a code of the contract and an ErrorInfo of ours, and to be as good as new afterwards.
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

from perception.bench.fuzz.made import make
from perception.bench.fuzz.verdict import Tally, judge
from perception.bench.fuzz.world import World
from perception.v1 import (
    action_service_pb2,
    detection_service_pb2,
    extraction_service_pb2,
    perception_service_pb2,
    session_service_pb2,
    subroutine_service_pb2,
)

MODULES = (
    session_service_pb2,
    perception_service_pb2,
    detection_service_pb2,
    action_service_pb2,
    extraction_service_pb2,
    subroutine_service_pb2,
)
WORKERS = 8
CHECK_EVERY = 1000
RENEW_EVERY = 250
"""Cases after which the sessions are others: by then many show another page, or none."""

GRACE_SECONDS = 2.0
"""What an answer may be late."""

DEADLINES = (0.0, 0.001, 0.02, 0.05, 0.1, 0.3, 0.3, 0.5, 0.5, 1.0, 1.0, 1.0, 3.0, 3.0, 1e8)
"""Seconds; after the last one, three years, a case is called off."""

YEARS = 1e7
"""Seconds from which a deadline is no bound for a case."""

PATIENCE_SECONDS = 0.5
"""After this long a case without a deadline of its own is called off."""

RARE = {"CreateSession": 0.15, "CloseSession": 0.05, "ParseImage": 0.3}
"""How often a nearly valid request of what is slow, or takes the others' sessions away, is sent as it is drawn."""

SHRINK_TRIES = 60


@dataclass(frozen=True, slots=True)
class Rpc:
    """One method of the contract."""

    path: str
    name: str
    method: MethodDescriptor


def every_rpc() -> list[Rpc]:
    return [
        Rpc(f"/{service.full_name}/{method.name}", method.name, method)
        for module in MODULES
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    ]


@dataclass(frozen=True, slots=True)
class Case:
    """One call. `call_off_s`: it is cancelled after this long; None for never."""

    rpc: Rpc
    request: Message
    deadline_s: float
    call_off_s: float | None

    def __str__(self) -> str:
        asked = MessageToString(self.request, as_one_line=True, as_utf8=True)
        return f"{self.rpc.name} within {self.deadline_s:g} s, called off after {self.call_off_s}: {asked}"


def draw_case(
    rpcs: list[Rpc], random: Random, hint_of: Callable[[Random], Any] | None, *, is_odd: bool = False
) -> Case:
    """A case; `hint_of` gives values that are valid now. An odd one has but a session that there is."""
    rpc = random.choice(rpcs)
    if hint_of is None or is_odd or (random.random() > RARE.get(rpc.name, 1.0)):
        request = make(rpc.method.input_type, random)
        field = rpc.method.input_type.fields_by_name.get("session_id")
        if hint_of is not None and field is not None and rpc.name not in RARE and random.random() < 0.9:
            request.session_id = hint_of(random)(field, random)  # type: ignore[attr-defined]
            if "tab_id" in rpc.method.input_type.fields_by_name and random.random() < 0.8:
                request.ClearField("tab_id")
    else:
        request = _nearly_valid(rpc, random, hint_of(random))
    deadline_s = random.choice(DEADLINES)
    call_off_s = random.uniform(0, 0.1) if random.random() < 0.1 else None
    if deadline_s > YEARS and call_off_s is None:
        call_off_s = PATIENCE_SECONDS
    return Case(rpc, request, deadline_s, call_off_s)


def _nearly_valid(rpc: Rpc, random: Random, hint: Any) -> Message:
    request = make(rpc.method.input_type, random, hint, random.choice((0.1, 0.2, 0.4)))
    for name in ("session_id", "target", "from", "to", "key", "expression", "url", "recording_id", "subroutine_id"):
        field = rpc.method.input_type.fields_by_name.get(name)
        if field is None or random.random() < 0.03:
            continue
        value = hint(field, random)
        if value is None or (name in ("target", "url") and random.random() < 0.2):
            continue
        if field.message_type is not None:
            getattr(request, name).CopyFrom(value)
        else:
            setattr(request, name, value)
    return request


async def send(channel: grpc.aio.Channel, case: Case) -> tuple[str, str, Message | None]:
    """The code, what is wrong with the answer (empty for nothing), and the answer if there is one."""
    reply_class: Any = GetMessageClass(case.rpc.method.output_type)
    request_class: Any = type(case.request)
    is_stream = case.rpc.method.server_streaming
    open_call: Any = channel.unary_stream if is_stream else channel.unary_unary
    rpc = open_call(case.rpc.path, request_class.SerializeToString, reply_class.FromString)
    start = time.monotonic()
    call = rpc(case.request, timeout=case.deadline_s)

    async def run() -> Message | None:
        if not is_stream:
            return await call  # type: ignore[no-any-return]
        last = None
        async for reply in call:
            last = reply
            if time.monotonic() - start > PATIENCE_SECONDS:
                break
        return last

    task = asyncio.create_task(run())
    limit = case.deadline_s if case.call_off_s is None else min(case.deadline_s, case.call_off_s)
    try:
        done, _ = await asyncio.wait([task], timeout=limit + (0 if case.call_off_s is not None else GRACE_SECONDS))
        if not done and case.call_off_s is None:
            # Our own loop may have stood still over another case of many megabytes: what has come is read first.
            done, _ = await asyncio.wait([task], timeout=1)
        if not done:
            call.cancel()
            await asyncio.wait([task], timeout=GRACE_SECONDS)
            if not task.done():
                return "HANG", "the call goes on after it was called off", None
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


async def fuzz_messages(world: World, cases: int, seed: int, *, renew_every: int = RENEW_EVERY) -> Tally:
    """Sends so many cases, some at a time."""
    tally = Tally("messages")
    start = time.monotonic()
    rpcs = every_rpc()
    numbers = iter(range(cases))
    next_renewal, next_check = renew_every, CHECK_EVERY

    async def work() -> None:
        for number in numbers:
            random = Random(f"{seed} messages {number}")
            case = draw_case(rpcs, random, world.hint, is_odd=number % 2 == 0)
            code, why, reply = await send(world.client.channel, case)
            tally.count(code)
            if reply is not None:
                world.learn(reply)
            if why:
                small = await shrink(world.client.channel, case, code)
                tally.fail(number, small, why)
            if tally.cases >= limit:
                return

    await world.renew()
    limit = 0
    while tally.cases < cases:
        limit = min(next_renewal, cases)
        await asyncio.gather(*(work() for _ in range(WORKERS)))
        next_renewal = tally.cases + renew_every
        try:
            await world.renew()
        except Exception as exc:  # whatever it is, the cases before it have brought it about
            tally.fail(tally.cases, "sessions made anew", f"{type(exc).__name__}: {exc}")
            break
        if tally.cases >= next_check or tally.cases >= cases:
            next_check += CHECK_EVERY
            if wrong := await world.check():
                tally.fail(tally.cases, "health after these cases", wrong)
    tally.seconds = time.monotonic() - start
    return tally


async def shrink(channel: grpc.aio.Channel, case: Case, code: str) -> Case:
    """The same case with as few fields as still bring about the code."""
    for smaller in islice(_fewer(case.request), SHRINK_TRIES):
        less = Case(case.rpc, smaller, case.deadline_s, case.call_off_s)
        if (await send(channel, less))[0] == code:
            return await shrink(channel, less, code)
    return case


def _fewer(message: Message) -> Iterator[Message]:
    """The message without one of its fields, or with less in one of them."""
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
