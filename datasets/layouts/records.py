"""Folders whose files list records, each with its image: groups records to samples.

Consecutive records of one image are one sample with one task each. Later records of the same image are another sample,
so that only the records of one image are in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from perception.datasets.layouts.boxes import BoxError, BoxForm
from perception.datasets.layouts.dataset_files import ImageFile, RecordError
from perception.datasets.layouts.jsonstream import FileError, Record
from perception.datasets.layouts.layout_base import (
    UNSIZED,
    Contents,
    FolderReference,
    LayoutReading,
    Names,
    first_records,
    make_reference,
    records_of,
)
from perception.datasets.sample import (
    Broken,
    DatasetError,
    ElementKind,
    Evidence,
    GroundingTask,
    Reference,
    Sample,
    TruthElement,
)
from perception.geometry import Box

PROBED = 60
"""Records of a file on which its form of boxes is checked. Chosen by hand, as the next; guarded by
`tests/labs/datasets`."""

ENOUGH = 3
"""Least number of boxes that indicate another form."""

MOSTLY = 0.75
"""A form is wrong if it fits at most this share of the boxes that another form fits. Of boxes that are spread evenly
over an image, a quarter are still within it when corners are read as sizes, and far fewer when sizes are read as
corners. Single broken boxes are broken in every form."""


@dataclass(frozen=True, slots=True)
class RecordMark:
    """One target in one image. Consecutive marks with the same `key` and image are one sample.

    Attributes:
        where: place of the record.
        key: name of the sample.
        image: its image.
        group: group of the sample.
        page: page of the sample.
        category: category of the sample.
        instruction: instruction in words.
        box: target, px of the image.
        kind: text or icon.
        role: role of the target; "" if the data set has none.
        name: name of the target; "" if the data set has none.
    """

    where: str
    key: str
    image: ImageFile
    group: str
    page: str
    category: str
    instruction: str
    box: Box
    kind: ElementKind = ElementKind.UNKNOWN
    role: str = ""
    name: str = ""


Parse = Callable[[Record, Path, LayoutReading], Iterator[RecordMark | Broken]]
"""Parses a record to its targets. Raises RecordError or BoxError: no part of it can be used."""


class RecordContents(Contents):
    """A folder whose files list records."""

    def __init__(self, parse: Parse, reading: LayoutReading, files: Sequence[Path]) -> None:
        self._parse = parse
        self._reading = reading
        self._files = files
        self._problems: dict[Path, str] = {}

    def check(self) -> None:
        problems = ((path, _problem_of(path, self._parse, self._reading)) for path in self._files)
        self._problems = {path: problem for path, problem in problems if problem}
        if self._problems and len(self._problems) == len(self._files):
            path, problem = next(iter(self._problems.items()))
            others = len(self._files) - 1
            more = f" (and {others} other file{'s' * (others > 1)} cannot be used)" if others else ""
            raise DatasetError(f"{self._reading.label(path)} {problem}{more}")

    def read(self) -> Iterator[Reference | Broken]:
        names = Names()
        for path in self._files:
            label = self._reading.label(path)
            if path in self._problems:
                yield Broken(label, f"the file {self._problems[path]}")
                continue
            for group in _grouped(_marks(path, self._parse, self._reading)):
                yield from [group] if isinstance(group, Broken) else _finish(group, self._reading.layout, names)


def text_field(record: Mapping[str, object], *names: str) -> str:
    """The text of the first of these fields that exists. Raises RecordError: there is none, or it is empty."""
    for name in names:
        if record.get(name) is not None:
            if text := optional_text(record, name):
                return text
            raise RecordError(f"{name} is empty")
    raise RecordError(f"{' or '.join(names)} is missing")


def optional_text(record: Mapping[str, object], name: str) -> str:
    """The stripped text of a field; "" if it is missing. Raises RecordError: the value is not text."""
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RecordError(f"{name} is {type(value).__name__}, not text")
    try:
        value.encode()
    except UnicodeEncodeError as exc:
        raise RecordError(f"{name} holds half of a surrogate pair, which is not text") from exc
    return value.strip()


def object_of(value: object) -> Mapping[str, object]:
    """The fields of a record. Raises RecordError: it is not an object."""
    if not isinstance(value, dict):
        raise RecordError(f"the record is {type(value).__name__}, not an object")
    return value


def needed(record: Mapping[str, object], name: str) -> object:
    """A field of any type. Raises RecordError: it is missing."""
    if record.get(name) is None:
        raise RecordError(f"{name} is missing")
    return record[name]


def _grouped(marks: Iterator[RecordMark | Broken]) -> Iterator[list[RecordMark] | Broken]:
    """Groups the marks of one sample. Broken records are yielded at once and do not end a sample."""
    group: list[RecordMark] = []
    for mark in marks:
        if isinstance(mark, Broken):
            yield mark
            continue
        if group and (mark.key, mark.image.path) != (group[0].key, group[0].image.path):
            yield group
            group = []
        group.append(mark)
    if group:
        yield group


def _marks(path: Path, parse: Parse, reading: LayoutReading) -> Iterator[RecordMark | Broken]:
    label = reading.label(path)
    try:
        for record in records_of(path, label):
            if isinstance(record, Broken):
                yield record
            else:
                yield from _parsed(record, path, parse, reading)
    except FileError as exc:
        yield Broken(label, f"the file {exc}; what comes after that is not read")


def _parsed(record: Record, path: Path, parse: Parse, reading: LayoutReading) -> Iterator[RecordMark | Broken]:
    try:
        yield from parse(record, path, reading)
    except (RecordError, BoxError) as exc:
        yield Broken(record.where, str(exc))


def _finish(marks: list[RecordMark], layout: str, names: Names) -> Iterator[FolderReference | Broken]:
    first = marks[0]
    truth = tuple(
        TruthElement(each.role, each.name, each.box, True, kind=each.kind, evidence=(Evidence.ANNOTATION,))
        for each in marks
    )
    tasks = tuple(
        GroundingTask(each.instruction, each.box, each.kind, target=index) for index, each in enumerate(marks)
    )
    sample = Sample(
        name=names.unique(first.key),
        source=layout,
        group=first.group,
        page=first.page,
        image_sha256="",
        viewport=UNSIZED,
        category=first.category,
        truth=truth,
        tasks=tasks,
    )
    try:
        yield make_reference(sample, first.image)
    except RecordError as exc:
        yield from (Broken(where, str(exc)) for where in dict.fromkeys(each.where for each in marks))


def _problem_of(path: Path, parse: Parse, reading: LayoutReading) -> str:
    """Why a file cannot be used as a whole; "" if it can."""
    try:
        if next(records_of(path, ""), None) is None:
            return "holds no records"
    except FileError as exc:
        return str(exc)
    counts = dict.fromkeys(BoxForm, 0)
    total = 0
    for record in first_records(path, PROBED):
        for form in BoxForm:
            found = list(_parsed(record, path, parse, reading.in_form(form)))
            counts[form] += sum(isinstance(each, RecordMark) for each in found)
        total += len(found)
    return wrong_form(counts, total, reading)


def wrong_form(counts: Mapping[BoxForm, int], total: int, reading: LayoutReading) -> str:
    """The error for boxes that clearly have another form than declared; "" if they have not.

    Args:
        counts: number of valid boxes by form.
        total: number of tested boxes.
        reading: the data set, with the declared form.
    """
    best = max(BoxForm, key=lambda form: (counts[form], form is reading.form))
    own, other = counts[reading.form], counts[best]
    if other < ENOUGH or other < total / 2 or own > MOSTLY * other:
        return ""
    return (
        f"has boxes of another form: of its first {total}, {own} are right as {reading.form.words}, and {other} as "
        f"{best.words}: name it {reading.layout}@{best}:FOLDER"
    )
