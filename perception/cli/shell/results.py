"""What a command prints and how it ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from perception.errors import PerceptionError

if TYPE_CHECKING:
    from google.protobuf.message import Message


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a command.

    Attributes:
        text: for people and models.
        message: the service's answer, for programs; None where `data` is.
        data: a JSON value, where no message of the service says it.
        error: what ended the command after part of it was done; None for none.
    """

    text: str
    message: Message | None = None
    data: Any = None
    error: PerceptionError | None = None


def json_of(result: Result) -> str:
    """The result for programs: a message in the protobuf JSON form."""
    import json

    value = result.data if result.message is None else json_value(result.message)
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def json_value(message: Message) -> Any:
    """A message in the protobuf JSON form."""
    from google.protobuf.json_format import MessageToDict

    return MessageToDict(message, always_print_fields_with_no_presence=False)
