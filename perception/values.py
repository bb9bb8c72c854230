"""Values that come by the ten thousand: structs of msgspec, which are made in a tenth of a dataclass's time.

Rule 1: they are frozen and hold nothing that holds them, so that the garbage collector may pass over them (`gc=False`).
Rule 2: `dataclasses.replace`, `fields` and `astuple` take them, as they take other values here.
"""

from __future__ import annotations

from dataclasses import make_dataclass
from typing import TypeVar

import msgspec

Struct = TypeVar("Struct", bound=msgspec.Struct)


def dataclass_like(cls: type[Struct]) -> type[Struct]:
    """The struct, with what the functions of `dataclasses` ask for."""
    made = make_dataclass(cls.__name__, cls.__struct_fields__)
    cls.__dataclass_fields__ = made.__dataclass_fields__  # type: ignore[attr-defined]
    return cls
