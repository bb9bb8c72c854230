"""Runs a task over samples in worker processes and keeps what they give: streaming, resumable, each failure its own.

Rule 1: at most a few samples for each worker are in flight, so that memory does not grow with the data set.
Rule 2: a sample that kills its worker, or takes too long, is found out by running the suspects one by one; the others'
results stay.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field

import msgspec

from perception.bench.memory import resident_bytes
from perception.bench.runstore import Appender, Failure, MemoryMark, Run
from perception.bench.work import Task, start_worker, work
from perception.datasets.build import Progress
from perception.datasets.sample import Broken, Reference

IN_FLIGHT = 2
"""Samples for each worker: one at work and one waiting, so that none idles."""

SAMPLE_SECONDS = 300.0
"""A sample that is not done by then fails: all variants and detectors of it together take 20 s on two busy cores."""

MARK_EVERY = 25
"""Samples between two entries of memory.jsonl."""


@dataclass(slots=True)
class RunReport:
    """How a run went. `failed` is by sample name, `broken` by record."""

    done: int = 0
    kept: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)


def run_task(
    task: Task,
    records: Iterable[Reference | Broken],
    run: Run,
    *,
    workers: int,
    progress: Progress,
    total: int = 0,
    limit_s: float = SAMPLE_SECONDS,
) -> RunReport:
    """Gives every sample that has no outputs yet to a worker.

    Args:
        records: samples and broken records, streamed.
        total: how many there are, for the progress shown; 0 where that is not known.
    """
    report = RunReport()
    done = run.done()
    progress.start(total)
    keeper = _Keeper(run, report, progress)
    try:
        due = _due(records, done, report, keeper)
        while (suspects := _run_all(task, due, workers, limit_s, keeper)) is not None:
            for suspect in suspects:
                _run_alone(task, suspect, limit_s, keeper)
    finally:
        keeper.close()
    return report


def _due(
    records: Iterable[Reference | Broken], done: set[str], report: RunReport, keeper: _Keeper
) -> Iterator[Reference]:
    for record in records:
        if isinstance(record, Broken):
            keeper.skip(record)
        elif record.id in done:
            report.kept += 1
            keeper.progress.done(record.name)
        else:
            yield record


class _Keeper:
    """Writes what comes."""

    def __init__(self, run: Run, report: RunReport, progress: Progress) -> None:
        self._outputs = Appender(run.folder / "outputs.jsonl")
        self._failures = Appender(run.folder / "failures.jsonl")
        self._memory = Appender(run.folder / "memory.jsonl")
        self._report = report
        self._workers: dict[int, int] = {}
        self.progress = progress

    def keep(self, reference: Reference, lines: list[bytes], worker: int, resident: int) -> None:
        for line in lines:
            self._outputs.add(line)
        self._report.done += 1
        self._workers[worker] = resident
        if self._report.done % MARK_EVERY == 1:
            mark = MemoryMark(self._report.done, resident_bytes(), sum(self._workers.values()))
            self._memory.add(msgspec.json.encode(mark))
        self.progress.done(reference.name)

    def fail(self, reference: Reference, reason: str) -> None:
        self._failures.add(msgspec.json.encode(Failure(reference.name, reference.id, reason)))
        self._report.failed[reference.name] = reason
        self.progress.done(reference.name, reason)

    def skip(self, record: Broken) -> None:
        self._failures.add(msgspec.json.encode(Failure(record.record, "", record.reason)))
        self._report.broken[record.record] = record.reason
        self.progress.done(record.record, record.reason)

    def forget_workers(self) -> None:
        self._workers.clear()

    def close(self) -> None:
        for file in (self._outputs, self._failures, self._memory):
            file.close()


def _pool(task: Task, workers: int) -> ProcessPoolExecutor:
    # Spawned: a fork of a process with threads (gRPC, progress bars) may hang.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=start_worker, initargs=(task,))


def _submit(pool: ProcessPoolExecutor, reference: Reference, limit_s: float) -> Future[tuple[list[bytes], int, int]]:
    """Hands out a sample. That may start a worker, which a Ctrl-C reaches, too: it is held back from it until
    `start_worker` has it ignored, for a process that is interrupted while it starts prints where that was."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return pool.submit(work, reference, limit_s)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run_all(
    task: Task, due: Iterator[Reference], workers: int, limit_s: float, keeper: _Keeper
) -> list[Reference] | None:
    """Until there is none left (None), or a worker died: then those that were in flight."""
    keeper.forget_workers()
    flying: dict[Future[tuple[list[bytes], int, int]], Reference] = {}
    with _pool(task, workers) as pool:
        try:
            while True:
                while len(flying) < workers * IN_FLIGHT and (reference := next(due, None)) is not None:
                    flying[_submit(pool, reference, limit_s)] = reference
                if not flying:
                    return None
                done = wait(flying, return_when=FIRST_COMPLETED).done
                for future in [each for each in flying if each in done]:  # in the order in which they were handed out
                    _settle(future, flying[future], keeper)
                    del flying[future]
        except BrokenProcessPool:
            return _unsettled(flying, keeper)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _unsettled(flying: dict[Future[tuple[list[bytes], int, int]], Reference], keeper: _Keeper) -> list[Reference]:
    """Those in flight that have no result; what came before the pool broke is kept."""
    suspects = []
    for future, reference in flying.items():
        try:
            _settle(future, reference, keeper)
        except BrokenProcessPool:
            suspects.append(reference)
    return suspects


def _run_alone(task: Task, reference: Reference, limit_s: float, keeper: _Keeper) -> None:
    with _pool(task, 1) as pool:
        try:
            _settle(_submit(pool, reference, limit_s), reference, keeper)
        except BrokenProcessPool:
            keeper.fail(reference, f"its worker process died, or was ended because it took longer than {limit_s:g} s")


def _settle(future: Future[tuple[list[bytes], int, int]], reference: Reference, keeper: _Keeper) -> None:
    """Keeps a result or a failure. Raises BrokenProcessPool where there is neither."""
    try:
        lines, worker, resident = future.result()
    except BrokenProcessPool:
        raise
    except Exception as exc:  # whatever a detector or a damaged image raises is that sample's own failure
        keeper.fail(reference, f"{type(exc).__name__}: {(str(exc) or 'without a message').splitlines()[0]}")
    else:
        keeper.keep(reference, lines, worker, resident)
