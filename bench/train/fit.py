"""Training, in pieces: it goes on from its last checkpoint, for as long as it is given.

Rule 1: a GPU, where there is one, is used; nothing else differs.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from perception.bench.train.checkpoints import Kept, follow, restore, save
from perception.bench.train.crops import Crop, CropSource
from perception.bench.train.losses import WEIGHTS, BatchTargets, batch_loss
from perception.bench.train.network import STRIDE, ControlNet, cell_centers
from perception.bench.train.shards import Shard
from perception.bench.train.training_plan import TrainingPlan, TrainingStep

SAVE_SECONDS = 120.0
"""Between two checkpoints."""

LOG_STEPS = 50

AVERAGE = 0.998
"""Share of the old weights in the running average that is kept beside the trained ones."""


def train_network(
    shard: Shard, plan: TrainingPlan, checkpoint: Path, *, seconds: float, on_step: Callable[[TrainingStep], None]
) -> tuple[nn.Module, int]:
    """Trains for some time, from the last checkpoint on; the screenshots may be others than before.

    Args:
        checkpoint: its file, which is written now and then.
        seconds: how long.
        on_step: called now and then.

    Returns:
        The network with averaged weights, and how many steps it has been trained.
    """
    training = _Training(plan, checkpoint)
    source = CropSource(shard, plan.side, random.Random(plan.seed * 1_000_003 + training.step))
    log = _Log(plan.batch, on_step)
    end = saved = time.monotonic()
    end += seconds
    while training.step < plan.steps and time.monotonic() < end:
        crops = [augmented(source.draw(), _rng(plan.seed, training.step, k)) for k in range(plan.batch)]
        losses = training.learn(crops)
        log.add(training.step, losses)
        if time.monotonic() - saved > SAVE_SECONDS:
            training.save()
            saved = time.monotonic()
    training.save()
    return training.average.eval(), training.step


class _Training:
    """A network, the running average of its weights, and how far both are. Starts where its checkpoint ends."""

    def __init__(self, plan: TrainingPlan, checkpoint: Path) -> None:
        self._plan, self._file = plan, checkpoint
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.manual_seed(plan.seed)
        self._network = ControlNet(plan.width).to(self._device, memory_format=torch.channels_last)
        self.average = deepcopy(self._network)
        self._optimizer = torch.optim.AdamW(self._network.parameters(), plan.rate, weight_decay=0.02)
        self._centers = cell_centers(plan.side // STRIDE, plan.side // STRIDE, self._device)
        self._kept: Kept = {"network": self._network, "average": self.average, "optimizer": self._optimizer}
        self.step = restore(self._file, self._kept)
        self._network.train()

    def learn(self, crops: list[Crop]) -> dict[str, float]:
        """One step. Returns the losses by name."""
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate(self.step, self._plan)
        pixels, targets = to_batch(crops, self._device)
        with torch.autocast(self._device.type, torch.bfloat16):
            outputs = self._network(pixels)
        losses = batch_loss(outputs, self._centers, targets, STRIDE)
        loss = torch.stack([WEIGHTS[name] * each for name, each in losses.items()]).sum()
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._network.parameters(), 10.0)
        self._optimizer.step()
        self.step += 1
        follow(self.average, self._network, min(AVERAGE, self.step / (self.step + 20)))
        return {name: float(each.detach()) for name, each in losses.items()}

    def save(self) -> None:
        """Writes the checkpoint."""
        save(self._file, self._kept, self.step)


class _Log:
    """Calls back with mean losses, every LOG_STEPS steps."""

    def __init__(self, batch: int, on_step: Callable[[TrainingStep], None]) -> None:
        self._batch, self._on_step = batch, on_step
        self._seen: list[dict[str, float]] = []
        self._since = time.monotonic()

    def add(self, step: int, losses: dict[str, float]) -> None:
        self._seen.append(losses)
        if len(self._seen) < LOG_STEPS:
            return
        now = time.monotonic()
        mean = {name: sum(each[name] for each in self._seen) / LOG_STEPS for name in losses}
        self._on_step(TrainingStep(step, mean, LOG_STEPS * self._batch / (now - self._since)))
        self._seen, self._since = [], now


def learning_rate(step: int, plan: TrainingPlan) -> float:
    """Rises over a twentieth of the steps, then falls along a cosine."""
    warm = max(plan.steps // 20, 1)
    if step < warm:
        return plan.rate * (step + 1) / warm
    return plan.rate * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(plan.steps - warm, 1))))


def _rng(seed: int, step: int, number: int) -> random.Random:
    """The source of chance of one crop's changes."""
    return random.Random(seed * 1_000_000_007 + step * 1009 + number)


def augmented(crop: Crop, rng: random.Random) -> Crop:
    """The crop with its colors changed or compressed at times. Never flipped or turned: pages are not."""
    pixels = crop.pixels
    if rng.random() < 0.1:
        pixels = 255 - pixels
    if rng.random() < 0.1:
        pixels = np.ascontiguousarray(pixels[..., ::-1])
    if rng.random() < 0.3:
        change = pixels.astype(np.float32) * rng.uniform(0.8, 1.2) + rng.uniform(-20, 20)
        pixels = change.clip(0, 255).astype(np.uint8)
    if rng.random() < 0.08:
        _, bytes_ = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, rng.randint(45, 95)])
        pixels = np.asarray(cv2.imdecode(bytes_, cv2.IMREAD_COLOR), np.uint8)
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
