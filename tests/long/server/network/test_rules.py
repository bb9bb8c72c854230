"""SetNetworkRules: block, answer and change headers, in order, and never past what a session may reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.server.app import Service
from perception.v1 import network_service_pb2 as pb
from tests.support.network_app import forget_requests, page_url


@pytest.fixture
async def recorded(service: Service, recording: AsyncPage) -> AsyncPage:
    """A session that records requests, and has none yet, and no rules."""
    await recording.set_network_rules([])
    forget_requests(service, recording)
    return recording


async def fetched(page: AsyncPage, url: str, what: str = "r.status + ' ' + await r.text()") -> str:
    script = f"fetch('{url}').then(async r => {what}).catch(e => 'failed')"
    return str(await page.evaluate(script, await_promise=True))


async def test_requests_are_blocked_by_pattern_type_and_method(recorded: AsyncPage, app: str) -> None:
    await recorded.navigate(page_url(app, "hello"))
    await recorded.set_network_rules(
        [
            {"name": "items", "url_pattern": "/items?", "block": {}},
            {"types": ["image"], "block": {}},
            {"methods": ["post"], "block": {}},
        ]
    )
    assert await fetched(recorded, "/items?x") == "failed"
    assert (await fetched(recorded, "/items")).startswith("200")
    shown = "const i = new Image(); i.onload = i.onerror = e => done(e.type); i.src = '/pixel?1'"
    image = f"new Promise(done => {{ {shown} }})"
    assert await recorded.evaluate(image, await_promise=True) == "error"
    (blocked,) = await recorded.requests("/items?x")
    assert (blocked.state, blocked.blocked_by) == (
        pb.NetworkRequest.STATE_BLOCKED,
        pb.NetworkRequest.BLOCKED_BY_RULE,
    )
    assert (blocked.blocked_reason, blocked.rule) == ("rule 1 (items)", "rule 1 (items)")
    await recorded.set_network_rules([])
    assert (await fetched(recorded, "/items?x")).startswith("200")


async def test_requests_are_answered_and_never_sent(recorded: AsyncPage, app: str) -> None:
    answer = {
        "status": 201,
        "content_type": "application/json",
        "body": b'{"mine": 1}',
        "headers": [{"name": "X-A", "value": "1"}],
    }
    await recorded.set_network_rules([{"name": "mock", "url_pattern": f"{app}/never-there", "answer": answer}])
    await recorded.navigate(page_url(app, "hello"))
    said = await fetched(recorded, "/never-there", "r.status + r.headers.get('X-A') + await r.text()")
    assert said == '2011{"mine": 1}'
    (mocked,) = await recorded.requests("/never-there")
    assert (mocked.status, mocked.rule) == (201, "rule 1 (mock)")
    await recorded.navigate(f"{app}/never-there")
    assert "mine" in (await recorded.snapshot(mode="text")).text


async def test_headers_of_requests_and_responses_are_changed(recorded: AsyncPage, app: str) -> None:
    change = {
        "set_request": [{"name": "X-Test", "value": "yes"}, {"name": "Authorization", "value": "Bearer s3cr3t-s3cr3t"}],
        "remove_request": ["Accept-Language", "X-Own"],
        "set_response": [{"name": "X-Came", "value": "back"}],
        "remove_response": ["X-Echo-Accept"],
    }
    shown = await recorded.set_network_rules([{"url_pattern": "/echo", "headers": change}])
    await recorded.navigate(page_url(app, "hello"))
    script = """fetch('/echo', {headers: {'X-Own': 'mine', 'X-Kept': 'mine'}}).then(async r =>
        r.headers.get('X-Came') + r.headers.get('X-Echo-Accept') + await r.text())"""
    said = str(await recorded.evaluate(script, await_promise=True))
    assert said.startswith("backnull")
    assert "X-Test: yes" in said
    assert "Bearer s3cr3t-s3cr3t" in said
    assert "X-Own" not in said
    assert "X-Kept: mine" in said
    assert "X-Test" not in await fetched(recorded, "/items")
    for rules in (shown, await recorded.network_rules()):
        assert "s3cr3t" not in str(rules)
        assert rules[0].headers.set_request[1].value == "Bearer «secret»"
    assert "s3cr3t" not in str(await recorded.state())


async def test_a_redirect_to_another_host_does_not_take_headers_along(recorded: AsyncPage, app: str) -> None:
    key = {"set_request": [{"name": "X-Api-Key", "value": "k1"}]}
    await recorded.set_network_rules([{"url_pattern": f"{app}/*", "headers": key}])
    await recorded.navigate(f"{app}/away")
    assert "Host: localhost" in (await recorded.snapshot(mode="text")).text
    assert "k1" not in (await recorded.snapshot(mode="text")).text
    await recorded.navigate(f"{app}/echo")
    assert "X-Api-Key: k1" in (await recorded.snapshot(mode="text")).text


async def test_no_rule_answers_for_a_host_that_the_session_may_not_reach(client: AsyncClient, app: str) -> None:
    away = [{"name": "Location", "value": "http://10.0.0.1/x"}]
    rules = [
        {"name": "private", "url_pattern": "http://10.0.0.1/*", "answer": {"body": b"in"}},
        {"name": "other", "url_pattern": "http://localhost*", "answer": {"body": b"in"}},
        {"name": "away", "url_pattern": "/away", "answer": {"status": 302, "headers": away}},
    ]
    async with await client.open(
        allow_evaluate=True, record_network=True, allowed_origins=[app], network_rules=rules
    ) as page:
        await page.navigate(page_url(app, "hello"))
        for url in ("http://10.0.0.1/x", f"{app.replace('127.0.0.1', 'localhost')}/x", "/away"):
            assert await fetched(page, url) == "failed"
        blocked = {each.url: each for each in await page.requests(only_failed=True)}
        assert "allowed_origins" in blocked["http://10.0.0.1/x"].blocked_reason
        assert all(each.blocked_by == pb.NetworkRequest.BLOCKED_BY_EGRESS for each in blocked.values())
        with pytest.raises(RemoteError) as refused:
            await page.navigate("http://10.0.0.1/x")
        assert refused.value.reason == "ORIGIN_BLOCKED"


async def test_frames_and_workers_obey_from_their_first_request(recorded: AsyncPage, app: str) -> None:
    await recorded.set_network_rules([{"url_pattern": "by=", "answer": {"body": b"mine"}}])
    other = app.replace("127.0.0.1", "localhost")
    script = "<script>new Worker('/worker.js').onmessage = e => document.title = e.data</script>"
    await recorded.navigate(page_url(app, f"<iframe src={other}/frame></iframe>{script}"))
    for each in ("by=frame", "by=worker"):
        await recorded.wait_for_response(each)
    answered = await recorded.requests("by=")
    assert {each.rule for each in answered} == {"rule 1"}
    assert len(answered) == 2


async def test_the_neighbors_rules_are_not_ours(client: AsyncClient, recorded: AsyncPage, app: str) -> None:
    async with await client.open(page_url(app, "hello"), allow_evaluate=True) as neighbor:
        await neighbor.set_network_rules([{"block": {}}])
        await recorded.navigate(page_url(app, "hello"))
        assert (await fetched(recorded, "/items")).startswith("200")
        assert await fetched(neighbor, "/items") == "failed"
        assert await recorded.network_rules() == []


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"url_pattern": "*"}, "does nothing"),
        ({"answer": {"status": 99}}, "200 to 599"),
        ({"answer": {"body": b"x" * (2**20 + 1)}}, "1048576"),
        ({"headers": {}}, "changes no header"),
        ({"headers": {"set_request": [{"name": "Host", "value": "evil"}]}}, "host is set by the browser"),
        ({"headers": {"set_request": [{"name": "A", "value": "b\r\nC: d"}]}}, "one line"),
        ({"headers": {"set_request": [{"name": "A B", "value": "b"}]}}, "not a header name"),
        ({"headers": {"remove_request": ["Proxy-Authorization"]}}, "proxy-authorization"),
        ({"headers": {"remove_request": ["Referer"]}}, "referer is set by the browser"),
        ({"types": [99], "block": {}}, "rules\\[0\\].types"),
    ],
    ids=["nothing", "status", "body", "no change", "host", "line", "name", "proxy", "referer", "type"],
)
async def test_rules_that_make_no_sense_are_refused_and_change_nothing(
    recorded: AsyncPage, given: Mapping[str, Any], says: str
) -> None:
    page = recorded
    await page.set_network_rules([{"name": "kept", "block": {}}])
    with pytest.raises(RemoteError, match=says) as refused:
        await page.set_network_rules([given] if "types" not in given else [pb.NetworkRule(types=[99], block={})])
    assert refused.value.reason == "BAD_INPUT"
    assert [each.name for each in await page.network_rules()] == ["kept"]
