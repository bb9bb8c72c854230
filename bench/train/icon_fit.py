"""Training of the network that names icons, in pieces, and its calibration.

Rule 1: the temperature of the softmax is chosen on icon sets that the training has not seen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from perception.bench.train.checkpoints import Kept, follow, restore, save
from perception.bench.train.icon_net import IconNet
from perception.bench.train.icon_shards import Views
from perception.bench.train.training_plan import TrainingStep

BATCH, RATE, AVERAGE = 128, 3e-3, 0.998
LOG_STEPS, SAVE_SECONDS, WARM_STEPS = 50, 60.0, 150


def fit_icons(
    views: Views, folder: Path, *, steps: int, seconds: float, seed: int, on_step: Callable[[TrainingStep], None]
) -> tuple[nn.Module, int]:
    """Trains for some time, from the last checkpoint on.

    Args:
        folder: of the checkpoint.
        steps: of the whole training: the rate falls to nearly nothing towards its end.
        seconds: how long.

    Returns:
        The network with averaged weights, and how many steps it has been trained.
    """
    torch.manual_seed(seed)
    network = IconNet().to(memory_format=torch.channels_last)
    average = deepcopy(network)
    optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=0.02)
    state: Kept = {"network": network, "average": average, "optimizer": optimizer}
    file = folder / f"checkpoint-{steps}.pt"
    step = restore(file, state)
    rng = np.random.default_rng(seed * 1_000_003 + step)
    torch.manual_seed(seed * 1_000_003 + step)
    began = noted = saved = time.monotonic()
    total = 0.0
    network.train()
    while step < steps and time.monotonic() - began < seconds:
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, steps)
        rows = rng.integers(0, len(views), BATCH)
        pixels = augmented(torch.from_numpy(views.pixels[rows]).float()[:, None] / 255)
        with torch.autocast("cpu", torch.bfloat16):
            logits = network(pixels.contiguous(memory_format=torch.channels_last))
        loss = functional.cross_entropy(logits.float(), torch.from_numpy(views.labels[rows]), label_smoothing=0.05)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        step += 1
        follow(average, network, min(AVERAGE, step / (step + 20)))
        total += float(loss.detach())
        now = time.monotonic()
        if step % LOG_STEPS == 0:
            on_step(TrainingStep(step, {"loss": total / LOG_STEPS}, LOG_STEPS * BATCH / (now - noted)))
            total, noted = 0.0, now
        if now - saved > SAVE_SECONDS:
            save(file, state, step)
            saved = now
    save(file, state, step)
    return average.eval(), step


def learning_rate(step: int, steps: int) -> float:
    """Rises for WARM_STEPS, then falls along half a cosine."""
    return RATE * min(1.0, (step + 1) / WARM_STEPS) * (0.5 + 0.5 * math.cos(math.pi * step / steps)) + 1e-5


def augmented(pixels: Tensor) -> Tensor:
    """Views, (N, 1, S, S), as other boxes, screens and strokes would show them: moved, scaled, blurred, retoned."""
    count = len(pixels)
    scale = 1 + 0.14 * torch.randn(count, 2).clamp(-1.5, 1.5)
    tilt = 0.06 * torch.randn(count)
    shift = 0.09 * torch.randn(count, 2).clamp(-2, 2)
    matrix = torch.stack(
        [torch.stack([scale[:, 0], tilt, shift[:, 0]], 1), torch.stack([-tilt, scale[:, 1], shift[:, 1]], 1)], 1
    )
    grid = functional.affine_grid(matrix, list(pixels.shape), align_corners=False)
    moved = functional.grid_sample(pixels, grid, align_corners=False)
    blurred = functional.avg_pool2d(moved, 3, 1, 1)
    share = (torch.rand(count) - 0.35).clamp(min=0)[:, None, None, None]  # below 0 it would be sharpened
    moved = moved + (blurred - moved) * share * 1.2
    tone = torch.exp(0.35 * torch.randn(count))[:, None, None, None]
    moved = moved.clamp(0, 1).clamp(min=1e-4) ** tone
    return (moved + 0.03 * torch.randn_like(moved) * torch.rand(count)[:, None, None, None]).clamp(0, 1)


@torch.no_grad()
def logits_of(network: nn.Module, pixels: NDArray[np.uint8]) -> Tensor:
    """(N, classes) of (N, SIDE, SIDE) views."""
    parts = [network(torch.from_numpy(pixels[k : k + 512]).float()[:, None] / 255) for k in range(0, len(pixels), 512)]
    return torch.cat(parts)


def temperature_of(logits: Tensor, labels: NDArray[np.int64]) -> float:
    """The temperature with which the softmax is as sure as it is right (Guo et al. 2017)."""
    wanted = torch.from_numpy(labels)
    tried = np.exp(np.linspace(np.log(0.3), np.log(4), 60))
    return float(min(tried, key=lambda each: float(functional.cross_entropy(logits / each, wanted))))
