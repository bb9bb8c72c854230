"""The log of requests: what is kept, and that all of it is bounded. Events are written out, as Chromium sends them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from perception.browser.traffic import request_log
from perception.browser.traffic.person_typing import PersonTyping
from perception.browser.traffic.request_entry import MAX_EVENT_BYTES, EntryState
from perception.browser.traffic.request_facts import read_facts
from perception.browser.traffic.request_log import RequestLog
from perception.browser.traffic.traffic_masking import mask_body, mask_headers, mask_url
from perception.testing import FakeClock


class Target:
    """Sends events to whoever listens, as a DevTools session does."""

    session_id = "S"

    def __init__(self) -> None:
        self._handlers: dict[str, list[Callable[[dict[str, Any]], None]]] = {}

    def on(self, event: str, handler: Callable[[dict[str, Any]], None]) -> None:
        self._handlers.setdefault(event, []).append(handler)

    def send(self, event: str, **params: Any) -> None:
        for handler in self._handlers[f"Network.{event}"]:
            handler(params)

    def request(self, number: int, url: str = "http://a.example/", **params: Any) -> None:
        request = {"url": url, "method": "GET", "headers": {"Accept": "*/*"}, **params.pop("request", {})}
        times = {"timestamp": 10.0 + number, "wallTime": params.pop("wallTime", 1000.0)}
        self.send("requestWillBeSent", requestId=str(number), request=request, type="Fetch", **times, **params)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def log(clock: FakeClock) -> RequestLog:
    return RequestLog(None, clock)


@pytest.fixture
def target(log: RequestLog) -> Target:
    target = Target()
    log.listen(target, "T")  # type: ignore[arg-type]
    return target


def test_headers_on_the_wire_may_come_before_the_request(log: RequestLog, target: Target) -> None:
    target.send("requestWillBeSentExtraInfo", requestId="1", headers={"Cookie": "a=b"})
    target.request(1)
    assert read_facts(log.entries[1]).request_headers == (("Cookie", "a=b"),)


def test_a_persons_request_is_theirs_however_late_its_events_come(log: RequestLog, target: Target) -> None:
    log.begin_turn(typing := PersonTyping())
    log.note_agent()  # a call of the person's own
    target.request(1, wallTime=time.time())
    log.end_turn()
    sent_s = time.time()
    log.note_agent()
    target.request(2, wallTime=sent_s)
    target.request(3, wallTime=time.time() + 0.1)
    target.request(2, "http://a.example/done", wallTime=time.time() + 60, redirectResponse={"status": 302})
    assert [each.typing for each in log.entries.values()] == [typing, typing, None, typing]


def test_what_a_page_sends_just_after_a_turn_is_the_persons(log: RequestLog, target: Target) -> None:
    log.begin_turn(typing := PersonTyping())
    log.end_turn()
    target.request(1, wallTime=time.time() + request_log.AFTER_TURN_S / 2)
    target.request(2, wallTime=time.time() + 2 * request_log.AFTER_TURN_S)
    assert [each.typing for each in log.entries.values()] == [typing, None]


def test_each_redirect_has_the_headers_of_its_own(log: RequestLog, target: Target) -> None:
    target.request(1)
    target.send("responseReceivedExtraInfo", requestId="1", headers={"Location": "/b"}, statusCode=302)
    answered = {"url": "http://a.example/", "status": 302, "headers": {}, "encodedDataLength": 90}
    target.request(1, "http://a.example/b", redirectResponse=answered)
    target.send("responseReceivedExtraInfo", requestId="1", headers={"X-B": "1\n2"}, statusCode=200)
    first, second = map(read_facts, log.entries.values())
    assert (first.status, first.entry.redirect_url, first.response_headers) == (
        302,
        "http://a.example/b",
        (("Location", "/b"),),
    )
    assert second.response_headers == (("X-B", "1"), ("X-B", "2"))
    assert first.entry.state is EntryState.FINISHED


@pytest.mark.parametrize(
    ("headers", "came", "end", "state"),
    [
        pytest.param({"Content-Length": "11"}, 11, None, EntryState.FINISHED, id="not-read"),
        pytest.param({"Content-Length": "0"}, 0, {"canceled": True}, EntryState.FINISHED, id="empty-and-not-read"),
        pytest.param({"Content-Length": "12"}, 11, None, EntryState.PENDING, id="under-way"),
        pytest.param({"Content-Length": "12"}, 11, {"canceled": True}, EntryState.CANCELLED, id="cancelled"),
        pytest.param({"Content-Length": "9", "Content-Encoding": "gzip"}, 11, None, EntryState.PENDING, id="packed"),
        pytest.param({"Content-Length": "6", "Content-Encoding": "br"}, 11, None, EntryState.FINISHED, id="packed-all"),
        pytest.param({}, 11, None, EntryState.PENDING, id="of-unknown-length"),
    ],
)
def test_fetch_whose_whole_body_came_is_finished(
    log: RequestLog, target: Target, headers: dict[str, str], came: int, end: dict[str, Any] | None, state: EntryState
) -> None:
    target.request(1)
    target.send("responseReceived", requestId="1", timestamp=11.1, response={"status": 200, "headers": headers})
    target.send("dataReceived", requestId="1", dataLength=came, encodedDataLength=came // 2 + 1)
    if end is not None:
        target.send("loadingFailed", requestId="1", timestamp=11.2, errorText="net::ERR_ABORTED", **end)
    assert read_facts(log.entries[1]).state is state


def test_what_is_made_in_the_page_is_not_recorded(log: RequestLog, target: Target) -> None:
    target.request(1, "data:text/plain,hello")
    target.request(2, "blob:http://a.example/1")
    assert not log.entries
    assert log.last_number == 0


def test_a_flood_is_counted_and_not_kept(log: RequestLog, target: Target, clock: FakeClock) -> None:
    for number in range(request_log.MAX_PER_SECOND + 7):
        target.request(number)
    assert (len(log.entries), log.dropped) == (request_log.MAX_PER_SECOND, 7)
    clock.advance(1)
    target.request(9999)
    assert log.dropped == 7


def test_the_oldest_go_first_by_count_and_by_bytes(
    log: RequestLog, target: Target, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_log, "MAX_ENTRIES", 10)
    for number in range(25):
        target.request(number)
    assert list(log.entries) == list(range(16, 26))
    monkeypatch.setattr(request_log, "MAX_KEPT_BYTES", 5000)
    target.request(30, request={"postData": "x" * 4000})
    assert list(log.entries) == [26]
    target.send("loadingFinished", requestId="1", timestamp=50.0)  # of one that was dropped
    assert log.find("T", "1") is None


def test_an_event_of_a_megabyte_is_cut(log: RequestLog, target: Target) -> None:
    target.request(1, "http://a.example/?" + "q" * 2**20, request={"postData": "p" * 2**20})
    assert log.entries[1].kept_bytes < MAX_EVENT_BYTES
    assert read_facts(log.entries[1]).url.startswith("http://a.example/?qqq")


def test_times_add_up_to_the_whole(log: RequestLog, target: Target) -> None:
    target.request(1)
    timing = {
        "requestTime": 11.01,
        "connectStart": 1.0,
        "connectEnd": 5.0,
        "sslStart": 2.0,
        "sslEnd": 5.0,
        "sendStart": 5.0,
        "sendEnd": 6.0,
        "receiveHeadersEnd": 26.0,
    }
    response = {"status": 200, "headers": {}, "timing": timing}
    target.send("responseReceived", requestId="1", timestamp=11.04, response=response)
    target.send("loadingFinished", requestId="1", timestamp=11.05, encodedDataLength=10)
    times = read_facts(log.entries[1]).times
    assert times is not None
    parts = (times.blocked, times.connect, times.tls, times.send, times.wait, times.receive)
    assert parts == pytest.approx((11.0, 4.0, 3.0, 1.0, 20.0, 14.0))
    assert times.total == pytest.approx(50.0)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("Authorization", "Basic YWJj", "Basic «secret»"),
        ("Authorization", "rawtoken", "«secret»"),
        ("Cookie", "a=1; b=2", "a=«secret»; b=«secret»"),
        ("X-Api-Key", "k", "«secret»"),
        ("Referer", "http://a.example/?token=abcdefgh1234", "http://a.example/?token=«secret»"),
        ("Accept", "*/*", "*/*"),
        ("Clear-Site-Data", '"cookies"', '"cookies"'),
    ],
)
def test_header_values(name: str, value: str, shown: str) -> None:
    assert mask_headers(((name, value),)) == ((name, shown),)


@pytest.mark.parametrize(
    ("body", "kind", "shown"),
    [
        ("a=1&password=x+y", "application/x-www-form-urlencoded", "a=1&password=«secret»"),
        ('{"a": 1}', "application/json", '{"a": 1}'),
        ('{"a": {"api_key": "k1"}}', "text/plain", '{"a": {"api_key": "«secret»"}}'),
        ('{"broken', "application/json", '{"broken'),
        (
            '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\nx\r\n--b--',
            "multipart/form-data; boundary=b",
            '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n«secret»\r\n--b--',
        ),
        ("", "", ""),
    ],
    ids=["form", "plain json", "nested", "broken", "parts", "empty"],
)
def test_bodies(body: str, kind: str, shown: str) -> None:
    assert mask_body(body, kind) == shown


def test_addresses_without_secrets_stay_as_they_are() -> None:
    assert mask_url("http://a.example/?q=a+b%20c&x") == "http://a.example/?q=a+b%20c&x"
    assert "hunter2" not in mask_url("http://ana:hunter2@a.example/")
