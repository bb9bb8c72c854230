"""Types and functions of all layouts.

Rule 1: every record is yielded once, as a part of a sample or as `Broken` with its reason.
Rule 2: a file that cannot be used as a whole is one broken record. If no file can be used, or boxes have another form
than declared, this is an error before anything is read.
Rule 3: an image has no accessibility tree, so the stratum of its sample is unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Protocol

from perception.datasets.layouts.boxes import BoxError, BoxForm, forms_that_fit, to_box
from perception.datasets.layouts.dataset_files import (
    ImageFile,
    ImageFinder,
    RecordError,
    hash_image,
    label_of,
    open_image,
)
from perception.datasets.layouts.jsonstream import FileError, Record, read_members, read_records, top_of
from perception.datasets.layouts.parquet import columns_of, read_rows
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
from perception.geometry import Box
from perception.types import Viewport

PEEKED = 5
"""Records of a file that identify its layout: the first of them may lack a field."""


PEEKED_MEMBERS = 1000
"""Members and elements of an object's lists. COCO's files have 8 licenses before their images, and 80 categories."""


@dataclass(frozen=True, slots=True)
class FolderReference:
    """A sample of a folder, without its image's pixels.

    Attributes:
        name: name of the sample.
        id: id of the sample.
        data: the encoded sample.
        image: file of its image.
    """

    name: str
    id: str
    data: bytes
    image: Path

    def load(self) -> Item:
        sample = decode_sample(self.data)
        try:
            found = hash_image(open_image(self.image))
        except RecordError as exc:
            raise DatasetError(f"{self.name}: {exc}") from exc
        if found != sample.image_sha256:
            raise DatasetError(f"{self.name}: its image was changed after the data set was read: read it again")
        return Item(self.id, sample, self.image)


@dataclass(frozen=True, slots=True)
class LayoutReading:
    """A data set while it is read.

    Attributes:
        layout: name of the layout.
        folder: folder of the data set.
        form: form of its boxes; ignored for a layout without boxes.
        images: finds its images.
    """

    layout: str
    folder: Path
    form: BoxForm
    images: ImageFinder

    def label(self, path: Path) -> str:
        """Name of a file in messages."""
        return label_of(path, self.folder)

    def box(self, value: object, image: ImageFile) -> Box:
        """A box in pixels of its image. Raises BoxError: it is invalid; names a form in which it would be valid."""
        try:
            return to_box(value, self.form, image.size)
        except BoxError as exc:
            fitting = forms_that_fit(value, image.size)
            hint = f"; it is one as {fitting[0].words} ({self.layout}@{fitting[0]})" if fitting else ""
            raise BoxError(f"{exc}{hint}") from exc

    def in_form(self, form: BoxForm) -> LayoutReading:
        return replace(self, form=form)


@dataclass(frozen=True, slots=True)
class Peek:
    """Kind of a file of records, by its beginning.

    Attributes:
        path: the file.
        top: `[` or `{` (JSON), `lines`, `rows` (Parquet), another character; "" if it cannot be read.
        fields: names in its first records, or names of its object's members.
    """

    path: Path
    top: str
    fields: frozenset[str] = frozenset()

    @property
    def listed(self) -> bool:
        """Whether it is a list of records."""
        return self.top in ("[", "lines", "rows")


class Contents(Protocol):
    """The content of a folder, read in one layout."""

    def check(self) -> None:
        """Checks the folder. Raises DatasetError: it does not have the layout."""
        ...

    def read(self) -> Iterator[Reference | Broken]:
        """Yields every record once."""
        ...


@dataclass(frozen=True, slots=True)
class DatasetLayout:
    """A layout of a data set in a folder.

    Attributes:
        describe: description of the folder, for people.
        claims: whether a file of records has this layout.
        contents: reads the files that have it.
        form: default form of its boxes; None if it has no boxes.
        write: writes samples into a folder and returns the number of records; None for a read-only layout.
    """

    describe: str
    claims: Callable[[Peek], bool]
    contents: Callable[[LayoutReading, list[Path]], Contents]
    form: BoxForm | None = None
    write: Callable[[Iterable[Item], Path], int] | None = None


class Names:
    """Makes names unique: a repeated name becomes `name#2`, `name#3`, …"""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def unique(self, name: str) -> str:
        self._seen[name] += 1
        return name if self._seen[name] == 1 else self.unique(f"{name}#{self._seen[name]}")


def make_reference(sample: Sample, image: ImageFile) -> FolderReference:
    """Fills in the hash and size of a sample's image, and makes a reference.

    Raises:
        RecordError: the image is damaged.
    """
    sized = replace(sample, image_sha256=hash_image(image), viewport=Viewport(*image.size))
    data = encode_sample(sized)
    return FolderReference(sized.name, sample_id(data), data, image.path)


UNSIZED = Viewport(1, 1)
"""Placeholder in a sample until `make_reference` fills in its image's size."""


def peek(path: Path) -> Peek:
    """Reads the beginning of a file. Errors surface when the file is read."""
    try:
        if path.suffix.lower() == ".parquet":
            return Peek(path, "rows", frozenset(columns_of(path)))
        if path.suffix.lower() == ".jsonl":
            return Peek(path, "lines", _fields(path))
        top = top_of(path)
        if top == "{":
            return Peek(path, top, _members(path))
        return Peek(path, top, _fields(path) if top == "[" else frozenset())
    except FileError:
        return Peek(path, "")


def records_of(path: Path, label: str) -> Iterator[Record | Broken]:
    """Yields the records of a listed file of any format. Raises FileError: the file cannot be read."""
    return read_rows(path, label) if path.suffix.lower() == ".parquet" else read_records(path, label)


def first_records(path: Path, count: int) -> list[Record]:
    """Up to `count` of a file's first valid records; fewer if the file cannot be read further."""
    found: list[Record] = []
    with suppress(FileError):  # it is raised again when the file is read
        found.extend(each for each in islice(records_of(path, ""), count) if isinstance(each, Record))
    return found


def _fields(path: Path) -> frozenset[str]:
    first = first_records(path, PEEKED)
    return frozenset(name for each in first if isinstance(each.value, dict) for name in each.value)


def _members(path: Path) -> frozenset[str]:
    """Names of the first members of an object."""
    return frozenset(key for key, _, _ in islice(read_members(path), PEEKED_MEMBERS))
