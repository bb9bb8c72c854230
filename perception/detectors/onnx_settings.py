"""Settings of the user's own detection model: environment variables, and a TOML file next to the model.

The environment comes first, then the file, then the model's own metadata (Ultralytics writes some).

Rule 1: an invalid value is refused with a message that says what is allowed; a misspelled key is never ignored.
Rule 2: this module opens no model.
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
    """Declared form of a model's input; None for the usual form of its layout.

    Attributes:
        order: order of the color channels.
        resize: how the image is fitted into the input.
        range: values of black and white.
        mean: subtracted, one value per channel in `order`, in `range`.
        std: divisor, in the same form.
    """

    order: Order | None = None
    resize: Resize | None = None
    range: tuple[float, float] | None = None
    mean: tuple[float, ...] | None = None
    std: tuple[float, ...] | None = None

    def apply(self, form: InputForm) -> InputForm:
        """The layout's form with the declared values in place of its own."""
        chosen = {"order": self.order, "resize": self.resize, "mean": self.mean, "std": self.std}
        low, high = self.range or (form.low, form.high)
        return replace(form, low=low, high=high, **{key: value for key, value in chosen.items() if value is not None})  # type: ignore[arg-type]  # each value has the type of its field


@dataclass(frozen=True, slots=True)
class Declared:
    """Content of the TOML file; an empty value or None means that the key is absent.

    Attributes:
        model: file name of the model, if it differs from the TOML file's.
        name: name for people.
        description: sentence for people.
        licence: SPDX expression for the weights.
        layout: one of `LAYOUT_NAMES`.
        size: (width, height) of the input, px.
        classes: class names in the model's order.
        outputs: names of the outputs to read.
        score: least score of a box.
        overlap: intersection over union from which the weaker of two boxes is dropped.
        input: form of the input.
    """

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
    """Settings of one model.

    Attributes:
        path: the .onnx file.
        size: (width, height) of the input, px; None for the model's own or the usual size.
        score: least score of a box, over 0 and up to 1.
        overlap: intersection over union from which the weaker of two boxes is dropped.
        declared: content of the TOML file.

    Raises:
        DetectorMissingError: the score is out of its range.
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
        """Reads the settings.

        Raises:
            DetectorMissingError: a variable is missing or invalid, or the TOML file is invalid.
        """
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
    """Metadata of an Ultralytics export.

    Attributes:
        classes: `names`; empty if absent.
        task: `task`; empty if absent.
        size: `imgsz` as (width, height), px; None if absent.
        keypoints: product of `kpt_shape`, the number of values that a pose model adds to each box; 0 if absent.
    """

    classes: tuple[str, ...] = ()
    task: str = ""
    size: Size | None = None
    keypoints: int = 0

    @classmethod
    def read(cls, metadata: Mapping[str, str]) -> ModelNotes:
        """Reads the metadata. Values that cannot be parsed count as absent: other exporters use the same keys."""
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
    """The error for a model that cannot be used."""
    return DetectorMissingError(reason, detector=NAME)


def read_declared(path: Path) -> Declared:
    """Reads the TOML file of a model.

    Raises:
        DetectorMissingError: the file is not valid TOML, or has an unknown key or an invalid value.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise unusable(f"{path.name} is not a TOML file that can be read ({first_line(exc)}): correct it") from exc
    try:
        return Declared(**_check(data, _TOML_KEYS, ""))  # type: ignore[arg-type]  # `_TOML_KEYS` checks each value
    except ValueError as exc:
        raise unusable(f"{path.name}: {exc}") from exc


def _find_model(named: str) -> tuple[Path, Declared]:
    """The model file and its declaration, from the path of either."""
    if not named:
        raise unusable(f"no model is named: set {PATH_VARIABLE} to the path of an .onnx file")
    path = Path(named)
    if not path.is_file():
        raise unusable(f"{PATH_VARIABLE} names {path.name}, which is not a file here: correct the path")
    if path.suffix.lower() != ".toml":
        beside = path.with_suffix(".toml")
        declared = read_declared(beside) if beside.is_file() else Declared()
        if declared.model and (path.parent / declared.model).resolve() != path.resolve():
            raise unusable(f"{beside.name} is about {declared.model}, not {path.name}: rename one, or correct model")
        return path, declared
    declared = read_declared(path)
    model = path.parent / (declared.model or f"{path.stem}.onnx")
    if not model.is_file():
        raise unusable(f"{path.name} is about {model.name}, which is not a file beside it: set model to the .onnx file")
    return model, declared


class _RefusedError(Exception):
    """A value is not allowed; the message says what is allowed."""


def _check(data: Mapping[str, object], keys: Mapping[str, Callable[[object], object]], where: str) -> dict[str, object]:
    """Parses every value by its key. Raises ValueError: a key is unknown or its value is not allowed."""
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
    """An expression in the syntax of https://spdx.github.io/spdx-spec/; names are not looked up in the list."""
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


def _colors(value: object) -> tuple[float, ...]:
    colors = _numbers(value)
    if len(colors) != 3:
        raise _RefusedError("three numbers, one for each color in the model's order, in its range")
    return colors


def _spreads(value: object) -> tuple[float, ...]:
    colors = _colors(value)
    if min(colors) <= 0:
        raise _RefusedError("three numbers over 0, one for each color in the model's order, in its range")
    return colors


def _input(value: object) -> InputChoice:
    if not isinstance(value, dict):
        raise _RefusedError(f"a table of {', '.join(_INPUT_KEYS)}")
    return InputChoice(**_check(value, _INPUT_KEYS, "input."))  # type: ignore[arg-type]  # each is checked by its own row


_INPUT_KEYS: Mapping[str, Callable[[object], object]] = {
    "order": _order,
    "resize": _resize,
    "range": _range,
    "mean": _colors,
    "std": _spreads,
}
_TOML_KEYS: Mapping[str, Callable[[object], object]] = {
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
    """The numbers of a list; empty if one of its values is not a finite number."""
    listed = values if isinstance(values, list) else []
    numbers = [float(each) for each in listed if type(each) in (int, float) and math.isfinite(each)]
    return tuple(numbers) if len(numbers) == len(listed) else ()


def _counts(values: object) -> tuple[int, int] | None:
    """Two whole numbers over 0; None for any other value."""
    if isinstance(values, list | tuple) and len(values) == 2 and all(type(each) is int for each in values):
        first, second = values
        return (first, second) if 0 < first < 10_000 and 0 < second < 10_000 else None
    return None


def _literal(text: str) -> object:
    """The value of a Python or JSON literal; None if the text is not one."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
