"""SeeClick's web data: one list of pages, each with an image and elements.

As published (njucckevin/SeeClick, readme_data.md): `seeclick_web.json` beside `seeclick_web_imgs/`; a page is
`img_filename`, `url`, `elements`; an element is `instruction`, `bbox` as left, top, right, bottom in 0–1, `data_type`,
which is `text` (its own words) or `hover` (its `title`, shown when the pointer is on it). Some elements have negative
edges; the authors' own loader leaves those out, and here they are listed as broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from perception.datasets.layouts.boxes import BoxError, BoxForm
from perception.datasets.layouts.dataset_files import ImageFile, RecordError
from perception.datasets.layouts.jsonstream import Record
from perception.datasets.layouts.layout_base import Contents, DatasetLayout, LayoutReading, Peek
from perception.datasets.layouts.records import RecordContents, RecordMark, needed, object_of, optional_text, text_field
from perception.datasets.layouts.screenspot import kind_of
from perception.datasets.layouts.writing import ArrayFile, Edges, copy_image, file_name, is_shown, pixel_box
from perception.datasets.sample import Broken, ElementKind, Item, TruthElement

_KIND_WORDS = {ElementKind.TEXT: "text", ElementKind.ICON: "hover", ElementKind.UNKNOWN: ""}

SEECLICK_DIGITS = 6
"""Decimals of shares: hundredths of a pixel in images up to 10,000 px."""


def parse_page(record: Record, path: Path, reading: LayoutReading) -> Iterator[RecordMark | Broken]:
    """Yields a target for each element, with its instruction as name. Group: the page's host."""
    fields = object_of(record.value)
    name = text_field(fields, "img_filename")
    image = reading.images.named(name, path)
    group = _host(optional_text(fields, "url")) or name
    elements = needed(fields, "elements")
    if not isinstance(elements, list) or not elements:
        raise RecordError(f"elements is {'an empty list' if elements == [] else type(elements).__name__}")
    for index, element in enumerate(elements):
        where = f"{record.where}.elements[{index}]"
        try:
            yield _mark(where, element, name, image, group, reading)
        except (RecordError, BoxError) as exc:
            yield Broken(where, str(exc))


def _mark(where: str, element: object, name: str, image: ImageFile, group: str, reading: LayoutReading) -> RecordMark:
    fields = object_of(element)
    instruction = text_field(fields, "instruction")
    kind = kind_of(optional_text(fields, "data_type"))
    box = reading.box(needed(fields, "bbox"), image)
    return RecordMark(where, name, image, group, name, "web", instruction, box, kind, name=instruction)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # `http://[`: only the host of the URL is needed
        return ""


def _read(reading: LayoutReading, files: list[Path]) -> Contents:
    return RecordContents(parse_page, reading, files)


def _claims(peek: Peek) -> bool:
    return peek.listed and {"img_filename", "elements"} <= peek.fields


def write_seeclick(items: Iterable[Item], folder: Path) -> int:
    """Writes `seeclick_web.json` and `seeclick_web_imgs/` and returns the number of records.

    There is one record for each sample with named controls. Its elements are the controls that are not known to be
    covered, with boxes clipped to the image.
    """
    with ArrayFile(folder / "seeclick_web.json") as file:
        for item in items:
            elements = _elements(item)
            if elements:
                name = file_name(item.sample.name, item)
                size = copy_image(item, folder / "seeclick_web_imgs" / name)
                url = item.sample.capture.url if item.sample.capture else ""
                rows = [_element_record(element, box, size) for element, box in elements]
                file.add({"img_filename": name, "url": url, "elements": rows})
    return file.count


def _elements(item: Item) -> list[tuple[TruthElement, Edges]]:
    """Named visible controls, with their edges in image px."""
    boxes = [(element, pixel_box(element.box, item.sample.viewport)) for element in item.sample.truth]
    return [(element, box) for element, box in boxes if box is not None and element.name and is_shown(element)]


def _element_record(element: TruthElement, box: Edges, size: tuple[int, int]) -> Mapping[str, object]:
    width, height = size
    shares = [round(edge / side, SEECLICK_DIGITS) for edge, side in zip(box, (width, height) * 2, strict=True)]
    return {"instruction": element.name, "bbox": shares, "data_type": _KIND_WORDS[element.kind]}


SEECLICK = DatasetLayout(
    "SeeClick's web data: seeclick_web.json (pages with elements) and a folder of images",
    _claims,
    _read,
    BoxForm.XYXY_NORMALIZED,
    write_seeclick,
)
