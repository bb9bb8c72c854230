"""The table of weights, row by row, and what survives of a noisy recording."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.subroutines.ranking import WEIGHTS, pick_candidates, rank_requests, score_request
from perception.subroutines.recording import Body, RecordedRequest
from tests.unit.subroutines.made import SITE, event, json_body, recording, request, typed

BARE = {"method": "PURGE", "path": f"{SITE}/x", "at_ms": 9000.0, "status": 0}
"""A request of which nothing holds but that it is the site's own."""


def score(**fields: Any) -> int:
    events = fields.pop("events", (event(),))
    extra = {name: fields.pop(name) for name in ("polled", "entered") if name in fields}
    return score_request(request(**{**BARE, **fields}), events, page_url=f"{SITE}/new", **extra).score


ROWS = [
    pytest.param({}, ["first party"], id="first-party"),
    pytest.param({"path": "https://api.example.org/x"}, ["first party"], id="subdomain-is-first-party"),
    pytest.param({"path": "https://other.example.com/x"}, ["third party"], id="third-party"),
    pytest.param({"at_ms": 1000.0}, ["first party", "within 800 ms of an event"], id="at-once"),
    pytest.param({"at_ms": 1800.0}, ["first party", "within 800 ms of an event"], id="800-ms"),
    pytest.param({"at_ms": 1801.0}, ["first party", "within 2.5 s of an event"], id="801-ms"),
    pytest.param({"at_ms": 3500.0}, ["first party", "within 2.5 s of an event"], id="2500-ms"),
    pytest.param({"at_ms": 3501.0}, ["first party"], id="2501-ms"),
    pytest.param({"at_ms": 999.0}, ["first party"], id="before-the-event"),
    *(
        pytest.param({"method": each}, ["first party", "mutating method"], id=each)
        for each in ("POST", "PUT", "PATCH", "DELETE")
    ),
    pytest.param({"method": "GET"}, ["first party", "GET"], id="GET"),
    pytest.param({"method": "OPTIONS"}, ["first party", "OPTIONS, HEAD or performance"], id="OPTIONS"),
    pytest.param({"method": "HEAD"}, ["first party", "OPTIONS, HEAD or performance"], id="HEAD"),
    pytest.param({"kind": "performance"}, ["first party", "OPTIONS, HEAD or performance"], id="performance"),
    pytest.param({"body": json_body({"a": 1})}, ["first party", "body"], id="body"),
    pytest.param({"status": 204}, ["first party", "2xx"], id="2xx"),
    pytest.param({"status": 302}, ["first party"], id="3xx"),
    pytest.param({"status": 400}, ["first party", "400 or above"], id="400"),
    pytest.param({"status": 503}, ["first party", "400 or above"], id="503"),
    pytest.param({"size": 1}, ["first party", "non-empty response"], id="non-empty"),
    pytest.param(
        {"body": json_body({"doc_id": "4521"})}, ["first party", "body", "volatile identifier"], id="volatile"
    ),
    pytest.param({"polled": True}, ["first party", "sent without an event, too"], id="polled"),
    pytest.param({"kind": "beacon"}, ["first party", "beacon"], id="beacon"),
    pytest.param({"path": f"{SITE}/collect"}, ["first party", "called like telemetry"], id="collect"),
    pytest.param(
        {"body": json_body({"a": "Jane"}), "entered": {"Jane"}},
        ["first party", "body", "holds what was entered"],
        id="entered",
    ),
]


@pytest.mark.parametrize(("fields", "reasons"), ROWS)
def test_score_is_the_sum_of_the_rows_that_hold(fields: dict[str, Any], reasons: list[str]) -> None:
    assert score(**fields) == sum(WEIGHTS[reason] for reason in reasons)


def test_weights_are_those_that_were_asked_for() -> None:
    asked = {
        "first party": 20,
        "third party": -15,
        "telemetry host": -80,
        "within 800 ms of an event": 28,
        "within 2.5 s of an event": 16,
        "mutating method": 35,
        "GET": 5,
        "body": 8,
        "OPTIONS, HEAD or performance": -40,
        "2xx": 12,
        "400 or above": -25,
        "non-empty response": 4,
        "volatile identifier": -18,
    }
    assert asked.items() <= WEIGHTS.items()


def test_post_right_after_a_click_has_83_before_its_answer_and_body() -> None:
    assert score(method="POST", at_ms=1080.0) == 83
    assert score(method="POST", at_ms=1080.0, status=200, body=json_body({})) == 103


@pytest.mark.parametrize("host", ["www.google-analytics.com", "o1.ingest.sentry.io", "doubleclick.net"])
def test_telemetry_host_is_a_flat_minus_80(host: str) -> None:
    assert score(path=f"https://{host}/collect", method="POST", at_ms=1010.0, status=200, size=9) == -80


def test_telemetry_hosts_can_be_added() -> None:
    sent = recording(event(), requests=(request("https://count.example.net/a"),))
    assert rank_requests(sent, ["example.net"])[0].score == -80
    assert rank_requests(sent)[0].score > -80


def test_host_that_only_ends_like_a_telemetry_host_is_not_one() -> None:
    assert score(path="https://notsentry.io/x") == WEIGHTS["third party"]


def test_the_request_that_holds_what_was_typed_is_best_among_noise() -> None:
    polls = tuple(request("/poll", at_ms=100.0 * at, body=json_body({"n": 1}), size=2) for at in range(30))
    noise = (
        *polls,
        request("/collect", kind="beacon", at_ms=1001.0, body=json_body({"event": "click"})),
        request("https://www.google-analytics.com/g/collect", at_ms=1002.0),
        request("/api/items", "OPTIONS", at_ms=1003.0, kind="preflight"),
        request("/prefetch", "GET", at_ms=1004.0, size=500),
    )
    right = request("/api/items", at_ms=1090.0, status=201, body=json_body({"name": "Jane"}), size=20)
    ranked = pick_candidates(recording(typed("Name", "Jane"), event(), requests=(*noise, right)))
    assert ranked[0].request is right
    assert len(ranked) == 5
    assert len({(each.request.method, each.request.url) for each in ranked}) == 5


def test_poll_is_known_also_when_something_is_always_being_done() -> None:
    polls = tuple(request("/poll", at_ms=at, body=json_body({"n": 1})) for at in (600.0, 900.0, 1100.0))
    worst = rank_requests(recording(typed("Name", "Jane"), event(), requests=polls))[0]
    assert "sent without an event, too" in worst.reasons


def test_navigation_from_outside_is_no_event_that_a_request_comes_after() -> None:
    opened = event("goto", at_ms=1000.0, value="/new")
    assert "GET" in (ranked := rank_requests(recording(opened, requests=(request("/a", "GET"),)))[0]).reasons
    assert ranked.event_ms is None


requests = st.builds(
    RecordedRequest,
    method=st.sampled_from(["GET", "POST", "OPTIONS"]),
    url=st.sampled_from([f"{SITE}/a", f"{SITE}/b", "https://sentry.io/x", "https://cdn.example.net/y", "nonsense", ""]),
    kind=st.sampled_from(["fetch", "beacon", "document"]),
    at_ms=st.floats(-100, 5000),
    status=st.integers(0, 599),
    size=st.integers(0, 10),
    body=st.sampled_from([Body(), json_body({"queryId": "a1"}), Body("text", text="x")]),
)


@given(st.lists(requests, max_size=12))
def test_ranking_keeps_every_request_and_puts_the_best_first(given_requests: list[RecordedRequest]) -> None:
    ranked = rank_requests(recording(event(), requests=tuple(given_requests)))
    scores = [each.score for each in ranked]
    assert len(ranked) == len(given_requests)
    assert scores == sorted(scores, reverse=True)
    assert all(each.score == sum(WEIGHTS[reason] for reason in each.reasons) for each in ranked)
