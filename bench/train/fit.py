"""Training, in pieces: it goes on from its last checkpoint, for as long as it is given.

Rule 1: a GPU, where there is one, is used; nothing else differs.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from perception.bench.train.crops import Crop, CropSource
from perception.bench.train.losses import WEIGHTS, BatchTargets, batch_loss
from perception.bench.train.network import STRIDE, ControlNet, cell_centres
from perception.bench.train.shards import Shard

SAVE_SECONDS = 120.0
"""Between two checkpoints."""

AVERAGE = 0.998
"""Share of the old weights in the running average that is kept beside the trained ones."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """How a network is trained.

    Attributes:
        steps: of the whole training: the rate falls to nearly nothing towards its end.
        batch: crops of a step.
        side: of a crop, px.
        rate: the highest learning rate.
        width: of the network, see `ControlNet`.
        seed: of the crops.
    """

    steps: int = 12_000
    batch: int = 16
    side: int = 384
    rate: float = 2e-3
    width: int = 24
    seed: int = 1


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """One line of a training's log: the step, and the losses by name since the last line."""

    step: int
    losses: dict[str, float]
    crops_a_second: float


def train_network(
    shard: Shard, plan: TrainingPlan, folder: Path, *, seconds: float, on_step: Callable[[TrainingStep], None]
) -> tuple[nn.Module, int]:
    """Trains for some time, from the last checkpoint on.

    Args:
        folder: of the checkpoint.
        seconds: how long.
        on_step: called now and then.

    Returns:
        The network with averaged weights, and how many steps it has been trained.
    """
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(plan.seed)
    network = ControlNet(plan.width).to(device, memory_format=torch.channels_last)
    average = deepcopy(network)
    optimizer = torch.optim.AdamW(network.parameters(), plan.rate, weight_decay=0.02)
    step = _restore(folder, network, average, optimizer)
    source = CropSource(shard, plan.side, random.Random(plan.seed * 1_000_003 + step))
    centres = cell_centres(plan.side // STRIDE, plan.side // STRIDE, device)
    end = saved = started = time.monotonic()
    end += seconds
    sums: dict[str, float] = dict.fromkeys(WEIGHTS, 0.0)
    since = 0
    network.train()
    while step < plan.steps and time.monotonic() < end:
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, plan)
        crops = [augmented(source.draw(), source_rng(plan.seed, step, k)) for k in range(plan.batch)]
        pixels, targets = to_batch(crops, device)
        with torch.autocast(device.type, torch.bfloat16):
            outputs = network(pixels)
        losses = batch_loss(outputs, centres, targets, STRIDE)
        loss = torch.stack([WEIGHTS[name] * each for name, each in losses.items()]).sum()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 10.0)
        optimizer.step()
        step, since = step + 1, since + 1
        _follow(average, network, min(AVERAGE, step / (step + 20)))
        for name, each in losses.items():
            sums[name] += float(each.detach())
        if since == 50:
            now = time.monotonic()
            mean = {name: value / since for name, value in sums.items()}
            on_step(TrainingStep(step, mean, since * plan.batch / (now - started)))
            sums, since, started = dict.fromkeys(WEIGHTS, 0.0), 0, now
        if time.monotonic() - saved > SAVE_SECONDS:
            _save(folder, network, average, optimizer, step)
            saved = time.monotonic()
    _save(folder, network, average, optimizer, step)
    return average.eval(), step


def learning_rate(step: int, plan: TrainingPlan) -> float:
    """Rises over a twentieth of the steps, then falls along a cosine."""
    warm = max(plan.steps // 20, 1)
    if step < warm:
        return plan.rate * (step + 1) / warm
    return plan.rate * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(plan.steps - warm, 1))))


def source_rng(seed: int, step: int, number: int) -> random.Random:
    """The source of chance of one crop's changes."""
    return random.Random(seed * 1_000_000_007 + step * 1009 + number)


def augmented(crop: Crop, rng: random.Random) -> Crop:
    """The crop with its colours changed at times. Never flipped or turned: pages are not."""
    pixels = crop.pixels
    if rng.random() < 0.1:
        pixels = 255 - pixels
    if rng.random() < 0.1:
        pixels = np.ascontiguousarray(pixels[..., ::-1])
    if rng.random() < 0.3:
        change = pixels.astype(np.float32) * rng.uniform(0.8, 1.2) + rng.uniform(-20, 20)
        pixels = change.clip(0, 255).astype(np.uint8)
    if rng.random() < 0.05:
        pixels = np.repeat(pixels.mean(axis=2, keepdims=True).astype(np.uint8), 3, axis=2)
    return Crop(pixels, crop.targets)


def to_batch(crops: list[Crop], device: torch.device) -> tuple[Tensor, list[BatchTargets]]:
    """Crops as tensors."""
    pixels = torch.from_numpy(np.stack([each.pixels for each in crops])).to(device)
    pixels = pixels.permute(0, 3, 1, 2).to(torch.float32, memory_format=torch.channels_last) / 255
    targets = [
        BatchTargets(
            *(
                torch.from_numpy(np.ascontiguousarray(each)).to(device)
                for each in (crop.targets.boxes, crop.targets.classes, crop.targets.states, crop.targets.ignored)
            )
        )
        for crop in crops
    ]
    return pixels, targets


@torch.no_grad()
def _follow(average: nn.Module, network: nn.Module, share: float) -> None:
    for kept, new in zip(_values(average), _values(network), strict=True):
        if kept.dtype.is_floating_point:
            kept.lerp_(new, 1 - share)
        else:
            kept.copy_(new)


def _values(network: nn.Module) -> Iterator[Tensor]:
    yield from network.state_dict().values()


def _save(folder: Path, network: nn.Module, average: nn.Module, optimizer: torch.optim.Optimizer, step: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    state = {
        "network": network.state_dict(),
        "average": average.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": step,
    }
    torch.save(state, folder / "checkpoint.part")
    (folder / "checkpoint.part").replace(folder / "checkpoint.pt")


def _restore(folder: Path, network: nn.Module, average: nn.Module, optimizer: torch.optim.Optimizer) -> int:
    """Steps that were trained already."""
    file = folder / "checkpoint.pt"
    if not file.exists():
        return 0
    state = torch.load(file, map_location="cpu", weights_only=True)
    network.load_state_dict(state["network"])
    average.load_state_dict(state["average"])
    optimizer.load_state_dict(state["optimizer"])
    return int(state["step"])
