"""The suite `stability` on pages of its own that need no package, and what its report says of known trials."""

from __future__ import annotations

from pathlib import Path

import pytest

from perception.bench.scores import Tally
from perception.bench.suites.stability.report import stability_report, survivors
from perception.bench.suites.stability.run import MANIFEST, run_stability
from perception.bench.suites.stability.stability_trials import PageChange, StabilityRun, StabilityTrial
from perception.datasets import load_manifest
from perception.datasets.sources.site_server import serve

RELOAD, DEPLOYMENT = PageChange.RELOAD, PageChange.DEPLOYMENT


@pytest.fixture(scope="module")
async def ran(tmp_path_factory: pytest.TempPathFactory) -> StabilityRun:
    manifest = load_manifest(MANIFEST)
    with serve(manifest.select(["server-other"]), manifest, tmp_path_factory.mktemp("home")) as served:
        pages = {**served.urls, "gone": "http://127.0.0.1:1/"}
        return await run_stability(pages, dict.fromkeys(pages, "train"), lambda _, __: None, rounds=1)


def test_what_an_author_wrote_lasts(ran: StabilityRun) -> None:
    own = [each for each in ran.trials if each.selector in ("#weight", "#get-quote")]
    assert len(own) == 2
    assert all(each.survives(change) for each in own for change in (RELOAD, DEPLOYMENT))


def test_what_does_not_last_promised_little(ran: StabilityRun) -> None:
    lost = [each for each in ran.trials if not (each.survives(RELOAD) and each.survives(DEPLOYMENT))]
    assert lost
    assert all(each.stability <= 0.5 for each in lost)


def test_widgets_that_come_and_go_are_not_followed(ran: StabilityRun) -> None:
    assert not any("Ad" in each.element for each in ran.trials)
    assert ran.outside["server-other"] > 0
    assert list(ran.failed) == ["gone"]


def trial(stability: float, reloads: int, deployments: int) -> StabilityTrial:
    asked, same = {RELOAD: 2, DEPLOYMENT: 2}, {RELOAD: reloads, DEPLOYMENT: deployments}
    return StabilityTrial("a", "train", "button", "#a", stability, "id", asked, same)


def test_a_selector_survives_if_it_finds_its_element_each_time() -> None:
    trials = (trial(0.9, 2, 1), trial(0.9, 2, 2), StabilityTrial("a", "train", "x", "#x", 0.9, "id", {}, {}))
    assert survivors(trials, RELOAD) == Tally(2, 2)
    assert survivors(trials, DEPLOYMENT) == Tally(1, 2)


def test_the_report_says_what_was_promised_and_what_became_of_it() -> None:
    trials = (trial(0.9, 2, 2), trial(0.7, 0, 0), trial(0.3, 2, 0))
    report = stability_report(StabilityRun(("a",), trials, {}, {}, "Chromium 1"))
    assert report.summary[0].startswith("train: of 3 selectors 66.7% after a reload, 33.3% after a deployment find")
    assert "the goal of 98% is met. Of 2 that do not last, 1 promised more than 0.5." in report.summary[0]
    ranges = next(each for each in report.tables if each.id == "ranges-train")
    assert [row[1] for row in ranges.rows] == [0, 1, 0, 0, 1, 1]


def test_every_page_of_the_manifest_is_there_and_tells_its_part() -> None:
    for page in load_manifest(MANIFEST).pages.values():
        assert page.category in ("train", "held-out")
        assert (Path(MANIFEST).parent / "site" / page.path.lstrip("/")).is_file()
