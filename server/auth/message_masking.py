"""Masking the texts of messages on their way out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.struct_pb2 import Value

from perception.secrets import Masker, TypedSecrets

_OURS = frozenset({"ref", "frame", "cursor", "mime_type", "stage"})
"""Fields whose words are the service's own, beside ids and refs: a mask in them would name something else."""

_OUR_ENDS = ("_id", "_ids", "_ref", "_refs", "_cursor", "_token")


@dataclass(frozen=True, slots=True)
class _Plan:
    """What in a kind of message can hold texts of pages: fields by name."""

    texts: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    inner_lists: tuple[str, ...] = ()
    maps: tuple[str, ...] = ()


def redact_message(message: Message, masker: Masker) -> None:
    """Masks every text in a message that could hold a page's."""
    texts: list[str] = []
    _gather(message, texts)
    if masker.may_show("\0".join(texts)):  # one look at all of it, since most messages hold none
        _mask_message(message, masker)


def redact_typed(message: Message, typed: TypedSecrets) -> None:
    """Masks what was typed into sensitive fields, in a message about what a session did."""
    if typed.masker is not None:
        redact_message(message, typed.masker)


def _gather(message: Message, into: list[str]) -> None:
    """All texts of a message; numbers of JSON values as text."""
    if isinstance(message, Value) and message.WhichOneof("kind") == "number_value":
        into.append(f"{message.number_value:.17g}")
        return
    plan = _plan_of(message.DESCRIPTOR)
    into += [getattr(message, name) for name in plan.texts]
    for name in plan.lists:
        into += getattr(message, name)
    for name in plan.inner:
        if message.HasField(name):
            _gather(getattr(message, name), into)
    for name in plan.inner_lists:
        for each in getattr(message, name):
            _gather(each, into)
    for name in plan.maps:
        for key, value in getattr(message, name).items():
            into.append(str(key))
            if isinstance(value, Message):
                _gather(value, into)
            elif isinstance(value, str):
                into.append(value)


def _mask_message(message: Message, masker: Masker) -> None:
    if isinstance(message, Value):
        _mask_value(message, masker)
    plan = _plan_of(message.DESCRIPTOR)
    for name in plan.texts:
        value = getattr(message, name)
        masked = masker.text(value)
        if masked is not value:
            setattr(message, name, masked)
    for name in plan.lists:
        values = getattr(message, name)
        for index, each in enumerate(values):
            values[index] = masker.text(each)
    for name in plan.inner:
        if message.HasField(name):
            _mask_message(getattr(message, name), masker)
    for name in plan.inner_lists:
        for each in getattr(message, name):
            _mask_message(each, masker)
    for name in plan.maps:
        _mask_map(getattr(message, name), masker)


@cache
def _plan_of(descriptor: Descriptor) -> _Plan:
    found: dict[str, list[str]] = {"texts": [], "lists": [], "inner": [], "inner_lists": [], "maps": []}
    for field in descriptor.fields:
        kind = field.message_type
        if field.type == FieldDescriptor.TYPE_STRING and not _is_ours(field.name):
            found["lists" if field.is_repeated else "texts"].append(field.name)
        elif kind is not None and kind.GetOptions().map_entry:
            found["maps"].append(field.name)
        elif kind is not None and _holds_texts(kind):
            found["inner_lists" if field.is_repeated else "inner"].append(field.name)
    return _Plan(**{name: tuple(fields) for name, fields in found.items()})


def _holds_texts(descriptor: Descriptor) -> bool:
    """Whether a kind of message, or one in it, has a field for a text or a map."""
    kinds, waiting = {descriptor.full_name}, [descriptor]
    while waiting:
        for field in waiting.pop().fields:
            if field.type == FieldDescriptor.TYPE_STRING and not _is_ours(field.name):
                return True
            kind = field.message_type
            if kind is not None and kind.full_name not in kinds:
                kinds.add(kind.full_name)
                waiting.append(kind)
    return False


def _mask_map(entries: Any, masker: Masker) -> None:
    """Masks the entries of JSON objects, keys too."""
    for key in list(entries):
        value = entries[key]
        if isinstance(value, Message):
            _mask_message(value, masker)
        elif isinstance(value, str):
            entries[key] = masker.text(value)
        masked = masker.text(key) if isinstance(key, str) else key
        if masked != key:
            if isinstance(value, Message):
                entries[masked].CopyFrom(value)
            else:
                entries[masked] = entries[key]
            del entries[key]


def _mask_value(value: Value, masker: Masker) -> None:
    if value.WhichOneof("kind") == "number_value":
        masked = masker.number(value.number_value)
        if masked is not None:
            value.string_value = masked


def _is_ours(name: str) -> bool:
    return name in _OURS or name.endswith(_OUR_ENDS)
