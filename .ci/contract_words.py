"""The rpcs of the contract with the comments that they and their fields have in proto/, and the types
of their messages in Python.
"""

from __future__ import annotations

from pathlib import Path

from client_fields import PACKAGE, SCALARS, pool_of
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet


class Contract:
    """The rpcs, and the first paragraphs of their comments, from a descriptor set."""

    def __init__(self, descriptors: Path) -> None:
        files = FileDescriptorSet.FromString(descriptors.read_bytes())
        self._pool = pool_of(files)
        self._words: dict[str, str] = {}
        for file in files.file:
            for place in file.source_code_info.location:
                if len(place.path) == 4 and (name := _name_at(file, *place.path)):
                    self._words[name] = " ".join(place.leading_comments.partition("\n\n")[0].split())

    def rpc(self, name: str) -> MethodDescriptor:
        """Of `Session.ListTabs`."""
        service, method = name.split(".")
        return self._pool.FindServiceByName(f"{PACKAGE}.{service}Service").methods_by_name[method]

    def steps(self) -> dict[str, str]:
        """The names of steps by the requests that they are."""
        fields = self._pool.FindMessageTypeByName(f"{PACKAGE}.BatchStep").fields
        return {each.message_type.full_name: each.name for each in fields if each.message_type}

    def words_of(self, name: str) -> str:
        """The comment of an rpc or a field, by its full name; empty for none."""
        return self._words.get(name, "")


def _name_at(file: FileDescriptorProto, kind: int, index: int, inner: int, number: int) -> str:
    """The full name of an rpc of a service, a value of an enum or a field of a message at a source path; else empty."""
    if (kind, inner) == (6, 2):
        return f"{file.package}.{file.service[index].name}.{file.service[index].method[number].name}"
    if (kind, inner) == (5, 2):
        return f"{file.package}.{file.enum_type[index].name}.{file.enum_type[index].value[number].name}"
    if (kind, inner) == (4, 2):
        return f"{file.package}.{file.message_type[index].name}.{file.message_type[index].field[number].name}"
    return ""


def _module(message: Descriptor) -> str:
    """`session_service` of perception/v1/session_service.proto."""
    return Path(message.file.name).stem


def alias_of(module: str) -> str:
    """The name that modules give to a module of messages."""
    return "pb" if module == "types" else f"{module.removesuffix('_service')}_pb"


def type_of(message: Descriptor) -> str:
    """A message as it is written."""
    return f"{alias_of(_module(message))}.{message.full_name.removeprefix(f'{PACKAGE}.')}"


def type_of_one(field: FieldDescriptor) -> str:
    """The type of one value of a field."""
    if (message := field.message_type) is not None:
        known = {"Duration": "float | timedelta", "Target": "TargetLike"}
        return known.get(message.name, f"{type_of(message)} | Mapping[str, Any]")
    if (enum := field.enum_type) is not None:
        return enum.name if enum.name in ALIASES else "str"
    return SCALARS.get(field.cpp_type, "bytes" if field.type == FieldDescriptor.TYPE_BYTES else "int")


ALIASES = {"Modifier", "MouseButton", "TextPosition"}
"""Enums that perception/client/fields.py has types of."""


def type_of_field(field: FieldDescriptor) -> str:
    """The type of a field's value."""
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return "Mapping[str, str]"
    kind = type_of_one(field)
    return f"Sequence[{kind}]" if field.is_repeated else kind
