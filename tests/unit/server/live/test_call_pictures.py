"""Pictures of a tab before and after its calls, on a tab that shows what the test says."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from perception.server.live import call_pictures
from perception.server.live.call_pictures import CallPictures


class Frames:
    """A screencast of one tab: each frame comes when the test gives it."""

    def __init__(self) -> None:
        self.given: asyncio.Queue[Any] = asyncio.Queue()
        self.next = self.given.get

    def close(self) -> None:
        pass

    def show(self, picture: str) -> None:
        async def taken(_: object) -> str:
            return picture

        self.given.put_nowait(SimpleNamespace(note="", picture=taken))


@pytest.fixture
def frames() -> Frames:
    return Frames()


@pytest.fixture
def pictures(frames: Frames) -> CallPictures:
    browser: Any = SimpleNamespace(tab=lambda tab_id: tab_id)
    hub: Any = SimpleNamespace(subscribe=lambda tab, wish: frames)
    calls: Any = SimpleNamespace(note_change=lambda call: None)
    return CallPictures(browser, hub, calls, keeps=True, is_private=lambda: False)


def call() -> Any:
    return SimpleNamespace(tab_id="t1", before=None, after=None)


async def test_a_call_is_pictured_after_it_when_the_first_frame_comes(pictures: CallPictures, frames: Frames) -> None:
    first = call()
    pictures.end(first)
    await asyncio.sleep(call_pictures.AFTER_SECONDS[0] + 1)
    assert first.after is None
    frames.show("first")
    await asyncio.sleep(0.1)
    assert first.after == "first"


async def test_a_first_frame_after_the_next_call_is_no_picture_of_the_call_before(
    pictures: CallPictures, frames: Frames
) -> None:
    first, second = call(), call()
    pictures.end(first)
    await asyncio.sleep(call_pictures.AFTER_SECONDS[0] + 1)
    pictures.begin(second)
    frames.show("what the second did")
    pictures.end(second)
    await asyncio.sleep(call_pictures.AFTER_SECONDS[0] + 1)
    assert (first.after, second.after) == (None, "what the second did")


async def test_what_is_painted_late_is_pictured_until_the_next_call(pictures: CallPictures, frames: Frames) -> None:
    first, second = call(), call()
    frames.show("before")
    pictures.end(first)
    await asyncio.sleep(call_pictures.AFTER_SECONDS[0] + 0.1)
    assert first.after == "before"
    frames.show("loading")
    await asyncio.sleep(call_pictures.AFTER_SECONDS[1])
    assert first.after == "loading"
    frames.show("painted late")
    await asyncio.sleep(0.1)
    pictures.begin(second)
    await asyncio.sleep(0.1)
    assert (first.after, second.before) == ("painted late", "painted late")
    frames.show("what the second did")
    await asyncio.sleep(call_pictures.AFTER_SECONDS[2] + 1)
    assert first.after == "painted late"
