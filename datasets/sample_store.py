"""The store of built data sets: samples and images by content, and an index for each data set.

    $PERCEPTION_HOME/objects/ab/abcdef….json | .png | .jpg | .webp
    $PERCEPTION_HOME/datasets/<name>.jsonl     a row a sample: name, id, key

Rule 1: a file has its final name only once it is complete; an index grows by whole lines.
Rule 2: the last row of a name counts. `key` is a digest of the sample's inputs, so that a build skips samples whose
inputs have not changed.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from perception.datasets.sample import (
    Broken,
    DatasetError,
    Item,
    Reference,
    Sample,
    decode_sample,
    encode_sample,
    sample_id,
)

_DATASET_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")

_SUFFIXES = {b"\x89PNG": ".png", b"\xff\xd8\xff": ".jpg", b"RIFF": ".webp"}
"""File name suffixes by the first bytes of an image."""

BLOCK = 4096
"""Bytes that are read at once from the end of an index; a row has 200."""


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A line of an index.

    Attributes:
        name: name of the sample.
        id: id of the sample.
        key: digest of the sample's inputs.
    """

    name: str
    id: str
    key: str


@dataclass(frozen=True, slots=True)
class StoredReference:
    """A sample of a store.

    Attributes:
        name: name of the sample.
        id: id of the sample.
        home: home folder of the store.
    """

    name: str
    id: str
    home: Path

    def load(self) -> Item:
        return Store(self.home).load(self.id)


class Store:
    """The data sets under one home folder."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def put_image(self, data: bytes) -> str:
        """Stores a PNG, JPEG or WebP file and returns its sha256.

        Raises:
            DatasetError: the file has another format.
        """
        suffix = next((suffix for magic, suffix in _SUFFIXES.items() if data.startswith(magic)), None)
        if suffix is None:
            raise DatasetError("neither a PNG nor a JPEG nor a WebP image")
        digest = hashlib.sha256(data).hexdigest()
        self._put(self._object(digest, suffix), data)
        return digest

    def put(self, sample: Sample) -> str:
        """Stores a sample and returns its id."""
        data = encode_sample(sample)
        digest = sample_id(data)
        self._put(self._object(digest, ".json"), data)
        return digest

    def has(self, digest: str) -> bool:
        """Whether a sample is stored."""
        return self._object(digest, ".json").exists()

    def load(self, digest: str) -> Item:
        """Loads a sample by id.

        Raises:
            DatasetError: the sample or its image is missing, or was changed.
        """
        path = self._object(digest, ".json")
        try:
            data = path.read_bytes()
        except FileNotFoundError as exc:
            raise DatasetError(f"sample {digest[:12]} is not in {self.home}: build its data set again") from exc
        if sample_id(data) != digest:
            raise DatasetError(f"{path} was changed after it was stored: delete it and build its data set again")
        sample = decode_sample(data)
        return Item(digest, sample, self.image(sample.image_sha256))

    def image(self, digest: str) -> Path:
        """The file of an image. Raises DatasetError: it is not stored."""
        for suffix in _SUFFIXES.values():
            if (path := self._object(digest, suffix)).exists():
                return path
        raise DatasetError(f"image {digest[:12]} is not in {self.home}: build its data set again")

    def dataset(self, name: str) -> StoredDataset:
        """A data set by name. Raises DatasetError: the name is invalid."""
        if not _DATASET_NAME.fullmatch(name):
            raise DatasetError(f"data set name {name!r}: use small letters, digits, `.`, `_` and `-`")
        return StoredDataset(name, self)

    def names(self) -> list[str]:
        """Names of all data sets with an index."""
        return sorted(path.stem for path in (self.home / "datasets").glob("*.jsonl"))

    def _object(self, digest: str, suffix: str) -> Path:
        return self.home / "objects" / digest[:2] / (digest + suffix)

    def _put(self, path: Path, data: bytes) -> None:
        if not path.exists():
            _write(path, data)


class StoredDataset:
    """The index of one data set."""

    def __init__(self, name: str, store: Store) -> None:
        self.name = name
        self._store = store
        self._path = store.home / "datasets" / f"{name}.jsonl"

    def rows(self) -> dict[str, IndexRow]:
        """The rows by sample name, in the order in which names first occurred; empty if nothing is built.

        An incomplete last line is ignored.
        """
        try:
            lines = self._path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return {}
        rows = [msgspec.json.decode(line, type=IndexRow) for line in lines[:-1] if line]
        return {row.name: row for row in rows}

    def add(self, row: IndexRow) -> None:
        """Appends a complete row."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab+") as file:
            file.truncate(_whole_size(file))
            file.write(msgspec.json.encode(row) + b"\n")

    def keep(self, names: set[str]) -> None:
        """Drops the rows of all other samples."""
        rows = [row for row in self.rows().values() if row.name in names]
        _write(self._path, b"".join(msgspec.json.encode(row) + b"\n" for row in rows))

    def __len__(self) -> int:
        return len(self.rows())

    def __iter__(self) -> Iterator[Reference | Broken]:
        for row in self.rows().values():
            yield StoredReference(row.name, row.id, self._store.home)


def _whole_size(file: BinaryIO) -> int:
    """Bytes up to the end of the last complete line."""
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        start = max(0, end - BLOCK)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _write(path: Path, data: bytes) -> None:
    """Writes a file that gets its name only when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
