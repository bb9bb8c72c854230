"""Runs a task over samples in worker processes and stores the outputs: streaming, resumable, failures isolated.

Rule 1: only a few samples for each worker are in flight, so that memory does not grow with the data set.
Rule 2: a sample that kills its worker, or takes too long, is identified by running the suspects one by one; the results
of the others are kept.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field

import msgspec

from perception.bench.memory_meter import resident_bytes
from perception.bench.run_store import Appender, FailedSample, MemoryMark, Run
from perception.bench.sample_worker import SampleTask, run_sample, start_worker
from perception.datasets.sample import Broken, Reference
from perception.datasets.sources.build import Progress

IN_FLIGHT = 2
"""Samples per worker: one in progress and one waiting, so that none idles."""

SAMPLE_SECONDS = 300.0
"""Time limit of a sample: all variants and detectors together take 20 s on two busy cores."""

MARK_EVERY = 25
"""Samples between two entries of memory.jsonl."""


@dataclass(slots=True)
class RunReport:
    """The result of a run. `failed` is by sample name, `broken` by record."""

    done: int = 0
    kept: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)


def run_task(
    task: SampleTask,
    records: Iterable[Reference | Broken],
    run: Run,
    *,
    workers: int,
    progress: Progress,
    total: int = 0,
    limit_s: float = SAMPLE_SECONDS,
) -> RunReport:
    """Gives every sample without outputs to a worker.

    Args:
        records: samples and broken records, streamed.
        total: their number, for the progress bar; 0 if unknown.
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
    """Stores the results."""

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
        self._failures.add(msgspec.json.encode(FailedSample(reference.name, reference.id, reason)))
        self._report.failed[reference.name] = reason
        self.progress.done(reference.name, reason)

    def skip(self, record: Broken) -> None:
        self._failures.add(msgspec.json.encode(FailedSample(record.record, "", record.reason)))
        self._report.broken[record.record] = record.reason
        self.progress.done(record.record, record.reason)

    def forget_workers(self) -> None:
        self._workers.clear()

    def close(self) -> None:
        for file in (self._outputs, self._failures, self._memory):
            file.close()


def _pool(task: SampleTask, workers: int) -> ProcessPoolExecutor:
    # Spawned: a fork of a process with threads (gRPC, progress bars) may hang.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=start_worker, initargs=(task,))


def _submit(pool: ProcessPoolExecutor, reference: Reference, limit_s: float) -> Future[tuple[list[bytes], int, int]]:
    """Submits a sample to the pool. That may start a worker."""
    with _interrupts_deferred():
        return pool.submit(run_sample, reference, limit_s)


@contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Delays Ctrl-C while a worker starts, and raises KeyboardInterrupt afterwards.

    The worker inherits the blocked signal until `start_worker` ignores it. Any thread of this process may receive the
    signal, and Python would raise it here, before the worker has read its task; so the handler is delayed, too. Either
    would end in a worker's traceback.
    """
    taken = []
    handler = signal.signal(signal.SIGINT, lambda *_: taken.append(True))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    if taken:
        raise KeyboardInterrupt


def _run_all(
    task: SampleTask, due: Iterator[Reference], workers: int, limit_s: float, keeper: _Keeper
) -> list[Reference] | None:
    """Runs until no sample is left (None), or a worker died: then returns the samples in flight."""
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
                for future in [each for each in flying if each in done]:  # in the order of submission
                    _settle(future, flying[future], keeper)
                    del flying[future]
        except BrokenProcessPool:
            return _unsettled(flying, keeper)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _unsettled(flying: dict[Future[tuple[list[bytes], int, int]], Reference], keeper: _Keeper) -> list[Reference]:
    """Samples in flight without a result; results from before the pool broke are kept."""
    suspects = []
    for future, reference in flying.items():
        try:
            _settle(future, reference, keeper)
        except BrokenProcessPool:
            suspects.append(reference)
    return suspects


def _run_alone(task: SampleTask, reference: Reference, limit_s: float, keeper: _Keeper) -> None:
    with _pool(task, 1) as pool:
        try:
            _settle(_submit(pool, reference, limit_s), reference, keeper)
        except BrokenProcessPool:
            keeper.fail(reference, f"its worker process died, or was ended because it took longer than {limit_s:g} s")


def _settle(future: Future[tuple[list[bytes], int, int]], reference: Reference, keeper: _Keeper) -> None:
    """Stores a result or a failure. Raises BrokenProcessPool if there is neither."""
    try:
        lines, worker, resident = future.result()
    except BrokenProcessPool:
        raise
    except Exception as exc:  # any exception of a detector or a damaged image is that sample's own failure
        keeper.fail(reference, f"{type(exc).__name__}: {(str(exc) or 'without a message').splitlines()[0]}")
    else:
        keeper.keep(reference, lines, worker, resident)
