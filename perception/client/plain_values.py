"""Plain Python values from the service's answers: results of scripts, subroutines as tools."""

from __future__ import annotations

from typing import Any

from google.protobuf.json_format import MessageToDict

from perception.client.errors import ScriptError
from perception.v1 import action_service_pb2 as action_pb
from perception.v1 import subroutine_service_pb2 as subroutine_pb

MAX_SAFE_INTEGER = 2**53 - 1
"""Number.MAX_SAFE_INTEGER."""


def value_of(response: action_pb.EvaluateResponse) -> Any:
    """The value of a script; whole numbers are int, as in JSON. Raises ScriptError."""
    if response.exception:
        raise ScriptError(response.exception, response.exception_stack)
    return _with_ints(MessageToDict(response.value))


def tool_of(made: subroutine_pb.Subroutine) -> dict[str, Any]:
    """A subroutine as agents take tools: name, description, and the JSON Schema of the parameters."""
    return {
        "name": made.subroutine_id,
        "description": made.description or made.name,
        "parameters": _with_ints(MessageToDict(made.parameters_schema)),
    }


def _with_ints(value: Any) -> Any:
    """Whole numbers as int again: protobuf's Value and Struct hold doubles only."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) <= MAX_SAFE_INTEGER else value
    if isinstance(value, list):
        return [_with_ints(each) for each in value]
    if isinstance(value, dict):
        return {name: _with_ints(each) for name, each in value.items()}
    return value
