"""Infers the parameters of a subroutine: which values of a recording a caller can choose.

With one recording, every typed value is a required parameter, and every selected value an optional one with the
recorded value as default. With two recordings of the same task, values that differ are parameters, and equal values are
constants. A secret is always a required parameter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from perception.errors import RecordingsDifferError
from perception.subroutines.choices import choice_after, choice_parameter
from perception.subroutines.context_text import describe_event
from perception.subroutines.masking import given_in, is_masked
from perception.subroutines.objects import address_parameters, link_parameter, row_parameter, start_parameter
from perception.subroutines.parameter import Parameter, slug
from perception.subroutines.parameter_names import author_names, names_of_field, unused_name
from perception.subroutines.recording import ENTERED, Event, Recording
from perception.subroutines.targets import chosen_link, chosen_row, known_objects
from perception.subroutines.values import find_value, known_values

_INPUT_FORMATS = {
    "email": "email",
    "url": "uri",
    "date": "date",
    "time": "time",
    "month": "month",
    "week": "week",
    "datetime-local": "datetime-local",
    "color": "color",
}
"""JSON Schema formats (or HTML types) for HTML's input types with a syntax of their own."""

_AGAIN = re.compile(r"confirm|repeat|again|verif|retype|re[-_ ]?enter|\b2\b|2$", re.I)
"""Names of fields that repeat the value of another field."""


def infer_parameters(recordings: Sequence[Recording]) -> tuple[Parameter, ...]:
    """Infers the parameters of one recording, or of two of the same task, after `tidy_events`.

    Raises:
        RecordingsDifferError: the recordings do different things; the message names the step.
    """
    first = recordings[0].events
    others = [recording.events for recording in recordings[1:]]
    for other in others:
        _require_same_steps(first, other)
    start = start_parameter(recordings)
    found: list[Parameter] = [start] if start is not None else []
    for index in range(len(first)):
        for parameter in _parameters_at(index, recordings, found):
            twin = _twin(parameter, first[index], found, first)
            if twin is not None:
                found[found.index(twin)] = replace(twin, steps=(*twin.steps, index))
            else:
                found.append(_named(parameter, index, recordings, found))
    return tuple(found)


def _parameters_at(index: int, recordings: Sequence[Recording], found: Sequence[Parameter]) -> list[Parameter]:
    """The parameters of a step: the object that it acts on, and the value that it enters."""
    event, *varied = [recording.events[index] for recording in recordings]
    known = known_values(recordings, found, index)

    def is_known(recorded: tuple[str, ...], name: str) -> bool:
        return find_value(known, recorded, index, name) is not None

    if event.kind == "goto":
        addresses = [str(each.value) for each in (event, *varied)]
        return list(address_parameters(index, addresses, is_known, "an address")) if index else []
    targets = [each.target for each in (event, *varied)]
    objects = known_objects(recordings, found, index)
    made = []
    row = chosen_row(targets, objects)
    if row is not None and not is_known(tuple(each.cells[row].text for each in targets), ""):
        made.append(row_parameter(index, targets, row))
    if row is None and chosen_link(targets, objects):
        if any(each.of > 1 for each in targets):  # its name says nothing: where it leads does
            return list(address_parameters(index, [each.href for each in targets], is_known, "a link"))
        return [link_parameter(index, targets)]
    events = [recording.events for recording in recordings]
    if row is None and (choice := choice_parameter(index, events)) is not None:
        return [*made, choice]
    chosen = choice_after(index, events[0])
    if chosen is not None and choice_parameter(chosen, events) is not None:
        return made  # a later step makes the choice
    parameter = _parameter_of(index, event, varied, is_in_row=row is not None)
    if parameter is not None:
        again = [_parameter_of(index, each, [event]) for each in varied]
        others = tuple(each.example for each in again if each is not None)
        made.append(replace(parameter, others=others if len(others) == len(varied) else ()))
    return made


def schema_of(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The JSON Schema (2020-12) of an object with these parameters."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {each.name: _schema(each) for each in parameters},
        "required": [each.name for each in parameters if each.required],
        "additionalProperties": False,
    }


def _require_same_steps(first: Sequence[Event], other: Sequence[Event]) -> None:
    for index, (one, two) in enumerate(zip(first, other, strict=False), 1):
        if (one.kind, one.target.role) != (two.kind, two.target.role):
            raise RecordingsDifferError(
                f"the recordings do different things at step {index}: {describe_event(one)[:120]}, and "
                f"{describe_event(two)[:120]}: record the same task with other values"
            )
    if len(first) != len(other):
        raise RecordingsDifferError(
            f"one recording has {len(first)} steps and the other {len(other)}: record the same task with other values"
        )


def _parameter_of(index: int, event: Event, varied: Sequence[Event], *, is_in_row: bool = False) -> Parameter | None:
    """The parameter of a step's value or name; None if it has none. In a row, the row says which target it is."""
    is_another = not is_in_row and any(other.target.name != event.target.name for other in varied)
    if event.kind == "check" and is_another:  # one of several radio buttons
        name = next(author_names(event.field.name), "") or slug(event.target.role) or "choice"
        return Parameter(name, "string", f"Which {event.target.role}", (index,), event.target.name)
    if event.kind in ENTERED:
        differs = any(other.value != event.value for other in varied)
        if event.secret and is_masked(event.value):
            return _secret(index, event)
        if (varied and not differs) or (event.kind == "check" and not differs):
            return None
        return _entered(index, event, chosen=event.kind == "select" and not varied)
    if event.kind == "toggle" and not is_another and any(other.value != event.value for other in varied):
        return Parameter(_name(event), "boolean", _label(event), (index,), event.value)
    if is_another and event.kind not in ("dialog", "hover"):
        name = slug(event.target.role) or "target"
        return Parameter(name, "string", f"Which {event.target.role}", (index,), event.target.name)
    return None


def _secret(index: int, event: Event) -> Parameter:
    name = slug(given_in(event.value) or "") or "password"
    return Parameter(name, "string", _label(event), (index,), secret=True, format="password")


def _entered(index: int, event: Event, *, chosen: bool) -> Parameter:
    field = event.field
    base = Parameter(_name(event), "string", _label(event), (index,), event.value)
    if event.kind == "check":
        return replace(base, type="boolean")
    if event.kind == "upload":
        return replace(base, type="array" if len(event.value) > 1 else "string", example=_one(event.value))
    if event.kind == "select":
        pairs = tuple(zip(event.options, event.option_values, strict=True))
        example = list(event.value) if event.multiple else _one(event.value)
        kind = "array" if event.multiple else "string"
        enum = tuple(dict.fromkeys(event.options))
        return replace(base, type=kind, example=example, required=not chosen, enum=enum, values=pairs)
    if field.type in ("number", "range") and _number(event.value) is not None:
        return replace(base, type="number", example=_number(event.value))
    limit = int(field.maxlength) if field.maxlength.isdecimal() else 0
    return replace(base, format=_INPUT_FORMATS.get(field.type, ""), max_length=limit)


def _one(value: Any) -> Any:
    return value[0] if isinstance(value, list | tuple) and value else "" if isinstance(value, list | tuple) else value


def _number(text: Any) -> int | float | None:
    try:
        number = float(text)
    except (TypeError, ValueError):
        return None
    return int(number) if number.is_integer() else number


def _name(event: Event) -> str:
    """Name by which requests have the value: the field's HTML name, else its label."""
    given = slug(event.field.name)
    called = given if len(re.findall("[a-z]", given)) >= 3 and not re.search(r"\d{2,}", given) else ""
    target = event.target
    words = (called, slug(target.name), given, slug(target.placeholder), slug(event.field.id), slug(target.role))
    return next((word for word in words if word), "value")


def _label(event: Event) -> str:
    return event.target.name or event.target.placeholder or event.field.name or event.target.role


def _twin(parameter: Parameter, event: Event, found: Sequence[Parameter], events: Sequence[Event]) -> Parameter | None:
    """The parameter whose value a field repeats: the same secret, or a value to confirm; None for none."""
    if parameter.place:
        return None
    for other in found:
        if other.place:
            continue
        if parameter.secret and other.secret and events[other.steps[0]].value == event.value:
            return other
        again = _AGAIN.search(f"{event.field.name} {event.target.name}")
        if again and not parameter.secret and other.example == parameter.example and other.type == parameter.type:
            return other
    return None


def _named(parameter: Parameter, index: int, recordings: Sequence[Recording], found: Sequence[Parameter]) -> Parameter:
    """A parameter with a name that no other has. A value that was entered keeps the name by which requests have it."""
    event, taken = recordings[0].events[index], {each.name for each in found}
    is_which = event.kind == "check" and parameter.type == "string"  # one of several radio buttons
    if parameter.place or parameter.secret or is_which or event.kind not in ENTERED:
        return replace(parameter, name=unused_name([parameter.name], taken))
    inferred = unused_name([parameter.name], {each.field_name for each in found})
    targets = [each.events[index].target for each in recordings]
    is_in_row = chosen_row(targets, known_objects(recordings, found, index)) is not None
    name = unused_name(names_of_field(event, is_in_row=is_in_row), taken)
    return replace(parameter, name=name, renamed="" if inferred == name else inferred)


def _schema(parameter: Parameter) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": parameter.type, "description": parameter.description}
    choice = {"enum": list(parameter.enum)} if parameter.enum else {}
    if parameter.type == "array":
        schema["items"] = {"type": "string", **choice}
    else:
        schema |= choice
    if parameter.format:
        schema["format"] = parameter.format
    if parameter.pattern:
        schema["pattern"] = parameter.pattern
    if parameter.max_length:
        schema["maxLength"] = parameter.max_length
    if parameter.secret:
        return schema | {"writeOnly": True}
    if not parameter.required:
        schema["default"] = parameter.example
    others = () if parameter.place or parameter.type == "array" else parameter.others
    return schema | {"examples": [parameter.example, *(each for each in others if each != parameter.example)]}
