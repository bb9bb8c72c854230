"""The trained network as an ONNX file: `output0` (1, 4 + classes, N) of boxes and scores, as YOLOv8 has it, and
`states` (1, states, N) from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from perception.bench.train.checkpoints import write_onnx
from perception.detectors.controls import CLASSES

CLASS_NAMES = "names"
"""Metadata key that tells a detector's class names."""


class Exported(nn.Module):
    """The network with boxes as center and sides, and the score of a control shared among its classes.

    Args:
        slope: of the log-odds.
        shifts: of the log-odds of each class, so that a score is how likely a box is right.
    """

    shifts: Tensor

    def __init__(self, network: nn.Module, slope: float, shifts: Sequence[float]) -> None:
        super().__init__()
        self.network, self.slope = network, slope
        self.register_buffer("shifts", torch.tensor(shifts))

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        score, classes, states, boxes = self.network(pixels)
        center, sides = (boxes[..., :2] + boxes[..., 2:]) / 2, boxes[..., 2:] - boxes[..., :2]
        likely = (self.slope * score + self.shifts[classes.argmax(-1)]).sigmoid()
        told = classes.softmax(-1)
        scores = likely[..., None] * told / told.amax(-1, keepdim=True)
        return torch.cat([center, sides, scores], dim=-1).transpose(1, 2), states.sigmoid().transpose(1, 2)


def export_network(
    network: nn.Module,
    path: Path,
    size: tuple[int, int] = (800, 1280),
    *,
    slope: float = 1.0,
    shifts: Sequence[float] = (0.0,) * len(CLASSES),
) -> None:
    """Writes the ONNX file, for images of any size that is a multiple of 32.

    Args:
        slope, shifts: see `Exported`.
        size: height and width of the image that the network is traced with.
    """
    write_onnx(
        Exported(network.cpu().eval(), slope, shifts),
        torch.zeros(1, 3, *size),
        path,
        inputs="images",
        outputs=("output0", "states"),
        open_sides={"images": {2: "height", 3: "width"}, "output0": {2: "cells"}, "states": {2: "cells"}},
        metadata={CLASS_NAMES: str(dict(enumerate(CLASSES)))},
    )
