"""Episodes on MiniWoB's own pages, in a real Chromium; and what no episode says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from perception.browser.browser_session import BrowserSession, Tab
from perception.browser.page.navigation import WaitUntil, navigate
from perception.datasets.sample import DatasetError
from perception.datasets.sources.arrival import arrive
from perception.datasets.sources.manifest import load_manifest
from perception.datasets.sources.miniwob import READ, READY, START, Episode, EpisodeState, episodes_of, read_state
from perception.datasets.sources.packages import fetch
from perception.datasets.sources.site_server import serve
from perception.deadline import Deadline
from perception.geometry import Box
from perception.paths import home_folder

TASKS = ("click-test", "click-checkboxes", "email-inbox-forward-nl")


@pytest.fixture
def browser(shared_browser: BrowserSession) -> BrowserSession:
    return shared_browser


@pytest.fixture(scope="module")
async def addresses() -> AsyncIterator[dict[str, str]]:
    """Address by task. Fetches the package from PyPI if it is not there."""
    manifest, home = load_manifest(), home_folder()
    pages = [manifest.pages[f"miniwob--{task}"] for task in TASKS]
    await asyncio.to_thread(fetch, pages[0], manifest, home)
    with serve(pages, manifest, home) as served:
        yield {task: served.urls[f"miniwob--{task}"] for task in TASKS}


async def start(tab: Tab, url: str, seed: int) -> EpisodeState:
    await navigate(tab.link, url, WaitUntil.SETTLED, Deadline.of(20))
    await arrive(tab, Deadline.of(20))
    await tab.page.wait_for_function(READY)
    await tab.page.evaluate(START, seed)
    return read_state(await tab.page.evaluate(READ))


async def test_the_same_seed_is_the_same_episode(browser: BrowserSession, addresses: dict[str, str]) -> None:
    asked = [(await start(browser.tab(), addresses["click-checkboxes"], seed)).utterance for seed in (7, 7, 8)]
    assert asked[0] == asked[1]
    assert asked[0] != asked[2]


async def test_an_episode_begins_unfinished(browser: BrowserSession, addresses: dict[str, str]) -> None:
    state = await start(browser.tab(), addresses["click-test"], 1)
    assert (state.utterance, state.done, state.reward, state.success) == ("Click the button.", False, 0.0, False)


async def test_the_right_click_ends_it_with_success(browser: BrowserSession, addresses: dict[str, str]) -> None:
    tab = browser.tab()
    await start(tab, addresses["click-test"], 1)
    await tab.page.click("#subbtn")
    state = read_state(await tab.page.evaluate(READ))
    assert (state.done, state.reward, state.success) == (True, 1.0, True)


async def test_a_wrong_answer_ends_it_without(browser: BrowserSession, addresses: dict[str, str]) -> None:
    tab = browser.tab()
    await start(tab, addresses["click-checkboxes"], 0)  # three boxes are to be checked
    for index in range(await tab.page.locator("input[type=checkbox]").count()):
        box = tab.page.locator(f"#ch{index}")
        name = (await tab.page.locator("label").nth(index).inner_text()).strip()
        if name not in (await tab.page.locator("#query").inner_text()):
            await box.check()
    await tab.page.click("#subbtn")
    state = read_state(await tab.page.evaluate(READ))
    assert (state.done, state.success) == (True, False)
    assert state.reward <= 0


async def test_no_clock_runs(browser: BrowserSession, addresses: dict[str, str]) -> None:
    """With the clock running, MiniWoB shows the time left and ends the episode when its timer fires."""
    tab = browser.tab()
    await navigate(tab.link, addresses["click-test"], WaitUntil.SETTLED, Deadline.of(20))
    await arrive(tab, Deadline.of(20))
    await tab.page.evaluate("() => { core.EPISODE_MAX_TIME = 1 }")
    await tab.page.evaluate(START, 1)
    await tab.page.evaluate("() => new Promise(done => setTimeout(done, 50))")
    assert not read_state(await tab.page.evaluate(READ)).done
    assert await tab.page.inner_text("#timer-countdown") == "-"


async def test_what_is_around_the_task_is_known(browser: BrowserSession, addresses: dict[str, str]) -> None:
    tab = browser.tab()
    state = await start(tab, addresses["click-test"], 1)
    assert Box(0, 0, 160, 50) in state.around  # the instruction
    assert all(box.left >= 160 or box.bottom <= 50 for box in state.around)


async def test_the_fields_that_hold_the_answer_are_not_taken(
    browser: BrowserSession, addresses: dict[str, str]
) -> None:
    state = await start(browser.tab(), addresses["email-inbox-forward-nl"], 0)
    assert state.utterance == "Please find the message by Andria, then send it to Loralee."


@pytest.mark.parametrize("answer", [{}, {"utterance": "a"}, {"utterance": "a", "around": [[1]], "done": True}])
def test_what_is_no_state_is_an_error(answer: dict[str, object]) -> None:
    with pytest.raises(DatasetError, match="MiniWoB"):
        read_state(answer)


def test_every_task_is_played_from_every_seed_once() -> None:
    assert episodes_of(["a", "b", "a"], [1, 2, 1]) == (
        Episode("a", 1),
        Episode("a", 2),
        Episode("b", 1),
        Episode("b", 2),
    )
    assert Episode("a", 1).name == "a#1"
    assert episodes_of([], [1]) == ()
