"""The end of Playwright's driver is noticed, with the Playwright that is installed."""

from __future__ import annotations

import asyncio

import psutil
import pytest
from playwright.async_api import async_playwright
from structlog.testing import capture_logs

from perception.browser.chromium.driver import start_driver
from perception.browser.chromium.driver_end import driver_pid, on_driver_end
from perception.deadline import Deadline
from perception.errors import BrowserUnavailableError


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of the pipe that broke
async def test_a_driver_that_is_killed_is_noticed() -> None:
    before = set(psutil.Process().children())
    playwright = await async_playwright().start()
    ended = asyncio.Event()
    assert on_driver_end(playwright, ended.set)
    (driver,) = set(psutil.Process().children()) - before
    assert driver_pid(playwright) == driver.pid
    driver.kill()
    async with asyncio.timeout(20):
        await ended.wait()
    await playwright.stop()


async def test_a_driver_that_is_stopped_is_noticed() -> None:
    playwright = await async_playwright().start()
    ended = asyncio.Event()
    assert on_driver_end(playwright, ended.set)
    await playwright.stop()
    async with asyncio.timeout(20):
        await ended.wait()


def test_a_playwright_without_that_connection_is_logged_and_used() -> None:
    with capture_logs() as logs:
        assert not on_driver_end(object(), lambda: None)  # type: ignore[arg-type]  # another version's
    assert [each["log_level"] for each in logs] == ["warning"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of the pipe that broke
async def test_a_driver_that_does_not_start_is_an_error_that_says_what_to_look_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", "/bin/false")
    with pytest.raises(BrowserUnavailableError, match="driver does not start: `python -m playwright --version` says"):
        await start_driver(Deadline.of(20))
