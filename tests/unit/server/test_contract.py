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
from perception.server.admission.limits import LASTING, RELIEVING, TRANSFERS
from perception.server.auth.rights import BY_LEASE, RIGHT_OF
from perception.server.control.gate import GOES_ON
from perception.server.convert.batches import NEEDED_TARGETS, OPTIONAL_TARGETS
from perception.server.live.call_words import words_of
from perception.server.live.request_view import view_of
from perception.server.live.timeline import LOOKS, PEOPLES_SERVICES, UNLISTED
from perception.server.placement.methods import methods, services
from perception.server.rpc_call import WATCHERS_RPCS
from perception.server.services.batches import BESIDE_CHOOSER, QUIET_STEPS
from perception.server.sessions.manager import WATCH_CONTROL, WATCHING_SERVICE
from perception.v1 import action_service_pb2 as action_pb


def rpcs() -> list[MethodDescriptor]:
    return sorted((rpc for each in services() for rpc in each.methods), key=lambda rpc: rpc.full_name)


def rules_of(rpc: MethodDescriptor) -> Iterator[str]:
    """What is said of an rpc, in words."""
    service, name = rpc.containing_service.name, rpc.name
    yield f"right {RIGHT_OF[name].name.lower()}{' or lease' if name in BY_LEASE else ''}"
    yield f"way {methods()[f'/{rpc.containing_service.full_name}/{name}'].way.value}"
    if name in UNLISTED or service in PEOPLES_SERVICES:
        yield "unlisted"
    elif name in LOOKS:
        yield "unlisted of a person"
    for word, names in (("relief", RELIEVING), ("watch", LASTING), ("transfer", TRANSFERS)):
        if name in names:
            yield word
    if name in GOES_ON:
        yield "beside a person"
    if name in WATCHERS_RPCS:
        yield "watchers' own"
    if service == WATCHING_SERVICE or name == WATCH_CONTROL:
        yield "no use of the session"


def test_the_rules_of_all_rpcs(check_golden: Callable[[str, str], None]) -> None:
    lines = [f"{rpc.containing_service.name}/{rpc.name}: {', '.join(rules_of(rpc))}\n" for rpc in rpcs()]
    check_golden("contract/rules.txt", "".join(lines))


def step_rules(kind: str) -> Iterator[str]:
    if kind in QUIET_STEPS:
        yield "quiet"
    if kind in BESIDE_CHOOSER:
        yield "beside a file chooser"
    if needed := NEEDED_TARGETS.get(kind):
        yield f"needs {' and '.join(needed)}"
    if kind in OPTIONAL_TARGETS:
        yield "may have target"


def test_the_rules_of_all_steps_of_a_batch(check_golden: Callable[[str, str], None]) -> None:
    steps = action_pb.BatchStep.DESCRIPTOR.oneofs_by_name["step"].fields
    lines = [f"{each.name}: {', '.join(step_rules(each.name))}\n" for each in steps]
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
