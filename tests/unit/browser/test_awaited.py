"""What a page is waited for, decided from its requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from perception.browser.page.awaited import (
    BRIEFLY_QUIET_SECONDS,
    QUIET_SECONDS,
    PageActivity,
    awaited,
    awaited_requests,
)
from perception.browser.page.requests import PageRequests
from tests.support.fakes import FakeLink

PAGE = "https://shop.example/orders?token=secret"


@dataclass
class Network:
    """A tracker whose clock and events are those of a test."""

    now_s: float = 100.0
    link: FakeLink = field(default_factory=FakeLink)
    requests: PageRequests = field(init=False)
    _count: int = 0

    def __post_init__(self) -> None:
        self.requests = PageRequests(lambda: self.now_s)
        self.requests.listen(self.link.session("page"), "top")
        self.requests.note_commit("loader")

    def send(self, path: str, kind: str = "Fetch", method: str = "GET") -> str:
        self._count += 1
        name = f"r{self._count}"
        url = path if ":" in path else f"https://shop.example{path}"
        self._emit("requestWillBeSent", name, type=kind, request={"url": url, "method": method}, documentURL=PAGE)
        return name

    def answer(self, name: str, status: int = 200, headers: dict[str, str] | None = None, *, ends: bool = True) -> None:
        self._emit("responseReceived", name, response={"status": status, "headers": headers or {}})
        if ends:
            self._emit("loadingFinished", name)

    def pass_time(self, seconds: float) -> None:
        self.now_s += seconds

    def awaited(self) -> list[str]:
        return [each.name for each in awaited_requests(self.requests) if self.now_s < each.until_s]

    def _emit(self, event: str, name: str, **params: Any) -> None:
        self.link.emit("page", f"Network.{event}", requestId=name, frameId="top", loaderId="loader", **params)


@pytest.fixture
def network() -> Network:
    """A page that loaded long ago."""
    network = Network()
    network.requests.note_load()
    network.pass_time(60)
    return network


def test_a_request_of_input_is_awaited_until_it_ends(network: Network) -> None:
    network.requests.note_input()
    name = network.send("/api/orders?token=secret")
    network.pass_time(15)
    assert network.awaited() == ["fetch /api/orders"]
    network.answer(name)
    assert network.awaited() == []


def test_a_request_after_an_answer_is_of_the_same_input(network: Network) -> None:
    network.requests.note_input()
    first = network.send("/api/a")
    network.pass_time(3)
    network.answer(first)
    network.pass_time(0.1)
    network.send("/api/b")
    network.pass_time(5)
    assert network.awaited() == ["fetch /api/b"]


def test_what_a_page_sends_on_its_own_again_and_again_is_a_poll(network: Network) -> None:
    for _ in range(2):
        name = network.send("/api/news")
        network.pass_time(0.2)
        network.answer(name)
        network.pass_time(5)
    network.requests.note_input()
    network.send("/api/news")
    assert network.awaited() == []


def test_a_held_request_that_input_ended_is_no_request_of_the_input(network: Network) -> None:
    held = network.send("/wait")
    network.pass_time(10)
    network.requests.note_input()
    network.send("/api/send", method="POST")
    network.answer(held)
    network.send("/wait")
    assert network.awaited() == ["fetch /api/send"]


def test_a_slow_answer_to_input_makes_no_poll(network: Network) -> None:
    for _ in range(3):
        network.requests.note_input()
        name = network.send("/api/report")
        network.pass_time(9)
        assert network.awaited() == ["fetch /api/report"]
        network.answer(name)
        network.pass_time(20)


@pytest.mark.parametrize("kind", ["Ping", "Prefetch", "Preflight", "Media", "Manifest", "Other", "CSPViolationReport"])
def test_requests_that_show_nothing_are_not_awaited(network: Network, kind: str) -> None:
    network.requests.note_input()
    network.send("/x", kind)
    assert network.awaited() == []


def test_telemetry_is_not_awaited(network: Network) -> None:
    network.requests.note_input()
    network.send("https://www.google-analytics.com/g/collect")
    assert network.awaited() == []


def test_a_stream_is_awaited_while_it_brings_something(network: Network) -> None:
    network.requests.note_input()
    name = network.send("/api/chat")
    network.answer(name, ends=False)
    network.pass_time(1.5)
    assert network.awaited() == ["fetch /api/chat"]
    network.pass_time(1)
    assert network.awaited() == []


def test_an_answer_that_nobody_reads_has_ended(network: Network) -> None:
    network.requests.note_input()
    network.answer(network.send("/api/save", method="POST"), headers={"Content-Length": "2"}, ends=False)
    network.pass_time(0.4)
    assert network.awaited() == []


def test_a_retry_is_awaited_after_a_failure(network: Network) -> None:
    network.requests.note_input()
    network.answer(network.send("/api/save"), status=503)
    network.pass_time(1)
    activity = PageActivity(now_s=network.now_s, timeout_s=8, quiet_since_s=network.now_s - 1)
    pending = [each.name for each in awaited(activity, network.requests) if network.now_s < each.until_s]
    assert "retry of fetch /api/save" in pending


def test_another_document_ends_what_the_one_before_asked_for(network: Network) -> None:
    network.requests.note_input()
    network.send("/api/orders")
    network.requests.note_commit("next")
    assert network.awaited() == []


def test_a_page_at_rest_is_waited_for_nothing(network: Network) -> None:
    activity = PageActivity(now_s=network.now_s, timeout_s=8, quiet_since_s=network.now_s - 1, listens=True)
    assert awaited(activity, network.requests) == []


def test_with_half_a_second_no_timer_is_waited_for(network: Network) -> None:
    network.requests.note_input()
    network.pass_time(0.11)
    activity = PageActivity(now_s=network.now_s, timeout_s=0.5, quiet_since_s=network.now_s - 0.11, listens=True)
    assert all(network.now_s >= each.until_s for each in awaited(activity, network.requests))


def test_an_answer_to_the_last_key_is_waited_for(network: Network) -> None:
    def pending() -> list[str]:
        activity = PageActivity(now_s=network.now_s, timeout_s=8, quiet_since_s=network.now_s - 1, listens=True)
        return [each.name for each in awaited(activity, network.requests) if network.now_s < each.until_s]

    network.requests.note_input()
    network.pass_time(3)  # a long text
    network.requests.note_input_end()
    network.pass_time(0.5)
    assert pending() == ["changes"]
    network.requests.note_commit("next")  # the input has led to another document
    network.requests.note_input_end()
    assert pending() == []


def test_where_no_timer_was_set_only_what_comes_at_once_is_waited_for(network: Network) -> None:
    def until_s(*, may_come_late: bool) -> float:
        activity = PageActivity(
            now_s=network.now_s,
            timeout_s=8,
            quiet_since_s=network.now_s - 1,
            listens=True,
            may_come_late=may_come_late,
        )
        return max(each.until_s for each in awaited(activity, network.requests)) - network.requests.input_end_s

    network.requests.note_input()
    assert until_s(may_come_late=True) == pytest.approx(1.0)
    assert until_s(may_come_late=False) == pytest.approx(BRIEFLY_QUIET_SECONDS)


@pytest.mark.parametrize("may_come_late", [True, False])
def test_a_page_is_still_after_some_frames_and_sooner_where_nothing_can_come_late(
    network: Network, may_come_late: bool
) -> None:
    seconds = QUIET_SECONDS if may_come_late else BRIEFLY_QUIET_SECONDS

    def waits(age_s: float) -> bool:
        activity = PageActivity(network.now_s, 8, network.now_s - age_s, may_come_late=may_come_late)
        return any(network.now_s < each.until_s for each in awaited(activity, network.requests))

    assert waits(seconds - 0.01)
    assert not waits(seconds)
