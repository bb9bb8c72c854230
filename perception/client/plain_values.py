"""Plain Python values from the service's answers: results of scripts, subroutines as tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from perception.client.errors import ScriptError

if TYPE_CHECKING:
    from perception.v1 import action_service_pb2 as action_pb
    from perception.v1 import subroutine_service_pb2 as subroutine_pb

MAX_SAFE_INTEGER = 2**53 - 1
"""Number.MAX_SAFE_INTEGER."""


def value_of(response: action_pb.EvaluateResponse) -> Any:
    """The value of a script; whole numbers are int, as in JSON. Raises ScriptError."""
    from google.protobuf.json_format import MessageToDict

    if response.exception:
        raise ScriptError(response.exception, response.exception_stack)
    return whole_numbers(MessageToDict(response.value))


def tool_of(made: subroutine_pb.Subroutine) -> dict[str, Any]:
    """A subroutine as agents take tools: the name that it was given in snake case, description, and the JSON Schema of
    the parameters."""
    from google.protobuf.json_format import MessageToDict

    from perception.tool_names import tool_name

    schema = whole_numbers(MessageToDict(made.parameters_schema))
    given: dict[str, Any] = schema.get("properties", {})
    names = [*(name for name in made.parameter_names if name in given), *sorted(set(given) - set(made.parameter_names))]
    ordered = {key: schema[key] for key in sorted(schema, key=_place_in_schema)}
    return {
        "name": tool_name(made.name),
        "description": made.description or made.name,
        "parameters": ordered | {"properties": {name: _ordered(given[name]) for name in names}},
    }


def tools_of(made: Sequence[subroutine_pb.Subroutine]) -> list[dict[str, Any]]:
    """Subroutines as tools; those whose names are the same, on different sites, have their ids as names."""
    from perception.tool_names import tool_name

    counts = Counter(tool_name(each.name) for each in made)
    return [
        tool_of(each) if counts[tool_name(each.name)] == 1 else tool_of(each) | {"name": each.subroutine_id}
        for each in made
    ]


_SCHEMA_KEYS = (
    "$schema type description items enum format pattern maxLength writeOnly default examples properties required"
    " additionalProperties"
).split()
"""The order in which a schema is written: a protobuf Struct has none."""


def _place_in_schema(key: str) -> tuple[int, str]:
    return (_SCHEMA_KEYS.index(key) if key in _SCHEMA_KEYS else len(_SCHEMA_KEYS), key)


def _ordered(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: schema[key] for key in sorted(schema, key=_place_in_schema)}


def whole_numbers(value: Any) -> Any:
    """Whole numbers as int again: protobuf's Value and Struct hold doubles only."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) <= MAX_SAFE_INTEGER else value
    if isinstance(value, list):
        return [whole_numbers(each) for each in value]
    if isinstance(value, dict):
        return {name: whole_numbers(each) for name, each in value.items()}
    return value
