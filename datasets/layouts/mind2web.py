"""Multimodal-Mind2Web: one action a record, with the screenshot before it.

As published (osunlp/Multimodal-Mind2Web): Parquet with `annotation_id`, `action_uid`, `confirmed_task`, `operation`
(JSON in a string: `op`, `original_op`, `value`), `pos_candidates` (JSON in strings; a candidate's `attributes`, JSON in
a string once more, hold `bounding_box_rect`: left, top, width, height in pixels of the whole page's screenshot, and
`-1,-1,-1,-1` for what is not shown), `screenshot`. Exports write the same as JSON Lines, with the screenshot as a path
or in base64. SeeClick's form of it (`mind2web_data_*.json`) lists tasks with their `actions`, which have a `bbox`
object, and whose images are `<annotation_id>-<action_uid>.jpg`.

A sample's instruction is the task, then the step: `<task> -> TYPE: <value>`, as the data set itself writes its steps;
CLICK has no value. The target is not named in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from perception.datasets.layouts.boxes import BoxError, BoxForm, numbers_of
from perception.datasets.layouts.dataset_files import ImageFile, RecordError
from perception.datasets.layouts.jsonstream import Record
from perception.datasets.layouts.layout_base import Contents, DatasetLayout, LayoutReading, Peek
from perception.datasets.layouts.records import RecordContents, RecordMark, object_of, optional_text, text_field
from perception.datasets.sample import Broken
from perception.geometry import Box

_SHAPES = ("{task}-{action}.jpg", "{task}-{action}.png", "{action}.jpg", "{action}.png")
"""Patterns of image names for records without one: SeeClick's, and those of exporters by `action_uid` only."""


def parse_record(record: Record, path: Path, reading: LayoutReading) -> Iterator[RecordMark | Broken]:
    """Yields the target of an action; for a task with actions, one for each."""
    fields = object_of(record.value)
    if "actions" not in fields:
        yield _mark(record.where, fields, path, reading)
        return
    actions = fields["actions"]
    if not isinstance(actions, list):
        raise RecordError(f"actions is {type(actions).__name__}, not a list")
    for index, action in enumerate(actions):
        where = f"{record.where}.actions[{index}]"
        try:
            yield _mark(where, {**fields, **object_of(action)}, path, reading)
        except (RecordError, BoxError) as exc:
            yield Broken(where, str(exc))


def _mark(where: str, fields: Mapping[str, object], path: Path, reading: LayoutReading) -> RecordMark:
    """The target of one action. Group: the website; category: its domain; page: the task, whose actions share a
    site."""
    task_id = text_field(fields, "annotation_id")
    action_id = text_field(fields, "action_uid")
    instruction = instruction_of(text_field(fields, "confirmed_task", "task"), fields)
    value = _target(fields)
    image = _image(fields, task_id, action_id, path, reading)
    return RecordMark(
        where=where,
        key=f"{task_id}/{action_id}",
        image=image,
        group=optional_text(fields, "website") or task_id,
        page=task_id,
        category=optional_text(fields, "domain"),
        instruction=instruction,
        box=_shown_box(value, image, reading),
    )


def instruction_of(task: str, fields: Mapping[str, object]) -> str:
    """`<task> -> TYPE: <value>`. Raises RecordError: the operation has no name."""
    operation = _unpacked(fields.get("operation"))
    if isinstance(operation, Mapping):
        verb, value = text_field(operation, "op", "original_op"), optional_text(operation, "value")
    else:
        verb, value = text_field(fields, "operation"), optional_text(fields, "value")
    return f"{task} -> {verb.upper()}{': ' if value else ''}{value}"


def _target(fields: Mapping[str, object]) -> object:
    """The four numbers of the target's box: from `bbox`, else from the candidate that is the original target, else from
    the first visible candidate."""
    if fields.get("bbox") is not None:
        return _numbers(fields["bbox"])
    candidates = fields.get("pos_candidates")
    if not isinstance(candidates, Sequence) or isinstance(candidates, str) or not candidates:
        raise RecordError("the step has no target: there is no bbox, and pos_candidates is empty")
    shown = [each for each in map(_candidate, candidates) if each is not None]
    if not shown:
        raise RecordError("the step's target is not shown: no pos_candidates have a bounding_box_rect")
    return max(shown, key=lambda each: each[0])[1]  # of equals the first


def _candidate(value: object) -> tuple[bool, object] | None:
    """Whether a candidate is the original target, and its numbers; None if it is not visible."""
    candidate = object_of(_unpacked(value))
    attributes = _unpacked(candidate.get("attributes"))
    holder = attributes if isinstance(attributes, Mapping) else candidate
    numbers = _numbers(holder.get("bounding_box_rect"))
    if numbers is None or numbers == [-1, -1, -1, -1]:
        return None
    return candidate.get("is_original_target") is True, numbers


def _numbers(value: object) -> object:
    """Four numbers from `{"x": …}` or "x,y,width,height"; any other value unchanged."""
    value = _unpacked(value)
    if isinstance(value, Mapping):
        return [value.get(name) for name in ("x", "y", "width", "height")]
    if isinstance(value, str):
        try:
            return [float(part) for part in value.split(",")]
        except ValueError as exc:
            raise RecordError(f"bounding_box_rect {value!r}: four numbers are wanted") from exc
    return value


def _unpacked(value: object) -> object:
    """The value of JSON in a string; any other value unchanged."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        try:
            return json.loads(value)
        except (ValueError, RecursionError) as exc:
            raise RecordError(f"JSON within a string is damaged: {exc}") from exc
    return value


def _shown_box(value: object, image: ImageFile, reading: LayoutReading) -> Box:
    """The visible part of an element's box. Elements of pages may exceed the screenshot by more than annotated boxes
    do. Raises BoxError: the center, which is the click point, is outside."""
    try:
        return reading.box(value, image)
    except BoxError:
        left, top, width, height = numbers_of(value)
        if reading.form is not BoxForm.XYWH_PX or min(width, height) <= 0:
            raise
        whole, screen = Box(left, top, left + width, top + height), Box(0, 0, *image.size)
        inside = whole.intersect(screen)
        if inside is None or not screen.contains(whole.center):
            raise
        return inside


def _image(fields: Mapping[str, object], task: str, action: str, path: Path, reading: LayoutReading) -> ImageFile:
    named = fields.get("screenshot", fields.get("img_filename"))
    if (image := reading.images.embedded(named)) is not None:
        return image
    if isinstance(named, Mapping):
        named = named.get("path")
    if isinstance(named, str) and named:
        return reading.images.named(named, path)
    if "screenshot" in fields:
        raise RecordError("screenshot is empty: the data set has none for this action")
    for shape in _SHAPES:
        try:
            return reading.images.named(shape.format(task=task, action=action), path)
        except RecordError:
            continue
    raise RecordError(f"no screenshot is named, and none is called {_SHAPES[0].format(task=task, action=action)}")


def _read(reading: LayoutReading, files: list[Path]) -> Contents:
    return RecordContents(parse_record, reading, files)


def _claims(peek: Peek) -> bool:
    return peek.listed and "annotation_id" in peek.fields and bool({"action_uid", "actions"} & peek.fields)


MIND2WEB = DatasetLayout(
    "Multimodal-Mind2Web: Parquet or JSON Lines, an action a record; or SeeClick's mind2web_data_*.json with images",
    _claims,
    _read,
    BoxForm.XYWH_PX,
)
