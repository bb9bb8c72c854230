"""People who watch see what the tab shows, soon and only what they may; and what the session's client does."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.client import AsyncPage
from perception.v1 import live_service_pb2 as pb
from tests.server.conftest import Show

SOON = 15.0


async def following(watching: Any) -> Any:
    """The next answer of a watch, which must come soon."""
    return await asyncio.wait_for(anext(watching), SOON)


async def picture_with(watching: Any, color: tuple[int, int, int], at: tuple[float, float]) -> pb.WatchFramesResponse:
    """The first picture that has about this color (BGR) at a place, given as shares of its sides."""
    async with asyncio.timeout(SOON):
        while True:
            frame = await anext(watching)
            if frame.jpeg and is_near(color_at(frame, at), color):
                return frame  # type: ignore[no-any-return]


def pixels_of(frame: pb.WatchFramesResponse) -> NDArray[np.uint8]:
    image = cv2.imdecode(np.frombuffer(frame.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image, dtype=np.uint8)


def color_at(frame: pb.WatchFramesResponse, at: tuple[float, float]) -> NDArray[np.uint8]:
    image = pixels_of(frame)
    return image[int(at[1] * image.shape[0]), int(at[0] * image.shape[1])]


def is_near(seen: NDArray[np.uint8], color: tuple[int, int, int]) -> bool:
    return bool(np.abs(seen.astype(int) - color).max() < 24)


WHITE, RED, BLUE, GREEN = (255, 255, 255), (0, 0, 255), (255, 0, 0), (0, 128, 0)
MIDDLE = (0.5, 0.5)


def painted(color: str, more: str = "") -> str:
    return (
        f"<title>{color}</title><body style='margin:0;background:{color}'><button onclick=\"document.body.style"
        f".background='blue'\">Blue</button>{more}"
    )


async def test_a_still_page_is_shown_at_once_and_then_each_change(page: AsyncPage, show: Show) -> None:
    await show(painted("red"))
    async with aclosing(page.watch_frames()) as watching:
        first = await following(watching)
        assert (first.number, first.note, first.title) == (1, "", "red")
        assert (first.width, first.height) == (first.viewport.width, first.viewport.height) == (1280, 800)
        assert is_near(color_at(first, MIDDLE), RED)
        coming = asyncio.ensure_future(anext(watching))
        await page.snapshot(mode="text")
        await page.click("button")
        changed = await asyncio.wait_for(coming, SOON)
        assert changed.number == 2
        if not is_near(color_at(changed, MIDDLE), BLUE):  # the button was pressed first
            await picture_with(watching, BLUE, MIDDLE)


async def test_calls_are_told_as_they_begin_and_end(page: AsyncPage, show: Show) -> None:
    await show(painted("red"))
    snapshot = await page.snapshot()
    ref = next(each.ref for each in snapshot.elements if each.name == "Blue")
    async with aclosing(page.watch_calls()) as watching:
        kept = [await following(watching) for _ in range(3)]
        assert [each.rpc for each in kept] == ["CreateSession", "Navigate", "CaptureSnapshot"]
        assert all(each.code == "OK" and each.HasField("duration") for each in kept)
        assert kept[-1].has_snapshot
        assert kept[-1].snapshot_id == snapshot.snapshot_id
        clicking = asyncio.create_task(page.click(ref))
        begun = await following(watching)
        assert (begun.rpc, begun.what) == ("Click", f'click button "Blue" [{ref}]')
        assert not begun.HasField("duration")
        assert not begun.code
        ended = await following(watching)
        assert (ended.number, ended.code) == (begun.number, "OK")
        result = await clicking
    answered = await page.get_call(kept[-1].number)
    assert answered.snapshot.text == answered.text == snapshot.text
    assert (await page.get_call(ended.number)).text == result.diff.text
