"""Waiting for a video's first picture."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from perception.server.videos.tab_video import TabVideo

NOTHING = cast(Any, SimpleNamespace())


async def test_a_caller_who_leaves_leaves_no_task_behind() -> None:
    video = TabVideo(NOTHING, NOTHING, NOTHING, NOTHING, "", NOTHING)
    filming = video._task = asyncio.create_task(cast(Any, asyncio.Event().wait()))
    before = asyncio.all_tasks()
    waiting = asyncio.create_task(video.first_picture())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before
    filming.cancel()
