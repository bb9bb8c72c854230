"""Files in a data set's folder: files of records, and the images that records refer to.

Rule 1: only the header of an image is decoded; its bytes are read once, to hash them.
Rule 2: a record may refer only to files in the data set's folder; links that the user put there may lead out of it.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import unicodedata
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PureWindowsPath
from typing import BinaryIO

from PIL import Image

from perception.datasets.sample import DatasetError
from perception.datasets.sample_store import Store
from perception.errors import first_line
from perception.imaging.codec import MAX_PIXELS

RECORD_SUFFIXES = (".json", ".jsonl", ".parquet")
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")
_READ_FORMATS = ("PNG", "JPEG", "WEBP")

_DEPTH = 2
"""Depth of folders in which files of records are searched: `data/train/train_0.json`."""

_TURNED = (5, 6, 7, 8)
"""EXIF orientations that swap width and height: CIPA DC-008, 4.6.5, tag Orientation."""


_BASE64 = re.compile(r"data:image/|iVBORw0KGgo|/9j/|UklGR")
"""Start of PNG, JPEG and WebP files in base64."""

_LONGEST_NAME = 100
"""Characters. No image is this short in base64, and a text that starts with `/9j/` may be a path."""


class RecordError(DatasetError):
    """A record that cannot be used. The message is the reason only."""


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An image file. `size` is width and height in px, after EXIF orientation."""

    path: Path
    size: tuple[int, int]


def record_files(folder: Path) -> list[Path]:
    """All files that may contain records, sorted by name, without hidden ones."""
    found = []
    for here, _, names in _walk(folder, _DEPTH):
        found += [here / name for name in names if name.lower().endswith(RECORD_SUFFIXES)]
    return found


def image_files(folder: Path) -> Iterator[Path]:
    """All image files by suffix, at any depth, in a fixed order, without hidden files and folders."""
    for here, _, names in _walk(folder, None):
        yield from (here / name for name in names if name.lower().endswith(IMAGE_SUFFIXES))


def label_of(path: Path, folder: Path) -> str:
    """Name of a file in messages: its path in the folder, in valid UTF-8."""
    return os.fsencode(path.relative_to(folder).as_posix()).decode("utf-8", "backslashreplace")


def open_image(path: Path) -> ImageFile:
    """Reads an image's header. Raises RecordError: the file is not a PNG, JPEG or WebP image."""
    try:
        with path.open("rb") as file:
            return ImageFile(path, _read_size(file))
    except OSError as exc:
        raise RecordError(f"image {path.name} cannot be read: {exc.strerror or exc}") from exc


def hash_image(image: ImageFile) -> str:
    """sha256 of the file, hexadecimal. Raises RecordError: it is a PNG that is truncated or damaged."""
    try:
        with image.path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            _check_whole(file, image.path.name)
    except OSError as exc:
        raise RecordError(f"image {image.path.name} cannot be read: {exc.strerror or exc}") from exc
    return digest


class ImageFinder:
    """Finds images by the names in records.

    Args:
        folder: folder of the data set; names are searched in it and in the folders directly below it.
        home: folder to which images within records are unpacked, by content.
    """

    def __init__(self, folder: Path, home: Path) -> None:
        self._folder = folder
        self._store = Store(home)
        self._roots = [here for here, _, _ in _walk(folder, 1)]
        self._open = lru_cache(maxsize=64)(open_image)  # consecutive records often have the same image

    def named(self, name: str, beside: Path | None = None) -> ImageFile:
        """The image with a name.

        Args:
            name: path or file name in a record.
            beside: the file of the record. Of several folders with such an image, the one that this file's name ends
                with comes first (`instances_val2017.json` means `val2017`), then the file's own folder.

        Raises:
            RecordError: there is none, it is outside the folder, or it is not an image.
        """
        for spelling in _spellings(self._inside(name)):
            for root in self._roots_for(beside):
                if os.path.isfile(path := root / spelling):  # not Path.is_file: that raises for names that are too long
                    return self._open(path)
        raise RecordError(f"image {name!r} is missing: it is not in the folder, nor in one directly below it")

    def embedded(self, value: object) -> ImageFile | None:
        """An image within its record: bytes, base64, or `{"bytes": …}`; None for any other value.

        Raises:
            RecordError: the image is damaged, or has an unsupported format.
        """
        if isinstance(value, Mapping):
            value = value.get("bytes")
        if isinstance(value, str) and _BASE64.match(value, 0, 64) and len(value) > _LONGEST_NAME:
            try:
                value = base64.b64decode(value.partition(",")[2] if value.startswith("data:") else value)
            except ValueError as exc:
                raise RecordError(f"its image is not base64: {exc}") from exc
        return self.unpack(value) if isinstance(value, bytes) else None

    def unpack(self, data: bytes) -> ImageFile:
        """Stores an image from a record. Raises RecordError: the bytes are not an image."""
        try:
            size = _read_size(io.BytesIO(data))
            return ImageFile(self._store.image(self._store.put_image(data)), size)
        except RecordError:
            raise
        except DatasetError as exc:
            raise RecordError(f"its image cannot be kept: {exc}") from exc

    @lru_cache(maxsize=4)  # noqa: B019 - a finder lives as long as its data set is read
    def _roots_for(self, beside: Path | None) -> list[Path]:
        if beside is None:
            return self._roots
        stem, parent = beside.stem.lower(), beside.parent

        def rank(root: Path) -> int:
            return 0 if root != self._folder and stem.endswith(root.name.lower()) else 1 if root == parent else 2

        return sorted([*self._roots, parent], key=rank)

    def _inside(self, name: str) -> str:
        if os.path.isabs(name):
            try:
                name = Path(name).relative_to(self._folder.absolute()).as_posix()
            except ValueError as exc:
                raise RecordError(f"image {name!r} is outside the data set's folder") from exc
        if PureWindowsPath(name).is_absolute() or ".." in PureWindowsPath(name).parts:
            raise RecordError(f"image {name!r} is outside the data set's folder")
        return name


def _spellings(name: str) -> Iterator[str]:
    """Variants of a name: unchanged, with `/` as separator, with its suffix in the other case, NFC and NFD."""
    seen = set()
    for slashes in (name, name.replace("\\", "/")):
        stem, ending = os.path.splitext(slashes)
        for cased in (slashes, stem + ending.lower(), stem + ending.upper()):
            for form in (cased, unicodedata.normalize("NFC", cased), unicodedata.normalize("NFD", cased)):
                if form not in seen:
                    seen.add(form)
                    yield form


def _walk(folder: Path, depth: int | None) -> Iterator[tuple[Path, list[str], list[str]]]:
    """os.walk in a fixed order, through links, each folder once, without hidden files and folders."""
    seen = set()
    for here, folders, names in os.walk(folder, onerror=_refuse, followlinks=True):
        status = os.stat(here)
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        # __MACOSX contains metadata that macOS adds to archives.
        folders[:] = sorted(each for each in folders if not each.startswith((".", "__MACOSX")))
        yield Path(here), folders, sorted(each for each in names if not each.startswith("."))
        if depth is not None and len(Path(here).relative_to(folder).parts) >= depth:
            folders.clear()


def _refuse(exc: OSError) -> None:
    raise DatasetError(f"folder {exc.filename} cannot be read: {exc.strerror}") from exc


def _read_size(file: BinaryIO) -> tuple[int, int]:
    try:
        with warnings.catch_warnings():
            # The number of pixels is checked below, against our own limit; damaged EXIF data is ignored.
            warnings.simplefilter("ignore")
            image = Image.open(file, formats=_READ_FORMATS)
            # Pillow decodes a whole PNG to find EXIF data after its pixels, where no tool writes it.
            turned = (image.format != "PNG" or "exif" in image.info) and image.getexif().get(0x0112) in _TURNED
    except Exception as exc:  # Pillow raises many types on hostile bytes: OSError, SyntaxError, struct.error…
        raise RecordError(f"its image is not a PNG, JPEG or WebP that can be read: {_plain(exc)}") from exc
    width, height = image.size[::-1] if turned else image.size
    if width * height > MAX_PIXELS:
        raise RecordError(f"its image has {width}x{height} pixels, more than {MAX_PIXELS // 1_000_000} million")
    return width, height


def _check_whole(file: BinaryIO, name: str) -> None:
    try:
        image = Image.open(file, formats=("PNG",))
    except (OSError, SyntaxError):
        return  # damage in a JPEG or WebP only shows when it is decoded, which happens on use
    try:
        image.verify()  # checks the checksums of all chunks without decoding pixels
    except Exception as exc:  # as above
        raise RecordError(f"image {name} is damaged or cut off: {_plain(exc)}") from exc


def _plain(exc: Exception) -> str:
    """The message without the file object's address, which differs each time."""
    text = first_line(exc)
    return "not such a file" if "cannot identify image file" in text else text
