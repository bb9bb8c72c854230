"""Writes docs/wire.md, the wire reference, from the descriptor set. Usage: wire_reference.py DESCRIPTOR_SET OUTPUT"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    MethodOptions,
    ServiceDescriptorProto,
)

from perception.server.auth.rights import right_of
from perception.v1.options_pb2 import rules

PACKAGE = "perception.v1"
SERVICE, MESSAGE, ENUM = 6, 4, 5
"""Field numbers in FileDescriptorProto, the first step of a source path."""

METHOD, FIELD, VALUE = 2, 2, 2
"""Field numbers of a service's methods, a message's fields and an enumeration's values."""

HEAD = """# Wire reference

Package `perception.v1`. Generated from [`proto/perception/v1`](../proto/perception/v1) by `make stubs`; do not edit.
A field that is not set has its type's zero value; `optional` fields tell absent from zero.
"""


class Comments:
    """The leading comments of one file, by source path."""

    def __init__(self, file: FileDescriptorProto) -> None:
        self._by_path = {tuple(place.path): place.leading_comments for place in file.source_code_info.location}

    def at(self, *path: int) -> str:
        return " ".join(self._by_path.get(path, "").split())


def type_name(field: FieldDescriptorProto) -> str:
    if field.type_name:
        full = field.type_name.lstrip(".")
        name = full.removeprefix(f"{PACKAGE}.")
        text = f"[{name}](#{anchor(name)})" if name != full else f"`{name}`"
    else:
        text = f"`{FieldDescriptorProto.Type.Name(field.type).removeprefix('TYPE_').lower()}`"
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"repeated {text}"
    return f"optional {text}" if field.proto3_optional else text


def anchor(name: str) -> str:
    return name.lower().replace(".", "")


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def right_words(options: MethodOptions) -> str:
    said = options.Extensions[rules]
    right = right_of(said).name.lower()
    return f"`{right}`, or `control` with the lease" if said.right_by_lease else f"`{right}`"


def write_service(service: ServiceDescriptorProto, index: int, comments: Comments) -> Iterator[str]:
    yield f"\n## {service.name}\n\n{comments.at(SERVICE, index)}\n"
    yield "\n| rpc | request → response | right | |\n|---|---|---|---|\n"
    for number, method in enumerate(service.method):
        request, response = (name.rpartition(".")[2] for name in (method.input_type, method.output_type))
        stream_in, stream_out = (
            "stream " if each else "" for each in (method.client_streaming, method.server_streaming)
        )
        types = f"{stream_in}[{request}](#{anchor(request)}) → {stream_out}[{response}](#{anchor(response)})"
        about = cell(comments.at(SERVICE, index, METHOD, number))
        yield f"| `{method.name}` | {types} | {right_words(method.options)} | {about} |\n"


def write_message(message: DescriptorProto, path: Sequence[int], comments: Comments, prefix: str = "") -> Iterator[str]:
    if message.options.map_entry:
        return
    name = prefix + message.name
    about = comments.at(*path)
    yield f"\n### {name}\n" + (f"\n{about}\n" if about else "")
    if message.field:
        yield "\n| field | type | |\n|---|---|---|\n"
    for number, field in enumerate(message.field):
        about = comments.at(*path, FIELD, number)
        if field.HasField("oneof_index") and not field.proto3_optional:
            about = f"One of `{message.oneof_decl[field.oneof_index].name}`. {about}"
        yield f"| `{field.name}` = {field.number} | {type_name(field)} | {cell(about.strip())} |\n"
    for number, inner in enumerate(message.nested_type):
        yield from write_message(inner, [*path, 3, number], comments, f"{name}.")
    for number, values in enumerate(message.enum_type):
        yield from write_enum(values, [*path, 4, number], comments, f"{name}.")


def write_enum(values: EnumDescriptorProto, path: Sequence[int], comments: Comments, prefix: str = "") -> Iterator[str]:
    about = comments.at(*path)
    yield f"\n### {prefix}{values.name}\n" + (f"\n{about}\n" if about else "")
    yield "\n| value | |\n|---|---|\n"
    for number, value in enumerate(values.value):
        yield f"| `{value.name}` = {value.number} | {cell(comments.at(*path, VALUE, number))} |\n"


def write_reference(files: Sequence[FileDescriptorProto]) -> str:
    sent = (file for file in files if file.package == PACKAGE and not file.extension)
    ours = sorted(sent, key=lambda file: (not file.service, file.name))
    parts = [HEAD]
    for file in ours:
        comments = Comments(file)
        if not file.service:
            parts.append("\n## Shared types\n")
        for index, service in enumerate(file.service):
            parts += write_service(service, index, comments)
        for index, message in enumerate(file.message_type):
            parts += write_message(message, [MESSAGE, index], comments)
        for index, values in enumerate(file.enum_type):
            parts += write_enum(values, [ENUM, index], comments)
    return "".join(parts)


if __name__ == "__main__":
    source, output = (Path(argument) for argument in sys.argv[1:])
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(write_reference(FileDescriptorSet.FromString(source.read_bytes()).file), "utf-8")
