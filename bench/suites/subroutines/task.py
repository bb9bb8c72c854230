"""Steps of a task as templates, the rows of values that fill them, and how rows map to parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Row = Mapping[str, str]
"""The values of one row, by name. Templates name them in braces."""

_SYLLABLES = ("ba", "de", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va", "ze", "go", "fi", "ha", "ju")


@dataclass(frozen=True, slots=True)
class TaskStep:
    """One action. Texts are templates of the row's values.

    Attributes:
        do: click, type, select, check, uncheck, press, or wait (for a text).
        role, name: the element, as a snapshot lists it.
        value: what is typed, selected, pressed or waited for.
        selector: a CSS selector in place of role and name.
    """

    do: str
    role: str = ""
    name: str = ""
    value: str = ""
    selector: str = ""


def fill(template: str, row: Row) -> str:
    """A template with a row's values."""
    for name, value in row.items():
        template = template.replace(f"{{{name}}}", value)
    return template


def word(number: int, salt: int = 0) -> str:
    """A made-up word, another one for each number below 4,096 and each salt."""
    mixed = (number * 2731 + salt * 977) % 4096
    first, second, third = mixed % 16, mixed // 16 % 16, mixed // 256
    return (_SYLLABLES[first] + _SYLLABLES[second] + _SYLLABLES[third] + "rstnlmkd"[salt % 8]).capitalize()


@dataclass(frozen=True, slots=True)
class MappedParameters:
    """Values for a schema.

    Attributes:
        values: by parameter.
        used: the names of the row's values that are in them.
        unknown: parameters whose example is none of the recorded values; they are not given.
    """

    values: dict[str, object] = field(default_factory=dict)
    used: frozenset[str] = frozenset()
    unknown: tuple[str, ...] = ()


def map_parameters(
    schema: Mapping[str, object], recorded: Row, wanted: Row, templates: tuple[str, ...]
) -> MappedParameters:
    """Values of a row for the parameters of a schema, found by the parameters' examples.

    Args:
        schema: the JSON Schema; a parameter's `examples`, `default` or `const` is its recorded value.
        recorded, wanted: the row that was recorded, and the one to run.
        templates: texts that contain values of rows, such as addresses.
    """
    values: dict[str, object] = {}
    used: set[str] = set()
    unknown = []
    properties = schema.get("properties")
    required = schema.get("required")
    known = {fill(f"{{{name}}}", recorded): f"{{{name}}}" for name in recorded}
    known |= {fill(template, recorded): template for template in templates if template not in known}
    for name, described in (properties if isinstance(properties, dict) else {}).items():
        example = _example(described)
        template = known.get(str(example)) or _template_of(str(example), recorded)
        if template and template != str(example):
            values[name] = _typed(fill(template, wanted), example, described)
            used |= {key for key in recorded if f"{{{key}}}" in template}
        elif not isinstance(required, list) or name in required:
            unknown.append(name)
            if example is not None:
                values[name] = example
    return MappedParameters(values, frozenset(used), tuple(unknown))


def _example(described: object) -> object:
    if not isinstance(described, dict):
        return None
    examples = described.get("examples")
    if isinstance(examples, list) and examples:
        first: object = examples[0]
        return first
    for key in ("default", "const"):
        if key in described:
            value: object = described[key]
            return value
    return None


def _template_of(example: str, recorded: Row) -> str:
    """The example with the longest recorded values in it as placeholders; numbers only as whole parts."""
    template = example
    for name, value in sorted(recorded.items(), key=lambda each: -len(each[1])):
        if value.isdigit():
            parts = [f"{{{name}}}" if part == value else part for part in _split(template)]
            template = "".join(parts)
        elif len(value) > 3:
            template = template.replace(value, f"{{{name}}}")
    return template


def _split(text: str) -> list[str]:
    parts, last = [""], False
    for letter in text:
        if letter.isalnum() != last:
            parts.append("")
            last = letter.isalnum()
        parts[-1] += letter
    return parts


def _typed(value: str, example: object, described: object) -> object:
    kind = described.get("type") if isinstance(described, dict) else ""
    if kind in ("number", "integer") or (isinstance(example, int | float) and not isinstance(example, bool)):
        number = float(value)
        return int(number) if number.is_integer() else number
    return value
