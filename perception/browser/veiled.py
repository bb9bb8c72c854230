"""Screenshots without what must not leave the page: what is secret is found before and after, and painted over."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
from dataclasses import dataclass
from typing import Any

import cv2
import msgspec
import numpy as np

from perception.browser.cdp import CdpCallError
from perception.browser.masking import cover_moves, mask_boxes
from perception.browser.page import PageLink
from perception.browser.told import adopt_closed_roots
from perception.budget import Budget
from perception.errors import DeadlineError, PageCrashedError, PerceptionError, SessionLostError
from perception.geometry import Box
from perception.images import encode_jpeg, encode_png
from perception.types import Pixels

FRAME_SECONDS = 2.0
"""How long one frame may take to say what is secret in it; one that says nothing is painted over as a whole."""

PNG: dict[str, Any] = {"format": "png", "optimizeForSpeed": True}

Rect = tuple[float, float, float, float]


class _Veils(msgspec.Struct):
    """What the walker says of one frame, in its own viewport."""

    boxes: list[Rect]
    width: float
    scroll: tuple[float, float]
    running: int
    suspects: int
    texts: list[str] = []


class _Origin(msgspec.Struct):
    """Where a frame's own (0, 0) lies in the frame that holds it, its scale, the box of its element, and whether it is
    turned: then its places cannot be told from that."""

    x: float
    y: float
    scaleX: float  # noqa: N815  (the walker's spelling)
    scaleY: float  # noqa: N815
    box: Rect
    turned: bool


@dataclass(frozen=True, slots=True)
class Secrets:
    """Places in the tab's viewport that show what must not leave the page, CSS px; how wide and where that is, and
    whether anything moves by itself."""

    boxes: tuple[Box, ...]
    width: float
    scroll: tuple[float, float]
    moving: bool


@dataclass(frozen=True, slots=True)
class Shot:
    """The viewport's picture as Chromium encoded it, not yet decoded, and what must not be seen of it, CSS px."""

    data: str
    secrets: tuple[Box, ...]
    width: float

    @property
    def key(self) -> tuple[bytes, tuple[Box, ...], float]:
        """What tells it from a picture that shows anything else, without what must not be seen."""
        return hashlib.blake2b(self.data.encode(), digest_size=16).digest(), self.secrets, self.width

    def pixels(self) -> Pixels:
        """(H, W, 3) uint8 BGR in device px, with secrets painted over."""
        pixels = _decode(base64.b64decode(self.data))
        return mask_boxes(pixels, self.secrets, pixels.shape[1] / self.width)


async def take_shot(page: PageLink, budget: Budget, *, reveal: bool) -> Shot:
    """The viewport's pixels as the compositor has them.

    Args:
        reveal: leaves what is private as it is painted; passwords never are.
    """
    data, samples = await _shoot(page, budget, reveal, PNG)
    return Shot(data, tuple(cover_moves([each.boxes for each in samples])), samples[-1].width)


async def masked_file(
    page: PageLink, budget: Budget, *, reveal: bool, quality: int = 0, full_page: Box | None
) -> bytes:
    """An image file, with secrets painted over.

    Args:
        reveal: as above.
        quality: of a JPEG, 1 to 100; a PNG when 0.
        full_page: the document's size, CSS px, where all of it is wanted and not the viewport alone.
    """
    options = {"format": "jpeg", "quality": quality, "optimizeForSpeed": True} if quality else dict(PNG)
    if full_page is not None:
        clip = {"x": 0, "y": 0, "width": full_page.width, "height": full_page.height, "scale": 1}
        options |= {"captureBeyondViewport": True, "clip": clip}
    data, samples = await _shoot(page, budget, reveal, options)
    boxes = cover_moves([_in_page(each) if full_page else each.boxes for each in samples])
    width = full_page.width if full_page else samples[-1].width
    file = base64.b64decode(data)
    return await asyncio.to_thread(_mask_file, file, boxes, width, quality) if boxes else file


async def _shoot(page: PageLink, budget: Budget, reveal: bool, options: dict[str, Any]) -> tuple[str, list[Secrets]]:
    """A picture, and where secrets were before and after it; also meanwhile, where something moves: a page loses its
    scroll bars, and is laid out anew for that, while all of it is pictured (Chromium 156)."""
    samples = [await find_secrets(page, budget, reveal=reveal)]
    shot = asyncio.create_task(_encoded(page, budget, options))
    try:
        moves = samples[0].moving or "clip" in options
        while samples[0].boxes and moves and not shot.done():
            samples.append(await find_secrets(page, budget, reveal=reveal))
        data = await shot
    finally:
        shot.cancel()
        await asyncio.gather(shot, return_exceptions=True)
    return data, [*samples, await find_secrets(page, budget, reveal=reveal)]


def _in_page(secrets: Secrets) -> list[Box]:
    x, y = secrets.scroll
    return [Box(each.left + x, each.top + y, each.right + x, each.bottom + y) for each in secrets.boxes]


def _mask_file(data: bytes, boxes: list[Box], width: float, quality: int) -> bytes:
    pixels = _decode(data)
    masked = mask_boxes(pixels, boxes, pixels.shape[1] / width)
    return encode_jpeg(masked, quality) if quality else encode_png(masked)


async def screenshot_bytes(page: PageLink, budget: Budget, **options: Any) -> bytes:
    """An image file, with nothing painted over: for those who go on to do that."""
    return base64.b64decode(await _encoded(page, budget, options))


async def _encoded(page: PageLink, budget: Budget, options: dict[str, Any]) -> str:
    """In base 64, as it comes over the wire."""
    reply = await page.session.call("Page.captureScreenshot", budget, "taking a screenshot", **options)
    return str(reply["data"])


def _decode(data: bytes) -> Pixels:
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise PerceptionError("Chromium returned a screenshot that cannot be decoded")
    return np.asarray(pixels, dtype=np.uint8)


async def find_secrets(page: PageLink, budget: Budget, *, reveal: bool) -> Secrets:
    """What is secret in all frames, now.

    Raises:
        PageCrashedError, SessionLostError, DeadlineError: of the top document.
    """
    inner = [frame for frame in page.frames if frame != page.main_frame]
    top, found = await asyncio.gather(
        _veils(page, page.main_frame, budget, reveal),
        asyncio.gather(*(_in_frame(page, frame, budget, reveal) for frame in inner)),
    )
    boxes = [Box(*each) for each in top.boxes] + [Box(*each) for each_frame, _ in found for each in each_frame]
    return Secrets(tuple(boxes), top.width, top.scroll, bool(top.running) or any(moving for _, moving in found))


async def _veils(page: PageLink, frame: str, budget: Budget, reveal: bool) -> _Veils:
    phase = "looking for secrets"
    masker = page.conceal() if page.conceal is not None else None
    asked = (reveal, masker is not None)
    found = msgspec.json.decode(await page.ask_text(frame, "veils", budget, phase, *asked), type=_Veils)
    if found.suspects and await adopt_closed_roots(page, frame, budget):
        found = msgspec.json.decode(await page.ask_text(frame, "veils", budget, phase, *asked), type=_Veils)
    if masker is not None:
        # What is painted comes here to be compared: no page is ever told a secret.
        spans = [(index, *span) for index, text in enumerate(found.texts) for span in masker.spans(text)]
        if spans:
            text = await page.ask_text(frame, "spots", budget, phase, spans)
            found.boxes += msgspec.json.decode(text, type=list[Rect])
    return found


async def _in_frame(page: PageLink, frame: str, budget: Budget, reveal: bool) -> tuple[list[Rect], bool]:
    """What is secret in a frame inside, in the tab's viewport, and whether anything moves in it. A frame that is gone
    shows nothing; one that does not answer may show anything."""
    share = budget.share(FRAME_SECONDS)
    boxes: list[Rect] | None = None
    moving = False
    try:
        with contextlib.suppress(DeadlineError):
            found = await _veils(page, frame, share, reveal)
            boxes, moving = found.boxes, bool(found.running)
        return (await _in_viewport(page, frame, boxes, budget) if boxes is None or boxes else []), moving
    except (CdpCallError, PageCrashedError, SessionLostError):
        return [], False


async def _in_viewport(page: PageLink, frame: str, boxes: list[Rect] | None, budget: Budget) -> list[Rect]:
    """Boxes of a frame (None: all of it) in the tab's viewport, cut to the frames that they are in."""
    for parent, number in await page.owners(frame, budget):
        text = await page.ask_text(parent, "origin", budget, "placing the frame", number)
        at = msgspec.json.decode(text, type=_Origin | None)
        if at is None:
            return []
        outer = [at.box] if boxes is None or (boxes and at.turned) else [_moved(box, at) for box in boxes]
        boxes = [cut for box in outer if (cut := _overlap(box, at.box)) is not None]
    return boxes or []


def _moved(box: Rect, at: _Origin) -> Rect:
    left, top, right, bottom = box
    return at.x + left * at.scaleX, at.y + top * at.scaleY, at.x + right * at.scaleX, at.y + bottom * at.scaleY


def _overlap(one: Rect, other: Rect) -> Rect | None:
    left, top = max(one[0], other[0]), max(one[1], other[1])
    right, bottom = min(one[2], other[2]), min(one[3], other[3])
    return (left, top, right, bottom) if left < right and top < bottom else None
