"""Measures diffs of actions through a real service: their tokens, and whether they are exact.

Each step starts from a fresh page and a look. The answer's diff is compared with a look that is taken after it: its
tokens, and the list that the diff makes of the first look.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from perception.bench.suites.diffs.steps import STEPS, Step, serve_steps
from perception.client import AsyncClient, AsyncPage, aconnect
from perception.client.fields import Mode
from perception.render.diff import apply_diff
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import types_pb2 as pb

TIMEOUT_SECONDS = 60.0

DEFAULT_SIZES = (10, 40, 120)
"""Rows of a page: a little less than the viewport, the viewport, three times that."""

SETTLE_SECONDS = 1.0
"""For the diff; the page changes at once."""


@dataclass(frozen=True, slots=True)
class StepDiff:
    """What one step cost.

    Attributes:
        step: its name.
        size: rows of the page.
        diff_tokens: of the answer's diff.
        look_tokens: of a look after it.
        is_exact: the diff makes the list after of the list before.
        is_snapshot: its text is that of the new page.
    """

    step: str
    size: int
    diff_tokens: int
    look_tokens: int
    is_exact: bool
    is_snapshot: bool


@dataclass(frozen=True, slots=True)
class DiffsRun:
    """All steps, by mode `text` or `fused`."""

    mode: str
    steps: tuple[StepDiff, ...]


def run_diffs(sizes: Sequence[int], mode: str) -> DiffsRun:
    """Takes every step on a page of each size."""
    return asyncio.run(_run(sizes, mode))


async def _run(sizes: Sequence[int], mode: str) -> DiffsRun:
    done = []
    with serve_steps() as url:
        async with await aconnect(allow_hosts=("127.0.0.1",), timeout_s=TIMEOUT_SECONDS) as client:
            for size in sizes:
                for step in STEPS:
                    done.append(await _take(client, f"{url}/?size={size}", step, size, mode))
    return DiffsRun(mode, tuple(done))


async def _take(client: AsyncClient, url: str, step: Step, size: int, mode: str) -> StepDiff:
    page = await client.open(url)
    try:
        before = await page.snapshot(mode=cast("Mode", mode), scope="page")
        diff = (await _act(page, step)).diff
        after = await page.snapshot(mode=cast("Mode", mode), scope="page")
    finally:
        await page.close()
    made = apply_diff(list(before.elements), diff)
    return StepDiff(
        step.name,
        size,
        diff.token_count,
        after.token_count,
        [_facts(each) for each in made] == [_facts(each) for each in after.elements],
        diff.text_is_snapshot,
    )


async def _act(page: AsyncPage, step: Step) -> action_pb.ActionResult:
    if step.text:
        return await page.type_text(step.target, step.text, settle_timeout=SETTLE_SECONDS)
    return await page.click(step.target, settle_timeout=SETTLE_SECONDS)


def _facts(element: pb.Element) -> tuple[object, ...]:
    return element.ref, element.role, element.name, element.value, tuple(element.states), element.visible
