"""Arguments for dry runs: the recorded ones, and others that show where each goes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from perception.subroutines.masking import local_address
from perception.subroutines.routes import parts_of, write_address

MAX_VARIED = 24
"""Dry runs with one choice or switch changed. Chosen by hand: a form with more has those of the first."""

MAX_LITERALS = 60
"""Texts of a script that are tried as values. Chosen by hand: a long generated script has some dozens, and these
are not tried."""

Arguments = dict[str, Any]


def recorded_arguments(schema: Mapping[str, Any]) -> Arguments:
    """The values of the recording; a made-up one for a secret, which no recording has."""
    return {name: _recorded(name, each) for name, each in schema.get("properties", {}).items()}


def varied_arguments(schema: Mapping[str, Any]) -> tuple[Arguments, ...]:
    """Other values: each another one, with characters of any kind, empty, each text empty
    by itself, and each choice and switch by itself."""
    fields = schema.get("properties", {})
    recorded = recorded_arguments(schema)
    plain = {
        name: _other(name, each, recorded[name], f"varied {number}")
        for number, (name, each) in enumerate(fields.items())
    }
    odd = {
        name: _other(name, each, recorded[name], f" ä&=%\"'`$<{number}>\n?#/ ")
        for number, (name, each) in enumerate(fields.items())
    }
    odd = {name: f"{odd[name]} " if _is_text(each) else odd[name] for name, each in fields.items()}
    emptied = [{**plain, name: ""} for name, each in fields.items() if _is_text(each)]
    empty = {name: "" if _is_text(each) else plain[name] for name, each in fields.items()}
    singly = [{**recorded, name: value} for name, each in fields.items() for value in _choices(each, recorded[name])]
    return (plain, odd, empty, *emptied[:MAX_VARIED], *singly[:MAX_VARIED])


def literal_arguments(schema: Mapping[str, Any], literals: Sequence[str]) -> tuple[Arguments, ...]:
    """Values that a script writes itself, so that what it does for these alone is seen."""
    fields, recorded = schema.get("properties", {}), recorded_arguments(schema)
    return tuple(
        {name: text if _is_text(each) else recorded[name] for name, each in fields.items()}
        for text in literals[:MAX_LITERALS]
    )


def _recorded(name: str, field: Mapping[str, Any]) -> Any:
    examples = field.get("examples") or [field.get("default")]
    value = examples[0]
    return f"secret of {name}" if value is None else value


def _is_text(field: Mapping[str, Any]) -> bool:
    return field.get("type") == "string" and "enum" not in field and "pattern" not in field


def _other(name: str, field: Mapping[str, Any], recorded: Any, text: str) -> Any:
    kind = field.get("type")
    if kind == "boolean":
        return not recorded
    if kind in ("number", "integer"):
        return 70_000 + sum(map(ord, f"{name}{text}"))
    if kind == "array":
        options = [each for each in field.get("items", {}).get("enum", ()) if [each] != recorded]
        return options[:2] if options else [f"{text} {name}", f"{text} of {name}"]
    if "enum" in field:
        return next((each for each in field["enum"] if each != recorded), recorded)
    if "pattern" in field:
        return other_address(str(recorded), str(field["pattern"]), re.sub(r"\W+", "", text) + name)
    return f"{text} {name}"


def other_address(address: str, pattern: str, text: str) -> str:
    """An address of the same route with other objects."""
    split = urlsplit(address)
    lead = f"{split.scheme}://{split.netloc}" if split.netloc else ""
    local = local_address(address)
    values: dict[int, str] = {}
    for index in range(len(parts_of(local))):
        if re.fullmatch(pattern, lead + write_address(local, {index: f"{text}{index}"})):
            values[index] = f"{text}{index}"
    return lead + write_address(local, values) if values else address


def _choices(field: Mapping[str, Any], recorded: Any) -> Iterator[Any]:
    if field.get("type") == "boolean":
        yield not recorded
    elif field.get("type") != "array":
        yield from (each for each in field.get("enum", ()) if each != recorded)
