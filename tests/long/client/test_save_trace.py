"""A trace of a real session: its calls, their outcomes, what changed; and nothing that is secret."""

from __future__ import annotations

import asyncio
import os
from contextlib import aclosing
from pathlib import Path
from urllib.parse import quote

import pytest
from lxml import html

from perception.client import AsyncClient, AsyncPage, RemoteError
from perception.errors import BadInputError

LOGIN = (
    "<title>Log in</title><label>Name <input id=n></label><label>Password <input id=p type=password></label>"
    "<button onclick=\"document.body.append(Object.assign(document.createElement('h2'),{textContent:'Welcome'}))\">"
    "Log in</button>"
)


def texts(page: html.HtmlElement, name: str, kind: str = "") -> list[str]:
    """The texts of all elements of a name, of a class if one is given."""
    found = page.iter(name) if not kind else (each for each in page.iter(name) if kind in each.classes)
    return [" ".join(each.text_content().split()) for each in found]


async def with_a_picture(page: AsyncPage) -> None:
    """Waits for the first picture of a call: no call waits for one."""
    async with aclosing(page.watch_calls()) as watching:
        async for call in watching:
            if call.has_pictures:
                return
    raise AssertionError("the watch ended")


async def test_a_trace_of_a_session_has_its_calls_and_no_secret(client: AsyncClient, site: str, tmp_path: Path) -> None:
    async with await client.open(f"{site}/html?body={quote(LOGIN)}", keep_call_pictures=True) as page:
        await page.snapshot()
        await page.type_text("#p", "hunter2-s3cret")
        with pytest.raises(RemoteError):
            await page.click("e99")
        await page.click('button "Log in"')
        await page.snapshot()
        await with_a_picture(page)
        path = await page.save_trace(tmp_path / "trace.html")
    text = path.read_text(encoding="utf-8")
    seen = html.fromstring(text)
    assert "hunter2" not in text
    assert [each for each in texts(seen, "span", "what") if each.startswith("click")][-1] == 'click button "Log in"'
    assert texts(seen, "span", "failed") == ["UNKNOWN_REF"]
    assert texts(seen, "h1") == ["Session trace: Log in"]
    assert any("Welcome" in each for each in texts(seen, "ins"))
    assert any('textbox "Name"' in each for each in texts(seen, "pre"))
    assert not any(True for _ in seen.iter("script", "link", "a", "iframe"))
    assert {each.get("src").partition(",")[0] for each in seen.iter("img")} == {"data:image/jpeg;base64"}


async def test_a_trace_can_be_saved_while_a_call_is_under_way(page: AsyncPage, tmp_path: Path) -> None:
    waiting = asyncio.create_task(page.wait_for(text="never", timeout_s=60))
    async for call in page.watch_calls(timeout_s=60):
        if call.rpc == "WaitFor":
            break
    path = await page.save_trace(tmp_path / "trace.html")
    assert "under way" in path.read_text(encoding="utf-8")
    waiting.cancel()


async def test_a_trace_that_cannot_be_written_says_so(shared_page: AsyncPage, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be written: No such file or directory"):
        await shared_page.save_trace(tmp_path / "no" / "trace.html")
    with pytest.raises(BadInputError, match="cannot be written"):
        await shared_page.save_trace(tmp_path)
    assert os.listdir(tmp_path) == []


async def test_a_session_that_ended_has_no_trace(client: AsyncClient, tmp_path: Path) -> None:
    page = await client.open()
    await page.close()
    with pytest.raises(RemoteError) as ended:
        await page.save_trace(tmp_path / "trace.html")
    assert ended.value.reason == "UNKNOWN_SESSION"
