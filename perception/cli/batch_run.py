"""A batch: a subroutine over many rows, in several sessions at once, each row at most once.

Rule: a row is noted as begun, on disk, before it is run. A resumed batch runs no row that was begun.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from google.protobuf.json_format import MessageToDict

from perception.client import Client, Page, RemoteError, Subroutines
from perception.errors import PerceptionError, first_line
from perception.page_words import unmarked_words
from perception.subroutines.batch_rows import BadRow, BatchRow, bad_line, begun_line, ended_line
from perception.v1 import subroutine_service_pb2 as pb


class Batch:
    """Runs the rows of one batch.

    Attributes:
        succeeded, unverified, failed: rows that ended so far, by their result. An unverified row was done, and nothing
            confirmed its effect.
    """

    def __init__(
        self,
        client: Client,
        made: pb.Subroutine,
        open_page: Callable[[], Page],
        results: Path,
        complete: Callable[[BatchRow], tuple[Mapping[str, Any], Mapping[str, Any]]],
        *,
        rows_a_minute: float,
        timeout_s: float,
    ) -> None:
        self._client = client
        self._made = made
        self._open_page = open_page
        self._results = results
        self._complete = complete
        self._pause_s = 60.0 / rows_a_minute if rows_a_minute else 0.0
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._next_s = 0.0
        self.succeeded = 0
        self.unverified = 0
        self.failed = 0

    def run(
        self, rows: Sequence[BatchRow], bad: Sequence[BadRow], sessions: int, on_ended: Callable[[bool], None]
    ) -> None:
        """Runs all rows.

        Args:
            rows: those to run.
            bad: those that cannot be run; they fail before the others begin.
            sessions: how many run at once.
            on_ended: called after each row with whether it succeeded.

        Raises:
            RemoteError: the service is gone; rows that were begun by then are marked.
        """
        waiting: SimpleQueue[BatchRow] = SimpleQueue()
        for row in rows:
            waiting.put(row)
        with self._results.open("a", encoding="utf-8") as file, ExitStack() as stack:
            for each in bad:
                self._write(file, bad_line(each))
            self.failed += len(bad)
            pages = [stack.enter_context(self._open_page()) for _ in range(min(sessions, len(rows)))]
            with ThreadPoolExecutor(len(pages) or 1) as pool:
                for future in [pool.submit(self._work, page, waiting, file, on_ended) for page in pages]:
                    future.result()

    def _work(
        self, page: Page, waiting: SimpleQueue[BatchRow], file: IO[str], on_ended: Callable[[bool], None]
    ) -> None:
        tools = Subroutines(self._client)
        while True:
            try:
                row = waiting.get_nowait()
            except Empty:
                return
            self._wait_turn()
            self._write(file, begun_line(row))
            result = self._run_row(tools, page, row)
            self._write(file, ended_line(row, result))
            self._count(result)
            on_ended(result["success"])

    def _run_row(self, tools: Subroutines, page: Page, row: BatchRow) -> dict[str, Any]:
        """Runs one row. Returns its line of the results file."""
        try:
            arguments, computed = self._complete(row)
        except PerceptionError as exc:
            return {"success": False, "error": first_line(exc), "reason": exc.reason, "sent": False}
        note = {"computed": dict(computed)} if computed else {}
        return {**note, **self._run_with(tools, page, row, arguments)}

    def _run_with(self, tools: Subroutines, page: Page, row: BatchRow, arguments: Mapping[str, Any]) -> dict[str, Any]:
        try:
            done = tools.run(
                page,
                self._made.subroutine_id,
                arguments,
                request_id=f"row-{row.number}-{row.mark}",
                timeout_s=self._timeout_s,
            )
        except RemoteError as exc:
            return {"success": False, "error": exc.plain, "reason": exc.reason or exc.code.name}
        result = {"success": done.success, "ms": round(done.elapsed.ToTimedelta().total_seconds() * 1000)}
        if done.success:
            return {**result, "data": MessageToDict(done.data)}
        from perception.subroutines.ranking import MUTATING  # with numpy, which takes time to load

        statuses = [each.status for each in done.requests if each.method in MUTATING]
        failure = {"error": unmarked_words(done.error), "reason": done.reason, "step": done.failed_step}
        return {**result, **failure, "sent": done.sent, "statuses": statuses}

    def _count(self, result: Mapping[str, Any]) -> None:
        with self._lock:
            self.succeeded += result["success"]
            unverified = result.get("reason") == "UNVERIFIED"
            self.unverified += unverified
            self.failed += not result["success"] and not unverified

    def _wait_turn(self) -> None:
        """Waits until the next row may begin under the rate limit, which all sessions share."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next_s)
            self._next_s = turn + self._pause_s
        time.sleep(turn - now)

    def _write(self, file: IO[str], line: str) -> None:
        with self._lock:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
