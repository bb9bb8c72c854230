"""ScreenSpot, ScreenSpot-v2, their copies at Hugging Face, and ScreenSpot-Pro.

As published: `screenspot_{mobile,desktop,web}.json` beside a folder of images (njucckevin/SeeClick), and
`screenspot_*_v2.json` (OS-Copilot/ScreenSpot-v2): `img_filename`, `instruction`, `bbox` as left, top, width, height in
pixels, `data_type`, `data_source`. Copies as Parquet hold the image itself and left, top, right, bottom in 0–1
(rootsautomation/ScreenSpot, HongxinLi/ScreenSpot_v2) or the original form (lmms-lab/ScreenSpot-v2: `@xywh-px`).
ScreenSpot-Pro (likaixin/ScreenSpot-Pro): `annotations/*.json` with left, top, right, bottom in pixels and `img_size`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from perception.datasets.layouts.boxes import BoxForm
from perception.datasets.layouts.dataset_files import ImageFile, RecordError
from perception.datasets.layouts.jsonstream import Record
from perception.datasets.layouts.layout_base import Contents, DatasetLayout, LayoutReading, Peek
from perception.datasets.layouts.records import RecordContents, RecordMark, needed, object_of, optional_text, text_field
from perception.datasets.layouts.writing import ArrayFile, Edges, copy_image, file_name, pixel_box
from perception.datasets.sample import Broken, ElementKind, GroundingTask, Item

PLATFORMS = {
    **dict.fromkeys(("windows", "macos"), "desktop"),
    **dict.fromkeys(("ios", "android"), "mobile"),
    **dict.fromkeys(("tool", "shop", "gitlab", "forum"), "web"),
}
"""The paper's three kinds of screens, by `data_source`. https://arxiv.org/abs/2401.10935, figure 4"""

_V2_NAME = re.compile(r"screenspot.*_v2\.jsonl?", re.IGNORECASE)


def parse_screenspot(record: Record, path: Path, reading: LayoutReading) -> Iterator[RecordMark | Broken]:
    """Yields the target of a record. Group: `data_source`; category: `mobile`, `desktop` or `web`."""
    fields = object_of(record.value)
    name = text_field(fields, "img_filename", "file_name")
    image = reading.images.embedded(fields.get("image")) or reading.images.named(name, path)
    instruction = text_field(fields, "instruction")
    kind = kind_of(optional_text(fields, "data_type"))
    source = optional_text(fields, "data_source").lower()
    box = reading.box(needed(fields, "bbox"), image)
    category = PLATFORMS.get(source, source)
    yield RecordMark(record.where, name, image, source or name, name, category, instruction, box, kind)


def parse_pro(record: Record, path: Path, reading: LayoutReading) -> Iterator[RecordMark | Broken]:
    """Yields the target of a record. Group: application and platform; category: `group` (Dev, CAD, Office, …)."""
    fields = object_of(record.value)
    name = text_field(fields, "img_filename")
    image = reading.images.embedded(fields.get("image")) or reading.images.named(name, path)
    if fields.get("img_size") is not None:
        check_size(fields["img_size"], image)
    instruction = text_field(fields, "instruction")
    kind = kind_of(optional_text(fields, "ui_type"))
    parts = (optional_text(fields, "application"), optional_text(fields, "platform"))
    category = optional_text(fields, "group")
    box = reading.box(needed(fields, "bbox"), image)
    group = "-".join(filter(None, parts)) or name
    yield RecordMark(record.where, name, image, group, name, category, instruction, box, kind)


def kind_of(word: str) -> ElementKind:
    """The kind for `text` and `icon`; unknown for any other word. SeeClick's `hover` may be either."""
    return {"text": ElementKind.TEXT, "icon": ElementKind.ICON}.get(word.lower(), ElementKind.UNKNOWN)


def check_size(stated: object, image: ImageFile) -> None:
    """Checks the stated size of an image. Raises RecordError: the image has another size."""
    if not isinstance(stated, list | tuple) or [*stated] != [*image.size]:
        raise RecordError(f"the image has {image.size[0]}x{image.size[1]} pixels, its record says {stated!r}")


def _read_screenspot(reading: LayoutReading, files: list[Path]) -> Contents:
    return RecordContents(parse_screenspot, reading, files)


def _read_pro(reading: LayoutReading, files: list[Path]) -> Contents:
    return RecordContents(parse_pro, reading, files)


def _is_target(peek: Peek) -> bool:
    """Whether a file has instructions with boxes and no fields of more specific layouts."""
    wanted = {"instruction", "bbox"} <= peek.fields and bool({"img_filename", "file_name"} & peek.fields)
    return peek.listed and wanted and "img_size" not in peek.fields


def _claims_v1(peek: Peek) -> bool:
    return _is_list(peek) and not _V2_NAME.fullmatch(peek.path.name)


def _claims_v2(peek: Peek) -> bool:
    return _is_list(peek) and bool(_V2_NAME.fullmatch(peek.path.name))


def _is_list(peek: Peek) -> bool:
    """Whether a file is a JSON list of targets, or has the name of one, so that errors in it are reported."""
    if peek.path.suffix.lower() != ".json":
        return False
    return _is_target(peek) or (peek.path.name.lower().startswith("screenspot") and not peek.listed)


def _claims_copy(peek: Peek) -> bool:
    return peek.top in ("lines", "rows") and _is_target(peek)


def _claims_pro(peek: Peek) -> bool:
    return peek.listed and {"img_filename", "bbox", "img_size"} <= peek.fields


def write_screenspot(items: Iterable[Item], folder: Path) -> int:
    """Writes `screenspot_web.json` and `screenspot_imgs/` and returns the number of records, one for each task.

    Boxes are in image px, clipped to the image, rounded to hundredths. Tasks outside the image are skipped.
    """
    return _write_targets(items, folder, "screenspot_web.json", "screenspot_imgs")


def write_screenspot_v2(items: Iterable[Item], folder: Path) -> int:
    """Writes `screenspot_web_v2.json` and `screenspotv2_image/`; see `write_screenspot`."""
    return _write_targets(items, folder, "screenspot_web_v2.json", "screenspotv2_image")


def write_pro(items: Iterable[Item], folder: Path) -> int:
    """Writes `annotations/web.json` and `images/<group>/…` and returns the number of records, one for each task.

    Boxes are those of `write_screenspot`, with right and bottom edges instead of sizes.
    """
    with ArrayFile(folder / "annotations" / "web.json") as file:
        for item in items:
            name = f"{file_name(item.sample.group)}/{file_name(item.sample.name, item)}"
            for task, (left, top, right, bottom), size in _targets(item, folder / "images" / name):
                file.add(
                    {
                        "id": f"web_{file.count}",
                        "img_filename": name,
                        "bbox": [left, top, right, bottom],
                        "img_size": [*size],
                        "ui_type": task.kind.value,
                        "platform": "web",
                        "application": item.sample.group,
                        "group": item.sample.category,
                        "instruction": task.instruction,
                    }
                )
    return file.count


def _write_targets(items: Iterable[Item], folder: Path, records: str, images: str) -> int:
    with ArrayFile(folder / records) as file:
        for item in items:
            name = file_name(item.sample.name, item)
            for task, (left, top, right, bottom), _ in _targets(item, folder / images / name):
                file.add(
                    {
                        "img_filename": name,
                        "instruction": task.instruction,
                        "bbox": [left, top, round(right - left, 2), round(bottom - top, 2)],
                        "data_type": task.kind.value,
                        "data_source": item.sample.group,
                    }
                )
    return file.count


def _targets(item: Item, image: Path) -> Iterator[tuple[GroundingTask, Edges, tuple[int, int]]]:
    """Yields tasks with their boxes, px of the image, and its size; copies the image if there is a task."""
    boxes = [(task, pixel_box(task.box, item.sample.viewport)) for task in item.sample.tasks]
    found = [(task, box) for task, box in boxes if box is not None]
    if found:
        size = copy_image(item, image)
        yield from ((task, box, size) for task, box in found)


SCREENSPOT = DatasetLayout(
    "ScreenSpot: screenspot_{mobile,desktop,web}.json and a folder of images",
    _claims_v1,
    _read_screenspot,
    BoxForm.XYWH_PX,
    write_screenspot,
)
SCREENSPOT_V2 = DatasetLayout(
    "ScreenSpot-v2: screenspot_{mobile,desktop,web}_v2.json and a folder of images",
    _claims_v2,
    _read_screenspot,
    BoxForm.XYWH_PX,
    write_screenspot_v2,
)
SCREENSPOT_HF = DatasetLayout(
    "copies of ScreenSpot and ScreenSpot-v2 as Parquet or JSON Lines, boxes as left, top, right, bottom in 0–1",
    _claims_copy,
    _read_screenspot,
    BoxForm.XYXY_NORMALIZED,
)
SCREENSPOT_PRO = DatasetLayout(
    "ScreenSpot-Pro: annotations/*.json and images/<application>/…",
    _claims_pro,
    _read_pro,
    BoxForm.XYXY_PX,
    write_pro,
)
