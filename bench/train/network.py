"""The network: dense convolutions at strides 4 to 32, and one head for each cell of stride 8.

For each cell: how likely a control is there, its class, its states, and the distances from the cell's center to the
control's sides, in cells.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from perception.detectors.controls import CLASSES, STATES

STRIDE = 8
"""Pixels of a cell."""


def _conv(ins: int, outs: int, side: int = 3, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(ins, outs, side, stride, side // 2, bias=False), nn.BatchNorm2d(outs), nn.ReLU(inplace=True)
    )


class Residual(nn.Module):
    """Two convolutions beside a path without any."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.path = nn.Sequential(_conv(width, width // 2, 1), _conv(width // 2, width))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.path(x)


def _stage(ins: int, outs: int, depth: int) -> nn.Sequential:
    return nn.Sequential(_conv(ins, outs, stride=2), *(Residual(outs) for _ in range(depth)))


class ControlNet(nn.Module):
    """The detector.

    Args:
        width: channels at stride 4; twice as many at each further stride.
    """

    def __init__(self, width: int = 24) -> None:
        super().__init__()
        widths = [width, 2 * width, 4 * width, 6 * width]
        self.stem = nn.Sequential(_conv(3, width, stride=2), _stage(width, widths[0], 1))
        self.down8, self.down16 = _stage(widths[0], widths[1], 2), _stage(widths[1], widths[2], 3)
        self.down32 = _stage(widths[2], widths[3], 2)
        neck = 2 * width
        self.wide = _conv(widths[3], neck, 1)
        self.from16, self.from8 = _conv(widths[2], neck, 1), _conv(widths[1], neck, 1)
        self.from4 = nn.Sequential(_conv(widths[0], neck, stride=2))
        self.join16, self.join8 = Residual(neck), nn.Sequential(_conv(neck, neck), Residual(neck))
        self.score_path = nn.Sequential(_conv(neck, neck), _conv(neck, neck))
        self.box_path = nn.Sequential(_conv(neck, neck), _conv(neck, neck))
        self.score = nn.Conv2d(neck, 1, 1)
        self.classes = nn.Conv2d(neck, len(CLASSES) + len(STATES), 1)
        self.sides = nn.Conv2d(neck, 4, 1)
        nn.init.constant_(self.score.bias, -4.6)  # type: ignore[arg-type]  # a hundredth: most cells are empty

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Looks at images.

        Args:
            pixels: (B, 3, H, W), 0 … 1; sides are multiples of 32.

        Returns:
            For N cells, row by row: (B, N) log-odds of a control, (B, N, classes) logits, (B, N, states) log-odds,
            (B, N, 4) xyxy in px.
        """
        four = self.stem(pixels)
        eight = self.down8(four)
        sixteen = self.down16(eight)
        deep = self.wide(self.down32(sixteen))
        up = nn.functional.interpolate
        sixteen = self.join16(self.from16(sixteen) + up(deep, scale_factor=2.0))
        eight = self.join8(self.from8(eight) + self.from4(four) + up(sixteen, scale_factor=2.0))
        scored, boxed = self.score_path(eight), self.box_path(eight)
        sides = nn.functional.softplus(self.sides(boxed)) * STRIDE
        centers = cell_centers(sides.shape[2], sides.shape[3], sides.device)
        flat = sides.flatten(2).transpose(1, 2)
        boxes = torch.cat([centers - flat[..., :2], centers + flat[..., 2:]], dim=-1)
        told = self.classes(scored).flatten(2).transpose(1, 2)
        return self.score(scored).flatten(1), told[..., : len(CLASSES)], told[..., len(CLASSES) :], boxes


def cell_centers(rows: int, columns: int, device: torch.device | None = None) -> Tensor:
    """(rows × columns, 2) x, y of the cells' centers in px, row by row."""
    y = (torch.arange(rows, device=device, dtype=torch.float32) + 0.5) * STRIDE
    x = (torch.arange(columns, device=device, dtype=torch.float32) + 0.5) * STRIDE
    return torch.stack(torch.meshgrid(x, y, indexing="xy"), dim=-1).reshape(-1, 2)


def parameter_count(network: nn.Module) -> int:
    """Number of trained values."""
    return sum(each.numel() for each in network.parameters())
