"""Changes a stored subroutine: its script, its description, and the names and descriptions of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from perception.errors import BadInputError, SubroutineChangedError
from perception.subroutines.create import check_description
from perception.subroutines.parameter import check_renames
from perception.subroutines.script_check.confirm_rules import with_names
from perception.subroutines.stored import Stored, digest

MAX_PARAMETER_DESCRIPTION = 300
"""Characters. The label of a field has a few words; an agent reads it with each list of tools."""


@dataclass(frozen=True, slots=True)
class Update:
    """What to change.

    Attributes:
        body: the new script; "" leaves it.
        description: what the subroutine does; None leaves it.
        rename: new names of parameters by the present ones.
        parameter_descriptions: by the new names.
        etag: that of the version that was changed; "" for any.
    """

    body: str = ""
    description: str | None = None
    rename: Mapping[str, str] = field(default_factory=dict)
    parameter_descriptions: Mapping[str, str] = field(default_factory=dict)
    etag: str = ""


def etag_of(stored: Stored) -> str:
    """What identifies a version of a subroutine: another one after each change."""
    parts = (stored.body, stored.description, stored.parameters_schema, stored.renamed, stored.generated_body)
    return digest(msgspec.json.encode(parts).decode())[:32]


def apply_update(stored: Stored, update: Update) -> Stored:
    """The changed subroutine. Its script is not checked here.

    Raises:
        BadInputError: a description or a name is invalid, or names change without the script that uses them.
        SubroutineChangedError: it is another version than the one that was changed.
    """
    require_version(stored, update.etag)
    rename = {old: new for old, new in update.rename.items() if old != new}
    properties: dict[str, Any] = stored.parameters_schema.get("properties", {})
    check_renames(tuple(properties), rename)
    if rename and not update.body:
        raise BadInputError("parameters get other names together with a script that uses these names", field="rename")
    if update.description is not None:
        check_description(update.description)
    schema = _renamed_schema(stored.parameters_schema, rename)
    for name, text in update.parameter_descriptions.items():
        if name not in schema["properties"]:
            known = ", ".join(schema["properties"]) or "none"
            raise BadInputError(
                f"there is no parameter {name[:60]!r}: there is {known}", field="parameter_descriptions"
            )
        if not text.strip() or len(text) > MAX_PARAMETER_DESCRIPTION:
            raise BadInputError(
                f"the description of {name} has to have 1 to {MAX_PARAMETER_DESCRIPTION} characters",
                field="parameter_descriptions",
            )
        schema["properties"][name] = {**schema["properties"][name], "description": text}
    before = stored.renamed or {name: name for name in properties}
    return msgspec.structs.replace(
        stored,
        body=update.body or stored.body,
        description=stored.description if update.description is None else update.description,
        parameters_schema=schema,
        success=tuple(with_names(stored.success, rename)),
        renamed={old: rename.get(new, new) for old, new in before.items()},
    )


def require_version(stored: Stored, etag: str) -> None:
    """Raises SubroutineChangedError where a subroutine is not of a version; "" is any."""
    if etag and etag != etag_of(stored):
        raise SubroutineChangedError(
            f"{stored.subroutine_id} was changed by somebody else since you read it: nothing was stored; read it again"
        )


def _renamed_schema(schema: Mapping[str, Any], rename: Mapping[str, str]) -> dict[str, Any]:
    return {
        **schema,
        "properties": {rename.get(name, name): each for name, each in schema.get("properties", {}).items()},
        "required": [rename.get(name, name) for name in schema.get("required", [])],
    }
