"""One short run for real: a Chromium, a service on its socket, Playwright on the same tab."""

from __future__ import annotations

import pytest

from perception.bench.speed import run_speed
from perception.bench.speed_report import WARM_LOOKS, Measure, Size, SpeedRun
from perception.datasets.peers import installed_peers, missing_peers

ROUNDS = 2


@pytest.fixture(scope="module")
async def report(site: str) -> SpeedRun:
    pages = {"form": f"{site}/form.html", "gone": "http://127.0.0.1:9/"}
    return await run_speed(pages, rounds=ROUNDS)


async def test_everything_is_measured_in_every_round(report: SpeedRun) -> None:
    with_agent_browser = any(peer.name == "agent-browser" for peer in installed_peers())
    found = [(sample.round, sample.of) for sample in report.samples if sample.page == "form"]
    for index in range(ROUNDS):
        for of in (*Measure, *Size):
            if not with_agent_browser and str(of).startswith("agent-browser"):
                continue
            looks = WARM_LOOKS if str(of).endswith("warm") else 1
            assert found.count((index, of)) == looks, of


async def test_every_measurement_is_more_than_nothing(report: SpeedRun) -> None:
    assert all(sample.value > 0 for sample in report.samples)


async def test_a_page_that_does_not_load_is_a_line_and_the_others_are_measured(report: SpeedRun) -> None:
    assert {sample.page for sample in report.samples} == {"form"}
    lines = [line.partition(":")[0] for line in report.skipped]
    assert lines == [*(f"without {peer}" for peer in missing_peers()), "gone"]


async def test_a_run_says_what_it_ran_on(report: SpeedRun) -> None:
    assert {"cores", "Chromium", "Playwright", "Python", "perception-service", "commit"} <= report.machine.keys()
    assert all(report.machine.values())


@pytest.mark.parametrize(("pages", "rounds"), [({}, 1), ({"a": "http://127.0.0.1:9/"}, 0)], ids=["no-page", "no-round"])
async def test_nothing_to_measure_is_refused(pages: dict[str, str], rounds: int) -> None:
    with pytest.raises(ValueError, match="nothing to measure"):
        await run_speed(pages, rounds=rounds)
