"""The wire's enums beside ours: `MODE_FUSED` is `Mode.FUSED`, or the word `fused`.

Rule 1: a value of the wire without a member of ours fails here, when the service starts. The number 0 is in no table:
what a request leaves out means is said where it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeVar, cast

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

from perception.client.message_fields import short_names
from perception.errors import BadInputError

Member = TypeVar("Member", bound=Enum)
Number = TypeVar("Number", bound=int)
Value = TypeVar("Value")


def enum_members(wire: type[Number], ours: type[Member]) -> dict[Number, Member]:
    """Our members by the numbers of the wire's values of the same names."""
    return {number: ours[name.upper()] for number, name in _names(wire).items()}


def enum_numbers(wire: type[Number], ours: type[Member]) -> dict[Member, Number]:
    """Numbers of the wire by our members."""
    return {member: number for number, member in enum_members(wire, ours).items()}


def enum_words(wire: type[Number]) -> dict[Number, str]:
    """`no-preference` for CONTRAST_NO_PREFERENCE, by number."""
    return {number: name.replace("_", "-") for number, name in _names(wire).items()}


def _names(wire: type[Number]) -> dict[Number, str]:
    """Names in lower case and without the enum's prefix, by number; without that of the number 0."""
    names = short_names(cast(EnumTypeWrapper, wire).DESCRIPTOR)
    return {cast(Number, number): name for name, number in names.items() if number}


def decode_enum(table: Mapping[Number, Value], value: Number, field: str) -> Value:
    """What an enum's number means here. Raises BadInputError for a number of another version."""
    if value not in table:
        raise BadInputError(
            f"{field} {value} is not known to this version: leave it out, or use a value of its proto/perception/v1",
            field=field,
        )
    return table[value]
