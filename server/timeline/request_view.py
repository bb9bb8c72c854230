"""A request as people may see it: without what is typed, sent or imported. Pure.

Rule 1: nothing that may be secret is kept of a request, not even in memory: what is typed, values of headers, arguments
of scripts and tools, content of files and states.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message

from perception.browser.traffic.traffic_masking import mask_url
from perception.page_words import cut
from perception.v1 import action_service_pb2 as action_pb

MAX_TEXT = 2000
"""Characters of one text in it. Chosen by hand."""

MAX_ITEMS = 50
"""Entries of one list in it: a batch has at most as many steps."""

_ADDRESSES = frozenset({"url", "cdp_endpoint"})

_KEY = action_pb.PressKeyRequest.DESCRIPTOR.fields_by_name["key"].full_name

_OPAQUE = frozenset({"google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue"})
"""Messages that hold arguments of scripts and of page tools."""


def view_of(request: Message) -> Message:
    """The request without what may be secret: another message of its kind."""
    view = type(request)()
    _copy(request, view)
    return view


def json_of(view: Message) -> str:
    """A view as JSON, in protobuf's form."""
    return MessageToJson(view, indent=None)


def asks_to_reveal(request: Message) -> bool:
    """Whether it asks for sensitive values: then its answer is not for those who watch."""
    for field, value in request.ListFields():
        if field.name == "reveal_sensitive":
            return True
        if field.message_type is None or field.message_type.full_name in _OPAQUE:
            continue
        if field.message_type.GetOptions().map_entry:
            continue
        if any(asks_to_reveal(each) for each in (value if field.is_repeated else (value,))):
            return True
    return False


def _copy(source: Message, target: Message) -> None:
    for field, value in source.ListFields():
        if field.type == FieldDescriptor.TYPE_BYTES:
            continue
        if field.message_type is not None:
            _copy_messages(field, value, target)
        elif field.is_repeated:
            getattr(target, field.name).extend(_shown(field, each) for each in value[:MAX_ITEMS])
        else:
            setattr(target, field.name, _shown(field, value))


def _copy_messages(field: FieldDescriptor, value: Any, target: Message) -> None:
    kind = field.message_type
    assert kind is not None
    if kind.full_name in _OPAQUE or kind.GetOptions().map_entry:
        return
    if field.is_repeated:
        for each in value[:MAX_ITEMS]:
            _copy(each, getattr(target, field.name).add())
        return
    copied = getattr(target, field.name)
    copied.SetInParent()
    _copy(value, copied)


def _shown(field: FieldDescriptor, value: Any) -> Any:
    """A value; only the length of a text that the contract says to redact, and of a character that is typed."""
    if not isinstance(value, str):
        return value
    is_character = field.full_name == _KEY and len(value) == 1
    if field.GetOptions().debug_redact or is_character:
        return length_of(value)
    return cut(mask_url(value) if field.name in _ADDRESSES else value, MAX_TEXT)


def length_of(text: str) -> str:
    """`«12 characters»`."""
    return f"«{len(text)} character{'s' if len(text) != 1 else ''}»"
