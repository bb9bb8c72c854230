"""Decodes image files to pixels, and encodes pixels to files.

Rule 1: format and size are checked from the file's header before any pixel is decoded.
Rule 2: for any bytes, the only errors are `BadImageError` and `ImageTooLargeError`.
"""

from __future__ import annotations

import io
import warnings

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from perception.errors import BadImageError, ImageTooLargeError
from perception.types import Pixels

MAX_IMAGE_BYTES = 16 * 1024 * 1024
"""The service's message limit: a larger file does not fit into a request."""

MAX_FILE_BYTES = 256 * 1024 * 1024
"""Limit for local files: screenshots of 6K screens, as in ScreenSpot-Pro, are up to 30 MB as PNG."""

MAX_PIXELS = 50_000_000
"""The limit of ParseImage in the wire contract: 150 MB as BGR."""

LEAST_OPAQUE = 128
"""Opacity, of 255, from which a pixel is painted rather than transparent."""

SHADES, LEAST_CONTRAST, FEW_LOST = (255, 0, 128), 64, 0.02
"""Shades behind transparency, of 255, the preferred one first; least difference in brightness at which what touches it
is seen; share of that which may be lost on the first. Chosen by hand; guarded by `tests/unit/imaging/test_codec.py`."""

warnings.filterwarnings("ignore", module=r"PIL\.")  # damaged files raise errors; other warnings are not needed

_IMAGE_FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF")
_WANTED = "send a PNG, JPEG, WebP, BMP or GIF"


def decode_image(data: bytes, *, max_bytes: int = MAX_IMAGE_BYTES) -> Pixels:
    """Decodes an image file: rotated by its EXIF orientation, first frame only; transparency over white, or over a
    darker gray where what is painted would be lost on white.

    Args:
        data: content of a PNG, JPEG, WebP, BMP or GIF file.
        max_bytes: limit for the file; the default is the message limit.

    Returns:
        (H, W, 3) uint8 BGR, writable and contiguous; H and W at least 1.

    Raises:
        ImageTooLargeError: the file has more than `max_bytes` bytes, or its header more than MAX_PIXELS pixels.
        BadImageError: the file is not a complete image of these formats.
    """
    if len(data) > max_bytes:
        raise ImageTooLargeError(
            f"the image file has {len(data)} bytes, more than {max_bytes}: send a smaller or more compressed one",
            field="image",
        )
    image = _open_header(data)
    _check_size(*image.size)
    try:
        return _to_bgr(image)
    except Exception as exc:  # Pillow raises many types on hostile bytes: OSError, SyntaxError, struct.error…
        raise BadImageError(
            f"the {image.format} image is damaged or ends early: send the whole file", field="image"
        ) from exc


def image_size(data: bytes) -> tuple[int, int]:
    """Width and height in pixels, by the file's header alone: no pixel is decoded.

    Raises:
        ImageTooLargeError: far more than MAX_PIXELS.
        BadImageError: not an image.
    """
    return _open_header(data).size


def encode_png(pixels: Pixels) -> bytes:
    """Encodes (H, W, 3) BGR as a PNG file, with fast compression.

    Raises:
        ImageTooLargeError: a side is too long for the format.
    """
    return _encode(".png", pixels, [cv2.IMWRITE_PNG_COMPRESSION, 1])


def encode_jpeg(pixels: Pixels, quality: int) -> bytes:
    """Encodes (H, W, 3) BGR as a JPEG file; `quality` in 1 … 100.

    Raises:
        ImageTooLargeError: a side is longer than libjpeg's 65,500 px.
    """
    return _encode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])


def _open_header(data: bytes) -> Image.Image:
    try:
        return Image.open(io.BytesIO(data), formats=_IMAGE_FORMATS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as exc:
        raise _too_many_pixels("") from exc
    except Exception as exc:  # as below: even a header can raise anything
        raise BadImageError(f"the image {_what_it_is(data)}: {_WANTED}", field="image") from exc


def _what_it_is(data: bytes) -> str:
    start = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not data:
        return "is empty"
    if start.startswith(b"<svg") or (start.startswith((b"<?xml", b"<!doctype svg", b"<!--")) and b"<svg" in start):
        return "is an SVG drawing, which has no pixels of its own"
    if start.startswith(b"%pdf"):
        return "is a PDF document"
    if data[4:8] == b"ftyp":
        return "is an AVIF, HEIC or video file, which is not read"
    if data.startswith((b"\x89PNG", b"\xff\xd8\xff", b"RIFF", b"BM", b"GIF8")):
        return "has a damaged or cut header"
    return "is not an image file"


def _check_size(width: int, height: int) -> None:
    if width < 1 or height < 1:
        raise BadImageError(f"the image is {width}x{height} pixels: send one that shows something", field="image")
    if width * height > MAX_PIXELS:
        raise _too_many_pixels(f"is {width}x{height} pixels, ")


def _too_many_pixels(found: str) -> ImageTooLargeError:
    return ImageTooLargeError(
        f"the image {found or 'has '}more than {MAX_PIXELS // 1_000_000} megapixels: scale it down or cut it",
        field="image",
    )


def _to_bgr(image: Image.Image) -> Pixels:
    upright = ImageOps.exif_transpose(image)
    if upright.mode.startswith("I"):
        # Pillow's own conversion of 16-bit gray clips at 255 instead of scaling.
        grey = (np.asarray(upright).astype(np.int64) >> 8).clip(0, 255).astype(np.uint8)
        return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)
    if upright.has_transparency_data:
        rgba = upright.convert("RGBA")
        shade = _shade_behind(np.asarray(rgba))
        upright = Image.alpha_composite(Image.new("RGBA", rgba.size, (shade, shade, shade, 255)), rgba)
    return np.ascontiguousarray(np.asarray(upright.convert("RGB"))[..., ::-1])


def _shade_behind(rgba: NDArray[np.uint8]) -> int:
    """The shade for what is transparent in (H, W, 4): SHADES[0], unless more would be lost on it than on another."""
    opaque = np.asarray(rgba[..., 3] >= LEAST_OPAQUE, np.uint8)
    if opaque.all() or not opaque.any():
        return SHADES[0]
    inner = cv2.erode(opaque, np.ones((3, 3), np.uint8), borderType=cv2.BORDER_REPLICATE)
    brightness = rgba[..., :3][opaque > inner].mean(axis=1)
    lost = [float((np.abs(brightness - shade) < LEAST_CONTRAST).mean()) for shade in SHADES]
    return SHADES[0] if lost[0] <= FEW_LOST else SHADES[int(np.argmin(lost))]


def _encode(extension: str, pixels: Pixels, options: list[int]) -> bytes:
    height, width = pixels.shape[:2]
    try:
        done, encoded = cv2.imencode(extension, pixels, options)
    except cv2.error as exc:
        raise _not_encodable(extension, width, height) from exc
    if not done:
        raise _not_encodable(extension, width, height)
    return encoded.tobytes()


def _not_encodable(extension: str, width: int, height: int) -> ImageTooLargeError:
    return ImageTooLargeError(f"{width}x{height} pixels do not fit into a {extension[1:]} file: ask for another format")
