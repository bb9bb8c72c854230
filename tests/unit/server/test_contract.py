"""What the contract says of its rpcs, as one table to be read: `--refresh-goldens` writes it again."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

import perception.server.convert
from perception.refs import RefTable
from perception.server.auth.rights import right_of
from perception.server.contract import is_needed, methods, rules_of_request, services
from perception.server.timeline.call_words import words_of
from perception.server.timeline.request_view import view_of
from perception.v1 import action_service_pb2 as action_pb
from perception.v1.options_pb2 import MethodRules
from perception.v1.types_pb2 import Target


def rpcs() -> list[MethodDescriptor]:
    return sorted((rpc for each in services() for rpc in each.methods), key=lambda rpc: rpc.full_name)


LISTINGS = {MethodRules.LISTING_NONE: "unlisted", MethodRules.LISTING_AGENT: "unlisted of a person"}
LOADS = {MethodRules.LOAD_RELIEF: "relief", MethodRules.LOAD_WATCH: "watch", MethodRules.LOAD_TRANSFER: "transfer"}


def said_of(rpc: MethodDescriptor) -> Iterator[str]:
    """What is said of an rpc, in words."""
    method = methods()[f"/{rpc.containing_service.full_name}/{rpc.name}"]
    rules = method.rules
    yield f"right {right_of(rules).name.lower()}{' or lease' if rules.right_by_lease else ''}"
    yield f"way {method.way.value}"
    yield from filter(None, (LISTINGS.get(rules.listing), LOADS.get(rules.load)))
    if rules.beside_person:
        yield "beside a person"
    if rules.for_watchers:
        yield "watchers' own"
    if rules.leaves_session_idle:
        yield "no use of the session"


def test_the_rules_of_all_rpcs(check_golden: Callable[[str, str], None]) -> None:
    lines = [f"{rpc.containing_service.name}/{rpc.name}: {', '.join(said_of(rpc))}\n" for rpc in rpcs()]
    check_golden("contract/rules.txt", "".join(lines))


def said_of_step(step: FieldDescriptor) -> Iterator[str]:
    rules = rules_of_request(GetMessageClass(step.message_type)())
    if rules.quiet:
        yield "quiet"
    if rules.beside_file_chooser:
        yield "beside a file chooser"
    targets = [
        each
        for each in step.message_type.fields
        if each.message_type is Target.DESCRIPTOR and each.containing_oneof is None
    ]
    if needed := [each.name for each in targets if is_needed(each)]:
        yield f"needs {' and '.join(needed)}"
    yield from (f"may have {each.name}" for each in targets if not is_needed(each))


def test_the_rules_of_all_steps_of_a_batch(check_golden: Callable[[str, str], None]) -> None:
    steps = action_pb.BatchStep.DESCRIPTOR.oneofs_by_name["step"].fields
    lines = [f"{each.name}: {', '.join(said_of_step(each))}\n" for each in steps]
    check_golden("contract/steps.txt", "".join(lines))


SAMPLES: dict[int, Any] = {
    FieldDescriptor.TYPE_STRING: "https://a.example/?q=secret words",
    FieldDescriptor.TYPE_BYTES: b"bytes",
    FieldDescriptor.TYPE_BOOL: True,
    FieldDescriptor.TYPE_ENUM: 1,
}


def fill(message: Message, depth: int = 0, skipped: frozenset[str] = frozenset()) -> Message:
    """Sets all fields, those of messages in it, too."""
    target: Any = message
    for field in message.DESCRIPTOR.fields:
        if field.name in skipped or depth > 2:
            continue
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            continue
        if field.message_type is not None:
            inner = getattr(target, field.name)
            if field.is_repeated:
                fill(inner.add(), depth + 1)
            else:
                inner.SetInParent()
                fill(inner, depth + 1)
        elif field.is_repeated:
            getattr(target, field.name).append(SAMPLES.get(field.type, 2))
        else:
            setattr(target, field.name, SAMPLES.get(field.type, 2))
    return message


def samples(rpc: MethodDescriptor) -> Iterator[Message]:
    """An empty request, one with all fields, and one for each choice of a oneof."""
    kind = GetMessageClass(rpc.input_type)
    yield kind()
    yield fill(kind())
    for choices in rpc.input_type.oneofs:
        for each in choices.fields[:-1]:
            yield fill(kind(), skipped=frozenset(other.name for other in choices.fields if other is not each))


def shown(text: str) -> str:
    return text or "(nothing)"


@pytest.mark.parametrize("name", ["words", "views"])
def test_what_people_see_of_requests(name: str, check_golden: Callable[[str, str], None]) -> None:
    refs = RefTable()
    lines = []
    for rpc in rpcs():
        lines.append(f"{rpc.name}\n")
        for request in samples(rpc):
            seen = words_of(request, refs) if name == "words" else MessageToJson(view_of(request), indent=None)
            lines.append(f"    {shown(seen)}\n")
    check_golden(f"contract/{name}.txt", "".join(lines))


def tables() -> Iterator[str]:
    """The tables by which `convert` reads and writes enums."""
    for module in pkgutil.iter_modules(perception.server.convert.__path__):
        held = vars(importlib.import_module(f"perception.server.convert.{module.name}"))
        for name, table in sorted(held.items()):
            if (
                isinstance(table, dict)
                and name.isupper()
                and any(isinstance(each, int) for each in (*table, *table.values()))
            ):
                yield f"{module.name}.{name}\n"
                yield from sorted(f"    {key!s}: {value!s}\n" for key, value in table.items())


def test_the_enums_of_the_wire_and_ours(check_golden: Callable[[str, str], None]) -> None:
    check_golden("contract/enums.txt", "".join(tables()))
