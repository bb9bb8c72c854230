"""Which processes are slowed, by readings of the load; and that a slowed process runs for its share."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Mapping

import pytest

from perception.browser.chromium.driver_events import ERRORS_PER_SECOND, DriverEvents
from perception.browser.chromium.flood_control import LEAST_SHARE, PATIENCE, UNHELD_SECONDS, FloodControl, LoadReading
from perception.browser.chromium.flood_guard import _culprit
from perception.browser.page.thread_load import (
    LoopMeter,
    RestMeter,
    SaturationMeter,
    has_schedstat,
    process_cpu_ns,
    threads_of,
)

QUIET = {1: 0.001, 2: 0.001, 3: 0.001}
FLOOD = {**QUIET, 9: 0.09}
SECONDS = 0.1
"""Of a reading."""

Sent = Mapping[int, float]


def take(control: FloodControl, saturation: float, wanted_s: Sent, times: int = 1, paused: float = 0.0) -> None:
    """Readings in which the processes want to send so much, and get their shares of it; less what they paused of it."""
    for _ in range(times):
        spent = {pid: want * control.shares.get(pid, 1.0) for pid, want in wanted_s.items()}
        ran = {pid: each * (1 - paused) for pid, each in spent.items()}
        control.take(LoadReading(saturation, spent, ran, SECONDS))


@pytest.mark.parametrize(
    ("saturation", "wanted_s"),
    [
        pytest.param(0.3, FLOOD, id="busy-page-without-events"),
        pytest.param(1.0, QUIET, id="equally-busy"),
        pytest.param(1.0, {}, id="no-process"),
        pytest.param(1.0, {1: 0.09}, id="one-process"),
        pytest.param(1.0, {**QUIET, 9: 0.0025}, id="one-that-loads-beside-others-at-rest"),
    ],
)
def test_nothing_is_slowed(saturation: float, wanted_s: Sent) -> None:
    control = FloodControl()
    take(control, saturation, wanted_s, 3 * PATIENCE)
    assert control.shares == {}


@pytest.mark.parametrize(
    ("sent_s", "paused"), [pytest.param(0.006, 0.0, id="crowded"), pytest.param(0.03, 0.8, id="paused")]
)
def test_a_page_that_loads_slowly_is_not_slowed_for_standing_out_long(sent_s: float, paused: float) -> None:
    control = FloodControl()
    take(control, 1.0, {**QUIET, 9: sent_s}, 2 * PATIENCE, paused)  # 0.048 s in all
    assert control.shares == {}
    take(control, 1.0, {**QUIET, 9: sent_s}, 2 * PATIENCE, paused)
    assert 9 in control.shares


def test_a_process_that_floods_on_with_the_least_share_is_not_held() -> None:
    control = FloodControl()
    take(control, 1.0, FLOOD, PATIENCE + 5)
    assert control.shares == {9: LEAST_SHARE}
    assert not control.unheld
    take(control, 0.5, FLOOD, round(UNHELD_SECONDS / SECONDS))
    assert control.unheld == {9}


@pytest.mark.parametrize(
    ("saturation", "wanted_s"),
    [
        pytest.param(0.3, FLOOD, id="held"),
        pytest.param(1.0, {1: 0.09, 2: 0.08, 3: 0.09, 4: 0.08, 5: 0.09, 6: 0.08, 7: 0.09, 8: 0.08}, id="eight-busy"),
        pytest.param(1.0, {**QUIET, 9: 0.0}, id="at-rest-again"),
        pytest.param(1.0, {**QUIET, 9: 0.0025}, id="sends-little-now"),
    ],
)
def test_what_is_held_by_slowing_and_who_is_busy_like_others_is_left_alone(saturation: float, wanted_s: Sent) -> None:
    control = FloodControl()
    take(control, 1.0, FLOOD, PATIENCE + 5)
    take(control, saturation, wanted_s, 10 * round(UNHELD_SECONDS / SECONDS))
    assert not control.unheld


def test_a_process_that_stands_out_for_long_is_cut_while_a_thread_is_saturated() -> None:
    control = FloodControl()
    take(control, 1.0, FLOOD, PATIENCE - 1)
    assert control.shares == {}
    take(control, 1.0, FLOOD, 2)
    assert control.shares == {9: 1 / 16}


def test_pages_that_load_one_after_the_other_in_a_busy_browser_are_not_slowed() -> None:
    control = FloodControl()
    for page in QUIET:
        take(control, 1.0, {**QUIET, page: 0.1}, PATIENCE // 2)
        take(control, 1.0, QUIET, PATIENCE // 2)
    assert control.shares == {}


def test_a_process_that_wants_little_is_not_slowed_more_for_what_it_wanted_before() -> None:
    control = FloodControl()
    take(control, 1.0, FLOOD, PATIENCE)
    take(control, 1.0, {**QUIET, 9: 0.0}, 20)
    assert control.shares[9] >= 0.25


def test_a_process_that_has_ended_is_forgotten() -> None:
    control = FloodControl()
    take(control, 1.0, FLOOD, PATIENCE)
    take(control, 1.0, QUIET)
    assert control.shares == {}


def test_each_of_two_floods_beside_two_others_is_slowed() -> None:
    control = FloodControl()
    take(control, 1.0, {1: 0.01, 2: 0.01, 8: 0.09, 9: 0.09}, 4 * PATIENCE)
    assert set(control.slowed) == {8, 9}


def test_the_next_one_is_slowed_when_the_first_cannot_be_slowed_more() -> None:
    both = {**QUIET, 4: 0.01, 8: 0.06, 9: 0.09}
    control = FloodControl()
    while control.shares.get(9) != LEAST_SHARE:
        take(control, 1.0, both)
    assert 8 not in control.shares
    take(control, 1.0, both)
    assert control.shares == {8: 0.25, 9: LEAST_SHARE}


def test_a_share_is_raised_when_all_is_calm_and_later_each_time_that_the_flood_comes_back() -> None:
    control = FloodControl()

    def calm_readings() -> int:
        count = 0
        while control.shares:
            take(control, 0.1, FLOOD)
            count += 1
        return count

    def flood() -> None:
        while not control.shares:
            take(control, 1.0, FLOOD)

    flood()
    first = calm_readings()
    flood()
    assert calm_readings() == 2 * first


@pytest.mark.skipif(not has_schedstat(), reason="this system does not count the load of threads")
def test_a_thread_that_never_rests_is_saturated_and_one_that_waits_is_not() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        meters = {True: SaturationMeter(), False: SaturationMeter()}
        threads = {True: threads_of(busy.pid), False: [f"/proc/self/task/{_waiting_thread().native_id}"]}
        readings = {key: [meter.read(threads[key]) for _ in range(3)] for key, meter in meters.items()}
        until_s = time.monotonic() + 10
        while (readings[True][-1] < 0.9 or readings[False][-1] >= 0.1) and time.monotonic() < until_s:
            for key, meter in meters.items():
                readings[key].append(meter.read(threads[key]))
        assert readings[True][-1] >= 0.9
        assert process_cpu_ns(busy.pid) > 0
        busy.kill()
    assert readings[False][-1] < 0.1  # the first ones saw it start
    assert threads_of(busy.pid) == []
    assert process_cpu_ns(busy.pid) == 0


@pytest.mark.skipif(not has_schedstat(), reason="this system does not count the load of threads")
def test_the_work_of_a_thread_that_never_rests_adds_up_and_that_of_one_that_waits_does_not() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        meters = {True: RestMeter(), False: RestMeter()}
        threads = {True: threads_of(busy.pid), False: [f"/proc/self/task/{_waiting_thread().native_id}"]}
        worked: dict[bool, float] = {True: 0.0, False: 0.0}
        until_s = time.monotonic() + 20
        while worked[True] < 0.2 and time.monotonic() < until_s:
            worked = {key: sum(meter.worked_s(threads[key]).values()) for key, meter in meters.items()}
        busy.kill()
    assert worked[True] >= 0.2
    assert worked[False] == 0
    assert meters[True].worked_s(threads[True]) == {}


@pytest.mark.parametrize(
    ("rates", "paused", "culprit"),
    [
        pytest.param({}, {}, 0, id="no-renderer"),
        pytest.param({1: 0.05, 2: 0.04, 9: 0.9}, {}, 9, id="one-that-stands-out"),
        pytest.param({1: 0.001, 9: 0.05}, {}, 9, id="one-that-sends-little-and-others-nothing"),
        pytest.param({1: 0.001, 9: 0.025}, {}, 0, id="one-that-loads"),
        pytest.param({1: 0.5, 2: 0.5}, {}, 0, id="two-alike"),
        pytest.param({1: 0.01, 2: 0.001}, {}, 0, id="next-to-nothing"),
        pytest.param({1: 0.2, 2: 0.01, 9: 0.3}, {9: 0.9}, 0, id="others-that-wait-behind-a-paused-one"),
        pytest.param({1: 0.1, 8: 0.8, 9: 0.3}, {9: 0.9}, 8, id="a-second-one"),
    ],
)
def test_the_renderer_that_stands_out_while_a_shared_thread_is_behind_pauses(
    rates: Sent, paused: Sent, culprit: int
) -> None:
    assert _culprit(rates, paused) == culprit


def test_a_loop_that_spends_all_its_time_on_events_is_saturated_and_one_that_spends_none_is_not() -> None:
    busy, idle = LoopMeter(time.monotonic), LoopMeter(lambda: 1.0)
    assert busy.read() == 1
    assert idle.read() == 0


def test_uncaught_errors_over_the_limit_of_their_context_are_skipped_for_the_rest_of_the_second() -> None:
    now_s = 0.0
    events = DriverEvents(lambda: now_s)

    def read(context: str, count: int) -> int:
        head = f'{{"guid":"browser-context@{context}","method":"pageError","params":'.encode()
        return sum(not events.skips(head) for _ in range(count))

    assert read("flood", 2 * ERRORS_PER_SECOND) == ERRORS_PER_SECOND
    assert read("neighbour", 3) == 3
    assert not events.skips(b'{"guid":"browser-context@flood","method":"close"}')
    now_s = 1.0
    assert read("flood", 3) == 3


def _waiting_thread() -> threading.Thread:
    thread = threading.Thread(target=threading.Event().wait, daemon=True)
    thread.start()
    return thread
