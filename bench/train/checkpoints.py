"""What every training keeps: a checkpoint to go on from, a running average of the weights, an ONNX file at its end."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

Kept = Mapping[str, nn.Module | torch.optim.Optimizer]


def restore(file: Path, kept: Kept) -> int:
    """Loads a checkpoint into networks and optimizers. Returns the steps it has been trained; 0 if there is none."""
    if not file.exists():
        return 0
    state = torch.load(file, map_location="cpu", weights_only=True)
    for name, each in kept.items():
        each.load_state_dict(state[name])
    return int(state["step"])


def save(file: Path, kept: Kept, step: int) -> None:
    """Writes a checkpoint; the last one stays until the new one is complete."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    torch.save({"step": step} | {name: each.state_dict() for name, each in kept.items()}, part)
    part.replace(file)


@torch.no_grad()
def follow(average: nn.Module, network: nn.Module, share: float) -> None:
    """Moves the average towards the network; it keeps `share` of itself."""
    for kept, new in zip(average.state_dict().values(), network.state_dict().values(), strict=True):
        if kept.dtype.is_floating_point:
            kept.lerp_(new, 1 - share)
        else:
            kept.copy_(new)


def write_onnx(
    module: nn.Module,
    example: Tensor,
    path: Path,
    *,
    inputs: str,
    outputs: Sequence[str],
    open_sides: Mapping[str, Mapping[int, str]],
    metadata: Mapping[str, str],
) -> None:
    """Writes a network as an ONNX file.

    Args:
        example: an input that the network is traced with.
        inputs, outputs: names of its input and outputs.
        open_sides: for each of them the axes of any length, and their names.
        metadata: texts that the file holds beside the network.
    """
    import onnx

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the newer exporter needs one more package
        torch.onnx.export(
            module.eval(),
            (example,),
            str(path),
            input_names=[inputs],
            output_names=list(outputs),
            dynamic_axes={name: dict(axes) for name, axes in open_sides.items()},
            opset_version=17,
            dynamo=False,
        )
    model = onnx.load(str(path))
    onnx.helper.set_model_props(model, dict(metadata))
    onnx.save(model, str(path))
