"""Sends bytes that are not a message, odd metadata, and calls of unknown methods."""

from __future__ import annotations

import asyncio
import time
from random import Random
from typing import Any

import grpc

from perception.bench.suites.fuzz.fuzzed_sessions import FuzzedSessions
from perception.bench.suites.fuzz.outcomes import PartOutcome, judge
from perception.bench.suites.fuzz.random_values import make, mutate
from perception.bench.suites.fuzz.requests_sent import GRACE_SECONDS, FuzzedMethod, every_rpc

WORKERS = 8

BYTES_CALL_SECONDS = 1.0

LIMIT = 16 * 2**20
"""Message size limit of the service, in bytes."""

HUGE_EVERY = 1000
"""Cases for each message around the limit: one takes 50 ms."""

CHECK_EVERY_BYTES = 5000

UNKNOWN_METHODS = (
    "/perception.v1.ActionService/Nothing",
    "/perception.v9.ActionService/Click",
    "/x/y",
    "/perception.v1.ActionService/click",
    "/perception.v1.ActionService/Click/",
    "/grpc.health.v1.Health/Nothing",
)


def draw_bytes(rpcs: list[FuzzedMethod], random: Random, number: int) -> tuple[str, bytes]:
    """A method and the bytes sent as its request."""
    path = random.choice(rpcs).path if random.random() < 0.97 else random.choice(UNKNOWN_METHODS)
    if number % HUGE_EVERY == 0:
        size = LIMIT + random.choice((-1, 0, 1))
        return path, b"\x0a" + _varint(size - 5) + b"a" * (size - 5)
    lot = random.random()
    if lot < 0.2:
        return path, random.randbytes(random.choice((0, 1, 2, 7, 64, 4000)))
    if lot < 0.4:
        return path, b"".join(_odd_field(random) for _ in range(random.randrange(1, 6)))
    rpc = random.choice(rpcs)
    whole = make(rpc.method.input_type, random, density=0.4).SerializeToString()[:20_000]
    return rpc.path if random.random() < 0.8 else path, mutate(whole, random)


def _odd_field(random: Random) -> bytes:
    """A field of any number and wire type, groups included, regardless of the message's definition."""
    number = random.choice((0, 1, 2, 3, 4, 15, 16, 1000, 2**29 - 1, 2**29))
    wire = random.randrange(8)
    key = _varint(number << 3 | wire)
    if wire == 0:
        return key + random.choice((_varint(1), _varint(2**64 - 1), b"\xff" * 10, b"\xff" * 11))
    if wire == 2:
        size = random.choice((0, 1, 3, 200, 2**31, 2**63))
        return key + _varint(size) + random.randbytes(min(size, 200))
    return key + random.randbytes(random.choice((0, 4, 8)))


def _varint(number: int) -> bytes:
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    return bytes([*made, number])


def draw_metadata(random: Random) -> list[tuple[str, str | bytes]]:
    """Metadata that gRPC lets a client send; most calls have none."""
    lot = random.random()
    if lot < 0.7:
        return []
    if lot < 0.8:
        return [("x-request-id", random.choice(("", "a" * 65, "a b", "~" * 64, "{}", "%00")))]
    if lot < 0.9:
        return [("odd-bin", random.randbytes(random.choice((0, 1, 500)))), ("x-request-id-bin", b"\xff\0")]
    many = [(f"k{index}", "v" * random.choice((0, 10))) for index in range(random.choice((1, 20)))]
    return [*many, ("traceparent", random.choice(("00-0-0-0", "x" * 300, "00-" + "f" * 32 + "-" + "f" * 16 + "-01")))]


async def fuzz_bytes(world: FuzzedSessions, cases: int, seed: int) -> PartOutcome:
    outcome = PartOutcome("bytes")
    start = time.monotonic()
    rpcs = [rpc for rpc in every_rpc() if rpc.name != "CreateSession"]  # an empty request is valid, and expensive
    numbers = iter(range(cases))

    async def work() -> None:
        for number in numbers:
            random = Random(f"{seed} bytes {number}")
            path, data = draw_bytes(rpcs, random, number)
            code, why = await _send(world.client.channel, path, data, draw_metadata(random))
            outcome.count(code)
            if why:
                outcome.fail(number, f"{path} {data[:300]!r} ({len(data)} bytes)", why)
            if (number + 1) % CHECK_EVERY_BYTES == 0 and (wrong := await world.check()):
                outcome.fail(number, "health after these cases", wrong)

    await asyncio.gather(*(work() for _ in range(WORKERS)))
    if wrong := await world.check():
        outcome.fail(cases, "health after all cases", wrong)
    outcome.seconds = time.monotonic() - start
    return outcome


async def _send(
    channel: grpc.aio.Channel, path: str, data: bytes, metadata: list[tuple[str, str | bytes]]
) -> tuple[str, str]:
    as_it_is: Any = None  # bytes go out and come in as they are
    call: Any = channel.unary_unary(path, as_it_is, as_it_is)(data, timeout=BYTES_CALL_SECONDS, metadata=metadata)
    try:
        await asyncio.wait_for(call, BYTES_CALL_SECONDS + GRACE_SECONDS)
    except TimeoutError:
        return "HANG", f"no answer {GRACE_SECONDS:g} s after the deadline"
    except grpc.aio.AioRpcError as error:
        return judge(error, oversize=len(data) > LIMIT)
    return "OK", ""
