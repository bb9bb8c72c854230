"""Screenshots as models take them: at most 1568 px on the long edge, and how their pixels lie in the viewport."""

from __future__ import annotations

import io
from dataclasses import dataclass

from PIL import Image

from perception.errors import BadInputError
from perception.tools.target import ImagePoint, TargetValue
from perception.v1 import types_pb2 as pb

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
    with Image.open(io.BytesIO(image.data)) as opened:
        size = max(round(image.width * factor), 1), max(round(image.height * factor), 1)
        smaller = opened.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    written = io.BytesIO()
    if image.mime_type == "image/png":
        smaller.save(written, "PNG")
    else:
        smaller.save(written, "JPEG", quality=JPEG_QUALITY)
    frame = ImageFrame(css * size[0] / image.width, full_page, snapshot_id)
    return FittedImage(written.getvalue(), image.mime_type, *size, frame)


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
