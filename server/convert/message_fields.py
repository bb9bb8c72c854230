"""What all message families share: durations, times, long texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.json_format import Error, MessageToDict
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from perception.errors import BadInputError
from perception.types import Skipped
from perception.v1 import types_pb2 as pb

MAX_DURATION_SECONDS = 315_576_000_000
"""Ten thousand years, as google.protobuf.Duration has it."""

MAX_STRING = 10_000
"""Characters of a name, value or text: one element must not fill an answer. Content as a whole is for reading rpcs."""


def seconds_of(message: Message, name: str, default: float = 0.0, *, within: str = "") -> float:
    """A Duration field in seconds, `default` where it is absent.

    Args:
        within: the request's field that holds the message, with a dot after it.

    Raises:
        BadInputError: it is negative, or not a valid Duration.
    """
    if not message.HasField(name):
        return default
    given = getattr(message, name)
    seconds = given.seconds + given.nanos / 1e9
    if not 0 <= seconds <= MAX_DURATION_SECONDS or not 0 <= given.nanos < 10**9:
        raise BadInputError(f"{name} is {seconds:g} s: give 0 or more, or leave it out", field=within + name)
    return float(seconds)


def require_within(value: float, least: float, most: float, field: str, *, unit: str = "") -> None:
    """Raises BadInputError for a number of a request's field that is outside of the limits."""
    if not least <= value <= most:
        name = field.rpartition(".")[2]
        raise BadInputError(f"{name} is {value:.12g}{unit}: give {least:g} to {most:g}{unit}", field=field)


def struct_value(message: Message, name: str) -> dict[str, Any]:
    """A google.protobuf.Struct field as an object of JSON.

    Raises:
        BadInputError: JSON has no such value, or it is nested too deep.
    """
    try:
        found: dict[str, Any] = MessageToDict(getattr(message, name))
    except (Error, ValueError) as exc:
        raise BadInputError(
            f"{name} holds NaN or Infinity, which JSON does not have: give a finite number, a text or null", field=name
        ) from exc
    except RecursionError as exc:
        raise BadInputError(f"{name} is nested too deep: give a flatter object", field=name) from exc
    return found


def skipped_messages(skipped: Iterable[Skipped]) -> list[pb.Skipped]:
    return [pb.Skipped(name=each.name, reason=each.reason) for each in skipped]


def timing_messages(timings_ms: Mapping[str, float]) -> list[pb.Timing]:
    return [pb.Timing(stage=stage, milliseconds=round(spent, 3)) for stage, spent in timings_ms.items()]


def cut_text(text: str) -> str:
    """At most MAX_STRING characters; the last one is an ellipsis where some are left out."""
    return text if len(text) <= MAX_STRING else text[: MAX_STRING - 1] + "…"


def duration_message(seconds: float) -> Duration:
    message = Duration()
    message.FromTimedelta(timedelta(seconds=seconds))
    return message


def timestamp_message(seconds: float) -> Timestamp:
    """The Timestamp of seconds since 1970."""
    return Timestamp(seconds=int(seconds), nanos=int(seconds % 1 * 1e9))
