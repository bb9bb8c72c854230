"""An edge's lookout: a process that has joined a Ray cluster, and prints which workers there are.

It prints a line of JSON (`News`) when the workers change, and at least once a second. It ends when its standard input
does. Usage: python -m perception.server.placement.ray.lookout HOST:PORT|auto
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import sys
from typing import Any, BinaryIO

import msgspec

from perception.errors import PerceptionError
from perception.ray_cluster.joining import join
from perception.server.placement.ray.address import PLACEMENT
from perception.server.placement.ray.facts import News, Report
from perception.server.placement.ray.fleet import FLEET
from perception.server.placement.ray.roster import Roster, finder
from perception.server.telemetry import logs

LOOK_SECONDS = 0.5
"""How often is looked which actors there are."""

LIST_SECONDS = 5.0
"""For the head to say which actors there are. Without its answer nothing is printed."""


async def look(ray: Any, out: BinaryIO) -> None:
    """Prints news for as long as the head answers. Raises TimeoutError when it does not."""
    changed = asyncio.Event()
    roster = Roster(finder(ray), changed.set)
    said: tuple[str, ...] | None = None
    try:
        while True:
            async with asyncio.timeout(LIST_SECONDS):
                names = await asyncio.to_thread(ray.util.list_named_actors)
            roster.expect(names)
            await _settle(changed)
            changed.clear()
            news = News(None if roster.addresses == said else roster.addresses)
            said = roster.addresses
            _print(out, news)
    finally:
        await roster.close()


async def _settle(changed: asyncio.Event) -> None:
    """Until something has changed, or it is time to look again."""
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            await changed.wait()
    except TimeoutError:
        pass


async def _run(ray: Any, out: BinaryIO) -> None:
    """Until standard input ends, or the head does not answer."""
    looking = asyncio.ensure_future(look(ray, out))
    ending = asyncio.ensure_future(_pass_reports(ray))
    await asyncio.wait((looking, ending), return_when=asyncio.FIRST_COMPLETED)
    if looking.done():
        why = looking.exception()
        _print(out, News(error=f"the Ray cluster does not answer any more ({type(why).__name__})"))


async def _pass_reports(ray: Any) -> None:
    """Tells the fleet, where there is one, what the edge reports, until standard input ends."""
    edge = secrets.token_hex(8)
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    while line := await reader.readline():
        report = msgspec.json.decode(line, type=Report)
        with contextlib.suppress(Exception):  # there is no fleet, or it does not answer: the next report comes
            fleet = await asyncio.to_thread(finder(ray), FLEET)
            fleet.report.remote(edge, report.waiting)


def _print(out: BinaryIO, news: News) -> None:
    out.write(msgspec.json.encode(news) + b"\n")
    out.flush()


def main() -> None:
    logs.set_up()
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what Ray prints goes elsewhere
    try:
        ray = join(sys.argv[1], PLACEMENT).ray
    except PerceptionError as exc:
        _print(out, News(error=str(exc)))
        os._exit(1)
    asyncio.run(_run(ray, out))
    os._exit(0)  # Ray's own end may wait for a head that is gone


if __name__ == "__main__":
    main()
