"""How long a silent page has before it is given up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from perception.browser.page import watchdog as watchdog_module
from perception.browser.page.recovery import (
    HUNG_SECONDS,
    MOST_SLOWDOWN,
    PATIENT_SECONDS,
    SLOWED_SECONDS,
    TERMINATED_SECONDS,
    URGENT_SECONDS,
)
from perception.browser.page.watchdog import ScriptWatchdog
from perception.deadline import Deadline

Slowed = Callable[[float], bool]
"""Whether the page is slowed, by the seconds since the deadline."""


@pytest.mark.parametrize(
    ("is_slowed", "slowdown", "least_s"),
    [
        pytest.param(lambda _: False, 1.0, 0.0, id="never"),
        pytest.param(lambda _: True, 1.0, SLOWED_SECONDS, id="from the beginning"),
        pytest.param(lambda passed: passed > HUNG_SECONDS + 1, 1.0, SLOWED_SECONDS, id="while its script is ended"),
        pytest.param(lambda _: False, 4.0, 3 * TERMINATED_SECONDS, id="by a crowded machine"),
        pytest.param(lambda _: False, 99.0, (MOST_SLOWDOWN - 1) * TERMINATED_SECONDS, id="by a very crowded machine"),
    ],
)
async def test_a_page_that_is_slowed_has_longer(
    is_slowed: Slowed, slowdown: float, least_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog_module, "CrowdMeter", lambda: SimpleNamespace(slowdown=slowdown))
    loop = asyncio.get_running_loop()
    begun = loop.time()
    watchdog, given_up = silent_page(lambda: is_slowed(loop.time() - begun))
    watchdog.terminate_script(HUNG_SECONDS)
    await watchdog.wait_freed(Deadline.of(90))
    assert given_up.done(), "the next call does not wait for it"
    passed = given_up.result() - begun
    assert HUNG_SECONDS + TERMINATED_SECONDS <= passed - least_s < HUNG_SECONDS + TERMINATED_SECONDS + 2


async def test_the_shortest_patience_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog_module, "CrowdMeter", lambda: SimpleNamespace(slowdown=1.0))
    watchdog, given_up = silent_page(lambda: False)
    begun = asyncio.get_running_loop().time()
    watchdog.terminate_script(40.0)
    await asyncio.sleep(1)
    watchdog.terminate_script(HUNG_SECONDS)
    watchdog.terminate_script(40.0)
    await watchdog.wait_freed(Deadline.of(60))
    assert given_up.result() - begun < 1 + HUNG_SECONDS + TERMINATED_SECONDS + 2


@pytest.mark.parametrize(
    ("deadline_s", "leaving", "least_s"),
    [
        pytest.param(60.0, False, PATIENT_SECONDS, id="a long call"),
        pytest.param(6.0, False, 2.0, id="a short call: a third of its time"),
        pytest.param(1.0, False, PATIENT_SECONDS, id="a very short call, which cannot wait for it"),
        pytest.param(60.0, True, HUNG_SECONDS, id="the page is left"),
    ],
)
async def test_a_pages_own_script_goes_on_until_another_call_needs_its_tab(
    deadline_s: float, leaving: bool, least_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog_module, "CrowdMeter", lambda: SimpleNamespace(slowdown=1.0))
    assert 1.0 / 3 < URGENT_SECONDS < 2.0
    watchdog, given_up = silent_page(lambda: False)
    begun = asyncio.get_running_loop().time()
    watchdog.terminate_script()
    await watchdog.wait_freed(Deadline.of(deadline_s), leaving=leaving)
    assert 0 <= await given_up - begun - least_s - TERMINATED_SECONDS < 1


def silent_page(is_slowed: Callable[[], bool]) -> tuple[ScriptWatchdog, asyncio.Future[float]]:
    """The watchdog of a page that never answers, and when it is given up."""
    loop = asyncio.get_running_loop()
    given_up: asyncio.Future[float] = loop.create_future()
    silent = SimpleNamespace(start=lambda *_, **__: loop.create_future())
    silent.link = SimpleNamespace(session=lambda: SimpleNamespace(start=_answered))
    watchdog = ScriptWatchdog(
        silent,  # type: ignore[arg-type]
        SimpleNamespace(sessions=[silent]),  # type: ignore[arg-type]
        SimpleNamespace(is_loading=False),  # type: ignore[arg-type]
        SimpleNamespace(open=None, find_elsewhere=lambda: None, subscribe=lambda _: None, dismissing=nullcontext),  # type: ignore[arg-type]
        lambda *_: given_up.set_result(loop.time()),
        is_slowed,
    )
    return watchdog, given_up


def _answered(*_: Any, **__: Any) -> asyncio.Future[dict[str, Any]]:
    future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    future.set_result({})
    return future
