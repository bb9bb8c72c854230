"""A variant: the options of a look as data, which an A/B compares."""

from __future__ import annotations

import pkgutil
import tomllib
from dataclasses import asdict, dataclass
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from perception.detectors.registry import Registry
from perception.engine import SnapshotOptions as SnapshotOptions
from perception.errors import BadInputError
from perception.fusion.parameters import DEFAULTS, FusionParameters, MatchRule
from perception.render.token_budget import MIN_TOKENS
from perception.types import Mode, Scope, TextStyle, View

FOLDERS = tuple(Path(__file__).with_name(each) for each in ("variants", "rivals"))
"""Folders of the bundled variants. That of rivals is in the repository alone."""


class EpisodePolicy(StrEnum):
    """The policy in suites that act."""

    RULES = "rules"
    """General rules, which know no task."""
    PLAYERS = "players"
    """Players of the command's `--players`, by kind of task; the rules if there is none."""


@dataclass(frozen=True, slots=True)
class Variant:
    """The content of a TOML file; see `variants/fused.toml` for every part.

    Raises:
        ValueError: it has no name, or a token budget that is too small for any text.
    """

    name: str
    mode: Mode
    detectors: tuple[str, ...] = ()
    view: View = View.FULL
    scope: Scope = Scope.VIEWPORT
    max_tokens: int = 0
    fusion: FusionParameters = DEFAULTS
    style: TextStyle = TextStyle.ROLE_REF
    policy: EpisodePolicy = EpisodePolicy.RULES

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError("a variant has a name")
        if self.max_tokens < 0 or 0 < self.max_tokens < MIN_TOKENS:
            raise ValueError(f"max_tokens is 0 (no budget), or {MIN_TOKENS} or more")

    def snapshot_options(self, registry: Registry) -> SnapshotOptions:
        """The equivalent request to the service."""
        return SnapshotOptions(
            mode=self.mode,
            scope=self.scope,
            view=self.view,
            style=self.style,
            max_tokens=self.max_tokens,
            detectors=self.detectors or registry.defaults(),
            fusion=self.fusion,
        )

    def text(self) -> str:
        """Equal for equal variants, regardless of their files' layout."""
        return msgspec.json.encode(asdict(self), enc_hook=_rule_name, order="deterministic").decode()


def load_variant(name: str) -> Variant:
    """A variant from a file, or a bundled one by its name.

    Raises:
        BadInputError: there is no such file or name, or it has an unknown key.
    """
    path = Path(name)
    if not path.suffix:
        path = next((each for each in _shipped() if each.stem == name), FOLDERS[0] / f"{name}.toml")
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as exc:
        raise BadInputError(
            f"no variant {name!r} ({exc.strerror}): name a TOML file, or one of {', '.join(shipped_variants())}"
        ) from exc
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise BadInputError(f"{name}: not TOML: {exc}") from exc
    try:
        variant = msgspec.convert(_known(data, Variant, ""), Variant, dec_hook=_rule)
        _check_detectors(variant)
    except (msgspec.ValidationError, ValueError) as exc:
        raise BadInputError(f"{name}: {exc}") from exc
    return variant


def shipped_variants() -> list[str]:
    """Names of the bundled variants."""
    return sorted(path.stem for path in _shipped())


def _shipped() -> list[Path]:
    return [path for folder in FOLDERS for path in folder.glob("*.toml")]


def _rule(kind: type, value: Any) -> MatchRule:
    """The function that MODULE:FUNCTION names. Raises ValueError if there is none."""
    try:
        found = pkgutil.resolve_name(value)
    except (ImportError, AttributeError, TypeError, ValueError) as exc:
        raise ValueError(f"fusion.rule is {value!r}: name a function as MODULE:FUNCTION ({exc})") from exc
    if not isinstance(found, MatchRule):
        raise ValueError(f"fusion.rule is {value!r}, which is not a function")
    return found


def _rule_name(rule: Any) -> str:
    return f"{rule.__module__}:{rule.__qualname__}"


def _known(data: dict[str, object], kind: type, where: str) -> dict[str, object]:
    """Checks that every key is one of `kind`: a misspelt key must not silently become the default."""
    fields = get_type_hints(kind)
    for key, value in data.items():
        if key not in fields:
            raise ValueError(f"unknown key {where + key!r}: there are {', '.join(where + each for each in fields)}")
        _check_choice(where + key, value, fields[key])
        if key == "fusion" and isinstance(value, dict):
            _known(value, FusionParameters, "fusion.")
    return data


def _check_choice(key: str, value: object, kind: object) -> None:
    """Adds the valid choices: msgspec names only the invalid value."""
    for choices in (kind, *get_args(kind)):
        if isinstance(choices, type) and issubclass(choices, Enum):
            allowed = [each.value for each in choices]
            for one in value if isinstance(value, list) else [value]:
                if one not in allowed:
                    raise ValueError(f"{key} is {one!r}: there are {', '.join(allowed)}")


def _check_detectors(variant: Variant) -> None:
    """Checks detectors before a run, not in each of its workers. A known but unavailable one is skipped with a note."""
    known = Registry.load().names()
    for each in variant.detectors:
        if each not in known:
            raise ValueError(f"no detector is called {each!r}: there are {', '.join(known)}")
