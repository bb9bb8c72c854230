"""The trained network as an ONNX file, in the layout of YOLOv8: one output (1, 4 + classes, N) of boxes and scores."""

from __future__ import annotations

import warnings
from pathlib import Path

import torch
from torch import Tensor, nn

from perception.bench.train.control_classes import CLASSES

CLASS_NAMES = "names"
"""Metadata key that tells a detector's class names."""


class Exported(nn.Module):
    """The network with boxes as centre and sides, and the score of a control shared among its classes."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, pixels: Tensor) -> Tensor:
        score, classes, _, boxes = self.network(pixels)
        centre, sides = (boxes[..., :2] + boxes[..., 2:]) / 2, boxes[..., 2:] - boxes[..., :2]
        scores = score.sigmoid()[..., None] * classes.softmax(-1) / classes.softmax(-1).amax(-1, keepdim=True)
        return torch.cat([centre, sides, scores], dim=-1).transpose(1, 2)


def export_network(network: nn.Module, path: Path, size: tuple[int, int] = (800, 1280)) -> None:
    """Writes the ONNX file, for images of any size that is a multiple of 32.

    Args:
        size: height and width of the image that the network is traced with.
    """
    import onnx

    module = Exported(network.cpu().eval()).eval()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the newer exporter needs one more package
        torch.onnx.export(
            module,
            (torch.zeros(1, 3, *size),),
            str(path),
            input_names=["images"],
            output_names=["output0"],
            dynamic_axes={"images": {2: "height", 3: "width"}, "output0": {2: "cells"}},
            opset_version=17,
            dynamo=False,
        )
    model = onnx.load(str(path))
    onnx.helper.set_model_props(model, {CLASS_NAMES: str(dict(enumerate(CLASSES)))})
    onnx.save(model, str(path))
