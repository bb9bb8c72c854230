"""How the network is trained, and what its log says."""

from __future__ import annotations

from dataclasses import dataclass


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
