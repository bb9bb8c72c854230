"""What the network is trained by. Cells are assigned to controls by how well they do, as in TOOD; a score is to be the
overlap of the cell's box with the control, as in VarifocalNet."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

ALIGNED = 9
"""Cells of a control at most."""

CENTER = 1.5
"""Cells from a control's center within which cells stand for it: where they are can be told from pixels, which of the
many cells of a wide field fits best cannot."""

SCORE_POWER, OVERLAP_POWER = 0.5, 4.0
"""How a cell's score and overlap count in choosing cells."""

WEIGHTS = {"score": 1.0, "box": 2.0, "class": 1.0, "state": 0.5}


@dataclass(frozen=True, slots=True)
class BatchTargets:
    """Targets of one image as tensors: (N, 4) boxes, (N,) classes, (N, S) states, (M, 4) ignored."""

    boxes: Tensor
    classes: Tensor
    states: Tensor
    ignored: Tensor


def overlaps(left: Tensor, right: Tensor) -> Tensor:
    """(N, M) intersection over union of (N, 4) and (M, 4) xyxy."""
    low, high = (
        torch.maximum(left[:, None, :2], right[None, :, :2]),
        torch.minimum(left[:, None, 2:], right[None, :, 2:]),
    )
    shared = (high - low).clamp(min=0).prod(-1)
    areas = (left[:, 2:] - left[:, :2]).prod(-1)[:, None] + (right[:, 2:] - right[:, :2]).prod(-1)[None]
    return shared / (areas - shared).clamp(min=1e-6)


def giou(left: Tensor, right: Tensor) -> Tensor:
    """(N,) generalized intersection over union of pairs."""
    low, high = torch.maximum(left[:, :2], right[:, :2]), torch.minimum(left[:, 2:], right[:, 2:])
    shared = (high - low).clamp(min=0).prod(-1)
    union = (left[:, 2:] - left[:, :2]).prod(-1) + (right[:, 2:] - right[:, :2]).prod(-1) - shared
    around = (torch.maximum(left[:, 2:], right[:, 2:]) - torch.minimum(left[:, :2], right[:, :2])).prod(-1)
    return shared / union.clamp(min=1e-6) - (around - union) / around.clamp(min=1e-6)


def within(points: Tensor, boxes: Tensor, margin: float = 0.0) -> Tensor:
    """(N, P) whether points (P, 2) are in boxes (N, 4)."""
    x, y = points[None, :, 0], points[None, :, 1]
    left, top, right, bottom = (boxes[:, k, None] for k in range(4))
    return (x > left - margin) & (x < right + margin) & (y > top - margin) & (y < bottom + margin)


@torch.no_grad()
def assign(score: Tensor, boxes: Tensor, centers: Tensor, targets: BatchTargets, stride: int) -> tuple[Tensor, Tensor]:
    """Which cells stand for which control.

    Returns:
        (P,) index of the control, -1 for none, and (P,) how well its box fits, 0 … 1.
    """
    owner = torch.full((len(centers),), -1, dtype=torch.long, device=score.device)
    quality = torch.zeros(len(centers), device=score.device)
    if not len(targets.boxes):
        return owner, quality
    middle = (targets.boxes[:, :2] + targets.boxes[:, 2:]) / 2
    distance = (centers[None] - middle[:, None]).abs().amax(dim=-1)
    inside = within(centers, targets.boxes) & (distance <= CENTER * stride)
    small = ~inside.any(dim=1)
    if small.any():  # a control between the centers of cells: the nearest cells stand for it
        inside[small] = within(centers, targets.boxes[small], margin=stride * 0.75)
    overlap = overlaps(targets.boxes, boxes)
    fit = score.sigmoid()[None] ** SCORE_POWER * overlap**OVERLAP_POWER * inside
    best, cells = fit.topk(min(ALIGNED, fit.shape[1]), dim=1)
    chosen = torch.zeros_like(fit, dtype=torch.bool).scatter_(1, cells, best > 0)
    nearest = torch.where(inside, distance, torch.inf).argmin(dim=1)
    chosen[torch.arange(len(chosen)), nearest] = inside.any(dim=1)  # each has one, from the start
    area = (targets.boxes[:, 2:] - targets.boxes[:, :2]).prod(-1)[:, None]
    key = torch.where(chosen, area.expand_as(fit), torch.inf)  # the smaller of two nested controls
    owner = torch.where(chosen.any(dim=0), key.argmin(dim=0), owner)
    held = owner >= 0
    quality[held] = overlap[owner[held], held.nonzero().flatten()].clamp(0.05, 1)
    return owner, quality


def batch_loss(
    outputs: tuple[Tensor, Tensor, Tensor, Tensor], centers: Tensor, targets: list[BatchTargets], stride: int
) -> dict[str, Tensor]:
    """The losses of a batch, by name, each divided by the number of its controls."""
    score, classes, states, boxes = outputs
    sums = {name: score.new_zeros(()) for name in WEIGHTS}
    total = score.new_zeros(())
    for k, each in enumerate(targets):
        owner, quality = assign(score[k].detach().float(), boxes[k].detach().float(), centers, each, stride)
        held = owner >= 0
        counted = held | ~within(centers, each.ignored).any(dim=0)
        sums["score"] = sums["score"] + _varifocal(score[k], quality, counted)
        if held.any():
            which, weight = owner[held], quality[held]
            sums["box"] = sums["box"] + (weight * (1 - giou(boxes[k][held].float(), each.boxes[which]))).sum()
            told = functional.cross_entropy(classes[k][held].float(), each.classes[which], reduction="none")
            sums["class"] = sums["class"] + (weight * told).sum()
            state = functional.binary_cross_entropy_with_logits(
                states[k][held].float(), each.states[which], reduction="none"
            )
            sums["state"] = sums["state"] + (weight[:, None] * state).sum()
            total = total + weight.sum()
    return {name: each / total.clamp(min=1.0) for name, each in sums.items()}


def _varifocal(score: Tensor, quality: Tensor, counted: Tensor) -> Tensor:
    score = score.float()
    likely = score.sigmoid().detach()
    weight = torch.where(quality > 0, quality, 0.75 * likely**2) * counted
    return (weight * functional.binary_cross_entropy_with_logits(score, quality, reduction="none")).sum()
