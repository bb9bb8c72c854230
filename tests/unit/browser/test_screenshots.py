"""Screenshots that Chromium cannot take at once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from perception.browser.capture.redaction import SHOTS, screenshot_bytes
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline


def page_that_refuses(times: int, words: str) -> tuple[PageLink, list[str]]:
    """A page whose first screenshots fail, and what it was asked."""
    asked: list[str] = []

    async def call(method: str, *_: Any, **__: Any) -> dict[str, str]:
        asked.append(method)
        if len(asked) <= times:
            raise CdpCallError(method, -32000, words)
        return {"data": "UE5H"}

    return cast(PageLink, SimpleNamespace(session=SimpleNamespace(call=call))), asked


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
