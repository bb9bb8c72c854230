"""Damaged image files, files with a wrong size, decompression bombs; decoded in a process that may crash."""

from __future__ import annotations

import asyncio
import io
import multiprocessing
import struct
import time
import zlib
from multiprocessing.connection import Connection
from random import Random
from typing import Any

import numpy as np
from PIL import Image, features

from perception.bench.suites.fuzz.outcomes import PartOutcome
from perception.bench.suites.fuzz.random_values import mutate
from perception.errors import BadImageError, ImageTooLargeError
from perception.host_os import peak_memory_bytes

IMAGE_CASE_SECONDS = 30.0
"""The largest file that is decoded, 50 megapixels with transparency, takes about 3 s."""

MAX_MIB = 2500.0
"""Peak of the decoding process: 50 megapixels are 200 MB with transparency, of which there are several copies."""

BOMB_EVERY = 400
"""Cases for each intentionally large one."""

IMAGE_MODES = {
    "PNG": ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"),
    "JPEG": ("L", "RGB", "CMYK"),
    "WEBP": ("RGB", "RGBA"),
    "GIF": ("P", "L", "RGB"),
    "BMP": ("1", "L", "P", "RGB", "RGBA"),
    "TIFF": ("1", "L", "RGB", "CMYK", "I;16", "F"),
    "PPM": ("L", "RGB"),
    "ICO": ("RGBA",),
    "TGA": ("RGB",),
}


def valid_files(random: Random) -> list[bytes]:
    """Small files of each format and mode, animated and turned ones too."""
    made = []
    for kind, modes in IMAGE_MODES.items():
        if kind == "WEBP" and not features.check("webp"):
            continue
        for mode in modes:
            size = random.choice(((1, 1), (3, 40), (17, 9), (64, 48)))
            pixels = np.frombuffer(random.randbytes(size[0] * size[1] * 4), np.uint8).reshape(size[1], size[0], 4)
            image = Image.fromarray(pixels).convert("RGB")
            image = image.convert("I").convert("I;16") if mode == "I;16" else image.convert(mode)
            made.append(_saved(image, kind))
    base = Image.new("RGB", (16, 8), "red")
    for orientation in range(10):
        exif = Image.Exif()
        exif[0x0112] = orientation
        made.append(_saved(base, "JPEG", exif=exif))
        made.append(_saved(base, "PNG", exif=exif))
    frames = [Image.new("RGB", (16, 8), (shade, 0, 0)) for shade in (0, 90, 200)]
    for kind in ("GIF", "WEBP", "PNG", "TIFF"):
        made.append(_saved(frames[0], kind, save_all=True, append_images=frames[1:]))
    clear = Image.new("P", (8, 8))
    clear.putpalette([0, 0, 0, 255, 255, 255])
    made.append(_saved(clear, "PNG", transparency=0))
    made.append(_saved(clear, "GIF", transparency=1))
    return made


def _saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def png(width: int, height: int, depth: int = 8, color: int = 2, data: bytes = b"", *, interlace: int = 0) -> bytes:
    """A PNG file with the given header, and valid checksums."""
    header = struct.pack(">IIBBBBB", width & 0xFFFFFFFF, height & 0xFFFFFFFF, depth, color, 0, 0, interlace)
    chunks = [(b"IHDR", header), (b"PLTE", bytes(range(30))), (b"IDAT", zlib.compress(data)), (b"IEND", b"")]
    written = b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + written


IMAGE_SIDES = (0, 1, 2, 255, 7000, 65_535, 65_536, 2**24, 2**31 - 1, 2**31, 2**32 - 1)


def draw_image(files: list[bytes], random: Random, number: int) -> bytes:
    """The file of a case."""
    if number % BOMB_EVERY == 0:
        side = random.choice((7000, 7072, 20_000, 60_000))
        depth, color = random.choice(((1, 0), (8, 3), (8, 6), (16, 2)))
        return png(side, side, depth, color, b"\0" * random.choice((1000, 10_000_000)))
    lot = random.random()
    if lot < 0.1:
        return png(
            random.choice(IMAGE_SIDES),
            random.choice(IMAGE_SIDES),
            random.choice((0, 1, 2, 4, 8, 16, 32)),
            random.choice((0, 1, 2, 3, 4, 5, 6, 7)),
            random.randbytes(random.choice((0, 10, 1000))),
            interlace=random.choice((0, 1, 2)),
        )
    if lot < 0.2:
        return _claiming(random.choice(files), random)
    if lot < 0.23:
        return random.randbytes(random.choice((0, 1, 8, 100, 5000)))
    if lot < 0.26:
        return random.choice(files) + random.choice(files)
    if lot < 0.3:
        return random.choice(files)
    return mutate(random.choice(files), random)


def _claiming(data: bytes, random: Random) -> bytes:
    """A file with wrong size fields."""
    width, height = random.choice(IMAGE_SIDES), random.choice(IMAGE_SIDES)
    if data.startswith(b"GIF"):
        return data[:6] + struct.pack("<HH", width & 0xFFFF, height & 0xFFFF) + data[10:]
    if data.startswith(b"BM"):
        return data[:18] + struct.pack("<II", width & 0xFFFFFFFF, height & 0xFFFFFFFF) + data[26:]
    frame = data.find(b"\xff\xc0")
    if frame > 0:
        return data[: frame + 5] + struct.pack(">HH", height & 0xFFFF, width & 0xFFFF) + data[frame + 9 :]
    at = random.randrange(min(len(data), 40))
    return data[:at] + struct.pack(random.choice((">I", "<I")), width & 0xFFFFFFFF) + data[at + 4 :]


def decode_cases(seed: int, first: int, last: int, pipe: Connection) -> None:
    """Decodes cases in this process. Reports the number of each before, and its outcome after."""
    from perception.imaging.codec import decode_image

    files = valid_files(Random(seed))
    for number in range(first, last):
        data = draw_image(files, Random(f"{seed} images {number}"), number)
        pipe.send((number, "", ""))
        try:
            pixels = decode_image(data)
            is_whole = pixels.dtype == np.uint8 and pixels.ndim == 3 and pixels.shape[2] == 3 and pixels.size > 0
            pipe.send((number, "pixels", "" if is_whole else f"pixels of {pixels.dtype} {pixels.shape}"))
        except (BadImageError, ImageTooLargeError) as exc:
            pipe.send((number, exc.reason, ""))
        except BaseException as exc:  # this is the subject of the test
            pipe.send((number, type(exc).__name__, f"{type(exc).__name__}: {exc}"))
    pipe.send((last, "end", str(peak_memory_bytes() / 2**20)))


async def fuzz_images(cases: int, seed: int) -> PartOutcome:
    outcome = PartOutcome("images")
    start = time.monotonic()
    await asyncio.to_thread(_decode_all, outcome, cases, seed)
    outcome.seconds = time.monotonic() - start
    return outcome


def _decode_all(outcome: PartOutcome, cases: int, seed: int) -> None:
    """Runs child processes: one that dies or hangs is a failed case, and the next one continues after it."""
    first, peak = 0, 0.0
    while first < cases:
        first, used = _decode_some(outcome, first, cases, seed)
        peak = max(peak, used)
    outcome.notes.append(f"the decoding process took {peak:.0f} MiB at most")
    if peak > MAX_MIB:
        outcome.fail(cases, "memory of the decoding process", f"{peak:.0f} MiB")


def _decode_some(outcome: PartOutcome, first: int, cases: int, seed: int) -> tuple[int, float]:
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe(duplex=False)
    child = spawn.Process(target=decode_cases, args=(seed, first, cases, theirs), daemon=True)
    child.start()
    theirs.close()
    number, why = first, ""
    try:
        while not why:
            if not ours.poll(IMAGE_CASE_SECONDS):
                why = f"no end after {IMAGE_CASE_SECONDS:g} s"
                break
            number, code, said = ours.recv()
            if code == "end":
                return cases, float(said)
            if code:
                outcome.count(code)
            if said:
                outcome.fail(number, _shown(seed, number), said)
    except EOFError:
        child.join()
        why = f"the process died: exit code {child.exitcode}"
    finally:
        child.kill()
        child.join()
        ours.close()
    outcome.count("died or hung")
    outcome.fail(number, _shown(seed, number), why)
    return number + 1, 0.0


def _shown(seed: int, number: int) -> str:
    data = draw_image(valid_files(Random(seed)), Random(f"{seed} images {number}"), number)
    return f"{len(data)} bytes: {data[:400].hex()}"
