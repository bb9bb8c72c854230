"""Trains the network that names icons, in pieces, and checks it on icon sets that it has not seen.

pip install -e '.[train]'
npm install --prefix icons @iconify-json/tabler @iconify-json/lucide …     # TRAINED, TUNED and CHECKED below
perception bench run train_icons icons/node_modules/@iconify-json --minutes 30
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from perception.bench.train.icon_sets import OTHER, licence_of
from perception.bench.train.icon_shards import LABELS, Views, render_views
from perception.bench.train.training_plan import TrainingStep
from perception.detectors.icon_names import ALIKE, MODEL, join_alike
from perception.fusion.icon_names import LEAST_CONFIDENCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from perception.bench.suites.train_icons import TrainIconsOptions

TRAINED = (
    *("ant-design", "bi", "codicon", "ep", "eva", "fa6-regular", "fa6-solid", "feather", "heroicons", "ic", "iconoir"),
    *("ion", "lucide", "mdi", "mingcute", "octicon", "radix-icons", "solar", "tabler", "uil"),
    *("simple-icons", "circle-flags"),
)
"""Icon sets, all under licenses that allow this: MIT, ISC, Apache-2.0, CC0 and CC BY 4.0."""
TUNED, CHECKED = ("bx", "bxs"), ("carbon", "ph")
"""Sets of which the training sees nothing: for the softmax's temperature, and for the check."""
TUNED_SHEETS, CHECKED_SHEETS = 12, 25


@dataclass(frozen=True, slots=True)
class IconCheck:
    """Pictures of one origin in the check.

    Attributes:
        origin: an icon set; `things` for what is not an icon, such as letters and photographs.
        icons: pictures of icons that have a name here; `others` of what has none.
        named: icons that got a name with enough confidence; `right` of these the right one.
        misnamed: others that got a name.
        likeliest: icons whose likeliest class is right, whatever its confidence.
    """

    origin: str
    icons: int
    others: int
    named: int
    right: int
    misnamed: int
    likeliest: int


@dataclass(frozen=True, slots=True)
class TrainedIcons:
    """A run: what was trained on, for how long in all, what the check found, and the file that was written.

    Attributes:
        sets: with their licenses.
        views: of pictures that were trained on.
        steps: trained so far, of `planned`.
        log: lines of this run.
        temperature: of the softmax.
        checks: by origin.
        file: the written file; `sha256` is its digest.
    """

    sets: tuple[str, ...]
    views: int
    steps: int
    planned: int
    log: tuple[TrainingStep, ...]
    temperature: float
    checks: tuple[IconCheck, ...]
    file: str
    sha256: str


def train_icons(options: TrainIconsOptions, home: Path) -> TrainedIcons:
    """Renders what is not rendered yet, trains from the last checkpoint on, writes the file and checks it.

    Raises:
        BadInputError: an icon set is missing.
    """
    from perception.bench.train.icon_export import export_icons
    from perception.bench.train.icon_fit import fit_icons, logits_of, temperature_of

    views = _views(options.sets, TRAINED, options.sheets, home)
    tuned, checked = (
        _views(options.sets, names, sheets, home)
        for names, sheets in ((TUNED, TUNED_SHEETS), (CHECKED, CHECKED_SHEETS))
    )
    log: list[TrainingStep] = []

    def note(step: TrainingStep) -> None:
        log.append(step)
        print(f"step {step.step} of {options.steps}: loss {step.losses['loss']:.3f}", file=sys.stderr)

    folder = home / "train" / f"icon-net-{options.sheets}"
    seconds = options.minutes * 60
    network, steps = fit_icons(views, folder, steps=options.steps, seconds=seconds, seed=1, on_step=note)
    temperature = temperature_of(logits_of(network, tuned.pixels), tuned.labels)
    to = options.to or MODEL
    export_icons(network, temperature, to)
    odds = (logits_of(network, checked.pixels) / temperature).softmax(-1).numpy()
    odds = join_alike(odds, LABELS)
    return TrainedIcons(
        sets=tuple(f"{name} ({licence_of(options.sets / name)})" for name in TRAINED),
        views=len(views),
        steps=steps,
        planned=options.steps,
        log=tuple(log),
        temperature=temperature,
        checks=check_icons(checked, odds),
        file=to.name,
        sha256=hashlib.sha256(to.read_bytes()).hexdigest(),
    )


def check_icons(views: Views, odds: NDArray[np.float32]) -> tuple[IconCheck, ...]:
    """How often names are right, as `IconNamer` gives them: the likeliest of a picture's views.

    Args:
        odds: (N, classes) probabilities of the views.
    """
    counts: dict[str, list[int]] = defaultdict(lambda: [0] * 6)
    other = LABELS.index(OTHER)
    for cell in np.unique(views.cells):
        rows = np.flatnonzero(views.cells == cell)
        named = odds[rows][:, :other]
        row, label = np.unravel_index(named.argmax(), named.shape)
        likely = named[row, label] > odds[rows[row], other]
        sure, truth = bool(named[row, label] >= LEAST_CONFIDENCE), int(views.labels[rows[0]])
        truth = LABELS.index(ALIKE.get(LABELS[truth], LABELS[truth]))
        origin = str(views.origins[rows[0]])
        count = counts[origin if origin in CHECKED else "things"]
        if truth == other:
            count[1] += 1
            count[4] += sure
        else:
            count[0] += 1
            count[2] += sure
            count[3] += sure and int(label) == truth
            count[5] += bool(likely) and int(label) == truth
    return tuple(IconCheck(origin, *count) for origin, count in sorted(counts.items()))


def _views(folder: Path, names: Sequence[str], sheets: int, home: Path) -> Views:
    def note() -> None:
        print(f"rendered a sheet of {sheets} of {names[0]}, …", file=sys.stderr)

    return asyncio.run(render_views([folder / name for name in names], sheets, 1, home, note))
