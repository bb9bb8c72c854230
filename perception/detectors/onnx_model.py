"""The user's ONNX model in ONNX Runtime: opens it and reads its inputs and outputs.

Rule 1: the runtime is imported when a model is opened, not before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from perception.detectors.onnx_settings import SIZE_VARIABLE, OnnxSettings, unusable
from perception.errors import first_line

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

RUNTIME_THREADS = 1
"""With every core busy, as a browser keeps them, two threads are slower than one."""

_TENSOR_TYPES: Mapping[str, type[np.generic]] = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(uint8)": np.uint8,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
    "tensor(bool)": np.bool_,
}
_PIXEL_TYPES = ("tensor(float)", "tensor(float16)", "tensor(uint8)")


@dataclass(frozen=True, slots=True)
class SideInput:
    """An input of a model besides the image.

    Attributes:
        name: name of the input.
        dtype: type of its values.
        shape: sides; None for an open side.
    """

    name: str
    dtype: type[np.generic]
    shape: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class ModelInput:
    """Inputs of a model.

    Attributes:
        name: name of the image input.
        dtype: type of the image's values.
        width: px; None if it is open.
        height: px; None if it is open.
        channels_last: whether the color channels are the last axis.
        sizes: inputs for the image's width and height (RT-DETR, D-FINE).
        masks: inputs for the mask of the image's pixels (DETR).
    """

    name: str
    dtype: type[np.generic]
    width: int | None
    height: int | None
    channels_last: bool
    sizes: tuple[SideInput, ...]
    masks: tuple[SideInput, ...]


def open_model(path: Path, *, optimized: bool) -> InferenceSession:
    """Opens a model. Raises DetectorMissingError: ONNX Runtime cannot read the file."""
    from onnxruntime import GraphOptimizationLevel, InferenceSession, SessionOptions, __version__

    options = SessionOptions()
    options.intra_op_num_threads = RUNTIME_THREADS
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 4
    if not optimized:
        options.graph_optimization_level = GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        return InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as exc:  # ONNX Runtime's errors have no other common base class
        reason = first_line(exc).replace(f"{path.resolve().parent}/", "").replace(f"{path.parent}/", "")
        size = f"{bytes_of(path) / 2**20:.3g} MB"
        raise unusable(
            f"{path.name} ({size}) is not a model that ONNX Runtime {__version__} reads ({reason}): export it again"
        ) from exc


def bytes_of(path: Path) -> int:
    """Size of the model and the weights next to it: torch and Optimum write weights over 2 GB to a separate file."""
    beside = (path.with_name(path.name + end) for end in ("", ".data", "_data"))
    return sum(file.stat().st_size for file in beside if file.is_file())


def read_input(session: InferenceSession, settings: OnnxSettings) -> ModelInput:
    """Reads the inputs of a model.

    Raises:
        DetectorMissingError: it does not take exactly one image, has an unknown input, or does not take the configured
            size.
    """
    inputs = session.get_inputs()
    images = [each for each in inputs if len(each.shape) == 4 and each.type in _PIXEL_TYPES]
    masks = [each for each in inputs if len(each.shape) == 3 and "mask" in each.name and each.type in _TENSOR_TYPES]
    sizes = [each for each in inputs if len(each.shape) == 2 and _fixed(each.shape[1]) in (2, None)]
    sizes = [each for each in sizes if "size" in each.name and each.type in _TENSOR_TYPES]
    shape = images[0].shape if len(images) == 1 else []
    channels_last = bool(shape) and _fixed(shape[3]) == 3 and _fixed(shape[1]) != 3
    if channels_last:
        shape = [shape[0], shape[3], shape[1], shape[2]]
    fits = bool(shape) and _fixed(shape[0]) in (1, None) and _fixed(shape[1]) in (3, None)
    if not fits or len(inputs) != 1 + len(masks) + len(sizes):
        taken = ", ".join(f"{each.name} {each.type} {each.shape}" for each in inputs)
        wanted = "float or uint8 (1, 3, height, width)"
        raise unusable(f"{settings.path.name} takes {taken}: export it to take one image, {wanted}")
    width, height = _fixed(shape[3]), _fixed(shape[2])
    _check_size(settings, width, height)
    return ModelInput(
        images[0].name, _TENSOR_TYPES[images[0].type], width, height, channels_last, _beside(sizes), _beside(masks)
    )


def _beside(inputs: Sequence[Any]) -> tuple[SideInput, ...]:
    return tuple(
        SideInput(each.name, _TENSOR_TYPES[each.type], tuple(_fixed(side) for side in each.shape)) for each in inputs
    )


def chosen_outputs(session: InferenceSession, settings: OnnxSettings) -> tuple[str, ...]:
    """Names of the outputs to read: the declared ones, else all."""
    there = [each.name for each in session.get_outputs()]
    unknown = [name for name in settings.declared.outputs if name not in there]
    if unknown:
        raise unusable(f"{settings.path.name} has no output {unknown[0]}: there are {', '.join(there)}")
    return settings.declared.outputs or tuple(there)


def size_source(settings: OnnxSettings) -> str:
    """Name of the setting that the size comes from, for messages."""
    return f"size in {settings.path.stem}.toml" if settings.size == settings.declared.size else SIZE_VARIABLE


def _check_size(settings: OnnxSettings, width: int | None, height: int | None) -> None:
    if settings.size is not None and (width or settings.size[0], height or settings.size[1]) != settings.size:
        own, asked = f"{width or 'any'}x{height or 'any'}", "{}x{}".format(*settings.size)
        raise unusable(
            f"{settings.path.name} takes images of {own} only, and {asked} is asked for: unset {size_source(settings)}"
        )


def _fixed(side: object) -> int | None:
    """The side if it is fixed; None if it is open: a name, no name or a negative number."""
    return side if isinstance(side, int) and side > 0 else None
