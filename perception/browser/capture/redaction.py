"""Screenshots without secrets: their boxes are found before and after the screenshot, and painted over."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import cv2
import msgspec
import numpy as np

from perception.browser.capture.listeners import adopt_closed_roots
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.emulation import NO_FRAME
from perception.browser.page.page_link import PageLink
from perception.deadline import Deadline
from perception.errors import DeadlineError, PageChangingError, PageCrashedError, SessionLostError
from perception.geometry import Box
from perception.imaging.codec import encode_jpeg, encode_png
from perception.imaging.mask import cover_moves, mask_boxes
from perception.imaging.zoomed import PicturedView, place_in_viewport
from perception.types import Pixels

REDACTION_FRAME_SECONDS = 2.0
"""Limit for finding the secrets of one frame; one that does not answer is painted over as a whole. Chosen by hand."""

PNG: dict[str, Any] = {"format": "png", "optimizeForSpeed": True}
"""Parameters of `Page.captureScreenshot`."""

SHOTS, NEXT_SHOT_SECONDS = 5, 0.1
"""How often a screenshot is asked for that cannot be taken, and the time between. Chosen by hand."""

Rect = tuple[float, float, float, float]

Answer = TypeVar("Answer")

ShotKey = tuple[bytes, tuple[Box, ...], PicturedView]
"""Identifies a picture: its bytes, what is painted over in it, and what it shows."""


class _SecretBoxes(msgspec.Struct):
    """The walker's reply for one frame, in CSS px of its own viewport (`findRedactions`)."""

    boxes: list[Rect]
    viewport: tuple[float, float]
    shown: tuple[float, float, float, float, float]
    scroll: tuple[float, float]
    running: int
    suspects: int
    changes: int
    texts: list[str] = []


class _FrameOffset(msgspec.Struct):
    """The position of a frame's (0, 0) in the frame around it, its scale, the box of its element, and whether it is
    rotated or skewed (`turned`): then places in it cannot be computed from that."""

    x: float
    y: float
    scaleX: float  # noqa: N815  (the walker's spelling)
    scaleY: float  # noqa: N815
    box: Rect
    turned: bool


@dataclass(frozen=True, slots=True)
class Secrets:
    """Where a tab shows secrets.

    Attributes:
        boxes: CSS px of the tab's viewport.
        view: the viewport, and what a picture shows of it.
        scroll: of the top document, CSS px.
        moving: an animation may move them.
        changes: each frame's count of changes then. Frames that did not answer are absent.
    """

    boxes: tuple[Box, ...]
    view: PicturedView
    scroll: tuple[float, float]
    moving: bool
    changes: Mapping[str, int] = field(default_factory=dict)

    def are_covered_by(self, key: ShotKey) -> bool:
        """Whether a picture has just these painted over."""
        return not self.moving and (tuple(cover_moves([self.boxes])), self.view) == key[1:]


@dataclass(frozen=True, slots=True)
class Shot:
    """The viewport's picture.

    Attributes:
        data: the image file in base64.
        digest: of `data`.
        decoded: (H, W, 3) uint8 BGR; None where the picture is known by its digest.
        secrets: boxes to be painted over, CSS px of the viewport.
        view: the viewport, and what the picture shows of it.
        before, after: each frame's count of changes before and after it was taken.
    """

    data: str
    digest: bytes
    decoded: Pixels | None
    secrets: tuple[Box, ...]
    view: PicturedView
    before: Mapping[str, int]
    after: Mapping[str, int]

    @property
    def key(self) -> ShotKey:
        """Identifies what the picture shows."""
        return self.digest, self.secrets, self.view

    def pixels(self) -> Pixels:
        """(H, W, 3) uint8 BGR of the viewport in device px, with secrets painted over."""
        decoded = self.decoded if self.decoded is not None else _decode(base64.b64decode(self.data))
        pixels = place_in_viewport(decoded, self.view)
        return mask_boxes(pixels, self.secrets, pixels.shape[1] / self.view.width)

    def shows(self, changes: Mapping[str, int]) -> bool:
        """Whether nothing had changed in any of these frames from before it was taken until after it, and they are as
        they were at these counts of changes."""
        return all(
            self.after.get(frame) == count and self.before.get(frame, count) == count
            for frame, count in changes.items()
        )


def _ignore() -> None:
    """For pictures whose beginning nobody waits for."""


async def take_shot(
    page: PageLink, deadline: Deadline, *, reveal: bool, known: bytes = b"", on_asked: Callable[[], None] = _ignore
) -> Shot:
    """The viewport's pixels from the compositor.

    Args:
        reveal: paints over passwords only, not other private values.
        known: the digest of a picture that need not be decoded.
        on_asked: called when Chromium is asked for the picture.
    """

    def read(data: str) -> tuple[str, bytes, Pixels | None]:
        digest = hashlib.blake2b(data.encode(), digest_size=16).digest()
        return data, digest, None if digest == known else _decode(base64.b64decode(data))

    (data, digest, decoded), samples = await _shoot(page, deadline, reveal, PNG, read, on_asked)
    secrets = tuple(cover_moves([each.boxes for each in samples]))
    return Shot(data, digest, decoded, secrets, samples[-1].view, samples[0].changes, samples[-1].changes)


async def masked_file(
    page: PageLink, deadline: Deadline, *, reveal: bool, quality: int = 0, full_page: Box | None
) -> bytes:
    """An image file with secrets painted over.

    Args:
        reveal: paints over passwords only, not other private values.
        quality: of a JPEG, 1 to 100; 0 for a PNG.
        full_page: the document's size, CSS px, for a picture of all of it; None for the viewport.
    """
    options = {"format": "jpeg", "quality": quality, "optimizeForSpeed": True} if quality else dict(PNG)
    if full_page is not None:
        clip = {"x": 0, "y": 0, "width": full_page.width, "height": full_page.height, "scale": 1}
        options |= {"captureBeyondViewport": True, "clip": clip}
    file, samples = await _shoot(page, deadline, reveal, options, base64.b64decode)
    boxes = cover_moves([_in_page(each) if full_page else each.boxes for each in samples])
    view = PicturedView.whole(full_page.width, full_page.height) if full_page else samples[-1].view
    if not boxes and view.is_whole:
        return file
    return await asyncio.to_thread(_mask_file, file, boxes, view, quality)


async def _shoot(
    page: PageLink,
    deadline: Deadline,
    reveal: bool,
    options: dict[str, Any],
    read: Callable[[str], Answer],
    on_asked: Callable[[], None] = _ignore,
) -> tuple[Answer, list[Secrets]]:
    """A picture, and where secrets were before and after it; also meanwhile, where something moves: for a picture of a
    full page, Chromium (156) hides scroll bars and lays the page out again.

    Args:
        read: what is done with the picture in base64, in a thread, while secrets are looked for again.
    """
    samples = [await find_secrets(page, deadline, reveal=reveal)]
    shot = asyncio.create_task(_encoded(page, deadline, options))
    on_asked()
    try:
        moves = samples[0].moving or "clip" in options
        while samples[0].boxes and moves and not shot.done():
            samples.append(await find_secrets(page, deadline, reveal=reveal))
        data = await shot
    finally:
        shot.cancel()
        await asyncio.gather(shot, return_exceptions=True)
    reading = asyncio.create_task(asyncio.to_thread(read, data))
    try:
        samples.append(await find_secrets(page, deadline, reveal=reveal))
        return await reading, samples
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)


def _in_page(secrets: Secrets) -> list[Box]:
    x, y = secrets.scroll
    return [Box(each.left + x, each.top + y, each.right + x, each.bottom + y) for each in secrets.boxes]


def _mask_file(data: bytes, boxes: list[Box], view: PicturedView, quality: int) -> bytes:
    pixels = place_in_viewport(_decode(data), view)
    masked = mask_boxes(pixels, boxes, pixels.shape[1] / view.width)
    return encode_jpeg(masked, quality) if quality else encode_png(masked)


async def screenshot_bytes(page: PageLink, deadline: Deadline, **options: Any) -> bytes:
    """An image file with nothing painted over: its callers must not let it leave unredacted."""
    return base64.b64decode(await _encoded(page, deadline, options))


async def _encoded(page: PageLink, deadline: Deadline, options: dict[str, Any]) -> str:
    """The screenshot in base64, as CDP returns it. Asks again where another document came, or Chromium has no frame
    yet, as on a busy machine just after a page came."""
    for left in reversed(range(SHOTS)):
        try:
            reply = await page.emulation.take_picture(deadline, **options)
            break
        except CdpCallError as exc:
            if NO_FRAME not in str(exc) or not left:
                raise
            await asyncio.sleep(NEXT_SHOT_SECONDS)
    return str(reply["data"])


def _decode(data: bytes) -> Pixels:
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise PageChangingError(
            "Chromium returned no picture: the page is being replaced or closing. Wait, and try again"
        )
    return np.asarray(pixels, dtype=np.uint8)


async def find_secrets(page: PageLink, deadline: Deadline, *, reveal: bool, dotted: bool = False) -> Secrets:
    """Where secrets are now, in all frames.

    Args:
        reveal: without private values other than passwords.
        dotted: without password fields, which show dots.

    Raises:
        PageCrashedError, SessionLostError, DeadlineError: of the top document.
    """
    inner = [frame for frame in page.frames if frame != page.main_frame]
    top, found = await asyncio.gather(
        _ask_secrets(page, page.main_frame, deadline, reveal, dotted),
        asyncio.gather(*(_in_frame(page, frame, deadline, reveal, dotted) for frame in inner)),
    )
    boxes = [Box(*each) for each in top.boxes] + [Box(*each) for inside in found for each in inside.boxes]
    view = page.emulation.pictured_view(top.viewport, top.shown)
    changes = {frame: each.changes for frame, each in zip(inner, found, strict=True) if each.changes is not None}
    moving = bool(top.running) or any(each.moving for each in found)
    return Secrets(tuple(boxes), view, top.scroll, moving, {page.main_frame: top.changes} | changes)


async def _ask_secrets(page: PageLink, frame: str, deadline: Deadline, reveal: bool, dotted: bool) -> _SecretBoxes:
    phase = "looking for secrets"
    masker = page.masker()
    asked = (reveal, masker is not None, dotted)
    found = msgspec.json.decode(
        await page.ask_text(frame, "findRedactions", deadline, phase, *asked), type=_SecretBoxes
    )
    if found.suspects and await adopt_closed_roots(page, frame, deadline):
        found = msgspec.json.decode(
            await page.ask_text(frame, "findRedactions", deadline, phase, *asked), type=_SecretBoxes
        )
    if masker is not None:
        # The painted text is compared here: no page ever receives a secret.
        spans = [(index, *span) for index, text in enumerate(found.texts) for span in masker.spans(text)]
        if spans:
            text = await page.ask_text(frame, "boxesOfText", deadline, phase, spans)
            found.boxes += msgspec.json.decode(text, type=list[Rect])
    return found


@dataclass(frozen=True, slots=True)
class _FrameSecrets:
    """Where a frame inside shows secrets, in the tab's viewport, and whether anything moves in it. `changes`: its count
    of changes; None if it did not answer."""

    boxes: list[Rect] = field(default_factory=list)
    moving: bool = False
    changes: int | None = None


async def _in_frame(page: PageLink, frame: str, deadline: Deadline, reveal: bool, dotted: bool) -> _FrameSecrets:
    """The secrets of a frame inside. A frame that is gone shows nothing; one that does not answer is covered as a
    whole."""
    share = deadline.share(REDACTION_FRAME_SECONDS)
    found: _SecretBoxes | None = None
    try:
        with contextlib.suppress(DeadlineError):
            found = await _ask_secrets(page, frame, share, reveal, dotted)
        if found is None:
            return _FrameSecrets(await _in_viewport(page, frame, None, deadline))
        boxes = await _in_viewport(page, frame, found.boxes, deadline) if found.boxes else []
        return _FrameSecrets(boxes, bool(found.running), found.changes)
    except (CdpCallError, PageCrashedError, SessionLostError):
        return _FrameSecrets()


async def _in_viewport(page: PageLink, frame: str, boxes: list[Rect] | None, deadline: Deadline) -> list[Rect]:
    """Boxes of a frame (None for all of it) in the tab's viewport, clipped to the frames around."""
    for parent, number in await page.worlds.owners(frame, deadline):
        text = await page.ask_text(parent, "frameOrigin", deadline, "placing the frame", number)
        at = msgspec.json.decode(text, type=_FrameOffset | None)
        if at is None:
            return []
        outer = [at.box] if boxes is None or (boxes and at.turned) else [_moved(box, at) for box in boxes]
        boxes = [cut for box in outer if (cut := _overlap(box, at.box)) is not None]
    return boxes or []


def _moved(box: Rect, at: _FrameOffset) -> Rect:
    left, top, right, bottom = box
    return at.x + left * at.scaleX, at.y + top * at.scaleY, at.x + right * at.scaleX, at.y + bottom * at.scaleY


def _overlap(one: Rect, other: Rect) -> Rect | None:
    left, top = max(one[0], other[0]), max(one[1], other[1])
    right, bottom = min(one[2], other[2]), min(one[3], other[3])
    return (left, top, right, bottom) if left < right and top < bottom else None
