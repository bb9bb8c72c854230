"""A relay between an edge and its workers, as a process: it carries bytes, late or not at all when told so.

Run as a module with the workers' ports as arguments. It prints the ports that it listens on, and reads commands, a line
each: `INDEX delay SECONDS`, `INDEX stall` (nothing passes, nothing closes), `INDEX pass`.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from dataclasses import dataclass, field

CHUNK = 65_536


@dataclass(slots=True, eq=False)
class Lane:
    """The way to one worker. `passing`: cleared while nothing passes."""

    port: int
    delay_s: float = 0.0
    passing: asyncio.Event = field(default_factory=asyncio.Event)

    def obey(self, words: list[str]) -> None:
        self.delay_s = float(words[1]) if words[0] == "delay" else 0.0
        if words[0] == "stall":
            self.passing.clear()
        else:
            self.passing.set()

    async def carry(self, near: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        """One connection. While the lane stalls, it is accepted and stays silent."""
        await self.passing.wait()
        try:
            far, request = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            answer.transport.abort()
            return
        both = [asyncio.create_task(each) for each in (self._pipe(near, request), self._pipe(far, answer))]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for task in both:
            task.cancel()
        await asyncio.gather(*both, return_exceptions=True)
        for writer in (request, answer):
            writer.transport.abort()

    async def _pipe(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        """Chunks in their order, each one `delay_s` after it came."""
        late: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(256)
        clock = asyncio.get_running_loop().time

        async def send() -> None:
            while True:
                due, data = await late.get()
                await asyncio.sleep(max(0.0, due - clock()))
                await self.passing.wait()
                if not data:
                    return
                sink.write(data)
                await sink.drain()

        sending = asyncio.create_task(send())
        with contextlib.suppress(OSError):
            while data := await source.read(CHUNK):
                await late.put((clock() + self.delay_s, data))
        await late.put((clock() + self.delay_s, b""))
        await sending


async def run(ports: list[int]) -> None:
    lanes = [Lane(each) for each in ports]
    listening = []
    for lane in lanes:
        lane.passing.set()
        server = await asyncio.start_server(lane.carry, "127.0.0.1", 0)
        listening.append(server)
    print(*(each.sockets[0].getsockname()[1] for each in listening), flush=True)
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    while line := (await commands.readline()).decode():
        index, *words = line.split()
        lanes[int(index)].obey(words)
        print("done", flush=True)


if __name__ == "__main__":
    asyncio.run(run([int(each) for each in sys.argv[1:]]))
