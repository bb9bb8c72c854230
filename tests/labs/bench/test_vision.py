"""One short run for real: a Chromium, a service on its socket, RapidOCR in a process of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from perception.bench.pages.restless_pages import RESTLESS, serve_restless
from perception.bench.suites.vision.report import OUR_LOOKS, PageKind, VisionMeasure, VisionRun
from perception.bench.suites.vision.run import (
    RESTLESS_LOOKS,
    VISION_CHANGED_LOOKS,
    VISION_PAGES,
    VISION_UNCHANGED_LOOKS,
    run_vision,
)
from perception.datasets import load_manifest


@pytest.fixture(scope="module")
async def run(site: str) -> AsyncIterator[VisionRun]:
    pages = {"canvas": f"{site}/canvas.html", "moving": f"{site}/html?body={MOVING}", "gone": "http://127.0.0.1:9/"}
    with serve_restless(["restless-clock"]) as restless:
        yield await run_vision(pages | restless, rounds=1)


MOVING = (
    "<p style='font-size:99px'>0</p><script>setInterval(_=>document.querySelector('p').textContent%2B%2B,20)</script>"
)
"""A number that grows, large enough to be more than a caret."""


async def test_every_look_and_both_peers_are_measured(run: VisionRun) -> None:
    found = [sample.of for sample in run.samples if sample.page == "canvas"]
    several = dict.fromkeys((VisionMeasure.UNCHANGED, VisionMeasure.PNG, VisionMeasure.JPEG), VISION_UNCHANGED_LOOKS)
    expected = {
        VisionMeasure.FIRST: 1,
        **several,
        VisionMeasure.CHANGED: VISION_CHANGED_LOOKS,
        VisionMeasure.TEXT: 1,
        VisionMeasure.TEXT_AND_PNG: 1,
        VisionMeasure.RAPIDOCR: 1,
    }
    assert {of: found.count(of) for of in VisionMeasure if of in found} == expected
    assert all(sample.value > 0 for sample in run.samples)


async def test_a_first_look_has_its_parts_beside_it(run: VisionRun) -> None:
    for page in ("canvas", "restless-clock"):
        texts, both = run.medians(VisionMeasure.TEXT), run.medians(VisionMeasure.TEXT_AND_PNG)
        assert 0 < texts[page] < both[page]
    assert not {each.stage for each in run.stages if each.of is VisionMeasure.TEXT} & {"residual", "detect", "ocr"}


async def test_stages_are_those_of_the_replies_to_our_looks(run: VisionRun) -> None:
    found = {(each.of, each.stage) for each in run.stages if each.page == "canvas"}
    assert {of for of, _ in found} == set(OUR_LOOKS) - {VisionMeasure.RESTLESS}
    assert {"capture", "residual", "detect", "ocr", "fuse"} <= {
        stage for of, stage in found if of is VisionMeasure.FIRST
    }


async def test_a_page_whose_viewport_is_pictures_is_ax_poor(run: VisionRun) -> None:
    assert run.pictures["moving"] == 0
    assert run.kind("moving") is PageKind.EXPLAINED
    assert 0 < run.pictures["canvas"] < 1


async def test_a_page_that_moves_by_itself_has_no_unchanged_looks_and_a_line(run: VisionRun) -> None:
    assert not any(sample.of is VisionMeasure.UNCHANGED for sample in run.samples if sample.page == "moving")
    assert "moving: it moves by itself: no look at it counts as unchanged" in run.skipped


async def test_looks_at_a_page_that_never_rests_are_a_measure_of_their_own(run: VisionRun) -> None:
    found = [sample.of for sample in run.samples if sample.page == "restless-clock"]
    assert found.count(VisionMeasure.RESTLESS) == found.count(VisionMeasure.PNG) == RESTLESS_LOOKS
    assert VisionMeasure.UNCHANGED not in found
    assert run.kind("restless-clock") is PageKind.RESTLESS


async def test_a_page_that_does_not_load_is_a_line_and_in_no_figure(run: VisionRun) -> None:
    assert [line.partition(":")[0] for line in run.skipped] == ["moving", "gone"]
    assert "gone" not in run.pictures
    assert {sample.page for sample in run.samples} == {"canvas", "moving", "restless-clock"}


async def test_a_run_says_what_it_ran_on(run: VisionRun) -> None:
    assert {"cores", "Chromium", "Python", "commit"} <= run.machine.keys()


def test_the_pages_visited_by_default_are_pages_that_need_no_step() -> None:
    known = load_manifest().pages
    assert all(not known[page].actions for page in VISION_PAGES if page != RESTLESS)


@pytest.mark.parametrize(("pages", "rounds"), [({}, 1), ({"a": "http://127.0.0.1:9/"}, 0)], ids=["no-page", "no-round"])
async def test_nothing_to_measure_is_refused(pages: dict[str, str], rounds: int) -> None:
    with pytest.raises(ValueError, match="nothing to measure"):
        await run_vision(pages, rounds=rounds)
