"""What an error is about: the target that its call named, as metadata of the error.

Rule 1: filled in where the call is known, so that no place that raises can forget it; what such a place gave stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.message import Message

from perception import errors
from perception.errors import PerceptionError
from perception.v1 import types_pb2 as pb

_ABOUT_TARGETS = (
    errors.AmbiguousTargetError,
    errors.BadSelectorError,
    errors.CoordinateOutOfViewportError,
    errors.DeadlineError,
    errors.ElementDisabledError,
    errors.ElementObscuredError,
    errors.NotTakenError,
    errors.NoMatchError,
    errors.NoSuchOptionError,
    errors.NotAFileFieldError,
    errors.NotCheckableError,
    errors.NotEditableError,
    errors.NotReachableError,
    errors.NotSelectableError,
    errors.StaleRefError,
    errors.UnknownRefError,
)

MAX_VALUE = 200
"""Characters of a value: metadata travels in headers, of which peers take 8 KiB by default."""


def name_target(error: PerceptionError, request: Any) -> None:
    """Adds `ref`, or `selector`, to an error about a target, where the request has one target alone."""
    if not isinstance(error, _ABOUT_TARGETS) or not isinstance(request, Message):
        return
    named = [target for target in _targets_of(request) if target.WhichOneof("target")]
    if len(named) != 1 or error.metadata.keys() & {"ref", "selector"}:
        return
    kind = named[0].WhichOneof("target")
    if kind in ("ref", "selector"):
        error.metadata = error.metadata | {kind: getattr(named[0], kind)[:MAX_VALUE]}


def _targets_of(message: Message) -> Iterator[pb.Target]:
    """The targets in a message and in the options of a look."""
    for field, value in message.ListFields():
        if isinstance(value, pb.Target):
            yield value
        elif field.name == "options" and isinstance(value, Message):
            yield from _targets_of(value)
