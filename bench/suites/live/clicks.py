"""How long a person's click takes while pictures flow: from sending it to the acknowledgement that the page has it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from perception.client import AsyncPage
from perception.client.input_events import mouse_requests, numbered
from perception.v1 import control_service_pb2 as pb

BETWEEN_SECONDS = 0.05
"""Between two clicks, so that they come at any moment of a frame. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class PersonClick:
    """A click by SendInput (move, press, release) beside so many watchers of a page."""

    page: str
    watchers: int
    number: int
    milliseconds: float


async def person_clicks(page: AsyncPage, name: str, watchers: int, count: int) -> list[PersonClick]:
    """A person takes control, and clicks in one stream of input."""
    taken: list[PersonClick] = []
    async with page.take_control("bench", lease_s=600) as person:
        stream = page._client.control.SendInput()
        try:
            for number in range(count):
                events = mouse_requests(100 + number % 50, 200 + number % 30)
                sent = numbered(events, page.session_id, person.lease_id, "", 3 * number)
                taken.append(PersonClick(name, watchers, number, await _milliseconds(stream, sent)))
                await asyncio.sleep(BETWEEN_SECONDS)
        finally:
            stream.cancel()
    return taken


async def _milliseconds(stream: object, sent: Sequence[pb.SendInputRequest]) -> float:
    """From the first event to the acknowledgement of the last. Raises RuntimeError for an event that was not taken."""
    start = time.perf_counter()
    for each in sent:
        await stream.write(each)  # type: ignore[attr-defined]  # grpc ships without types
    for _ in sent:
        acknowledged = await stream.read()  # type: ignore[attr-defined]
        if acknowledged.error:
            raise RuntimeError(f"a click was not taken: {acknowledged.error}")
    return (time.perf_counter() - start) * 1000
