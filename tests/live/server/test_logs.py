"""What the service says of itself: enough to find a call again, nothing of what pages and clients hold."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.server.telemetry import logs
from perception.v1 import perception_service_pb2 as pb
from perception.v1 import session_service_pb2 as session_pb
from tests.support.live import Show
from tests.support.log_lines import MARKER, Lines, logged

pytestmark = pytest.mark.usefixtures("kept_contexts")


@pytest.fixture
def lines() -> Iterator[Lines]:
    with logged() as lines:
        yield lines


async def test_a_call_is_one_line_with_its_result(
    client: AsyncClient, page: AsyncPage, show: Show, lines: Lines
) -> None:
    await show("<button>Pay</button>")
    request = pb.CaptureSnapshotRequest(session_id=page.session_id)
    call = client.perception.CaptureSnapshot(request, timeout=20, metadata=(("x-request-id", "mine-1"),))
    await call
    assert ("x-request-id", "mine-1") in tuple(await call.trailing_metadata())
    line = await lines.call("CaptureSnapshot")
    assert line["level"] == "info"
    assert (line["request_id"], line["session"], line["code"], line["reason"]) == ("mine-1", page.session_id, "OK", "")
    assert line["peer"] == "unix"
    assert line["phase"]
    assert 0 < line["ms"] < 20_000
    assert 0 < line["deadline_left_ms"] < 20_500  # gRPC rounds what is left


async def test_a_refused_call_has_its_reason_and_its_id(client: AsyncClient, page: AsyncPage, lines: Lines) -> None:
    with pytest.raises(RemoteError) as caught:
        await page.click("e999999")
    line = await lines.call("Click")
    assert (line["code"], line["reason"]) == ("NOT_FOUND", "UNKNOWN_REF")
    assert dict(caught.value.__cause__.trailing_metadata())["x-request-id"] == line["request_id"]  # type: ignore[union-attr]


async def test_a_call_without_an_id_gets_one(client: AsyncClient, lines: Lines) -> None:
    await client.sessions.ListSessions(session_pb.ListSessionsRequest())
    assert len((await lines.call("ListSessions"))["request_id"]) == 16


async def test_health_checks_are_logged_at_debug_level(client: AsyncClient, lines: Lines) -> None:
    await client.is_serving()
    assert (await lines.call("Check"))["level"] == "debug"
    logs.set_up("info", "json", lines.stream)
    checks = lines.text.count("/Check")
    await client.is_serving()
    await client.sessions.ListSessions(session_pb.ListSessionsRequest())
    await lines.call("ListSessions")  # whose line comes after that of the check
    assert lines.text.count("/Check") == checks


async def test_a_created_session_is_named(client: AsyncClient, lines: Lines) -> None:
    page = await client.open()
    await page.close()
    assert (await lines.call("CreateSession"))["session"] == page.session_id


async def test_nothing_of_pages_and_clients_is_logged(
    scripted: AsyncPage, client: AsyncClient, site: str, lines: Lines
) -> None:
    page = scripted
    body = (
        f"<title>{MARKER}</title><input aria-label='{MARKER}' value='{MARKER}'><button id=under>{MARKER} below</button>"
        f"<div id=over role=button aria-label='{MARKER} above' style='position:fixed;inset:0'></div>"
        f"<canvas aria-label='{MARKER}' width=90 height=60></canvas><script>console.error('{MARKER}')</script>"
    )
    await page.navigate(f"{site.replace('://', f'://{MARKER}:{MARKER}@')}/html?body={body}#{MARKER}")
    assert MARKER in (await page.snapshot(mode="fused")).text
    await page.press("Escape")
    assert MARKER in (await page.content(form_values=True)).markdown
    await page.interactables()
    await page.find(MARKER)
    for refused in (
        page.click("#under", timeout_s=2),
        page.type_text("#over", MARKER),
        page.click(f"#{MARKER}"),
        page.click(MARKER + " >>> ["),
        page.navigate(f"{MARKER}://x"),
        page.evaluate(f"throw new Error('{MARKER}')"),
        page.press(MARKER),
        page.snapshot(since=MARKER),
        page.upload("#under", f"{MARKER}.txt"),
        client.open(f"http://10.0.0.1/?{MARKER}"),
        page.navigate(f"http://127.0.0.1:1/?{MARKER}"),
    ):
        with pytest.raises(Exception):  # noqa: B017, PT011  # how each is refused is tested elsewhere
            await refused
    with pytest.raises(RemoteError):
        await client.call(client.sessions.GetSession, session_pb.GetSessionRequest(session_id=f"{MARKER}\n"))
    assert len(lines.of("rpc")) > 12
    assert MARKER not in lines.text
