"""Screenshots as one file of raw pixels, which training reads without decoding anything.

Rule 1: a shard is made again exactly if its samples changed.
Rule 2: only the last one is kept: 1,800 screenshots take 5 GB.
Rule 3: screenshots with more than one pixel for each CSS px are made smaller, as the service does before it looks.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perception.bench.metrics.control_classes import Targets, targets_of
from perception.bench.sample_worker import read_pixels
from perception.datasets.open import open_dataset
from perception.datasets.sample import Broken, DatasetError, Reference
from perception.detectors.controls import CLASSES, STATES
from perception.imaging.shrink import shrink_all

FORMAT = 3


@dataclass(frozen=True, slots=True)
class Shard:
    """Screenshots and their targets.

    Attributes:
        pixels: the bytes of all screenshots, behind each other: a memory map.
        places: (K, 3) offset, height, width of each; three channels, BGR.
        groups: the group (package) of each.
        targets: of each.
        folder: where it is kept; what is trained on it is kept there, too.
    """

    pixels: NDArray[np.uint8]
    places: NDArray[np.int64]
    groups: tuple[str, ...]
    targets: tuple[Targets, ...]
    folder: Path

    def __len__(self) -> int:
        return len(self.groups)

    def image(self, index: int) -> NDArray[np.uint8]:
        """(H, W, 3) BGR."""
        offset, height, width = (int(each) for each in self.places[index])
        return self.pixels[offset : offset + height * width * 3].reshape(height, width, 3)


def open_shard(specs: Sequence[str], home: Path) -> Shard:
    """The screenshots of data sets, copied into a shard where they are not yet.

    Args:
        specs: names of data sets, as `packages#train`.

    Raises:
        DatasetError: a data set cannot be opened, or they have no complete truth.
    """
    references = [each for spec in specs for each in open_dataset(spec, home) if not isinstance(each, Broken)]
    digest = hashlib.sha256(json.dumps([FORMAT, CLASSES, STATES, [each.id for each in references]]).encode())
    folder = home / "train" / digest.hexdigest()[:16]
    if not (folder / "index.npz").exists():
        for old in (home / "train").glob("*/index.npz"):
            shutil.rmtree(old.parent)
        _write(references, folder)
    index = np.load(folder / "index.npz", allow_pickle=False)
    pixels = np.memmap(folder / "pixels.bin", np.uint8, "r")
    edges, ignored_edges = index["edges"], index["ignored_edges"]
    targets = tuple(
        Targets(
            index["boxes"][edges[k] : edges[k + 1]],
            index["classes"][edges[k] : edges[k + 1]],
            index["states"][edges[k] : edges[k + 1]],
            index["ignored"][ignored_edges[k] : ignored_edges[k + 1]],
        )
        for k in range(len(index["groups"]))
    )
    return Shard(pixels, index["places"], tuple(map(str, index["groups"])), targets, folder)


def _write(references: Sequence[Reference], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    places, groups, targets, offset = [], [], [], 0
    with (folder / "pixels.part").open("wb") as file:
        for reference in references:
            item = reference.load()
            if not item.sample.complete:
                continue
            (pixels,) = shrink_all([read_pixels(item)], item.sample.viewport.scale)
            file.write(np.ascontiguousarray(pixels).tobytes())
            places.append((offset, *pixels.shape[:2]))
            offset += pixels.nbytes
            groups.append(item.sample.group)
            targets.append(targets_of(item.sample))
    if not groups:
        raise DatasetError("no sample of these data sets has a complete truth: name data sets of pages")
    (folder / "pixels.part").replace(folder / "pixels.bin")
    np.savez(
        folder / "index.npz",
        places=np.asarray(places, np.int64),
        groups=np.asarray(groups),
        edges=np.cumsum([0, *(len(each.boxes) for each in targets)]),
        boxes=np.concatenate([each.boxes for each in targets]),
        classes=np.concatenate([each.classes for each in targets]),
        states=np.concatenate([each.states for each in targets]),
        ignored_edges=np.cumsum([0, *(len(each.ignored) for each in targets)]),
        ignored=np.concatenate([each.ignored for each in targets]),
    )
