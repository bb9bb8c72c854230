"""JSON Schemas of arguments, in few tokens: hosts send them to the model with every request.

A schema has what a model needs to write a call: names, types, choices, short descriptions, what is required. Limits and
the refusal of unknown names are enforced and left out.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from perception.render.tokens import count_tokens
from perception.tools.arguments import Arguments

_KEPT = ("type", "description", "enum", "items", "properties", "required", "minItems")


@cache
def schema_of(kind: type[Arguments]) -> dict[str, Any]:
    """The compact schema of a model; `$ref` is resolved, as not every host does that. It is not to be changed."""
    whole = kind.model_json_schema()
    schema = _compact(whole, whole.get("$defs", {}))
    return {"type": "object", "properties": schema.get("properties", {})} | (
        {"required": schema["required"]} if "required" in schema else {}
    )


def schema_tokens(name: str, description: str, schema: dict[str, Any]) -> int:
    """The o200k tokens of a tool as a host writes it: compact JSON of name, description and schema."""
    tool = {"name": name, "description": description, "inputSchema": schema}
    return count_tokens(json.dumps(tool, ensure_ascii=False, separators=(",", ":")))


def _compact(schema: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        target = definitions[schema["$ref"].rpartition("/")[2]]
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
        schema.pop("description", None)  # of the class
    if "anyOf" in schema:
        given = [each for each in schema["anyOf"] if each.get("type") != "null"]
        inner = _compact(given[0], definitions) if len(given) == 1 else {}
        return inner | ({"description": schema["description"]} if "description" in schema else {})
    compact = {key: schema[key] for key in _KEPT if key in schema}
    if "const" in schema:
        compact["enum"] = [schema["const"]]
    if "items" in compact:
        compact["items"] = _compact(compact["items"], definitions)
    if "properties" in compact:
        compact["properties"] = {name: _compact(each, definitions) for name, each in compact["properties"].items()}
    return compact
