"""Files that are images, and files that are not."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from perception.errors import BadImageError, ImageTooLargeError
from perception.imaging.codec import MAX_IMAGE_BYTES, decode_image, encode_jpeg, encode_png, image_size


def file_of(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def png_header(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds next to nothing."""
    chunks = b"\x89PNG\r\n\x1a\n"
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"\0" * 64)),
        (b"IEND", b""),
    ]
    for name, body in parts:
        chunks += struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return chunks


def webp_header(width: int, height: int) -> bytes:
    canvas = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"WEBPVP8X" + struct.pack("<I", 10) + b"\0\0\0\0" + canvas
    return b"RIFF" + struct.pack("<I", len(body)) + body


RED = (200, 10, 30)


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "BMP", "GIF", "JPEG"])
def test_every_promised_format_comes_in_as_bgr(kind: str) -> None:
    pixels = decode_image(file_of(Image.new("RGB", (7, 5), RED), kind))
    assert pixels.shape == (5, 7, 3)
    assert pixels.dtype == np.uint8
    assert pixels.flags.c_contiguous
    assert np.abs(pixels[2, 3].astype(int) - RED[::-1]).max() <= 4


def test_the_first_frame_of_an_animation_is_read() -> None:
    frames = [Image.new("RGB", (4, 4), color) for color in ("red", "blue")]
    pixels = decode_image(file_of(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    assert pixels[0, 0].tolist() == [0, 0, 255]


def test_cmyk_is_converted() -> None:
    pixels = decode_image(file_of(Image.new("CMYK", (16, 16), (0, 255, 255, 0)), "JPEG"))
    blue, green, red = (int(value) for value in pixels[8, 8])
    assert red > 180
    assert max(blue, green) < 80


def test_sixteen_bit_grey_is_scaled_not_clipped() -> None:
    grey = Image.fromarray(np.full((3, 3), 0x8000, np.uint16))
    assert decode_image(file_of(grey)).max() == 0x80


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_transparent_pixels_are_blended_with_white(mode: str) -> None:
    clear = Image.new("RGBA", (2, 2), (0, 0, 0, 0)).convert(mode)
    data = file_of(clear, transparency=0) if mode == "P" else file_of(clear)
    assert decode_image(data).min() == 255


@pytest.mark.parametrize(
    ("inks", "mode"),
    [
        pytest.param([(255, 255, 255)], "RGBA", id="white"),
        pytest.param([(255, 255, 255)], "LA", id="white, gray image"),
        pytest.param([(0, 0, 0)], "RGBA", id="black"),
        pytest.param([(255, 255, 255), (0, 0, 0)], "RGBA", id="white and black"),
        pytest.param([(230, 230, 120), (200, 30, 30)], "RGBA", id="pale yellow and red"),
    ],
)
def test_words_on_transparency_are_seen_whatever_their_color(inks: list[tuple[int, int, int]], mode: str) -> None:
    image = Image.new("RGBA", (40, 20 * len(inks)), (0, 0, 0, 0))
    for row, ink in enumerate(inks):
        image.paste((*ink, 255), (8, 20 * row + 8, 30, 20 * row + 11))
    pixels = decode_image(file_of(image.convert(mode))).astype(int)
    for row, ink in enumerate(inks):
        assert np.abs(pixels[20 * row + 9, 10] - ink[::-1]).max() <= 1
        assert abs(pixels[20 * row + 9, 10].mean() - pixels[0, 0].mean()) >= 60


def test_a_white_card_on_transparency_keeps_its_colors() -> None:
    image = Image.new("RGBA", (40, 40), (0, 0, 0, 0))
    image.paste((255, 255, 255, 255), (4, 4, 36, 36))
    image.paste((0, 0, 0, 255), (10, 10, 30, 12))
    pixels = decode_image(file_of(image))
    assert (pixels[20, 20].tolist(), pixels[11, 20].tolist()) == ([255] * 3, [0] * 3)


def test_a_palette_is_looked_up() -> None:
    palette = Image.new("RGB", (2, 2), RED).convert("P", palette=Image.Palette.ADAPTIVE)
    assert decode_image(file_of(palette))[0, 0].tolist() == list(RED[::-1])


def test_exif_orientation_is_applied() -> None:
    image = Image.new("RGB", (6, 2), "white")
    exif = image.getexif()
    exif[0x0112] = 6  # a quarter turn
    assert decode_image(file_of(image, "JPEG", exif=exif)).shape == (6, 2, 3)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"", "is empty", id="empty"),
        pytest.param(b"hello, world", "is not an image file", id="text"),
        pytest.param(b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG", id="svg"),
        pytest.param(b"<?xml version='1.0'?>\n<svg/>", "SVG", id="svg-with-prolog"),
        pytest.param(b"%PDF-1.7", "PDF", id="pdf"),
        pytest.param(b"\0\0\0\x20ftypavif" + bytes(20), "AVIF", id="avif"),
        pytest.param(b"\x89PNG\r\n\x1a\n", "damaged or cut", id="header-only"),
        pytest.param(file_of(Image.effect_noise((64, 64), 50))[:1200], "ends early", id="truncated-png"),
        pytest.param(file_of(Image.effect_noise((64, 64), 50), "JPEG")[:900], "ends early", id="truncated-jpeg"),
        pytest.param(file_of(Image.effect_noise((64, 64), 50), "WEBP")[:500], "image", id="truncated-webp"),
        pytest.param(png_header(0, 0), "image", id="zero-size"),
        pytest.param(b"GIF89a" + bytes(7) + b";", "image", id="zero-size-gif"),
        pytest.param(file_of(Image.new("L", (8, 8)), "TIFF"), "PNG, JPEG", id="another-format"),
    ],
)
def test_what_is_not_a_whole_image_is_refused_in_one_sentence(data: bytes, says: str) -> None:
    with pytest.raises(BadImageError, match=says) as caught:
        decode_image(data)
    assert caught.value.reason == "BAD_IMAGE"
    assert caught.value.field == "image"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(png_header(20_000, 10_000), id="200-megapixels"),
        pytest.param(png_header(10_000, 9_500), id="95-megapixels"),
        pytest.param(png_header(8_000, 6_251), id="just-over-50"),
        pytest.param(bytes(MAX_IMAGE_BYTES + 1), id="too-many-bytes"),
    ],
)
def test_a_huge_image_is_refused_by_its_header(data: bytes) -> None:
    with pytest.raises(ImageTooLargeError):
        decode_image(data)


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "BMP", "GIF", "JPEG"])
def test_a_size_is_read_from_the_header_of_every_format(kind: str) -> None:
    assert image_size(file_of(Image.new("RGB", (7, 5), RED), kind)) == (7, 5)


def test_a_size_takes_no_pixel_of_a_large_picture() -> None:
    assert image_size(png_header(8_000, 6_000)) == (8_000, 6_000)  # its pixels are not in the file
    with pytest.raises(BadImageError):
        image_size(b"no image")


def test_a_huge_webp_without_a_frame_is_no_image() -> None:
    with pytest.raises(BadImageError):
        decode_image(webp_header(16_000, 12_000))


@given(st.binary(max_size=300), st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"BM", b"\xff\xd8\xff\xe0"]))
def test_no_bytes_raise_anything_else(body: bytes, magic: bytes) -> None:
    try:
        pixels = decode_image(magic + body)
    except BadImageError:
        return
    assert pixels.ndim == 3


def test_png_is_lossless_both_ways() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (20, 30, 3), np.uint8)
    assert np.array_equal(decode_image(encode_png(pixels)), pixels)


def test_a_higher_jpeg_quality_takes_more_bytes() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (64, 64, 3), np.uint8)
    low, high = encode_jpeg(pixels, 20), encode_jpeg(pixels, 95)
    assert len(low) < len(high)
    assert decode_image(high).shape == pixels.shape


def test_what_jpeg_cannot_store_is_reported() -> None:
    with pytest.raises(ImageTooLargeError, match="do not fit into a jpg"):
        encode_jpeg(np.zeros((66_000, 2, 3), np.uint8), 80)
