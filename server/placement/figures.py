"""Figures of workers at their edges' metrics: one view of all, labeled by worker.

An edge asks the workers that it reaches when its metrics are fetched; nothing is sent otherwise. What a worker does not
answer in time is left out, and counted as missing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import REGISTRY, Collector

from perception.deadline import Deadline
from perception.errors import WorkerUnreachableError
from perception.instrumentation import metrics
from perception.server.placement.worker_link import WorkerLink
from perception.server.placement.worker_status import FIGURES, Figure, Figures, FiguresAsked

ANSWER_SECONDS = 3.0
"""For all workers together. Prometheus waits for 10 s by default."""

MAX_ASKED = 500
"""Workers that are asked. With more, Prometheus fetches each worker's own metrics; see docs/scaling.md."""


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a figure comes from.

    Attributes:
        name: of the figure at the edge.
        help: for people.
        metric: the worker's own.
        sample: name of its sample.
        labels: of the sample, that are kept; others are summed over.
        only: values that labels must have.
    """

    name: str
    help: str
    metric: Collector
    sample: str
    labels: tuple[str, ...] = ()
    only: tuple[tuple[str, str], ...] = ()

    @property
    def is_counter(self) -> bool:
        return self.name.endswith("_total")


_RPC = "rpc_server_duration_seconds"
_LOOKS = (("method", "/perception.v1.PerceptionService/CaptureSnapshot"),)

SOURCES = (
    _Source(
        "perception_worker_sessions",
        "Sessions of each worker, by state.",
        metrics.SESSIONS,
        "perception_sessions",
        ("state",),
    ),
    _Source(
        "perception_worker_queue_depth",
        "Calls that wait for a place at each worker.",
        metrics.QUEUE_DEPTH,
        "perception_queue_depth",
    ),
    _Source(
        "perception_worker_calls_total",
        "Calls that each worker has answered, by code.",
        metrics.RPC_SECONDS,
        f"{_RPC}_count",
        ("code",),
    ),
    _Source(
        "perception_worker_call_seconds_total",
        "Time that the calls of each worker took.",
        metrics.RPC_SECONDS,
        f"{_RPC}_sum",
    ),
    _Source(
        "perception_worker_snapshots_total",
        "Snapshots that each worker has taken for clients.",
        metrics.RPC_SECONDS,
        f"{_RPC}_count",
        only=_LOOKS,
    ),
    _Source(
        "perception_worker_rejected_total",
        "Calls that each worker refused for want of room, by reason.",
        metrics.ADMISSION_REJECTED,
        "perception_admission_rejected_total",
        ("reason",),
    ),
    _Source(
        "perception_worker_browser_pss_bytes",
        "Memory of each worker's browsers.",
        metrics.BROWSER_PSS_BYTES,
        "perception_browser_pss_bytes",
    ),
    _Source(
        "perception_worker_browser_restarts_total",
        "Browsers that each worker started in place of another, by cause.",
        metrics.BROWSER_RESTARTS,
        "perception_browser_restarts_total",
        ("cause",),
    ),
)
"""What workers tell."""


def read_figures() -> Figures:
    """The figures of this process."""
    return Figures(tuple(figure for source in SOURCES for figure in _read(source)))


def _read(source: _Source) -> Iterator[Figure]:
    sums: dict[tuple[str, ...], float] = {}
    for family in source.metric.collect():
        for sample in family.samples:
            if sample.name == source.sample and all(sample.labels.get(key) == value for key, value in source.only):
                key = tuple(sample.labels.get(each, "") for each in source.labels)
                sums[key] = sums.get(key, 0.0) + sample.value
    for key, value in sums.items():
        yield Figure(source.name, key, value)


class WorkersFigures(Collector):
    """Figures of all workers, for the metrics of their edge."""

    def __init__(self) -> None:
        self._up: Collection[WorkerLink] = ()
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self, up: Collection[WorkerLink]) -> None:
        """Joins the metrics of this process. For the loop that the workers are asked in."""
        self._up, self._loop = up, asyncio.get_running_loop()
        REGISTRY.register(self)

    def stop(self) -> None:
        """Leaves them. Safe to call twice."""
        if self._loop is not None:
            self._loop = None
            REGISTRY.unregister(self)

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Nothing: the figures are not asked for until somebody fetches them."""
        return ()

    def collect(self) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
        """Called in the thread that serves the metrics."""
        loop = self._loop
        if loop is None:
            return
        asking = asyncio.run_coroutine_threadsafe(_ask_all(tuple(self._up)), loop)
        try:
            told, missing = asking.result(2 * ANSWER_SECONDS)
        except TimeoutError:  # the loop is ending, or very busy
            asking.cancel()
            return
        yield from _families(told)
        family = GaugeMetricFamily("perception_workers_without_figures", "Workers whose figures are not among these.")
        family.add_metric((), missing)
        yield family


def _families(told: Sequence[tuple[str, Figures]]) -> Iterator[GaugeMetricFamily | CounterMetricFamily]:
    for source in SOURCES:
        kind = CounterMetricFamily if source.is_counter else GaugeMetricFamily
        family = kind(source.name, source.help, labels=("worker", *source.labels))
        for worker, figures in told:
            for each in figures.figures:
                if each.name == source.name and len(each.labels) == len(source.labels):
                    family.add_metric((worker, *each.labels), each.value)
        yield family


async def _ask_all(links: Sequence[WorkerLink]) -> tuple[list[tuple[str, Figures]], int]:
    """The figures of workers by their names, and how many have not told theirs."""
    deadline = Deadline.of(ANSWER_SECONDS)
    asked = links[:MAX_ASKED]
    answers = await asyncio.gather(*(_ask(each, deadline) for each in asked))
    told = [(link.name, each) for link, each in zip(asked, answers, strict=True) if each is not None]
    return told, len(links) - len(told)


async def _ask(link: WorkerLink, deadline: Deadline) -> Figures | None:
    try:
        return await link.ask(FIGURES, FiguresAsked(), Figures, deadline)
    except (WorkerUnreachableError, msgspec.MsgspecError):  # it ends, or is of another version
        return None
