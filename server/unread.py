"""Pictures without the secrets that only vision reads: on a canvas, in a picture, made by CSS. All others were painted
over when the picture was taken.

What is misread is not known for a secret, and stays.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from perception.browser.masking import mask_boxes
from perception.budget import Budget
from perception.detectors.registry import Registry
from perception.geometry import Box
from perception.images import MAX_FILE_BYTES, decode_image, encode_jpeg, encode_png
from perception.named_secrets import Masker
from perception.pipeline import parse
from perception.server.services.base import Rooms
from perception.server.sessions import Session
from perception.types import Element, Screenshot, Snapshot, Source


def without_read(snapshot: Snapshot, session: Session) -> Screenshot | None:
    """A snapshot's picture without what vision has read in it; None where it has no picture."""
    shot, masker = snapshot.screenshot, session.masker
    if shot is None or masker is None:
        return shot
    return Screenshot(mask_boxes(shot.pixels, _boxes(snapshot.elements, masker), shot.scale), shot.scale)


async def file_without_read(
    data: bytes, scale: float, quality: int, session: Session, rooms: Rooms, budget: Budget
) -> bytes:
    """An image file that nothing was read in yet: it is read where the session has typed a secret, and time is left.

    Args:
        scale: image px for each CSS px.
        quality: of a JPEG, 1 to 100; a PNG when 0.
    """
    masker = session.masker
    if masker is None or not session.typed_secret:
        return data
    pixels = await asyncio.to_thread(decode_image, data, max_bytes=MAX_FILE_BYTES)
    seen = await parse(Screenshot(pixels, scale), _readers(rooms.registry), rooms.pool, budget)
    boxes = _boxes(seen.elements, masker)
    if not boxes:
        return data
    masked = mask_boxes(pixels, boxes, scale)
    return await asyncio.to_thread(lambda: encode_jpeg(masked, quality) if quality else encode_png(masked))


def _readers(registry: Registry) -> tuple[str, ...]:
    return tuple(name for name in registry.defaults() if "text" in registry.describe(name).info.kinds)


def _boxes(elements: Iterable[Element], masker: Masker) -> list[Box]:
    read = [each for each in elements if Source.OCR in each.sources]
    return [each.box for each in read if any(masker.text(text) != text for text in (each.name, each.text))]
