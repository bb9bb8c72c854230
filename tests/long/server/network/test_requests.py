"""ListRequests and GetRequest, on pages that are known to the byte."""

from __future__ import annotations

import socket

import pytest

from perception.browser.traffic import request_log
from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.server.app import Service
from perception.v1 import network_service_pb2 as pb
from tests.support.early_ends import early_ends
from tests.support.network_app import JSON, PIXEL, page_url

Request = pb.NetworkRequest


async def one(page: AsyncPage, pattern: str, **fields: object) -> Request:
    (found,) = await page.requests(pattern, **fields)  # type: ignore[arg-type]
    return found


async def test_a_session_that_records_nothing_says_how_to_record(shared_page: AsyncPage) -> None:
    with pytest.raises(RemoteError, match="record_network") as refused:
        await shared_page.requests()
    assert refused.value.reason == "NETWORK_NOT_RECORDED"


@pytest.mark.usefixtures("emptied")
async def test_requests_come_in_order_with_what_they_were(recorded: AsyncPage, app: str) -> None:
    script = "<script>const first = fetch('/items?page=2').then(r => r.json())</script><img src=/pixel>"
    await recorded.navigate(page_url(app, script))
    await recorded.evaluate("first.then(() => fetch('/items')).then(r => r.text())", await_promise=True)
    found = await recorded.requests()
    assert [each.request_id for each in found] == [f"r{number}" for number in range(1, len(found) + 1)]
    document, fetched, pixel = found[0], await one(recorded, "*page=2"), await one(recorded, "/pixel")
    assert (document.type, fetched.type, pixel.type) == (
        pb.RESOURCE_TYPE_DOCUMENT,
        pb.RESOURCE_TYPE_FETCH,
        pb.RESOURCE_TYPE_IMAGE,
    )
    assert document.tab_id == "t1"
    assert document.method == "GET"
    assert document.status == 200
    assert (fetched.state, fetched.content_type, fetched.body_bytes) == (
        Request.STATE_FINISHED,
        "application/json",
        len(JSON),
    )
    assert fetched.transferred_bytes > fetched.body_bytes
    assert fetched.initiator.type == "script"
    assert fetched.initiator.line == 1
    assert fetched.document_url == document.url
    assert fetched.timing.total_ms > 0
    assert fetched.timing.wait_ms > 0
    assert fetched.start_time.seconds >= document.start_time.seconds


async def test_filters_are_all_to_apply(recorded: AsyncPage, app: str) -> None:
    await recorded.navigate(page_url(app, "hello"))
    calls = "Promise.all(['/items', '/status?code=500', '/status?code=404'].map(u => fetch(u).then(r => r.text())))"
    await recorded.evaluate(f"{calls}.then(() => fetch('/items', {{method: 'POST', body: 'a=1'}})).then(r => r.text())",
                            await_promise=True)  # fmt: skip
    assert [each.status for each in await recorded.requests("status", min_status=500, max_status=599)] == [500]
    assert [each.method for each in await recorded.requests(methods=["post"])] == ["POST"]
    assert {each.type for each in await recorded.requests(types=["document"])} == {pb.RESOURCE_TYPE_DOCUMENT}
    last = (await recorded.requests("/items"))[-1]
    assert await recorded.requests("/items", since=last) == []  # the page's icon may come later
    assert not await recorded.requests("*/nothing/*")


async def test_pages_follow_each_other_without_a_gap(recorded: AsyncPage, client: AsyncClient, app: str) -> None:
    await recorded.navigate(page_url(app, "hello"))
    many = "Promise.all([...Array(12).keys()].map(n => fetch('/items?n=' + n).then(r => r.text())))"
    await recorded.evaluate(many, await_promise=True)
    request = pb.ListRequestsRequest(
        session_id=recorded.session_id, filter=pb.RequestFilter(url_pattern="n="), page_size=5
    )
    sizes, ids = [], []
    while True:
        page = await client.call(client.network.ListRequests, request)
        sizes.append(len(page.requests))
        ids += [each.request_id for each in page.requests]
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token
    assert sizes == [5, 5, 2]
    assert len(set(ids)) == 12


async def test_a_redirect_is_a_request_of_its_own(recorded: AsyncPage, app: str) -> None:
    await recorded.navigate(f"{app}/moved")
    moved, items = (await recorded.requests(types=["document"]))[:2]
    assert (moved.status, moved.redirect_url, moved.state) == (302, f"{app}/items", Request.STATE_FINISHED)
    assert items.url == f"{app}/items"
    assert items.status == 200
    head = await recorded.request(moved)
    assert ("Location", "/items") in [(each.name, each.value) for each in head.response_headers]


async def test_frames_of_other_sites_and_workers_are_recorded(recorded: AsyncPage, app: str) -> None:
    other = app.replace("127.0.0.1", "localhost")
    script = "<script>new Worker('/worker.js').onmessage = e => document.title = e.data</script>"
    body = f"<iframe src={other}/frame></iframe>{script}"
    await recorded.navigate(page_url(app, body))
    for each in ("by=frame", "by=worker"):
        await recorded.wait_for_response(each)
    by_frame, by_worker = await one(recorded, "by=frame"), await one(recorded, "by=worker")
    assert by_frame.document_url == f"{other}/frame"
    assert by_worker.status == 200
    assert by_worker.tab_id == "t1"


async def test_bodies_are_read_as_text_or_bytes(recorded: AsyncPage, app: str) -> None:
    await recorded.navigate(page_url(app, "<img src=/pixel>"))
    await recorded.evaluate(
        "fetch('/zipped').then(r => r.text()).then(() => fetch('/items', {method: 'POST', body: 'name=Milk'}))"
        ".then(r => r.text()).then(() => 1)",
        await_promise=True,
    )
    assert (await recorded.request(await one(recorded, "/pixel"))).response_body.data == PIXEL
    zipped = await recorded.request(await one(recorded, "/zipped"), max_body_bytes=100)
    assert (zipped.response_body.text, zipped.response_body.truncated) == ("x" * 100, True)
    assert zipped.response_body.total_bytes == 5000
    posted = await recorded.request(await one(recorded, "/items", methods=["POST"]))
    assert posted.request_body.text == "name=Milk"
    assert posted.response_body.text == '{"ok": true}'
    assert not (await recorded.request("r1", max_body_bytes=0)).HasField("response_body")


async def test_credentials_are_masked(recorded: AsyncPage, app: str) -> None:
    await recorded.navigate(page_url(app, "hello"))
    send = """fetch('/items?token=abcdef123456&page=2', {
        method: 'GET', headers: {Authorization: 'Bearer ey.abc.def', 'X-CSRF-Token': 'c5rf', 'X-Page': '2'}
    }).then(r => r.text()).then(() => fetch('/items', {method: 'POST', headers: {'Content-Type': 'application/json'},
        body: JSON.stringify({user: 'ana', password: 'hunter2-hunter2'})})).then(r => r.text())
    .then(() => fetch('/items', {method: 'POST', body: new URLSearchParams('user=ana&password=hunter2-hunter2')}))
    .then(r => r.text())"""
    await recorded.evaluate(send, await_promise=True)
    got = await recorded.request(await one(recorded, "page=2"))
    assert "abcdef123456" not in str(got)
    assert "page=2" in got.request.url
    sent = {each.name.lower(): each.value for each in got.request_headers}
    assert sent["authorization"] == "Bearer «secret»"
    assert sent["x-csrf-token"] == "«secret»"
    assert sent["x-page"] == "2"
    came = {each.name.lower(): each.value for each in got.response_headers}
    assert came["set-cookie"] == "sid=«secret»; Path=/; HttpOnly"
    assert "t0p-s3cret-value" not in got.response_body.text
    assert '"Milk"' in got.response_body.text
    for posted in await recorded.requests(methods=["POST"]):
        shown = await recorded.request(posted)
        assert "hunter2" not in str(shown)
        assert "ana" in shown.request_body.text
    again = {each.name.lower(): each.value for each in shown.request_headers}
    assert again["cookie"] == "sid=«secret»"


async def test_bodies_outlive_their_document(recorded: AsyncPage, app: str) -> None:
    await recorded.navigate(f"{app}/items")
    first = (await recorded.requests("/items"))[0]
    await recorded.navigate(page_url(app.replace("127.0.0.1", "localhost"), "elsewhere"))
    assert "Milk" in (await recorded.request(first)).response_body.text


async def test_a_response_of_200_mb_stays_in_the_browser(recorded: AsyncPage, app: str) -> None:
    await recorded.navigate(page_url(app, "hello"))
    await recorded.evaluate(
        "fetch('/large?mb=200').then(r => r.blob()).then(b => b.size)", await_promise=True, timeout_s=120
    )
    large = await one(recorded, "/large")
    assert large.body_bytes == 200 * 2**20
    with pytest.raises(RemoteError, match="209715200 bytes") as gone:
        await recorded.request(large, max_body_bytes=1000)
    assert gone.value.reason == "BODY_GONE"
    shown = await recorded.request(large)
    assert "4194304" in shown.response_body.missing
    assert shown.response_headers
    assert (await recorded.state()).tabs[0].url.startswith(app)


async def test_failed_and_blocked_requests_say_why(recorded: AsyncPage, client: AsyncClient, app: str) -> None:
    policy = '<meta http-equiv=Content-Security-Policy content="connect-src http: ; img-src http://127.0.0.1:*">'
    await recorded.navigate(page_url(app, f"{policy}hello"))
    with socket.socket() as deaf:  # nobody else gets its port
        deaf.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        send = (
            f"Promise.allSettled([fetch('http://10.0.0.1/x'), fetch('{closed}/x', {{mode: 'no-cors'}}),"
            f" fetch('{app.replace('127.0.0.1', 'localhost')}/items')]).then(() => 1)"
        )
        await recorded.evaluate(send, await_promise=True)
    private, refused = await one(recorded, "10.0.0.1"), await one(recorded, f"{closed}/x")
    assert (private.state, private.blocked_by) == (Request.STATE_BLOCKED, Request.BLOCKED_BY_EGRESS)
    assert "private" in private.blocked_reason
    assert (refused.state, refused.failure) == (Request.STATE_FAILED, "net::ERR_CONNECTION_REFUSED")
    cors = await one(recorded, "*localhost:*/items")
    assert cors.blocked_by == Request.BLOCKED_BY_BROWSER
    assert cors.blocked_reason.startswith("CORS")
    assert {each.request_id for each in await recorded.requests(only_failed=True)} >= {
        private.request_id,
        refused.request_id,
        cors.request_id,
    }


@pytest.mark.parametrize(
    ("ask", "reason", "says"),
    [
        (lambda page: page.request("r99"), "REQUEST_NOT_FOUND", "the last one is r"),
        (lambda page: page.request("x1"), "REQUEST_NOT_FOUND", "ListRequests"),
        (lambda page: page.requests(since="r99"), "REQUEST_NOT_FOUND", "the last one is r"),
        (lambda page: page.requests(tab_id="t9"), "UNKNOWN_TAB", "t1"),
        (lambda page: page.requests(min_status=500, max_status=400), "BAD_INPUT", "exchange"),
        (lambda page: page.request("r1", max_body_bytes=2**30), "BAD_INPUT", "4194304"),
        (lambda page: page.request("r1", max_body_bytes=-1), "BAD_INPUT", "4194304"),
    ],
    ids=["unknown", "malformed", "since", "tab", "range", "too much", "negative"],
)
async def test_bad_requests_are_told_what_there_is(recorded: AsyncPage, app: str, ask, reason: str, says: str) -> None:  # type: ignore[no-untyped-def]
    await recorded.navigate(f"{app}/items")
    with pytest.raises(RemoteError, match=says) as refused:
        await ask(recorded)
    assert refused.value.reason == reason


async def test_a_page_that_sends_too_many_requests_is_cut_short(
    recorded: AsyncPage, client: AsyncClient, app: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_log, "MAX_PER_SECOND", 5)  # a busy machine sends fewer in a second
    await recorded.navigate(page_url(app, "hello"))
    await recorded.wait_for_response("/favicon.ico")  # so that it is none of those that are dropped
    flood = "Promise.allSettled([...Array(400).keys()].map(n => fetch('http://10.0.0.1/' + n))).then(() => 1)"
    await recorded.evaluate(flood, await_promise=True, timeout_s=60)
    listed = await client.call(client.network.ListRequests, pb.ListRequestsRequest(session_id=recorded.session_id))
    assert listed.dropped_count > 0
    assert len(await recorded.requests("10.0.0.1")) + listed.dropped_count == 400


async def test_a_response_is_waited_for_by_url_status_and_body(recorded: AsyncPage, app: str) -> None:
    late = "onclick = () => setTimeout(() => fetch('/items?late').then(r => r.text()), 300)"
    await recorded.navigate(page_url(app, f"<button>Go</button><script>{late}</script>"))
    await recorded.click("button")
    seen = await recorded.wait_for_response("/items?late", status=200, body_contains="Milk")
    assert (seen.url, seen.status) == (f"{app}/items?late", 200)
    # One that came before the wait counts; one of an earlier action does not.
    await recorded.click("button")
    await recorded.wait_for(settled=True)
    again = await recorded.wait_for_response("*/items?late", method="get")
    assert int(again.request_id[1:]) > int(seen.request_id[1:])
    assert (await recorded.wait_for_response("/items", since="r1")).request_id == seen.request_id


async def test_a_response_that_does_not_come_is_named_at_the_deadline(
    service: Service, recorded: AsyncPage, app: str
) -> None:
    await recorded.navigate(f"{app}/items")
    for fields in ({"status": 500}, {"body_contains": "Bread"}):
        with early_ends(service) as reserve_s, pytest.raises(RemoteError, match="for a response '/items'") as late:
            await recorded.wait_for_response("/items", timeout_s=reserve_s + 0.5, **fields)  # type: ignore[arg-type]
        assert late.value.reason == "DEADLINE"


async def test_a_response_can_only_be_waited_for_where_it_is_recorded(
    shared_page: AsyncPage, recorded: AsyncPage
) -> None:
    with pytest.raises(RemoteError) as refused:
        await shared_page.wait_for_response("/items")
    assert refused.value.reason == "NETWORK_NOT_RECORDED"
    with pytest.raises(RemoteError, match="any response would do"):
        await recorded.wait_for_response()
    with pytest.raises(RemoteError, match="100 to 599"):
        await recorded.wait_for_response(status=7)
