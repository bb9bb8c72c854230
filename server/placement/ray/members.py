"""Which workers an edge has on Ray: what a process beside it, the lookout, prints.

Rule 1: the edge never loads Ray, and never waits for it: a lookout that ends or says nothing is started again, and what
is known of workers stays meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable, Sequence

import msgspec
import structlog

from perception.client.access import is_local
from perception.errors import BadInputError
from perception.server.placement.ray.facts import News, Report

log = structlog.get_logger(__name__)

LOOKOUT = "perception.server.placement.ray.lookout"

FIRST_NEWS_SECONDS = 30.0
"""For the first lookout to join the cluster, which takes 2 s. Chosen by hand."""

SILENT_SECONDS = 10.0
"""A lookout prints once a second. One that says nothing for that long hangs, and is started again."""

PAUSES_SECONDS = (1.0, 2.0, 5.0, 10.0)
"""Before a lookout is started again."""

LINE_BYTES = 2**24
"""For 100,000 addresses."""

MAX_WORDS = 500
"""Characters of a line that Ray prints."""

END_SECONDS = 3.0

REPORT_SECONDS = 1.0
"""Between two reports of how many claims wait."""


class RayMembers:
    """Workers on a Ray cluster.

    Args:
        address: `HOST:PORT` or `auto`.
        is_encrypted: whether what goes to workers is; if not, only those on this machine are used.
    """

    def __init__(self, address: str, *, is_encrypted: bool) -> None:
        self._is_encrypted = is_encrypted
        self._command = (sys.executable, "-m", LOOKOUT, address)
        self._expect: Callable[[Sequence[str]], None] = lambda _: None
        self._running: asyncio.Task[None] | None = None
        self._first: asyncio.Future[None] | None = None
        self._waiting = 0
        self._reported = asyncio.Event()

    async def start(self, expect: Callable[[Sequence[str]], None]) -> None:
        """Returns when it is known which workers there are.

        Raises:
            BadInputError: the cluster cannot be joined.
        """
        self._expect = expect
        self._first = asyncio.get_running_loop().create_future()
        self._running = asyncio.create_task(self._run(), name="ray-lookout")
        try:
            async with asyncio.timeout(FIRST_NEWS_SECONDS):
                await self._first
        except TimeoutError:
            await self.close()
            raise BadInputError(
                f"Ray has not said within {FIRST_NEWS_SECONDS:.0f} s which workers there are: look at its log",
                field="placement",
            ) from None
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    def report(self, waiting: int) -> None:
        self._waiting = waiting
        self._reported.set()

    async def _run(self) -> None:
        """Lookouts, one after the other."""
        failures = 0
        while True:
            if await self._look():
                failures = 0
            await asyncio.sleep(PAUSES_SECONDS[min(failures, len(PAUSES_SECONDS) - 1)])
            failures += 1

    async def _look(self) -> bool:
        """One lookout until it ends, or says nothing for too long. Returns whether it had news."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *self._command, stdin=pipe, stdout=pipe, stderr=pipe, limit=LINE_BYTES, start_new_session=True
        )
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        words = asyncio.create_task(_log_words(process.stderr), name="ray-words")
        reports = asyncio.create_task(self._send_reports(process.stdin), name="ray-reports")
        why = "it ended"
        heard = False
        try:
            async for news in _news_of(process.stdout):
                if news.error:
                    why = news.error
                    break
                if news.workers is not None:
                    self._expect(self._usable(news.workers))
                    heard = True
                    self._note_first(None)
        except TimeoutError:
            why = "it says nothing"
        finally:
            try:
                await _end(process)
            finally:
                words.cancel()
                reports.cancel()
        self._note_first(BadInputError(why, field="placement"))
        log.warning("the edge does not see the workers on Ray", why=why)
        return heard

    async def _send_reports(self, stdin: asyncio.StreamWriter) -> None:
        """How many claims wait: once a second while there are any, and when there are none any more."""
        with contextlib.suppress(ConnectionError):
            while True:
                await self._reported.wait()
                stdin.write(msgspec.json.encode(Report(self._waiting)) + b"\n")
                await stdin.drain()
                if not self._waiting:
                    self._reported.clear()
                await asyncio.sleep(REPORT_SECONDS)

    def _usable(self, workers: Sequence[str]) -> Sequence[str]:
        """Without those that what is secret would go to unencrypted."""
        if self._is_encrypted:
            return workers
        far = [each for each in workers if not is_local(each)]
        if far:
            log.error("workers of other machines are not used without --cluster", workers=len(far), one=far[0])
        return [each for each in workers if each not in far]

    def _note_first(self, error: BadInputError | None) -> None:
        if self._first is None or self._first.done():
            return
        if error is None:
            self._first.set_result(None)
        else:
            self._first.set_exception(error)


async def _news_of(stdout: asyncio.StreamReader) -> AsyncIterator[News]:
    """What a lookout prints, until it ends. Raises TimeoutError when it says nothing for too long."""
    patience_s = FIRST_NEWS_SECONDS
    while True:
        async with asyncio.timeout(patience_s):
            line = await stdout.readline()
        if not line:
            return
        yield msgspec.json.decode(line, type=News)
        patience_s = SILENT_SECONDS


async def _log_words(stderr: asyncio.StreamReader) -> None:
    """What the lookout and Ray print for people goes into the edge's log."""
    async for line in stderr:
        text = line.decode("utf-8", "replace").strip()
        if text:
            log.info("printed by Ray's client beside this edge", words=text[:MAX_WORDS])


async def _end(process: asyncio.subprocess.Process) -> None:
    """It ends with its standard input; if not, it is killed."""
    assert process.stdin is not None
    process.stdin.close()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(END_SECONDS):
            await process.wait()
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    await process.wait()
