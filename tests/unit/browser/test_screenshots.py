"""Screenshots that Chromium cannot take at once."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from perception.browser.capture.redaction import SHOTS, screenshot_bytes
from perception.browser.cdp.cdp_link import CdpCallError, CdpSession
from perception.browser.page.emulation import Emulation
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline


def page_that_refuses(times: int, words: str) -> tuple[PageLink, list[str]]:
    """A page whose first screenshots fail, and what it was asked."""
    asked: list[str] = []

    def start(method: str, **_: Any) -> asyncio.Future[dict[str, str]]:
        asked.append(method)
        answer: asyncio.Future[dict[str, str]] = asyncio.get_running_loop().create_future()
        if len(asked) <= times:
            answer.set_exception(CdpCallError(method, -32000, words))
        else:
            answer.set_result({"data": "UE5H"})
        return answer

    session = cast(CdpSession, SimpleNamespace(start=start, on=lambda *_: None))
    return cast(PageLink, SimpleNamespace(emulation=Emulation(session, tuple))), asked


async def test_a_screenshot_without_a_frame_is_asked_for_again() -> None:
    page, asked = page_that_refuses(2, "Unable to capture screenshot")
    assert await screenshot_bytes(page, Deadline.of(10)) == b"PNG"
    assert len(asked) == 3


@pytest.mark.parametrize(
    ("words", "times"),
    [pytest.param("Unable to capture screenshot", SHOTS, id="never-a-frame"), pytest.param("Not allowed", 1, id="no")],
)
async def test_a_screenshot_that_cannot_be_taken_fails(words: str, times: int) -> None:
    page, asked = page_that_refuses(99, words)
    with pytest.raises(CdpCallError, match=words):
        await screenshot_bytes(page, Deadline.of(10))
    assert len(asked) == times
