"""Trains the network that finds controls in pixels, in pieces.

    pip install -e '.[train]'
    perception dataset build composed --count 2000
    perception bench run train_detector composed packages#train --to controls.onnx --minutes 60 \
        --calibrate packages#dev

The file runs as a detector of one's own (`PERCEPTION_ONNX_DETECTOR=controls.onnx`); `bench run detectors` measures it.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from perception.bench.train.training_plan import TrainingPlan, TrainingStep

if TYPE_CHECKING:
    from perception.bench.suites.train_detector import TrainDetectorOptions


@dataclass(frozen=True, slots=True)
class TrainedDetector:
    """A run: what was trained on, for how long in all, and the file that was written.

    Attributes:
        datasets: as on the command line.
        screenshots: with `controls` that are to be found.
        steps: trained so far, of `planned`.
        log: lines of this run.
        parameters: of the network.
        file: the written file; `sha256` is its digest.
    """

    datasets: tuple[str, ...]
    screenshots: int
    controls: int
    steps: int
    planned: int
    log: tuple[TrainingStep, ...]
    parameters: int
    file: str
    sha256: str


def train_detector(options: TrainDetectorOptions, home: Path) -> TrainedDetector:
    """Trains from the checkpoint beside the file on, if there is one, and writes the file.

    Raises:
        DatasetError: a data set cannot be opened, or none has a complete truth.
    """
    from perception.bench.train.calibration import calibrate
    from perception.bench.train.export import export_network
    from perception.bench.train.fit import train_network
    from perception.bench.train.network import parameter_count
    from perception.bench.train.shards import open_shard
    from perception.datasets.open import open_dataset
    from perception.datasets.sample import Broken

    shard = open_shard(options.dataset, home)
    plan = TrainingPlan(steps=options.steps, width=options.width)
    log: list[TrainingStep] = []

    def note(step: TrainingStep) -> None:
        log.append(step)
        said = " ".join(f"{name} {loss:.3f}" for name, loss in step.losses.items())
        print(f"step {step.step} of {plan.steps}: {said}; {step.crops_a_second:.0f} crops/s", file=sys.stderr)

    checkpoint = options.to.with_suffix(".checkpoint.pt")
    network, steps = train_network(shard, plan, checkpoint, seconds=options.minutes * 60, on_step=note)
    export_network(network, options.to)
    if options.calibrate:
        references = [each for spec in options.calibrate for each in open_dataset(spec, home)]
        slope, shifts = calibrate(options.to, [each for each in references if not isinstance(each, Broken)])
        export_network(network, options.to, slope=slope, shifts=shifts)
    return TrainedDetector(
        datasets=tuple(options.dataset),
        screenshots=len(shard),
        controls=sum(len(each.boxes) for each in shard.targets),
        steps=steps,
        planned=plan.steps,
        log=tuple(log),
        parameters=parameter_count(network),
        file=options.to.name,
        sha256=hashlib.sha256(options.to.read_bytes()).hexdigest(),
    )
