"""Pictures of a watch as pixels, and what the tests ask of them."""

from __future__ import annotations

import asyncio
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.client import RemoteError
from perception.v1 import live_service_pb2 as pb

SOON = 30.0

WHITE, RED, BLUE, GREEN = (255, 255, 255), (0, 0, 255), (255, 0, 0), (0, 128, 0)

MIDDLE = (0.5, 0.5)

Color = tuple[int, int, int]
"""Blue, green, red."""


def painted(color: str, more: str = "") -> str:
    """A page of one color, with a button that makes it blue."""
    blue = "document.body.style.background='blue'"
    body = f"<body style='margin:0;background:{color}'><button onclick=\"{blue}\">Blue</button>"
    return f"<title>{color}</title>{body}{more}"


async def following(watching: Any) -> Any:
    """The next answer of a watch, which must come soon."""
    return await asyncio.wait_for(anext(watching), SOON)


async def picture_with(
    watching: Any, color: Color, at: tuple[float, float] = MIDDLE, limit_s: float = SOON
) -> pb.WatchFramesResponse:
    """The first picture that has about this color at a place, given as shares of its sides."""
    async with asyncio.timeout(limit_s):
        while True:
            frame: pb.WatchFramesResponse = await anext(watching)
            if frame.jpeg and is_near(color_at(frame, at), color):
                return frame


async def note_with(watching: Any, words: str) -> None:
    """Waits until a picture is missing for this reason. A busy machine may give others before."""
    async with asyncio.timeout(SOON):
        while words not in (await anext(watching)).note:
            pass


async def end_of(watching: Any) -> RemoteError:
    """Why a watch ends, which it must soon."""
    try:
        async with asyncio.timeout(SOON):
            async for _ in watching:
                pass
    except RemoteError as exc:
        return exc
    raise AssertionError("it ended without an error")


def pixels_of(frame: pb.WatchFramesResponse) -> NDArray[np.uint8]:
    return decoded(frame.jpeg)


def decoded(file: bytes) -> NDArray[np.uint8]:
    image = cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    return np.asarray(image, dtype=np.uint8)


def color_at(frame: pb.WatchFramesResponse, at: tuple[float, float]) -> NDArray[np.uint8]:
    image = pixels_of(frame)
    return image[int(at[1] * image.shape[0]), int(at[0] * image.shape[1])]


def is_near(seen: NDArray[np.uint8], color: Color) -> bool:
    return bool(np.abs(seen.astype(int) - color).max() < 24)


def share_of(image: NDArray[np.uint8], color: Color) -> float:
    """Share of the pixels that have about a color."""
    return float((np.abs(image.astype(int) - color).max(axis=2) < 60).mean())
