"""Arguments of tools: models whose fields take what language models write, and errors in one line.

Taken are numbers and booleans as text (`"5"`, `"true"`), numbers where text is wanted, lists and objects as JSON text,
one value in place of a list, choices in any case, and null for what is not given.

Rule 1: an unknown argument is refused and named: a model that invents one must learn that it has no effect.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema, model_validator
from pydantic.fields import FieldInfo

from perception.errors import BadInputError
from perception.interaction.target import TargetValue, parse_target, shortened

MAX_TEXT = 1_000_000
"""Characters of one argument. The service takes messages of 16 MiB, and types a million characters in seconds."""

T = TypeVar("T")
A = TypeVar("A", bound="Arguments")


class Arguments(BaseModel):
    """What a tool takes. Fields are optional by their default None, which the schema leaves out."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        """Null is how some models leave a parameter out."""
        if isinstance(given, str):
            given = from_json(given)
        if not isinstance(given, Mapping):
            return given
        return {name: value for name, value in given.items() if value is not None}


def from_json(value: Any) -> Any:
    """The list or object that a text is the JSON of; any other value unchanged."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _as_list(value: Any) -> Any:
    value = from_json(value)
    return value if isinstance(value, list | tuple) else [value]


def _as_choice(value: Any) -> Any:
    return value.strip().lower().replace("-", "_").replace(" ", "_") if isinstance(value, str) else value


def _as_text(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, bool) else value


AsList = BeforeValidator(_as_list)
AsJson = BeforeValidator(from_json)
AsChoice = BeforeValidator(_as_choice)
Text = Annotated[str, Field(max_length=MAX_TEXT), BeforeValidator(_as_text)]
Seconds = Annotated[float, Field(gt=0, le=300, allow_inf_nan=False)]
Session = Annotated[str | None, Field(max_length=200)]
Target = Annotated[TargetValue, BeforeValidator(parse_target), WithJsonSchema({"type": "string"})]


class InSession(Arguments):
    """What a tool in a session takes."""

    session: Session = None


def arguments_of(kind: type[A], given: Mapping[str, Any] | None, tool: str) -> A:
    """The arguments of a call.

    Args:
        kind: the tool's model.
        given: what the client sent; None for nothing.
        tool: its name, for the error.

    Raises:
        BadInputError: in one line, what is wrong and what would be right.
    """
    try:
        return kind.model_validate(dict(given or {}))
    except ValidationError as exc:
        errors = exc.errors(include_url=False)
        told = "; ".join(dict.fromkeys(_complaint(kind, error) for error in errors[:3]))
        more = f" ({len(errors) - 3} more)" if len(errors) > 3 else ""
        raise BadInputError(f"{tool}: {told}{more}") from exc


_TAKES = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "finite": "a number",
    "string": "a text",
    "list": "a list",
    "tuple": "a list",
    "dict": "an object",
    "model": "an object",
}
"""What a field takes, by the first part of the type of pydantic's error."""


def _complaint(kind: type[Arguments], error: Any) -> str:
    """One error in words."""
    where = _path(error["loc"]) or "the arguments"
    shown = shortened(error["input"])
    match error["type"]:
        case "missing":
            return f"{where} is missing"
        case "extra_forbidden":
            there = list(_fields_at(kind, error["loc"][:-1]))
            close = difflib.get_close_matches(str(error["loc"][-1]), there, n=1)
            guess = f" (did you mean {close[0]}?)" if close else ""
            return f"there is no argument {where[:80]}{guess}; there are {', '.join(there)}"
        case "literal_error":
            choices = error["ctx"]["expected"].replace(" or ", ", ").replace("'", "")
            return f"{where} is {shown}: it takes one of {choices}"
        case "value_error":
            return f"{where} {error['ctx']['error']}"
        case "string_too_long":
            return f"{where} has {len(str(error['input']))} characters: at most {error['ctx']['max_length']} are taken"
        case "model_type":
            return f"{where} is {shown}: it takes an object with {' and '.join(_required_at(kind, error['loc']))}"
        case type_ if type_.split("_")[0] in _TAKES and ("type" in type_ or "parsing" in type_ or "from" in type_):
            return f"{where} is {shown}: it takes {_TAKES[type_.split('_')[0]]}"
    message = error["msg"]
    return f"{where} is {shown}: {message[:1].lower()}{message[1:]}"


def _path(location: tuple[int | str, ...]) -> str:
    """`steps[1].target`."""
    parts = [f"[{each}]" if isinstance(each, int) else f".{each}" for each in location]
    return "".join(parts).removeprefix(".")


def _required_at(kind: type[Arguments], location: tuple[int | str, ...]) -> list[str]:
    return [name for name, field in _fields_at(kind, location).items() if field.is_required()]


def _fields_at(kind: type[Arguments], location: tuple[int | str, ...]) -> dict[str, FieldInfo]:
    """The arguments that there are at a place."""
    fields = kind.model_fields
    for name in location:
        if isinstance(name, str) and name in fields and (inner := _model_in(fields[name].annotation)):
            fields = inner.model_fields
    return fields


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model in an annotation such as `list[Step] | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for each in get_args(annotation) if (found := _model_in(each))), None)
