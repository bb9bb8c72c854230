"""What a user says of a detection model of theirs: by environment variables, and by a TOML file beside the model.

The environment is asked first, the file second, the model's own metadata (Ultralytics writes some) last.

Rule 1: what cannot be right is refused with what is allowed; a misspelt key must not silently be the default.
Rule 2: no model is opened here.
"""

from __future__ import annotations

import ast
import math
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from perception.detectors.onnx_frames import InputForm, Order, Resize
from perception.detectors.onnx_layouts import LAYOUT_NAMES
from perception.detectors.onnx_readers import Size
from perception.errors import DetectorMissingError, first_line

NAME = "onnx"
PATH_VARIABLE = "PERCEPTION_ONNX_DETECTOR"
SIZE_VARIABLE = "PERCEPTION_ONNX_SIZE"
SCORE_VARIABLE = "PERCEPTION_ONNX_SCORE"

DEFAULT_SCORE = 0.25
"""`conf` of Ultralytics' predict."""
DEFAULT_OVERLAP = 0.7
"""`iou` of Ultralytics' predict."""

Value = TypeVar("Value")

_SIZES = "640, 1280 or 1280x800"
_SHARES = "a number over 0 and up to 1"


@dataclass(frozen=True, slots=True)
class InputChoice:
    """What is declared of a model's input; None for what its layout's models usually take."""

    order: Order | None = None
    resize: Resize | None = None
    range: tuple[float, float] | None = None
    mean: tuple[float, ...] | None = None
    std: tuple[float, ...] | None = None

    def apply(self, form: InputForm) -> InputForm:
        """The usual form with what is declared in its place."""
        chosen = {"order": self.order, "resize": self.resize, "mean": self.mean, "std": self.std}
        low, high = self.range or (form.low, form.high)
        return replace(form, low=low, high=high, **{key: value for key, value in chosen.items() if value is not None})  # type: ignore[arg-type]  # each by its own name


@dataclass(frozen=True, slots=True)
class Declared:
    """What the TOML file says. `size` is (width, height); empty is unsaid."""

    model: str = ""
    name: str = ""
    description: str = ""
    licence: str = ""
    layout: str = ""
    size: Size | None = None
    classes: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    score: float | None = None
    overlap: float | None = None
    input: InputChoice = InputChoice()


@dataclass(frozen=True, slots=True)
class OnnxSettings:
    """What to run. `size` is (width, height) of the model's input, None for its own or the usual.

    Raises:
        DetectorMissingError: a score or overlap that cannot be right.
    """

    path: Path
    size: Size | None = None
    score: float = DEFAULT_SCORE
    overlap: float = DEFAULT_OVERLAP
    declared: Declared = Declared()

    def __post_init__(self) -> None:
        if not 0 < self.score <= 1:
            raise unusable(f"{SCORE_VARIABLE} is {self.score:g}: set it to {_SHARES}")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> OnnxSettings:
        """Raises DetectorMissingError: a variable is not set, or to what it cannot be, or the TOML file is wrong."""
        path, declared = _find_model(environment.get(PATH_VARIABLE, ""))
        size = _from_text(environment, SIZE_VARIABLE, _parse_size, _SIZES)
        score = _from_text(environment, SCORE_VARIABLE, float, _SHARES)
        return cls(
            path,
            size or declared.size,
            score if score is not None else declared.score or DEFAULT_SCORE,
            declared.overlap or DEFAULT_OVERLAP,
            declared,
        )


@dataclass(frozen=True, slots=True)
class ModelNotes:
    """What an Ultralytics export says of itself: `names`, `task`, `imgsz` and `kpt_shape` of its metadata."""

    classes: tuple[str, ...] = ()
    task: str = ""
    size: Size | None = None
    keypoints: int = 0

    @classmethod
    def read(cls, metadata: Mapping[str, str]) -> ModelNotes:
        """What cannot be read is as if it were not there: other exporters use the same keys for their own ends."""
        names, size, keypoints = (_literal(metadata.get(key, "")) for key in ("names", "imgsz", "kpt_shape"))
        if isinstance(names, Mapping) and all(isinstance(key, int) and 0 <= key < 10_000 for key in names):
            names = [names.get(number, "") for number in range(max(names, default=-1) + 1)]
        down_across = _counts([size, size] if isinstance(size, int) else size)
        return cls(
            classes=tuple(str(name) for name in names) if isinstance(names, list | tuple) else (),
            task=metadata.get("task", ""),
            size=(down_across[1], down_across[0]) if down_across else None,
            keypoints=math.prod(_counts(keypoints) or (0,)),
        )


def unusable(reason: str) -> DetectorMissingError:
    return DetectorMissingError(reason, detector=NAME)


def read_declared(path: Path) -> Declared:
    """What a TOML file says of a model.

    Raises:
        DetectorMissingError: it is no TOML, has an unknown key or a value that is not allowed.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise unusable(f"{path.name} is no TOML file that can be read ({first_line(exc)}): correct it") from exc
    try:
        return Declared(**_check(data, _KEYS, ""))  # type: ignore[arg-type]  # each is checked by its own row
    except ValueError as exc:
        raise unusable(f"{path.name}: {exc}") from exc


def _find_model(named: str) -> tuple[Path, Declared]:
    """The model and what is declared of it, by the path of either."""
    if not named:
        raise unusable(f"no model is named: set {PATH_VARIABLE} to the path of an .onnx file")
    path = Path(named)
    if not path.is_file():
        raise unusable(f"{PATH_VARIABLE} names {path.name}, which is no file here: correct the path")
    if path.suffix.lower() != ".toml":
        beside = path.with_suffix(".toml")
        declared = read_declared(beside) if beside.is_file() else Declared()
        if declared.model and (path.parent / declared.model).resolve() != path.resolve():
            raise unusable(f"{beside.name} is about {declared.model}, not {path.name}: rename one, or correct model")
        return path, declared
    declared = read_declared(path)
    model = path.parent / (declared.model or f"{path.stem}.onnx")
    if not model.is_file():
        raise unusable(f"{path.name} is about {model.name}, which is no file beside it: set model to the .onnx file")
    return model, declared


class _RefusedError(Exception):
    """A value is not allowed; says what is."""


def _check(data: Mapping[str, object], keys: Mapping[str, Callable[[object], object]], where: str) -> dict[str, object]:
    """Raises ValueError: an unknown key, or a value that its row refuses."""
    checked = {}
    for key, value in data.items():
        if key not in keys:
            raise ValueError(f"unknown key {where}{key}: there are {', '.join(where + each for each in keys)}")
        try:
            checked[key] = keys[key](value)
        except _RefusedError as exc:
            raise ValueError(f"{where}{key} is {value!r}: set it to {exc}") from exc
    return checked


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or "\n" in value:
        raise _RefusedError("a line of text")
    return value


def _licence(value: object) -> str:
    """As https://spdx.github.io/spdx-spec/ writes expressions; whether the name is on the list is not looked up."""
    if not isinstance(value, str) or not re.fullmatch(r"\(*[\w.+-]+\)*( (AND|OR|WITH) \(*[\w.+-]+\)*)*", value):
        raise _RefusedError("an SPDX expression such as Apache-2.0 or AGPL-3.0-only")
    return value


def _layout(value: object) -> str:
    if value not in LAYOUT_NAMES:
        raise _RefusedError(f"one of {', '.join(LAYOUT_NAMES)}")
    return str(value)


def _size(value: object) -> Size:
    try:
        return _counts(value) or _parse_size(str(value) if isinstance(value, int | str) else "")
    except ValueError as exc:
        raise _RefusedError('a side such as 640, or width and height such as [1280, 800] or "1280x800"') from exc


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise _RefusedError('a list of names such as ["button", "link"]')
    return tuple(value)


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise _RefusedError(_SHARES)
    return float(value)


def _order(value: object) -> Order:
    if value not in tuple(Order):
        raise _RefusedError(f"one of {', '.join(Order)}")
    return Order(str(value))


def _resize(value: object) -> Resize:
    if value not in tuple(Resize):
        raise _RefusedError(f"one of {', '.join(Resize)}")
    return Resize(str(value))


def _range(value: object) -> tuple[float, float]:
    ends = _numbers(value if isinstance(value, list) else [0, value])
    if len(ends) != 2 or ends[0] >= ends[1]:
        raise _RefusedError("the value of white such as 1 or 255, or those of black and white such as [-1, 1]")
    return ends[0], ends[1]


def _colours(value: object) -> tuple[float, ...]:
    colours = _numbers(value)
    if len(colours) != 3:
        raise _RefusedError("three numbers, one for each colour in the model's order, in its range")
    return colours


def _spreads(value: object) -> tuple[float, ...]:
    colours = _colours(value)
    if min(colours) <= 0:
        raise _RefusedError("three numbers over 0, one for each colour in the model's order, in its range")
    return colours


def _input(value: object) -> InputChoice:
    if not isinstance(value, dict):
        raise _RefusedError(f"a table of {', '.join(_INPUT_KEYS)}")
    return InputChoice(**_check(value, _INPUT_KEYS, "input."))  # type: ignore[arg-type]  # each is checked by its own row


_INPUT_KEYS: Mapping[str, Callable[[object], object]] = {
    "order": _order,
    "resize": _resize,
    "range": _range,
    "mean": _colours,
    "std": _spreads,
}
_KEYS: Mapping[str, Callable[[object], object]] = {
    "model": _text,
    "name": _text,
    "description": _text,
    "licence": _licence,
    "layout": _layout,
    "size": _size,
    "classes": _texts,
    "outputs": _texts,
    "score": _share,
    "overlap": _share,
    "input": _input,
}


def _from_text(
    environment: Mapping[str, str], variable: str, parse: Callable[[str], Value], allowed: str
) -> Value | None:
    text = environment.get(variable, "")
    try:
        return parse(text) if text else None
    except ValueError as exc:
        raise unusable(f"{variable} is {text!r}: set it to {allowed}") from exc


def _parse_size(text: str) -> Size:
    match = re.fullmatch(r"([1-9]\d{0,3})(?:x([1-9]\d{0,3}))?", text)
    if match is None:
        raise ValueError(_SIZES)
    return int(match[1]), int(match[2] or match[1])


def _numbers(values: object) -> tuple[float, ...]:
    """Finite ones of a list, as many as it has; else none."""
    listed = values if isinstance(values, list) else []
    numbers = [float(each) for each in listed if type(each) in (int, float) and math.isfinite(each)]
    return tuple(numbers) if len(numbers) == len(listed) else ()


def _counts(values: object) -> tuple[int, int] | None:
    """Two whole numbers over 0, None where it is not these."""
    if isinstance(values, list | tuple) and len(values) == 2 and all(type(each) is int for each in values):
        first, second = values
        return (first, second) if 0 < first < 10_000 and 0 < second < 10_000 else None
    return None


def _literal(text: str) -> object:
    """A Python or JSON value that was written down, None where it is none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
