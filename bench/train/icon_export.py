"""The trained network as the ONNX file that `IconNamer` reads: probabilities, and the names of the classes."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from perception.bench.train.checkpoints import write_onnx
from perception.bench.train.icon_shards import LABELS
from perception.detectors.icon_names import CLASSES
from perception.detectors.icon_views import SIDE


class Calibrated(nn.Module):
    """The network with a softmax that is as sure as it is right."""

    def __init__(self, network: nn.Module, temperature: float) -> None:
        super().__init__()
        self.network, self.temperature = network, temperature

    def forward(self, views: Tensor) -> Tensor:
        return (self.network(views) / self.temperature).softmax(-1)  # type: ignore[no-any-return]


def export_icons(network: nn.Module, temperature: float, path: Path) -> None:
    """Writes the file, for any number of views at once."""
    write_onnx(
        Calibrated(network.cpu().eval(), temperature),
        torch.zeros(2, 1, SIDE, SIDE),
        path,
        inputs="views",
        outputs=("odds",),
        open_sides={"views": {0: "icons"}, "odds": {0: "icons"}},
        metadata={CLASSES: ",".join(LABELS)},
    )
