# TensorBoard is not a dependency of this project: it is installed for this program alone.
# mypy: ignore-errors
"""Writes event files of three runs that train, with TensorBoard's own writer: the same at every call.

Usage: write_events.py FOLDER
"""

import math
import random
import sys
from pathlib import Path

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter

STARTED_S = 1767323045.0
"""2026-01-02 03:04:05 UTC: TensorBoard shows when a step was."""
STEP_S = 2.0
STEPS = 200


def main(folder: Path) -> None:
    for seed, (run, rate) in enumerate({"baseline": 0.010, "deeper": 0.016, "wider": 0.022}.items()):
        noise = random.Random(seed)
        writer = EventFileWriter(str(folder / run))
        for step in range(STEPS):
            loss = 2.3 * math.exp(-rate * step) + 0.15 + noise.gauss(0, 0.03)
            accuracy = 1 - math.exp(-rate * step) * 0.9 + noise.gauss(0, 0.01)
            values = {
                "loss/train": loss,
                "loss/validation": loss * 1.15 + noise.gauss(0, 0.04),
                "accuracy/train": accuracy,
                "accuracy/validation": accuracy * 0.96 + noise.gauss(0, 0.01),
                "optimizer/learning_rate": 0.001 * 0.5 ** (step // 50),
            }
            summary = Summary(value=[Summary.Value(tag=tag, simple_value=value) for tag, value in values.items()])
            writer.add_event(Event(wall_time=STARTED_S + STEP_S * step, step=step, summary=summary))
        writer.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
