"""What all layouts have in common.

Rule 1: every record comes out once, as a part of a sample or as `Broken` with its reason.
Rule 2: a file that cannot be used as a whole is one line. Where that is every file, it is an error before anything is
read; so is a folder whose boxes are of another form than the one they are read in.
Rule 3: an image has no accessibility tree at all, so that the stratum of its sample is unknown.
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
from perception.datasets.layouts.files import ImageFile, ImageFinder, RecordError, hash_image, label_of, open_image
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
"""Records of a file that say what it is: the first of them may lack a field."""


PEEKED_MEMBERS = 1000
"""Members and elements of an object's lists. COCO's files have 8 licences before their images, and 80 categories."""


@dataclass(frozen=True, slots=True)
class FolderReference:
    """A sample of a folder: whole, but for its image's pixels."""

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
class Reading:
    """A data set that is being read. `form`: of its boxes; of no meaning for a layout without any."""

    layout: str
    folder: Path
    form: BoxForm
    images: ImageFinder

    def label(self, path: Path) -> str:
        """How a file is called in what is said of it."""
        return label_of(path, self.folder)

    def box(self, value: object, image: ImageFile) -> Box:
        """A box in pixels of its image. Raises BoxError; where it would be one in another form, that is said."""
        try:
            return to_box(value, self.form, image.size)
        except BoxError as exc:
            fitting = forms_that_fit(value, image.size)
            hint = f"; it is one as {fitting[0].words} ({self.layout}@{fitting[0]})" if fitting else ""
            raise BoxError(f"{exc}{hint}") from exc

    def in_form(self, form: BoxForm) -> Reading:
        return replace(self, form=form)


@dataclass(frozen=True, slots=True)
class Peek:
    """What a file of records is, by its beginning.

    Attributes:
        top: `[` or `{` (JSON), `lines`, `rows` (Parquet), another character; empty where it cannot be read.
        fields: the names in its first records, or of its object's members.
    """

    path: Path
    top: str
    fields: frozenset[str] = frozenset()

    @property
    def listed(self) -> bool:
        """Whether it holds records one after the other."""
        return self.top in ("[", "lines", "rows")


class Contents(Protocol):
    """What a folder holds, read in one layout."""

    def check(self) -> None:
        """Raises DatasetError where the folder is not what it is said to be."""
        ...

    def read(self) -> Iterator[Reference | Broken]:
        """Every record once."""
        ...


@dataclass(frozen=True, slots=True)
class Layout:
    """A way to lay out a data set in a folder.

    Attributes:
        describe: what the folder holds, for people.
        claims: whether a file of records is one of this layout.
        contents: of the folder's files that are.
        form: of its boxes, unless told otherwise; None where there are none.
        write: samples into a folder, as new files; how many records that gave. None where it is only read.
    """

    describe: str
    claims: Callable[[Peek], bool]
    contents: Callable[[Reading, list[Path]], Contents]
    form: BoxForm | None = None
    write: Callable[[Iterable[Item], Path], int] | None = None


class Names:
    """Makes names unique: what comes again is `name#2`, `name#3`, …"""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def unique(self, name: str) -> str:
        self._seen[name] += 1
        return name if self._seen[name] == 1 else self.unique(f"{name}#{self._seen[name]}")


def make_reference(sample: Sample, image: ImageFile) -> FolderReference:
    """A reference to a sample whose image's hash and size are still to be filled in.

    Raises:
        RecordError: the image is damaged.
    """
    sized = replace(sample, image_sha256=hash_image(image), viewport=Viewport(*image.size))
    data = encode_sample(sized)
    return FolderReference(sized.name, sample_id(data), data, image.path)


UNSIZED = Viewport(1, 1)
"""Stands in a sample until `make_reference` puts in its image's size."""


def peek(path: Path) -> Peek:
    """Looks at a file's beginning. Why one cannot be read is said when it is read."""
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
    """The records of a file of any kind that lists them. Raises FileError as its reader does."""
    return read_rows(path, label) if path.suffix.lower() == ".parquet" else read_records(path, label)


def first_records(path: Path, count: int) -> list[Record]:
    """Up to so many of a file's first records that can be read; fewer where it cannot be read on."""
    found: list[Record] = []
    with suppress(FileError):  # raised again by whoever reads the file: this is a look ahead
        found.extend(each for each in islice(records_of(path, ""), count) if isinstance(each, Record))
    return found


def _fields(path: Path) -> frozenset[str]:
    first = first_records(path, PEEKED)
    return frozenset(name for each in first if isinstance(each.value, dict) for name in each.value)


def _members(path: Path) -> frozenset[str]:
    """Names of an object's members, the first of them."""
    return frozenset(key for key, _, _ in islice(read_members(path), PEEKED_MEMBERS))
