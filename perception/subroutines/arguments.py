"""Checks the arguments of a subroutine call against its schema, before the subroutine runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from perception.errors import BadInputError

_JSON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
}


def check_arguments(schema: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Checks arguments and adds defaults.

    Args:
        schema: JSON Schema of the parameters.
        given: arguments by name; None counts as missing.

    Raises:
        BadInputError: an argument is unknown, missing, of another type or none of the choices; the message names it.
    """
    properties: Mapping[str, Any] = schema.get("properties", {})
    for name in given:
        if name not in properties:
            raise BadInputError(
                f"there is no parameter {name[:60]!r}: it takes {', '.join(properties) or 'none'}",
                field=f"parameters.{name[:60]}",
            )
    for name in schema.get("required", ()):
        if given.get(name) is None:
            raise BadInputError(
                f"parameter {name!r} is missing: give {_wanted(properties[name])}", field=f"parameters.{name}"
            )
    arguments = {name: each["default"] for name, each in properties.items() if "default" in each}
    for name, value in given.items():
        if value is not None:
            arguments[name] = _checked(name, value, properties[name])
    return arguments


def _checked(name: str, value: Any, schema: Mapping[str, Any]) -> Any:
    field = f"parameters.{name}"
    is_bool = isinstance(value, bool)
    if not isinstance(value, _JSON_TYPES[schema["type"]]) or (is_bool and schema["type"] == "number"):
        raise BadInputError(f"parameter {name!r} is a {_type_of(value)}: give {_wanted(schema)}", field=field)
    choices = schema.get("items", schema).get("enum")
    for each in value if isinstance(value, list) else [value]:
        if isinstance(value, list) and not isinstance(each, str):
            raise BadInputError(f"parameter {name!r} holds a {_type_of(each)}: give strings", field=field)
        if choices and each not in choices:
            raise BadInputError(
                f"parameter {name!r} is {str(each)[:60]!r}: give one of {', '.join(map(repr, choices[:20]))}",
                field=field,
            )
    pattern = schema.get("pattern", "")
    if pattern and not re.search(pattern, str(value)):
        said = f" ({schema['description']})" if schema.get("description") else ""
        raise BadInputError(f"parameter {name!r} is {str(value)[:120]!r}: give {_wanted(schema)}{said}", field=field)
    limit = schema.get("maxLength", 0)
    if limit and len(str(value)) > limit:
        raise BadInputError(
            f"parameter {name!r} has {len(str(value))} characters, the limit is {limit}: shorten it", field=field
        )
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "number", float: "number", list: "array", dict: "object"}
    return names.get(type(value), type(value).__name__)


def _wanted(schema: Mapping[str, Any]) -> str:
    examples = schema.get("examples")
    shown = f" such as {examples[0]!r}" if examples else ""
    article = "an" if schema["type"] == "array" else "a"
    return f"{article} {schema['type']}{shown}"
