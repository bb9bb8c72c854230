"""Makes fields.py, what the client's methods take by keyword, and choices.py, the words of enums, in perception/client
from the wire's descriptor set.

Usage: .venv/bin/python .ci/client_fields.py DESCRIPTOR_SET FOLDER
"""

import json
import subprocess
import sys
from pathlib import Path

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor

ROOT = Path(__file__).parents[1]
PACKAGE = "perception.v1"

KINDS: dict[str, tuple[str, str, dict[str, str]]] = {
    "ActionFields": ("ActionOptions", "Of any action.", {"tab_id": "str", "request_id": "str"}),
    "SnapshotFields": ("SnapshotOptions", "How to look.", {"tab_id": "str"}),
    "SessionFields": ("SessionOptions", "Of a new session.", {"state": "StateLike"}),
    "ConditionsFields": ("Conditions", "What pages meet.", {}),
    "PdfFields": (
        "PdfOptions",
        "How to print; lengths in mm.",
        {"margins": "float | tuple[float, float, float, float]", "paper_size": "tuple[float, float]"},
    ),
    "VideoFields": ("VideoOptions", "How to film.", {}),
    "FrameFields": ("WatchFramesRequest", "How to watch.", {}),
    "EvaluateFields": ("EvaluateRequest", "Of a script.", {}),
    "InteractablesFields": ("ExtractInteractablesRequest", "Of a list of interactables.", {}),
}
"""Each type: its message, what it is, and keys that are not as the message has them."""

CHOICES = ("ConsoleMessage.Level", "Modifier", "MouseButton", "TextPosition")
"""Enums of the methods' own parameters, and of what the shell and tools take."""

METHODS = {
    "FrameFields": {"acknowledged"},
    "EvaluateFields": {"expression", "target"},
    "InteractablesFields": {"scope_selector", "include_hidden", "roles", "page_token"},
}
"""Fields that the method sets, or has under its own name."""

SPECIAL = {
    "google.protobuf.Duration": "float | timedelta",
    f"{PACKAGE}.Target": "TargetLike",
    f"{PACKAGE}.Point": "tuple[float, float] | pb.Point",
    f"{PACKAGE}.Viewport": "tuple[int, int] | tuple[int, int, float] | Mapping[str, Any] | pb.Viewport",
    f"{PACKAGE}.UpstreamProxy": "str | Mapping[str, Any] | Message",
}

SCALARS = {
    FieldDescriptor.CPPTYPE_STRING: "str",
    FieldDescriptor.CPPTYPE_BOOL: "bool",
    FieldDescriptor.CPPTYPE_DOUBLE: "float",
    FieldDescriptor.CPPTYPE_FLOAT: "float",
}

HEAD = '''"""What the client's methods take by keyword, for editors and type checkers. See docs/wire.md.

Made from proto/ by .ci/client_fields.py. Not to be edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, TypedDict

from google.protobuf.message import Message

from perception.client import choices
from perception.client.message_fields import TargetLike
from perception.client.requests import StateLike
from perception.v1 import types_pb2 as pb

'''

CHOICES_HEAD = '''"""The words that stand for values of the wire's enums.

Made from proto/ by .ci/client_fields.py. Not to be edited.
"""

from typing import Literal

'''

FOOT = '''

class StepFields(TypedDict, total=False):
    """Of any step of a batch."""

    timeout: float | timedelta | None
    may_navigate: bool | None
'''


def pool_of(files: descriptor_pb2.FileDescriptorSet) -> descriptor_pool.DescriptorPool:
    """The descriptors of a set."""
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)  # type: ignore[no-untyped-call]
    return pool


def main(descriptors: Path, folder: Path) -> None:
    pool = pool_of(descriptor_pb2.FileDescriptorSet.FromString(descriptors.read_bytes()))
    enums = {name.replace(".", ""): pool.FindEnumTypeByName(f"{PACKAGE}.{name}") for name in CHOICES}
    kinds = []
    for name, (message, says, others) in KINDS.items():
        lines = [f"class {name}(TypedDict, total=False):", f'    """{says}"""', ""]
        known = {
            field.name: _type_of(field, enums)
            for field in pool.FindMessageTypeByName(f"{PACKAGE}.{message}").fields
            if field.name not in METHODS.get(name, set()) | {"session_id", "action_options"}
        }
        lines += [f"    {field}: {kind} | None" for field, kind in sorted((known | others).items())]
        kinds.append("\n".join(lines) + "\n")
    named = "".join(f"{name} = choices.{name} | int\n" for name in sorted(enums))
    (folder / "fields.py").write_text("\n".join([HEAD + named, "", "\n\n".join(kinds), FOOT]), "utf-8")
    words = "".join(
        f"{name} = Literal[{', '.join(map(json.dumps, short_names(enum)))}]\n" for name, enum in sorted(enums.items())
    )
    (folder / "choices.py").write_text(CHOICES_HEAD + words, "utf-8")
    made = [str(folder / name) for name in ("fields.py", "choices.py")]
    ruff = [sys.executable, "-m", "ruff", "format", "--quiet", "--config", str(ROOT / "pyproject.toml")]
    subprocess.run([*ruff, *made], check=True)


def _type_of(field: FieldDescriptor, enums: dict[str, EnumDescriptor]) -> str:
    if (message := field.message_type) is not None and message.GetOptions().map_entry:
        return "Mapping[str, str]"
    kind = _one_of(field, enums)
    return f"Sequence[{kind}]" if field.is_repeated else kind


def _one_of(field: FieldDescriptor, enums: dict[str, EnumDescriptor]) -> str:
    if (message := field.message_type) is not None:
        return SPECIAL.get(message.full_name, "Mapping[str, Any] | Message")
    if (enum := field.enum_type) is not None:
        name = enum.full_name.removeprefix(f"{PACKAGE}.").replace(".", "")
        enums[name] = enum
        return name
    if field.type == FieldDescriptor.TYPE_BYTES:
        return "bytes"
    return SCALARS.get(field.cpp_type, "int")


def short_names(enum: EnumDescriptor) -> list[str]:
    """`left` of MOUSE_BUTTON_LEFT; without the unspecified value."""
    prefix = enum.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return [value.name.removeprefix(prefix).lower() for value in enum.values if value.number]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
