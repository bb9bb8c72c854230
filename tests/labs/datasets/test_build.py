"""Pages and their painted twins as samples, made in a real Chromium, once."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from perception.datasets.sample import Broken, Evidence, Item, Sample, Stratum, TruthElement
from perception.datasets.sample_store import Store, StoredDataset
from perception.datasets.sources.build import BuildJob, BuildReport, page_jobs, run_jobs
from perception.datasets.sources.manifest import Manifest, Mount, PageSpec, SiteOrigin
from perception.datasets.sources.page_actions import Action, ActionVerb
from perception.datasets.sources.page_shapes import Shape, parse_shape
from perception.datasets.sources.painted_twins import twin_jobs
from perception.datasets.sources.rendering import Renderer, is_still, stratum_of
from perception.datasets.sources.site_server import Served, serve_folder
from perception.errors import BadInputError
from perception.geometry import Box
from perception.imaging.codec import decode_image

SHAPE = parse_shape("480x300")

FORM = PageSpec("test--form", "/form.html", "form", origin="site", actions=(Action(ActionVerb.CLICK, "[name=email]"),))

MANIFEST = Manifest({}, {"site": SiteOrigin("site", Mount.FOLDER)}, {}, {FORM.id: FORM})


class Notes:
    """Progress that remembers."""

    def __init__(self) -> None:
        self.total = 0
        self.problems: dict[str, str] = {}

    def start(self, total: int) -> None:
        self.total = total

    def done(self, name: str, problem: str = "") -> None:
        self.problems[name] = problem


@pytest.fixture(scope="module")
async def renderer() -> AsyncIterator[Renderer]:
    async with Renderer() as renderer:
        yield renderer


async def build(
    renderer: Renderer,
    store: Store,
    site: str,
    *,
    pages: Sequence[PageSpec] = (FORM,),
    shapes: Sequence[Shape] = (SHAPE,),
) -> BuildReport:
    served = Served({page.id: site + page.path for page in pages}, {})
    jobs = page_jobs(pages, shapes, MANIFEST, served, renderer, (), store, "packages")
    return await run_jobs(jobs, store.dataset("packages"), store, workers=2, progress=Notes())


def items(dataset: StoredDataset) -> dict[str, Item]:
    loaded = [each.load() for each in dataset if not isinstance(each, Broken)]
    return {item.sample.name: item for item in loaded}


async def test_a_page_becomes_a_sample_with_pixels_truth_and_what_it_says(
    renderer: Renderer, site: str, tmp_path: Path
) -> None:
    store = Store(tmp_path)
    report = await build(renderer, store, site, shapes=[SHAPE, parse_shape("480x300@2-dark")])
    assert (report.made, report.failed) == (2, {})
    found = items(store.dataset("packages"))
    plain, double = found["test--form@480x300"], found["test--form@480x300@2-dark"]
    assert decode_image(plain.image.read_bytes()).shape == (300, 480, 3)
    assert decode_image(double.image.read_bytes()).shape == (600, 960, 3)
    sample = plain.sample
    assert {each.name for each in sample.truth} >= {"Save"}
    assert sample.capture is not None
    assert {each.name for each in sample.capture.elements} >= {"Save"}
    assert any("focused" in each.states for each in sample.truth), "its action was a click into a field"
    assert sample.complete
    assert all(sample.truth[task.target].box == task.box for task in sample.tasks)
    assert {"text_first", "text_warm", "fused_first", "fused_warm"} == set(sample.milliseconds)


async def test_what_is_there_is_not_made_again_until_something_changes(
    renderer: Renderer, site: str, tmp_path: Path
) -> None:
    store = Store(tmp_path)
    assert (await build(renderer, store, site)).made == 1
    assert (await build(renderer, store, site)).kept == 1
    changed = replace(FORM, wait_ms=1)
    assert (await build(renderer, store, site, pages=[changed])).made == 1
    shutil.rmtree(tmp_path / "objects")
    assert (await build(renderer, store, site, pages=[changed])).made == 1


async def test_a_page_that_fails_is_named_and_costs_no_other(renderer: Renderer, site: str, tmp_path: Path) -> None:
    broken = replace(FORM, id="test--broken", actions=(Action(ActionVerb.EVAL, "throw new Error('no such thing')"),))
    store = Store(tmp_path)
    report = await build(renderer, store, site, pages=[broken, FORM])
    assert report.made == 1
    (why,) = report.failed.values()
    assert "no such thing" in why
    assert (await build(renderer, store, site, pages=[broken, FORM])).kept == 1


async def test_an_interrupted_build_goes_on_where_it_was(tmp_path: Path) -> None:
    store = Store(tmp_path)
    made: list[str] = []
    at_work = asyncio.Event()

    def job(name: str, *, hangs: bool = False) -> BuildJob:
        async def make() -> Sample:
            if hangs:
                at_work.set()
                await asyncio.Event().wait()
            made.append(name)
            digest = hashlib.sha256(name.encode()).hexdigest()
            return Sample(name, "t", "g", name, digest, SHAPE.viewport)

        return BuildJob(name, "key", make)

    jobs = [job("a"), job("b", hangs=True)]
    running = asyncio.create_task(run_jobs(jobs, store.dataset("t"), store, workers=1, progress=Notes()))
    await at_work.wait()
    running.cancel()  # what Ctrl-C does to the main task
    with pytest.raises(asyncio.CancelledError):
        await running
    report = await run_jobs([job("a"), job("b")], store.dataset("t"), store, workers=1, progress=Notes())
    assert made == ["a", "b"]
    assert (report.made, report.kept) == (1, 1)


async def test_a_twin_is_one_picture_with_the_originals_truth(renderer: Renderer, site: str, tmp_path: Path) -> None:
    store = Store(tmp_path)
    await build(renderer, store, site)
    (original,) = items(store.dataset("packages")).values()
    folder = tmp_path / "twins"
    folder.mkdir()
    with serve_folder(folder) as address:
        jobs = twin_jobs([original], folder, address, renderer, (), store)
        report = await run_jobs(jobs, store.dataset("twins"), store, workers=1, progress=Notes())
    assert report.failed == {}
    (twin,) = items(store.dataset("twins")).values()
    assert np.array_equal(*(decode_image(each.image.read_bytes()) for each in (original, twin)))
    assert twin.sample.capture is not None
    assert [each.role for each in twin.sample.capture.elements] == ["canvas"]
    assert [each.name for each in twin.sample.truth] == [each.name for each in original.sample.truth if each.reachable]
    assert all(each.backend_node_id is None for each in twin.sample.truth)
    assert twin.sample.stratum is Stratum.AX_POOR
    assert all(twin.sample.truth[task.target].box == task.box for task in twin.sample.tasks)
    assert not twin_jobs([twin], folder, address, renderer, (), store), "a twin has no twin"


def element(*, name: str = "x", role: bool = True, reachable: bool = True) -> TruthElement:
    evidence = (Evidence.ROLE,) if role else (Evidence.LISTENER,)
    return TruthElement("button", name, Box(0, 0, 9, 9), True, reachable, evidence=evidence)


@pytest.mark.parametrize(
    ("elements", "opaque", "stratum"),
    [
        pytest.param([], 0.0, Stratum.ACCESSIBLE, id="nothing-to-do"),
        pytest.param([], 0.5, Stratum.AX_POOR, id="a-picture"),
        pytest.param([element()] * 9 + [element(role=False)], 0.0, Stratum.ACCESSIBLE, id="nine-of-ten"),
        pytest.param([element()] * 8 + [element(name="")] * 2, 0.0, Stratum.MIXED, id="eight-of-ten"),
        pytest.param([element()] * 5 + [element(name="")] * 5, 0.0, Stratum.AX_POOR, id="half"),
        pytest.param([element()] * 10, 0.2, Stratum.MIXED, id="some-pictures"),
        pytest.param(
            [element(), element(name="", reachable=False)], 0.0, Stratum.ACCESSIBLE, id="only-reachable-counts"
        ),
    ],
)
def test_a_stratum_is_how_much_the_tree_explains(elements: list[TruthElement], opaque: float, stratum: Stratum) -> None:
    assert stratum_of(elements, opaque) is stratum


def test_a_caret_is_still_and_a_picture_that_moves_is_not() -> None:
    still = np.zeros((800, 1280, 3), np.uint8)
    caret, moved = still.copy(), still.copy()
    caret[100:116, 50] = 255
    moved[100:200, 100:200] = 255
    assert is_still(still, caret)
    assert not is_still(still, moved)
    assert not is_still(still, still[:400])


@pytest.mark.parametrize(
    ("text", "name"),
    [("1280x800", "1280x800"), ("1280x800@1-light", "1280x800"), ("390x844@2", "390x844@2"), ("99x99@1.5-dark",) * 2],
)
def test_a_shape_is_read_and_named(text: str, name: str) -> None:
    assert parse_shape(text).name == name


@pytest.mark.parametrize("text", ["", "1280", "1280x800@9", "99999x100", "1280x800-blue", "x", "5000x100"])
def test_what_is_no_shape_is_an_error_that_shows_one(text: str) -> None:
    with pytest.raises(BadInputError, match="shape"):
        parse_shape(text)


async def test_a_page_that_cannot_be_opened_is_reported(renderer: Renderer, tmp_path: Path) -> None:
    report = await build(renderer, Store(tmp_path), "http://127.0.0.1:1")
    assert "could not be opened" in next(iter(report.failed.values()))
