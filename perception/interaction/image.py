"""Screenshots as models take them: at most 1568 px on the long edge, and how their pixels lie in the viewport."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from perception.errors import BadInputError
from perception.interaction.target import ImagePoint, TargetValue
from perception.v1 import types_pb2 as pb

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

MAX_EDGE = 1568
"""Pixels. Larger images are made smaller before a model sees them, by the documents of Claude's vision."""

JPEG_QUALITY = 80


@dataclass(frozen=True, slots=True)
class ImageFrame:
    """How the pixels of an image lie in the viewport.

    Attributes:
        scale: image pixels per CSS pixel.
        full_page: the image shows the whole document, whose points need not be in view.
        snapshot_id: of the picture, where it has one: a point is refused once the page has moved.
    """

    scale: float
    full_page: bool = False
    snapshot_id: str = ""


@dataclass(frozen=True, slots=True)
class FittedImage:
    """An image file that a model takes whole."""

    data: bytes
    mime_type: str
    width: int
    height: int
    frame: ImageFrame


def cut_image(image: pb.Image, box: pb.Box) -> pb.Image:
    """What a screenshot of the viewport shows of a box.

    Args:
        box: CSS px of the viewport.

    Raises:
        BadInputError: none of it is in view.
    """
    from PIL import Image

    scale = image.scale or 1.0
    left, top = max(0, round(box.x * scale)), max(0, round(box.y * scale))
    right = min(image.width, round((box.x + box.width) * scale))
    bottom = min(image.height, round((box.y + box.height) * scale))
    if left >= right or top >= bottom:
        raise BadInputError("the element has no place in view: it has no size, or is clipped")
    with Image.open(io.BytesIO(image.data)) as opened:
        part = opened.crop((left, top, right, bottom))
    return pb.Image(
        data=_written(part, image.mime_type),
        mime_type=image.mime_type,
        width=part.width,
        height=part.height,
        scale=image.scale,
    )


def fit_image(image: pb.Image, *, full_page: bool, snapshot_id: str) -> FittedImage:
    """The image with at most one pixel for a CSS pixel, and within the longest edge.

    Args:
        image: as of the service.
        full_page: as of the request.
        snapshot_id: as of the answer.
    """
    css = image.scale or 1.0
    factor = min(1.0, 1.0 / css, MAX_EDGE / max(image.width, image.height, 1))
    if factor == 1.0:
        frame = ImageFrame(css, full_page, snapshot_id)
        return FittedImage(image.data, image.mime_type, image.width, image.height, frame)
    from PIL import Image  # half of a warm command's start, and only larger screens need it

    with Image.open(io.BytesIO(image.data)) as opened:
        size = max(round(image.width * factor), 1), max(round(image.height * factor), 1)
        smaller = opened.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    frame = ImageFrame(css * size[0] / image.width, full_page, snapshot_id)
    return FittedImage(_written(smaller, image.mime_type), image.mime_type, *size, frame)


def _written(image: PillowImage, mime_type: str) -> bytes:
    written = io.BytesIO()
    if mime_type == "image/png":
        image.save(written, "PNG")
    else:
        image.save(written, "JPEG", quality=JPEG_QUALITY)
    return written.getvalue()


def wire_target(target: TargetValue, frame: ImageFrame | None) -> str | pb.Target:
    """The target as the client takes it; a point of an image in CSS px.

    Raises:
        BadInputError: the session has no screenshot, or one of the whole page, whose points are not in view.
    """
    if isinstance(target, str):
        return target
    if not isinstance(target, ImagePoint):
        return pb.Target(coordinate=pb.Coordinate(x=target[0], y=target[1]))
    if frame is None:
        raise BadInputError(
            "img: is a point of the last screenshot, and there is none: take one, or give CSS px as x,y"
        )
    if frame.full_page:
        raise BadInputError(
            "img: needs a screenshot of the viewport, the last one shows the whole page: take a new one"
        )
    point = pb.Coordinate(x=target.x / frame.scale, y=target.y / frame.scale, snapshot_id=frame.snapshot_id)
    return pb.Target(coordinate=point)
