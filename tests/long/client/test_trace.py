"""Traces in a real Chromium, opened from a file, with words of pages that mean harm."""

from __future__ import annotations

import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.async_api import Page, Request

from perception.browser.browser_session import BrowserSession, SessionOptions
from perception.browser.chromium.browser_host import BrowserHost
from perception.client.trace import Trace, TracePicture, trace_html
from perception.deadline import Deadline
from perception.page_words import page_words
from tests.support.trace_calls import call

EVIL = "<!--<script </script></title></style></pre><img src=x onerror=hit=1><b>b</b>&amp;\"'{{1}}%{x}"
REORDERED = "safe\u202egnp.exe\u2028\x00\x1b[31m\ud800"

Open = Callable[[Trace], Awaitable[Page]]


def picture(color: tuple[int, int, int]) -> TracePicture:
    return TracePicture(cv2.imencode(".jpg", np.full((270, 480, 3), color, np.uint8))[1].tobytes(), 480, 270)


USUAL = Trace(
    "s3ss10n",
    "Checkout",
    (
        call(
            1, rpc="CaptureSnapshot", what="look at the page", text="- button", page=("- heading", "- a", "- b", "- c")
        ),
        call(2, before=picture((200, 120, 60)), after=picture((60, 160, 90)), request_json='{"target": {"ref": "e2"}}'),
        call(3, code="FAILED_PRECONDITION", reason="ELEMENT_OBSCURED", message="e3 is covered by a dialog: close it"),
        call(4, by_person=True, what="a person acted", page=("- heading", "- a", "- b", "- d")),
        call(5, duration_s=None, code="", what="wait for text"),
    ),
    1_750_000_020.0,
    ("2 earlier calls are not kept any more.",),
)
HOSTILE = Trace(
    EVIL,
    EVIL + REORDERED,
    tuple(
        call(
            number,
            what=EVIL,
            url="javascript:hit=1//" + EVIL,
            code="ABORTED",
            reason=EVIL,
            message=words + page_words(EVIL),
            text=words * 3,
            request_json=EVIL,
            page=(words, str(number)),
            tab_id=EVIL,
            before=TracePicture(b"<svg onload=hit=1>", 1, 1),
        )
        for number, words in ((1, EVIL), (2, REORDERED), (3, "long" * 500))
    ),
    1_750_000_020.0,
    (EVIL,),
)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """For files that a Chromium of another user reads."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
async def session(host: BrowserHost) -> AsyncIterator[BrowserSession]:
    session = await host.new_session(SessionOptions(), lambda _: None, Deadline.of(20))
    yield session
    await session.close()


@pytest.fixture(scope="module")
async def open_trace(session: BrowserSession, folder: Path) -> Open:
    page = session.tab().page
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(_place(request)))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))

    async def opened(trace: Trace) -> Page:
        path = folder / "trace.html"
        path.write_text(trace_html(trace), encoding="utf-8")
        asked.clear()
        said.clear()
        await page.goto(path.as_uri())
        assert set(asked) <= {path.as_uri(), "data:"}
        assert said == []
        return page

    return opened


def _place(request: Request) -> str:
    return "data:" if request.url.startswith("data:") else request.url


async def test_a_trace_lists_each_call_with_its_outcome(open_trace: Open) -> None:
    page = await open_trace(USUAL)
    listed = [re.sub(r"\s+", " ", each) for each in await page.locator("li summary").all_inner_texts()]
    assert 'click button "Pay 2" [e2]' in listed[1]
    assert [each.split()[1] for each in (re.sub("[▸▾]", "", each) + " x" for each in listed)][:2] == ["+0.0", "+1.5"]
    outcomes = await page.locator("li .badge").all_inner_texts()
    assert outcomes == ["OK", "OK", "ELEMENT_OBSCURED", "a person", "OK", "under way"]
    assert "5, 1 failed" in await page.locator("header").inner_text()
    assert "2 earlier calls are not kept" in await page.locator("header").inner_text()


async def test_an_open_call_shows_what_changed_and_what_was_read(open_trace: Open) -> None:
    page = await open_trace(USUAL)
    for number in (1, 2, 4):
        await page.locator(f"#call-{number} summary").focus()
        await page.keyboard.press("Enter")
    assert await page.locator("#call-1 pre").inner_text() == "- button"
    assert await page.locator("#call-2 figcaption").all_inner_texts() == ["Before", "After"]
    widths = await page.locator("#call-2 figure img").evaluate_all("all => all.map(each => each.naturalWidth)")
    assert widths == [480, 480]
    assert await page.locator("#call-4 del").all_inner_texts() == ["- - c"]
    assert await page.locator("#call-4 ins").all_inner_texts() == ["+ - d"]
    assert '"ref": "e2"' in await page.locator("#call-2 pre").inner_text()


async def test_failed_calls_can_be_shown_alone_by_keyboard(open_trace: Open) -> None:
    page = await open_trace(USUAL)
    await page.keyboard.press("Tab")
    await page.keyboard.press("Space")
    shown = [each for each in await page.locator("li").all() if await each.is_visible()]
    assert [await each.get_attribute("id") for each in shown] == ["call-3"]


async def test_a_pages_words_never_become_html(open_trace: Open) -> None:
    page = await open_trace(HOSTILE)
    assert await page.evaluate("() => typeof hit") == "undefined"
    assert await page.locator("script, b, a, img, iframe, form").count() == 0
    assert await page.locator("li").count() == 3
    for each in await page.locator("summary").all():
        await each.click()
    text = await page.locator("body").inner_text()
    assert text.count(EVIL) >= 10
    assert not re.search("[\u202e\u2028\x1b\ufffe]", await page.content())
    assert "safe\\u202egnp.exe\\u2028" in text


async def test_a_trace_brings_a_policy_that_allows_nothing_else(open_trace: Open) -> None:
    page = await open_trace(USUAL)
    policy = await page.locator("meta[http-equiv]").get_attribute("content")
    assert policy is not None
    assert policy.startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert await page.evaluate("() => getComputedStyle(document.querySelector('.calls')).listStyleType") == "none"


@pytest.mark.parametrize("trace", [USUAL, HOSTILE, Trace("s", "", (), 1.0)], ids=["usual", "hostile", "empty"])
async def test_a_trace_fits_a_phone(open_trace: Open, session: BrowserSession, trace: Trace) -> None:
    page = await open_trace(trace)
    try:
        await page.set_viewport_size({"width": 360, "height": 740})
        for each in await page.locator("summary").all():
            await each.click()
        assert await page.evaluate("() => document.documentElement.scrollWidth") <= 360
    finally:
        await page.set_viewport_size({"width": 1280, "height": 800})


async def test_a_session_without_calls_says_so(open_trace: Open) -> None:
    page = await open_trace(Trace("s", "", (), 1.0))
    assert "The session has had no call." in await page.locator("main").inner_text()
