"""A way to look, as data: what an A/B compares."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from perception.detectors.registry import Registry
from perception.errors import BadInputError
from perception.fusion.parameters import DEFAULTS, FusionParameters
from perception.pipeline import Wish
from perception.types import Mode, Scope, View

SHIPPED = Path(__file__).with_name("variants")


@dataclass(frozen=True, slots=True)
class Variant:
    """As its TOML file has it; see `variants/fused.toml` for every part.

    Raises:
        ValueError: the token budget is negative.
    """

    name: str
    mode: Mode
    detectors: tuple[str, ...] = ()
    view: View = View.FULL
    scope: Scope = Scope.VIEWPORT
    max_tokens: int = 0
    fusion: FusionParameters = DEFAULTS

    def __post_init__(self) -> None:
        if self.max_tokens < 0:
            raise ValueError("max_tokens is 0 (no budget) or more")

    def wish(self, registry: Registry) -> Wish:
        """What the service would be asked."""
        return Wish(
            mode=self.mode,
            scope=self.scope,
            view=self.view,
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
    except (FileNotFoundError, IsADirectoryError) as exc:
        raise BadInputError(
            f"no variant {name!r}: name a TOML file, or one of {', '.join(shipped_variants())}"
        ) from exc
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise BadInputError(f"{name}: not TOML: {exc}") from exc
    try:
        return msgspec.convert(_known(data, Variant, ""), Variant)
    except (msgspec.ValidationError, ValueError) as exc:
        raise BadInputError(f"{name}: {exc}") from exc


def shipped_variants() -> list[str]:
    """Names of the variants that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def _known(data: dict[str, object], kind: type, where: str) -> dict[str, object]:
    """The same, once every key is one that `kind` has: a misspelt key must not silently be the default."""
    fields = list(kind.__dataclass_fields__)  # type: ignore[attr-defined]
    for key, value in data.items():
        if key not in fields:
            raise ValueError(f"unknown key {where + key!r}: there are {', '.join(where + each for each in fields)}")
        if key == "fusion" and isinstance(value, dict):
            _known(value, FusionParameters, "fusion.")
    return data
