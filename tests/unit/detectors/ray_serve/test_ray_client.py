"""The process that talks to Ray, without Ray."""

from __future__ import annotations

import asyncio
from multiprocessing.connection import Pipe

import msgspec
import pytest

from perception.detectors.ray_serve import client as clients
from perception.detectors.ray_serve.messages import Answer, Ask
from perception.detectors.worker import Image
from perception.ray_cluster.joining import JoinLateError


async def test_a_process_that_ray_keeps_waiting_says_so_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = asyncio.Event()

    def join() -> str:
        raise JoinLateError("it could not be joined in 20 s")

    monkeypatch.setattr(clients, "join_cluster", join)
    monkeypatch.setattr(clients, "RETRY_SECONDS", 0.2)
    monkeypatch.setattr(clients.os, "_exit", lambda _: ended.set())
    ours, theirs = Pipe()
    with ours, theirs:
        client = clients.RayClient(theirs)
        image = Image(1, 1, bytes(3), 30.0, "")
        for number in (1, 2):
            client.take(Ask(number, "probe", [image]))
        answers = [msgspec.msgpack.decode(await asyncio.to_thread(ours.recv_bytes), type=Answer) for _ in range(2)]
        assert {(each.id, each.failure) for each in answers} == {
            (number, "it could not be joined in 20 s") for number in (1, 2)
        }
        async with asyncio.timeout(30):
            await ended.wait()
