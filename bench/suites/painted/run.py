"""Opens painted pages in sessions, looks in modes TEXT and FUSED, and clicks the refs of what vision sees.

Rule 1: a served control means the true one that its name tells from all others; else the one that it overlaps most. A
click lands if the page says that this one was hit.
Rule 2: refs that mean none are not clicked: they are counted as wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rapidfuzz import fuzz

from perception.bench.looks.look_score import SAME_NAME
from perception.bench.looks.stored_looks import records_of
from perception.bench.metrics.control_matching import ControlTruth, Judgment, control_truth, judge
from perception.bench.pages.page_visits import spread
from perception.bench.pages.painted_page import READY, Medium, write_painted
from perception.client import AsyncClient, AsyncPage, RemoteError, aconnect
from perception.datasets.sample import Broken, Item
from perception.datasets.sources.site_server import serve_folder
from perception.datasets.truth.instructions import fold
from perception.errors import BadInputError, first_line
from perception.geometry import Box, iou, stack
from perception.v1 import types_pb2 as pb

CALL_SECONDS = 120.0
"""Reading a page full of text takes seconds on a busy machine."""

VISION = {pb.SOURCE_OCR, pb.SOURCE_DETECTOR}

OnPage = Callable[[str, str], None]


class Ending(StrEnum):
    """The result of a click on a ref."""

    LANDED = "landed"
    OTHER = "another control"
    NOTHING = "beside all controls"
    REFUSED = "refused"
    """The service did not click; its message is kept."""


@dataclass(frozen=True, slots=True)
class PaintedClick:
    """One click: what was meant, and what it hit. `by_name`: its name told it from the others."""

    meant: str
    ref: str
    ending: Ending
    by_name: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class PaintedPage:
    """One screenshot in one medium.

    Attributes:
        page: statistics resample by it.
        controls: how many are painted.
        found: how many of these are found by what vision lists in FUSED.
        served, right: what vision lists there to act on that is judged, and is right.
        text_tokens, fused_tokens: of the texts in the two modes.
        skipped: detectors that failed or were late, and why.
    """

    sample: str
    page: str
    medium: Medium
    controls: int
    found: int
    served: int
    right: int
    text_tokens: int
    fused_tokens: int
    clicks: tuple[PaintedClick, ...]
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PaintedRun:
    """A run. `failed`: why pages could not be judged, by name."""

    pages: tuple[PaintedPage, ...]
    failed: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ServedControl:
    """What vision lists to act on. CSS px of the viewport."""

    ref: str
    name: str
    box: Box


@dataclass(frozen=True, slots=True)
class Meant:
    """A served control, and the index of the true one that it means."""

    served: ServedControl
    control: int
    by_name: bool


async def run_painted(items: Sequence[Item], media: Sequence[Medium], clicks: int, on_page: OnPage) -> PaintedRun:
    """Visits each screenshot in each medium.

    Args:
        clicks: how many refs of a page are clicked, evenly spread; 0 for all.
    """
    pages, failed = [], {}
    with TemporaryDirectory(prefix="painted-") as folder, serve_folder(Path(folder)) as origin:
        async with await aconnect(allow_hosts=("127.0.0.1",), timeout_s=CALL_SECONDS) as client:
            for item in items:
                truth = control_truth(item.sample)
                for medium in media:
                    name = f"{item.sample.name} as {medium}"
                    file = write_painted(item, [each.box for each in truth.controls], medium, Path(folder))
                    try:
                        pages.append(await visit_painted(client, f"{origin}/{file}", item, truth, medium, clicks))
                    except RemoteError as exc:
                        failed[name] = first_line(exc)
                    on_page(name, failed.get(name, ""))
    return PaintedRun(tuple(pages), failed)


async def visit_painted(
    client: AsyncClient, url: str, item: Item, truth: ControlTruth, medium: Medium, clicks: int
) -> PaintedPage:
    """Looks at a painted page in a session of its own, and clicks. Raises RemoteError."""
    viewport = item.sample.viewport
    size = (viewport.width, viewport.height, viewport.scale)
    async with await client.open(url, viewport=size, allow_evaluate=True) as page:
        await page.evaluate(READY)
        plain = await page.snapshot(mode="text")
        seen = await page.snapshot(mode="fused")
        served = vision_controls(seen.elements)
        judgment = judge(truth, stack(each.box for each in served))
        meant = what_is_meant(truth, served, judgment)
        done = [await _click(page, truth, each) for each in spread(meant, clicks or len(meant))]
    return PaintedPage(
        sample=item.sample.name,
        page=item.sample.page,
        medium=medium,
        controls=len(truth.controls),
        found=int(judgment.found.sum()),
        served=int(judgment.judged.sum()),
        right=int(judgment.right.sum()),
        text_tokens=plain.token_count,
        fused_tokens=seen.token_count,
        clicks=tuple(done),
        skipped=tuple(f"{each.name}: {each.reason}" for each in seen.skipped),
    )


def vision_controls(elements: Sequence[pb.Element]) -> list[ServedControl]:
    """What only vision sees and is listed to act on."""
    return [
        ServedControl(each.ref, each.name or each.text, _box(each.box))
        for each in elements
        if each.ref and each.role != "text" and each.sources and set(each.sources) <= VISION
    ]


def _box(box: pb.Box) -> Box:
    return Box(box.x, box.y, box.x + box.width, box.y + box.height)


def what_is_meant(truth: ControlTruth, served: Sequence[ServedControl], judgment: Judgment) -> list[Meant]:
    """The true control that each served one means; those that mean none are left out. Of several that mean the same
    control by place, all are kept: each can be clicked."""
    names = [fold(each.name) for each in truth.controls]
    overlap = iou(stack(each.box for each in served), stack(each.box for each in truth.controls))
    found = []
    for at, each in enumerate(served):
        said = fold(each.name)
        named = [i for i, name in enumerate(names) if said and name and fuzz.ratio(said, name) >= SAME_NAME]
        if len(named) == 1:
            found.append(Meant(each, named[0], by_name=True))
        elif judgment.right[at]:
            found.append(Meant(each, int(np.argmax(overlap[at])), by_name=False))
    return found


async def _click(page: AsyncPage, truth: ControlTruth, meant: Meant) -> PaintedClick:
    control = truth.controls[meant.control]
    name = f'{control.role} "{control.name}"'
    try:
        await page.click(meant.served.ref, settle_timeout=0, skip_diff=True)
    except RemoteError as exc:
        return PaintedClick(name, meant.served.ref, Ending.REFUSED, meant.by_name, first_line(exc))
    hits = await page.evaluate("takeHits()")
    hit = int(hits[0][0]) if hits else -1
    if hit == meant.control:
        return PaintedClick(name, meant.served.ref, Ending.LANDED, meant.by_name)
    if hit < 0:
        return PaintedClick(name, meant.served.ref, Ending.NOTHING, meant.by_name, f"at {hits[0][1:] if hits else '?'}")
    other = truth.controls[hit]
    return PaintedClick(name, meant.served.ref, Ending.OTHER, meant.by_name, f'{other.role} "{other.name}"')


def media_of(names: Sequence[str] | None) -> list[Medium]:
    """The media of these names; all without one.

    Raises:
        BadInputError: no medium has such a name.
    """
    try:
        return [Medium(each) for each in dict.fromkeys(names or Medium)]
    except ValueError as exc:
        raise BadInputError(f"{exc}: there are {', '.join(Medium)}") from exc


def painted_items(datasets: Sequence[str], home: Path, *, limit: int, every: int) -> list[Item]:
    """The samples of data sets that have a control.

    Raises:
        BadInputError: none has.
    """
    records = records_of(datasets, home, limit=limit, every=every)
    items = [record.load() for record in records if not isinstance(record, Broken)]
    found = [item for item in items if control_truth(item.sample).controls]
    if not found:
        raise BadInputError(f"no sample of {', '.join(datasets)} has a control: name another data set")
    return found
