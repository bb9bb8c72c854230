"""Folders whose files list records, each with its image: from records to samples.

Records of one image that follow each other are one sample with a task each; what comes of an image later on is a sample
of its own, so that no more than one image's records are ever held.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from perception.datasets.layouts.boxes import BoxError, BoxForm
from perception.datasets.layouts.common import (
    UNSIZED,
    Contents,
    FolderReference,
    Names,
    Reading,
    first_records,
    make_reference,
    records_of,
)
from perception.datasets.layouts.files import ImageFile, RecordError
from perception.datasets.layouts.jsonstream import FileError, Record
from perception.datasets.sample import Broken, DatasetError, Evidence, Kind, Reference, Sample, Task, TruthElement
from perception.geometry import Box

PROBED = 60
"""Records of a file that its form of boxes is checked on."""

ENOUGH = 3
"""Boxes that have to speak for another form."""

MOSTLY = 0.75
"""A form is wrong where it explains at most this share of the boxes that another one explains. Of boxes that are spread
evenly over an image, a quarter are still within it when corners are read as sizes; when sizes are read as corners, far
fewer are. Boxes that are broken one by one are so in every form."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One target in one image. Marks that follow each other with the same `key` and image are one sample.

    Attributes:
        where: the record it is from.
        key: the sample's name.
        role, name: of the target, where the data set has them.
    """

    where: str
    key: str
    image: ImageFile
    group: str
    page: str
    category: str
    instruction: str
    box: Box
    kind: Kind = Kind.UNKNOWN
    role: str = ""
    name: str = ""


Parse = Callable[[Record, Path, Reading], Iterator[Mark | Broken]]
"""A record of a file into its targets. Raises RecordError or BoxError where nothing of it can be used."""


class RecordContents(Contents):
    """A folder whose files list records."""

    def __init__(self, parse: Parse, reading: Reading, files: Sequence[Path]) -> None:
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
    """The text of the first of these fields that is there. Raises RecordError: there is none, or it is empty."""
    for name in names:
        if record.get(name) is not None:
            if text := optional_text(record, name):
                return text
            raise RecordError(f"{name} is empty")
    raise RecordError(f"{' or '.join(names)} is missing")


def optional_text(record: Mapping[str, object], name: str) -> str:
    """The text of a field, stripped; empty where it is missing. Raises RecordError for what is no text."""
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise RecordError(f"{name} is {type(value).__name__}, not text")
    try:
        value.encode()
    except UnicodeEncodeError as exc:
        raise RecordError(f"{name} holds half of a surrogate pair, which is no text") from exc
    return value.strip()


def object_of(value: object) -> Mapping[str, object]:
    """A record's fields. Raises RecordError for what is no object."""
    if not isinstance(value, dict):
        raise RecordError(f"the record is {type(value).__name__}, not an object")
    return value


def needed(record: Mapping[str, object], name: str) -> object:
    """A field of any type. Raises RecordError where it is missing."""
    if record.get(name) is None:
        raise RecordError(f"{name} is missing")
    return record[name]


def _grouped(marks: Iterator[Mark | Broken]) -> Iterator[list[Mark] | Broken]:
    """Marks of one sample together. What is broken comes as it is met, and does not end a sample."""
    group: list[Mark] = []
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


def _marks(path: Path, parse: Parse, reading: Reading) -> Iterator[Mark | Broken]:
    label = reading.label(path)
    try:
        for record in records_of(path, label):
            if isinstance(record, Broken):
                yield record
            else:
                yield from _parsed(record, path, parse, reading)
    except FileError as exc:
        yield Broken(label, f"the file {exc}; what comes after that is not read")


def _parsed(record: Record, path: Path, parse: Parse, reading: Reading) -> Iterator[Mark | Broken]:
    try:
        yield from parse(record, path, reading)
    except (RecordError, BoxError) as exc:
        yield Broken(record.where, str(exc))


def _finish(marks: list[Mark], layout: str, names: Names) -> Iterator[FolderReference | Broken]:
    first = marks[0]
    truth = tuple(
        TruthElement(each.role, each.name, each.box, True, kind=each.kind, evidence=(Evidence.ANNOTATION,))
        for each in marks
    )
    tasks = tuple(Task(each.instruction, each.box, each.kind, target=index) for index, each in enumerate(marks))
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


def _problem_of(path: Path, parse: Parse, reading: Reading) -> str:
    """Why a file cannot be used as a whole; empty where it can."""
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
            counts[form] += sum(isinstance(each, Mark) for each in found)
        total += len(found)
    return wrong_form(counts, total, reading)


def wrong_form(counts: Mapping[BoxForm, int], total: int, reading: Reading) -> str:
    """What to say where boxes are clearly of another form than the one they are read in; empty where they are not.

    Args:
        counts: boxes that are right, by form.
        total: boxes that were tried.
    """
    best = max(BoxForm, key=lambda form: (counts[form], form is reading.form))
    own, other = counts[reading.form], counts[best]
    if other < ENOUGH or other < total / 2 or own > MOSTLY * other:
        return ""
    return (
        f"has boxes of another form: of its first {total}, {own} are right as {reading.form.words}, and {other} as "
        f"{best.words}: name it {reading.layout}@{best}:FOLDER"
    )
