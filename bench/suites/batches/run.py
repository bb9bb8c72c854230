"""Fills a form of a local page over real gRPC, in each way in turn. Every way is checked by what the fields hold."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from perception.bench.turns import WARM_UP, turns
from perception.client import Page, connect, steps
from perception.testing.page_server import PageServer

BATCH, CALLS, BARE = "one batch", "calls, a diff each", "calls, one diff at the end"


@dataclass(frozen=True, slots=True)
class BatchSample:
    """The seconds that a form took in a way, in a round."""

    round: int
    way: str
    seconds: float


@dataclass(frozen=True, slots=True)
class BatchesRun:
    """A run: every form that was filled."""

    fields: int
    rounds: int
    samples: tuple[BatchSample, ...]


def run_batches(fields: int, rounds: int) -> BatchesRun:
    """Fills a form of so many fields, in each way and round."""
    body = "".join(f"<p><label>Field {number} <input></label></p>" for number in range(fields))
    form = f"<!doctype html><title>Form</title><h1>Form</h1>{body}"
    ways: tuple[tuple[str, Callable[[Page, Sequence[str]], None]], ...] = (
        (CALLS, _call),
        (BARE, _call_bare),
        (BATCH, _batch),
    )
    samples: list[BatchSample] = []
    with PageServer(pages={"/": form}) as site, connect(allow_hosts=["127.0.0.1"]) as client, client.open() as page:
        for number, (way, fill) in turns(ways, rounds, warm_up=True):
            seconds = _time(page, site.url("/"), fill)
            if number != WARM_UP:
                samples.append(BatchSample(number, way, seconds))
    return BatchesRun(fields, rounds, tuple(samples))


def _time(page: Page, origin: str, fill: Callable[[Page, Sequence[str]], None]) -> float:
    page.navigate(origin)
    refs = _fields(page)
    start = time.perf_counter()
    fill(page, list(refs))
    seconds = time.perf_counter() - start
    if [*_fields(page).values()] != [_text(index) for index in range(len(refs))]:
        raise RuntimeError("a field does not hold its text")
    return seconds


def _fields(page: Page) -> dict[str, str]:
    """The value of each field, by ref."""
    seen = page.snapshot(mode="text", scope="page")
    return {each.ref: each.value for each in seen.elements if each.role == "textbox"}


def _text(index: int) -> str:
    return f"value {index}"


def _call(page: Page, refs: Sequence[str]) -> None:
    for index, ref in enumerate(refs):
        page.type_text(ref, _text(index))


def _call_bare(page: Page, refs: Sequence[str]) -> None:
    for index, ref in enumerate(refs):
        page.type_text(ref, _text(index), skip_diff=index < len(refs) - 1)


def _batch(page: Page, refs: Sequence[str]) -> None:
    done = page.batch([steps.type_text(ref, _text(index)) for index, ref in enumerate(refs)])
    if done.HasField("stop"):
        raise RuntimeError(f"the batch stopped: {done.stop.message}")
