"""Pictures without the secrets that only vision reads: on a canvas, in a picture, made by CSS.

All other secrets were painted over when the picture was taken. A secret that is misread is not recognized, and stays.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from perception.deadline import Deadline
from perception.detectors.pool import DetectorPool
from perception.detectors.registry import Registry
from perception.engine.parse import parse
from perception.geometry import Box
from perception.imaging.codec import MAX_FILE_BYTES, decode_image, encode_jpeg, encode_png
from perception.imaging.mask import mask_boxes
from perception.secrets import Masker
from perception.snapshot import Snapshot
from perception.types import Element, Screenshot, Source


def redact_screenshot(snapshot: Snapshot, masker: Masker | None) -> Screenshot | None:
    """A snapshot's picture without the secrets that vision has read in it; None where it has no picture.

    Args:
        masker: None where there are no secrets.
    """
    shot = snapshot.screenshot
    if shot is None or masker is None:
        return shot
    return Screenshot(mask_boxes(shot.pixels, _secret_boxes(snapshot.elements, masker), shot.scale), shot.scale)


async def redact_file(
    data: bytes, scale: float, quality: int, masker: Masker, registry: Registry, pool: DetectorPool, deadline: Deadline
) -> bytes:
    """An image file that vision has not read yet, without the secrets that it reads now. Takes as long as OCR does.

    Args:
        scale: image px for each CSS px.
        quality: of a JPEG, 1 to 100; 0 for a PNG.
    """
    pixels = await asyncio.to_thread(decode_image, data, max_bytes=MAX_FILE_BYTES)
    seen = await parse(pixels, scale, _text_detectors(registry), pool, deadline)
    boxes = _secret_boxes(seen.elements, masker)
    if not boxes:
        return data
    masked = mask_boxes(pixels, boxes, scale)
    return await asyncio.to_thread(lambda: encode_jpeg(masked, quality) if quality else encode_png(masked))


def _text_detectors(registry: Registry) -> tuple[str, ...]:
    return tuple(name for name in registry.defaults() if "text" in registry.describe(name).info.kinds)


def _secret_boxes(elements: Iterable[Element], masker: Masker) -> list[Box]:
    read = [each for each in elements if Source.OCR in each.sources]
    return [each.box for each in read if any(masker.text(text) != text for text in (each.name, each.text))]
