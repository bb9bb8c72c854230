"""The calls of a session are told to its owner, in plain words, with what they answered and without what is secret."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import pytest

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.server.app import Service
from perception.server.live import call_pictures
from perception.v1 import live_service_pb2 as pb
from tests.support.early_ends import early_ends
from tests.support.live import Show
from tests.support.live_pictures import BLUE, RED, SOON, Color, decoded, following, is_near, painted
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("kept_contexts")


FORM = """<title>Pay</title><form><label>Name <input id=name></label>
<label>Card number <input id=card autocomplete=cc-number></label><label>Password <input id=pass type=password></label>
<label>Size <select id=size><option>Small<option>Large</select></label></form>"""


async def calls_of(page: AsyncPage, count: int, **options: Any) -> list[pb.Call]:
    """The calls that are kept."""
    calls: list[pb.Call] = []
    async with asyncio.timeout(SOON), aclosing(page.watch_calls(**options)) as watching:
        async for call in watching:
            calls.append(call)
            if len(calls) == count:
                break
    return calls


async def ref_of(page: AsyncPage, name: str) -> str:
    snapshot = await page.snapshot(mode="text")
    return next(each.ref for each in snapshot.elements if each.name == name and each.ref)


async def test_calls_are_told_as_they_begin_and_end(page: AsyncPage, show: Show) -> None:
    await show(painted("red"))
    snapshot = await page.snapshot(mode="text")
    ref = next(each.ref for each in snapshot.elements if each.name == "Blue")
    async with aclosing(page.watch_calls()) as watching:
        kept = [await following(watching) for _ in range(3)]
        assert [each.rpc for each in kept] == ["CreateSession", "Navigate", "CaptureSnapshot"]
        assert all(each.code == "OK" and each.HasField("duration") for each in kept)
        assert (kept[-1].has_snapshot, kept[-1].snapshot_id) == (True, snapshot.snapshot_id)
        clicking = asyncio.create_task(page.click(ref))
        begun = await following(watching)
        assert (begun.rpc, begun.what, begun.code) == ("Click", f'click button "Blue" [{ref}]', "")
        assert not begun.HasField("duration")
        ended = await following(watching)
        assert (ended.number, ended.code) == (begun.number, "OK")
        result = await clicking
    answered = await page.get_call(kept[-1].number)
    assert answered.snapshot.text == answered.text == snapshot.text
    assert (await page.get_call(ended.number)).text == result.diff.text
    assert json.loads((await page.get_call(ended.number)).request_json)["target"] == {"ref": ref}


async def test_a_call_that_fails_has_its_reason(service: Service, page: AsyncPage, show: Show) -> None:
    await show(painted("red"))
    with early_ends(service) as reserve_s, pytest.raises(RemoteError):
        await page.click("#gone", timeout_s=reserve_s + 1)
    call = (await calls_of(page, 3))[-1]
    assert (call.what, call.code, call.reason) == ('click "#gone"', "NOT_FOUND", "NO_MATCH")
    assert "#gone" in call.message


async def test_what_is_typed_is_told_only_of_fields_that_are_not_sensitive(page: AsyncPage, show: Show) -> None:
    await show(FORM)
    for name, text in (("Name", "Ada Lovelace"), ("Card number", "4111111111111111"), ("Password", "hunter2hunter2")):
        await page.type_text(await ref_of(page, name), text)
    await page.type_text("#name", "Seaside")
    await page.press("x", "#card")
    await page.select(await ref_of(page, "Size"), "Large")
    calls = [each for each in await calls_of(page, 12) if each.rpc not in ("CaptureSnapshot", "Navigate")]
    whats = [each.what for each in calls]
    assert any(each.startswith('type "Ada Lovelace" into textbox "Name" [e') for each in whats)
    assert any(each.startswith('type «16 characters» into textbox "Card number" [e') for each in whats)
    assert any(each.startswith('type «14 characters» into textbox "Password" [e') for each in whats)
    assert 'type «7 characters» into "#name"' in whats
    assert 'press a character in "#card"' in whats
    assert any(each.startswith('select "Large" in combobox "Size" [e') for each in whats)
    answers = [await page.get_call(each.number) for each in calls]
    told = "".join(f"{each.call.what}{each.request_json}{each.text}{each.snapshot}" for each in answers)
    assert "4111111111111111" not in told
    assert "hunter2" not in told
    assert "Seaside" not in "".join(each.request_json for each in answers)


async def test_a_password_that_the_page_puts_elsewhere_is_not_told(page: AsyncPage, show: Show) -> None:
    await show(
        '<label>Password<input id=pass type=password></label><button onclick="const given = pass.value; location.hash ='
        "given + '&' + btoa('ana:' + given) + '&' + encodeURIComponent(given); document.title = given;"
        'document.body.append(given)">Go</button>'
    )
    await page.type_text("#pass", "Hunter 2%x")
    await page.click("button")
    seen = await page.snapshot(mode="text")
    assert "Hunter 2%x" in seen.title
    calls = await calls_of(page, 5)
    told = "".join([f"{each}{await page.get_call(each.number)}" for each in calls])
    assert "«secret»" in calls[-1].url
    assert not any(each in told.casefold() for each in ("hunter", "hvudgvyid", "h1bnrlci", "iw50zxig"))


async def test_an_answer_with_revealed_values_is_not_kept(page: AsyncPage, show: Show) -> None:
    await show(FORM)
    await page.type_text("#card", "4111111111111111")
    revealed = await page.snapshot(mode="text", reveal_sensitive=True)
    assert "4111111111111111" in revealed.text
    call = (await calls_of(page, 4))[-1]
    assert call.rpc == "CaptureSnapshot"
    kept = await page.get_call(call.number)
    assert "4111111111111111" not in kept.text + str(kept.snapshot)


async def test_questions_and_watchers_are_not_in_the_list(page: AsyncPage) -> None:
    await page.tabs()
    await page.state()
    async with aclosing(page.watch_frames()) as watching:
        await following(watching)
    await page.snapshot(mode="text")
    assert [each.rpc for each in await calls_of(page, 2)] == ["CreateSession", "CaptureSnapshot"]


async def test_a_later_reader_goes_on_where_it_was(page: AsyncPage) -> None:
    await page.snapshot(mode="text")
    await page.snapshot(mode="text")
    assert [each.number for each in await calls_of(page, 1, after=2)] == [3]


async def test_a_call_that_is_not_kept_is_an_error_that_says_what_is(page: AsyncPage) -> None:
    with pytest.raises(
        RemoteError, match="call 99 is not kept: this session keeps its last 200 calls, now 1 to 1"
    ) as no:
        await page.get_call(99)
    assert no.value.reason == "UNKNOWN_CALL"


@pytest.mark.parametrize("first_s", [call_pictures.AFTER_SECONDS[0], 0.0], ids=["usual", "painted-later"])
async def test_pictures_show_the_tab_before_and_after_a_call(
    client: AsyncClient, site: str, monkeypatch: pytest.MonkeyPatch, first_s: float
) -> None:
    from urllib.parse import quote

    def shows(color: Color) -> Callable[[pb.GetCallResponse], bool]:
        return lambda answer: is_near(decoded(answer.after.data)[150, 240], color)

    monkeypatch.setattr(call_pictures, "AFTER_SECONDS", (first_s, *[1.0] * int(SOON)))
    async with await client.open(keep_call_pictures=True) as page:
        await page.navigate(f"{site}/html?body={quote(painted('red'))}")
        await with_pictures(page, "Navigate", shows(RED))
        await page.click("button")
        call = await with_pictures(page, "Click", shows(BLUE))
    before = decoded(call.before.data)
    assert (call.before.width, call.before.height) == (480, 300)
    assert call.before.scale == pytest.approx(480 / 1280)
    assert is_near(before[150, 240], RED)


async def test_the_first_call_has_its_picture_where_the_first_frame_comes_late(
    client: AsyncClient, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_pictures, "AFTER_SECONDS", (0.0,))
    async with await client.open(keep_call_pictures=True) as page:
        await page.navigate(f"{site}/inner.html")
        await with_pictures(page, "Navigate")


async def with_pictures(
    page: AsyncPage, rpc: str, is_wanted: Callable[[pb.GetCallResponse], bool] = lambda _: True
) -> pb.GetCallResponse:
    """The last call of an rpc, once it has its picture of after, which is the wanted one."""
    async with asyncio.timeout(SOON), aclosing(page.watch_calls()) as watching:
        async for call in watching:
            if call.rpc == rpc and call.has_pictures:
                answer = await page.get_call(call.number)
                if answer.HasField("after") and is_wanted(answer):
                    return answer
    raise AssertionError("the watch ended")


async def test_nothing_is_pictured_while_nobody_wants_it(page: AsyncPage, show: Show, service: Service) -> None:
    await show(painted("red"))
    session = service.context.sessions._sessions[page.session_id]
    tab_id = session.browser.selected
    async with aclosing(page.watch_calls(pictures=True)) as watching:
        await following(watching)
        await until(lambda: session.screencasts.is_watched(tab_id))
    await until(lambda: not session.screencasts.is_watched(tab_id))
    await page.click("button")
    assert not (await calls_of(page, 3))[-1].has_pictures
