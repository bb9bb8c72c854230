"""A way to look, as data: what an A/B compares."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass
from enum import Enum, StrEnum
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec

from perception.detectors.registry import Registry
from perception.errors import BadInputError
from perception.fusion.parameters import DEFAULTS, FusionParameters
from perception.pipeline import Wish
from perception.render.budget import MIN_TOKENS
from perception.types import Mode, Scope, TextStyle, View

SHIPPED = Path(__file__).with_name("variants")


class Policy(StrEnum):
    """Who decides what to do, in suites that act."""

    RULES = "rules"
    """General rules, which know no task: what two lists are compared by."""
    SCRIPTS = "scripts"
    """A script for each kind of task; the rules, where there is none."""


@dataclass(frozen=True, slots=True)
class Variant:
    """As its TOML file has it; see `variants/fused.toml` for every part.

    Raises:
        ValueError: it has no name, or a token budget that no text can keep.
    """

    name: str
    mode: Mode
    detectors: tuple[str, ...] = ()
    view: View = View.FULL
    scope: Scope = Scope.VIEWPORT
    max_tokens: int = 0
    fusion: FusionParameters = DEFAULTS
    style: TextStyle = TextStyle.ROLE_REF
    policy: Policy = Policy.RULES

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError("a variant has a name")
        if self.max_tokens < 0 or 0 < self.max_tokens < MIN_TOKENS:
            raise ValueError(f"max_tokens is 0 (no budget), or {MIN_TOKENS} or more")

    def wish(self, registry: Registry) -> Wish:
        """What the service would be asked."""
        return Wish(
            mode=self.mode,
            scope=self.scope,
            view=self.view,
            style=self.style,
            max_tokens=self.max_tokens,
            detectors=self.detectors or registry.defaults(),
            fusion=self.fusion,
        )

    def text(self) -> str:
        """The same for the same variant, whatever its file looks like."""
        return msgspec.json.encode(msgspec.to_builtins(asdict(self)), order="deterministic").decode()


def load_variant(name: str) -> Variant:
    """A variant from a file, or one of those that come with the package by its name.

    Raises:
        BadInputError: there is no such file or name, or it says what no variant has.
    """
    path = Path(name)
    if not path.suffix:
        path = SHIPPED / f"{name}.toml"
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as exc:
        raise BadInputError(
            f"no variant {name!r} ({exc.strerror}): name a TOML file, or one of {', '.join(shipped_variants())}"
        ) from exc
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise BadInputError(f"{name}: not TOML: {exc}") from exc
    try:
        variant = msgspec.convert(_known(data, Variant, ""), Variant)
        _check_detectors(variant)
    except (msgspec.ValidationError, ValueError) as exc:
        raise BadInputError(f"{name}: {exc}") from exc
    return variant


def shipped_variants() -> list[str]:
    """Names of the variants that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def _known(data: dict[str, object], kind: type, where: str) -> dict[str, object]:
    """The same, once every key is one that `kind` has: a misspelt key must not silently be the default."""
    fields = get_type_hints(kind)
    for key, value in data.items():
        if key not in fields:
            raise ValueError(f"unknown key {where + key!r}: there are {', '.join(where + each for each in fields)}")
        _check_choice(where + key, value, fields[key])
        if key == "fusion" and isinstance(value, dict):
            _known(value, FusionParameters, "fusion.")
    return data


def _check_choice(key: str, value: object, kind: object) -> None:
    """Says what there is to choose from: msgspec names only what is wrong."""
    for choices in (kind, *get_args(kind)):
        if isinstance(choices, type) and issubclass(choices, Enum):
            allowed = [each.value for each in choices]
            for one in value if isinstance(value, list) else [value]:
                if one not in allowed:
                    raise ValueError(f"{key} is {one!r}: there are {', '.join(allowed)}")


def _check_detectors(variant: Variant) -> None:
    """Before a run, not in each of its workers. One that is known and cannot be used here is skipped, and said so."""
    known = Registry.load().names()
    for each in variant.detectors:
        if each not in known:
            raise ValueError(f"no detector is called {each!r}: there are {', '.join(known)}")
