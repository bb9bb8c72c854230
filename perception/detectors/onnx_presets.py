"""Settings for detectors that others published, by name: `onnx_presets.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from perception.detectors.onnx_settings import PATH_VARIABLE, OnnxSettings
from perception.errors import BadInputError, DetectorMissingError

PRESETS = Path(__file__).with_name("onnx_presets.toml")


@dataclass(frozen=True, slots=True)
class Preset:
    """Settings for one published model.

    Attributes:
        name: its name on the command line.
        about: one sentence.
        licence: SPDX expression for the weights; empty if it depends on the model.
        source: where a user gets it.
        settings: content of the TOML file beside the model.
    """

    name: str
    about: str
    licence: str
    source: str
    settings: str


@cache
def load_presets() -> Mapping[str, Preset]:
    """All presets by name."""
    text = PRESETS.read_text("utf-8")
    return {name: _preset(name, table, _body(text, name)) for name, table in tomllib.loads(text).items()}


def _preset(name: str, table: Mapping[str, str], body: str) -> Preset:
    return Preset(name, table["description"], table.get("licence", ""), table["source"], body)


def _body(text: str, name: str) -> str:
    """The lines of a preset's table without its source."""
    lines = text.split(f"[{name}]\n", 1)[1].split("\n[", 1)[0].strip().splitlines()
    return "".join(f"{line}\n" for line in lines if not line.startswith("source ="))


def apply_preset(name: str, model: Path) -> Path:
    """Writes a preset's settings beside a model, and tries the model with them.

    Returns:
        The file with the settings.

    Raises:
        BadInputError: there is no such preset or model; it has settings already; it does not work with these, which
            are not written then.
    """
    presets = load_presets()
    if name not in presets:
        raise BadInputError(f"there is no preset {name}: {', '.join(presets)} are the known ones")
    if not model.is_file() or model.suffix.lower() != ".onnx":
        raise BadInputError(f"{model} is not a .onnx file: export it first ({presets[name].source})")
    file = model.with_suffix(".toml")
    if file.exists():
        raise BadInputError(f"{file} is there already: remove it to have the preset's settings")
    file.write_text(presets[name].settings, "utf-8")
    if missing := _why_missing(model):
        file.unlink()
        raise BadInputError(f"{model.name} is not a model for the preset {name}: {missing}")
    return file


def _why_missing(model: Path) -> str:
    from perception.detectors.onnx import OnnxBoxes

    try:
        OnnxBoxes(OnnxSettings.from_environment({PATH_VARIABLE: str(model)}))
    except DetectorMissingError as exc:
        return str(exc)
    return ""
