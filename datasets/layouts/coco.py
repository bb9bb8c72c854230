"""COCO detection: one object with `images`, `annotations` and `categories`.

As published (cocodataset.org/#format-data): `annotations/instances_*.json` beside `train2017/`, `val2017/`; copies have
`_annotations.coco.json` beside the images. `bbox` is left, top, width, height in pixels. A category's name becomes the
role of a truth element, and every element counts as interactive; a crowd region (`iscrowd`) has the state `crowd` and
does not count.

Annotations may come in any order, so they are held in memory as columns, about 60 bytes each, while images are
streamed.
"""

from __future__ import annotations

import json
import shutil
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perception.datasets.layouts.boxes import BoxError, BoxForm, forms_that_fit, numbers_of
from perception.datasets.layouts.dataset_files import ImageFile, RecordError
from perception.datasets.layouts.jsonstream import FileError, read_members
from perception.datasets.layouts.layout_base import (
    UNSIZED,
    Contents,
    DatasetLayout,
    LayoutReading,
    Names,
    Peek,
    make_reference,
)
from perception.datasets.layouts.records import PROBED, needed, object_of, text_field, wrong_form
from perception.datasets.layouts.writing import ArrayFile, copy_image, file_name, is_shown, pixel_box
from perception.datasets.sample import Broken, DatasetError, Evidence, Item, Reference, Sample, TruthElement

CROWD = "crowd"

UNNAMED = "element"
"""Category of elements without a role: other tools refuse an empty name."""

_LISTS = frozenset({"images", "annotations", "categories"})


@dataclass(slots=True)
class Index:
    """The annotations of one file as columns, with the ids that they refer to.

    Attributes:
        images, categories: a row for each id.
        names: names of categories, by row.
        place: index of an annotation in its list.
        broken: annotations and categories that cannot be used; `spoiled`: the images that they belong to.
    """

    images: dict[str, int] = field(default_factory=dict)
    categories: dict[str, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    numbers: array[float] = field(default_factory=lambda: array("d"))
    image: array[int] = field(default_factory=lambda: array("q"))
    category: array[int] = field(default_factory=lambda: array("q"))
    place: array[int] = field(default_factory=lambda: array("q"))
    crowd: array[int] = field(default_factory=lambda: array("b"))
    broken: list[Broken] = field(default_factory=list)
    spoiled: set[int] = field(default_factory=set)

    def image_row(self, image_id: str) -> int:
        return self.images.setdefault(image_id, len(self.images))

    def add_category(self, fields: Mapping[str, object]) -> None:
        """Adds a category. Raises RecordError: it is invalid, or its id is used."""
        row = self.categories.setdefault(_id_of(fields, "id"), len(self.categories))
        if row in self.names:
            raise RecordError(f"id {fields['id']!r} is that of an earlier category")
        self.names[row] = text_field(fields, "name")

    def add_annotation(self, place: int, fields: Mapping[str, object]) -> None:
        """Adds an annotation. Raises RecordError or BoxError: it is invalid; its image is then marked as spoiled."""
        image = self.image_row(_id_of(fields, "image_id"))
        try:
            numbers = numbers_of(needed(fields, "bbox"))
            category = self.categories.setdefault(_id_of(fields, "category_id"), len(self.categories))
            if (crowd := fields.get("iscrowd", 0)) not in (0, 1):
                raise RecordError(f"iscrowd is {crowd!r}, not 0 or 1")
        except (RecordError, BoxError):
            self.spoiled.add(image)
            raise
        self.numbers.extend(numbers)
        self.image.append(image)
        self.category.append(category)
        self.place.append(place)
        self.crowd.append(int(crowd == 1))

    def box(self, annotation: int) -> list[float]:
        return self.numbers[4 * annotation : 4 * annotation + 4].tolist()


class CocoFile:
    """One file with its index. Raises FileError: it is not a COCO file."""

    def __init__(self, path: Path, reading: LayoutReading) -> None:
        self._path = path
        self._reading = reading
        self._label = reading.label(path)
        self._index = _read_index(path, self._label)
        image: NDArray[np.int64] = np.array(self._index.image, np.int64)
        self._order = np.argsort(image, kind="stable")
        self._sorted = image[self._order]

    def problem(self) -> str:
        """Why the file cannot be used as a whole, by the sizes that it states; "" if it can be used."""
        counts = dict.fromkeys(BoxForm, 0)
        total = 0
        for _, fields in islice(self._images(), PROBED):
            size = (fields.get("width"), fields.get("height"))
            if isinstance(size[0], int) and isinstance(size[1], int):
                for annotation in self._annotations(self._index.images.get(str(fields.get("id")), -1)):
                    total += 1
                    for form in forms_that_fit(self._index.box(annotation), (size[0], size[1])):
                        counts[form] += 1
        return wrong_form(counts, total, self._reading)

    def read(self, names: Names) -> Iterator[Reference | Broken]:
        """Yields broken records of the other lists, then each image."""
        yield from self._index.broken
        seen: set[int] = set()
        try:
            for where, fields in self._images():
                try:
                    yield from self._sample(where, fields, seen, names)
                except RecordError as exc:
                    yield Broken(where, str(exc))
        except FileError as exc:
            yield Broken(self._label, f"the file {exc}; what comes after that is not read")
        for annotation, image in enumerate(self._index.image):
            if image not in seen:
                yield self._broken(annotation, "its image_id is not among the images")

    def _images(self) -> Iterator[tuple[str, Mapping[str, object]]]:
        for key, place, value in read_members(self._path):
            if key == "images" and place >= 0:
                # A value that is not an object lacks every field, which is reported.
                yield f"{self._label}.images[{place}]", value if isinstance(value, dict) else {}

    def _annotations(self, image: int) -> list[int]:
        first, last = np.searchsorted(self._sorted, [image, image + 1])
        return [int(each) for each in self._order[first:last]]

    def _sample(
        self, where: str, fields: Mapping[str, object], seen: set[int], names: Names
    ) -> Iterator[Reference | Broken]:
        row = self._index.image_row(_id_of(fields, "id"))
        if row in seen:
            raise RecordError(f"id {fields['id']!r} is that of an earlier image")
        seen.add(row)
        name = text_field(fields, "file_name")
        image = self._reading.images.named(name, self._path)
        _check_size(fields, image)
        truth: list[TruthElement] = []
        complete = row not in self._index.spoiled
        for annotation in self._annotations(row):
            try:
                truth.append(self._element(annotation, image))
            except (RecordError, BoxError) as exc:
                complete = False
                yield self._broken(annotation, str(exc))
        source = self._reading.layout
        sample = Sample(names.unique(name), source, name, name, "", UNSIZED, complete=complete, truth=tuple(truth))
        yield make_reference(sample, image)

    def _element(self, annotation: int, image: ImageFile) -> TruthElement:
        role = self._index.names.get(self._index.category[annotation])
        if role is None:
            raise RecordError("its category_id is not among the categories")
        box = self._reading.box(self._index.box(annotation), image)
        crowd = bool(self._index.crowd[annotation])
        states = (CROWD,) if crowd else ()
        reachable = None if crowd else True  # what was marked can be seen
        return TruthElement(role, "", box, not crowd, reachable, evidence=(Evidence.ANNOTATION,), states=states)

    def _broken(self, annotation: int, reason: str) -> Broken:
        return Broken(f"{self._label}.annotations[{self._index.place[annotation]}]", reason)


class CocoContents(Contents):
    """A folder's COCO files."""

    def __init__(self, reading: LayoutReading, files: Sequence[Path]) -> None:
        self._reading = reading
        # COCO's own files of captions and keypoints have the same images.
        self._paths = [path for path in files if path.name.lower().startswith("instances")] or files
        self._files: dict[Path, CocoFile] = {}
        self._problems: dict[Path, str] = {}

    def check(self) -> None:
        for path in self._paths:
            try:
                file = CocoFile(path, self._reading)
                problem = file.problem()
            except FileError as exc:
                problem = str(exc)
            if problem:
                self._problems[path] = problem
            else:
                self._files[path] = file
        if self._problems and not self._files:
            path, problem = next(iter(self._problems.items()))
            raise DatasetError(f"{self._reading.label(path)} {problem}")

    def read(self) -> Iterator[Reference | Broken]:
        names = Names()
        for path, problem in self._problems.items():
            yield Broken(self._reading.label(path), f"the file {problem}")
        for file in self._files.values():
            yield from file.read(names)


def _read_index(path: Path, label: str) -> Index:
    index = Index()
    lists = set()
    for key, place, value in read_members(path):
        if key not in _LISTS:
            continue
        if place < 0 and value != []:
            raise FileError(f"has {key} that are no list")
        lists.add(key)
        try:
            if key == "categories":
                index.add_category(object_of(value))
            elif key == "annotations":
                index.add_annotation(place, object_of(value))
        except (RecordError, BoxError) as exc:
            index.broken.append(Broken(f"{label}.{key}[{place}]", str(exc)))
    if missing := sorted(_LISTS - lists):
        raise FileError(f"has no {' and no '.join(missing)}")
    return index


def _id_of(fields: Mapping[str, object], name: str) -> str:
    """An id as text: some tools write numbers in one list and text in the other."""
    value = needed(fields, name)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise RecordError(f"{name} is {value!r}, not a whole number or text")
    return str(value)


def _check_size(fields: Mapping[str, object], image: ImageFile) -> None:
    stated = (fields.get("width"), fields.get("height"))
    if stated != (None, None) and stated != image.size:
        raise RecordError(
            f"the image has {image.size[0]}x{image.size[1]} pixels, its record says {stated[0]}x{stated[1]}"
        )


def _claims(peek: Peek) -> bool:
    return peek.top == "{" and bool({"images", "annotations"} & peek.fields)


def write_coco(items: Iterable[Item], folder: Path) -> int:
    """Writes `annotations/instances.json` and `images/`, with an image for each sample with complete truth.

    Annotations are the controls that are not known to be covered, with their roles as categories; boxes are in image
    px, clipped to the image, rounded to hundredths.

    Returns:
        The number of images.
    """
    folder = folder / "annotations"
    categories: dict[str, int] = {}
    with ArrayFile(folder / "images.json") as images, ArrayFile(folder / "annotations.json") as annotations:
        for item in items:
            if item.sample.complete:
                images.add(_image_record(item, images.count + 1, folder.parent))
                for annotation in _annotation_records(item, images.count, categories):
                    annotations.add({"id": annotations.count + 1, **annotation})
    _join(folder, categories)
    return images.count


def _image_record(item: Item, number: int, folder: Path) -> Mapping[str, object]:
    name = file_name(item.sample.name, item)
    width, height = copy_image(item, folder / "images" / name)
    return {"id": number, "file_name": name, "width": width, "height": height}


def _annotation_records(item: Item, image: int, categories: dict[str, int]) -> Iterator[Mapping[str, object]]:
    """Annotations of one sample; adds new roles to the categories."""
    for element in item.sample.truth:
        box = pixel_box(element.box, item.sample.viewport)
        crowd = CROWD in element.states
        if box is None or not (crowd or is_shown(element)):
            continue
        left, top, right, bottom = box
        width, height = round(right - left, 2), round(bottom - top, 2)
        yield {
            "image_id": image,
            "category_id": categories.setdefault(element.role or UNNAMED, len(categories) + 1),
            "bbox": [left, top, width, height],
            "area": round(width * height, 2),
            "iscrowd": int(crowd),
        }


def _join(folder: Path, categories: Mapping[str, int]) -> None:
    """Joins the lists, which grew in files of their own, to one file."""
    part = folder / ".instances.json.part"
    with part.open("w", encoding="utf-8") as whole:
        whole.write("{")
        for name in ("images", "annotations"):
            whole.write(f'"{name}": ')
            with (folder / f"{name}.json").open(encoding="utf-8") as file:
                shutil.copyfileobj(file, whole)
            whole.write(", ")
        rows = [{"id": number, "name": name} for name, number in categories.items()]
        whole.write(f'"categories": {json.dumps(rows, ensure_ascii=False)}}}\n')
    part.replace(folder / "instances.json")
    for name in ("images", "annotations"):
        (folder / f"{name}.json").unlink()


COCO = DatasetLayout(
    "COCO detection: a JSON object with images, annotations and categories, and a folder of images",
    _claims,
    CocoContents,
    BoxForm.XYWH_PX,
    write_coco,
)
