"""The network that names icons: a few convolutions over a view, about 230,000 weights."""

from __future__ import annotations

from torch import Tensor, nn

from perception.bench.train.icon_shards import LABELS
from perception.detectors.icon_views import SIDE


def _conv(ins: int, outs: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(ins, outs, 3, stride, 1, bias=False), nn.BatchNorm2d(outs), nn.ReLU(inplace=True))


class IconNet(nn.Module):
    """Tells classes of icons apart.

    Where something lies in a view counts (a plus in a magnifier's lens, an arrow's head), so the last cells are not
    averaged but weighed one by one.
    """

    def __init__(self, classes: int = len(LABELS)) -> None:
        super().__init__()
        self.cells = nn.Sequential(
            _conv(1, 16), _conv(16, 24, 2), _conv(24, 32), _conv(32, 48, 2), _conv(48, 48), _conv(48, 64, 2)
        )
        self.mix = nn.Sequential(nn.Conv2d(64, 32, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU(inplace=True))
        self.head = nn.Sequential(
            nn.Flatten(), nn.Dropout(0.15), nn.Linear(32 * (SIDE // 8) ** 2, 160), nn.ReLU(), nn.Linear(160, classes)
        )

    def forward(self, views: Tensor) -> Tensor:
        """(N, classes) logits of (N, 1, SIDE, SIDE) views, 0 … 1."""
        return self.head(self.mix(self.cells(views)))  # type: ignore[no-any-return]
