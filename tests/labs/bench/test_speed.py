"""One short run for real: a Chromium, a service on its socket, Playwright on the same tab."""

from __future__ import annotations

import pytest

from perception.bench.pages.page_change import PageChange
from perception.bench.suites.speed import run as speed
from perception.bench.suites.speed.report import LoopMeasure, SpeedMeasure, SpeedRun, TextSize
from perception.bench.suites.speed.run import SPEED_CHANGED_LOOKS, SPEED_UNCHANGED_LOOKS, run_speed
from perception.datasets.sources.peer_snapshots import installed_peers, missing_peers

ROUNDS = 2

WITH_AGENT_BROWSER = any(peer.short for peer in installed_peers())


@pytest.fixture(scope="module")
async def report(site: str) -> SpeedRun:
    pages = {"form": f"{site}/form.html", "gone": "http://127.0.0.1:9/"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(speed, "SPEED_ENOUGH_SECONDS", 600.0)  # however slow the machine is, all looks are made
        return await run_speed(pages, rounds=ROUNDS, apart=["gone", "another"], loop_steps=2, think_s=0.2)


async def test_everything_is_measured_in_every_round(report: SpeedRun) -> None:
    found = [(sample.round, sample.of) for sample in report.samples if sample.page == "form"]
    unserved = {line.partition(":")[0] for line in report.skipped}
    for index in range(ROUNDS):
        for of in (*SpeedMeasure, *TextSize):
            if str(of) in unserved or (str(of).startswith("agent-browser") and not WITH_AGENT_BROWSER):
                continue
            looks = {"unchanged": SPEED_UNCHANGED_LOOKS, "changed": SPEED_CHANGED_LOOKS}.get(str(of).split()[-1], 1)
            assert found.count((index, of)) == looks, of


async def test_all_sides_look_after_the_same_changes(report: SpeedRun) -> None:
    sides = [of for of in SpeedMeasure if of.endswith(" changed")]
    for of in sides:
        if of is not SpeedMeasure.AGENT_BROWSER_CHANGED or WITH_AGENT_BROWSER:
            made = [each.change for each in report.samples if each.of is of and each.round == 0]
            assert made == [*PageChange] * 2, of
    assert not {each.change for each in report.samples if each.of not in sides} - {""}


async def test_every_measurement_is_more_than_nothing(report: SpeedRun) -> None:
    assert all(sample.value > 0 for sample in report.samples)


async def test_a_page_that_does_not_load_is_a_line_and_the_others_are_measured(report: SpeedRun) -> None:
    assert {sample.page for sample in report.samples} == {"form"}
    lines = [line.partition(":")[0] for line in report.skipped]
    assert [line for line in lines if line not in set(TextSize)] == [
        *(f"without {peer}" for peer in missing_peers()),
        "gone",
    ]


async def test_pages_apart_are_those_of_the_run(report: SpeedRun) -> None:
    assert report.apart == ("gone",)


async def test_an_agents_loop_is_measured_once(report: SpeedRun) -> None:
    found = [(sample.round, sample.of) for sample in report.samples if sample.of in set(LoopMeasure)]
    assert sorted(found) == sorted((0, of) for of in LoopMeasure)


async def test_a_run_says_what_it_ran_on(report: SpeedRun) -> None:
    assert {"cores", "Chromium", "Playwright", "Python", "perception-service", "commit"} <= report.machine.keys()
    assert ("agent-browser -i -c" in report.machine) == WITH_AGENT_BROWSER
    assert all(report.machine.values())


@pytest.mark.parametrize(("pages", "rounds"), [({}, 1), ({"a": "http://127.0.0.1:9/"}, 0)], ids=["no-page", "no-round"])
async def test_nothing_to_measure_is_refused(pages: dict[str, str], rounds: int) -> None:
    with pytest.raises(ValueError, match="nothing to measure"):
        await run_speed(pages, rounds=rounds)
