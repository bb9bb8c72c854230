"""Trains the model by which `ppocr` tells lines in scripts that it does not read, and icons, from text.

    pip install -e '.[train]'
    perception bench run train_scripts /usr/share/fonts ICON_FONTS

Lines are rendered with the fonts of the first folder, icons with those of the second. The recognition network reads
each; the model is a linear one of what it says. A third of the font families are kept for the check, which the result
holds: how many lines of each script are called unread, and of those that can be read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from perception.bench.suites.train_scripts.rendered_lines import (
    LOCALES,
    RenderedLine,
    render_icons,
    render_lines,
    render_short,
)
from perception.detectors.line_recognizer import LineRecognizer
from perception.detectors.ppocr import PpOcr
from perception.detectors.scripts import ICON, KNOWN, LEAST_STEPS, UNREAD_SCRIPTS, ScriptModel, traits_of

CLASSES = (KNOWN, ICON, *UNREAD_SCRIPTS)

LETTERS = 256
"""Letters whose probabilities the model looks at: those that differ most between the classes."""

LIMIT = 0.9
"""Least probability from which a line is called unread."""

STEPS, RATE, DECAY = 400, 0.005, 0.003
"""Of Adam, with a linearly falling rate, and the weight decay."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ScriptCheck:
    """Lines of one class with fonts that the training has not seen.

    Attributes:
        name: of the class.
        lines: that are long enough to judge.
        unread: lines called unread; `right` of these with the right script.
    """

    name: str
    lines: int
    unread: int
    right: int


@dataclass(frozen=True, slots=True)
class TrainedScripts:
    """A run: what was trained on, what the check found, and the file that was written.

    Attributes:
        fonts, icons: folders.
        lines: rendered for the training.
        checks: by class.
        file: the written file; `sha256` is its digest.
    """

    fonts: str
    icons: str
    lines: int
    checks: tuple[ScriptCheck, ...]
    file: str
    sha256: str


KNOWN_FACTOR, ICON_FACTOR = 4, 2
"""Lines that can be read, and icons, for each line of an unread script. There are as many short texts as icons."""


def line_total(count: int) -> int:
    """Lines that a run reads, for training and check."""
    readable = KNOWN_FACTOR * count
    return len(UNREAD_SCRIPTS) * (count + count // 2) + readable + readable // 2 + 2 * ICON_FACTOR * count


def train_scripts(fonts: Path, icons: Path, count: int, to: Path, on_line: Callable[[], None]) -> TrainedScripts:
    """Trains the model, writes it and checks it.

    Args:
        count: lines of each unread script.
        on_line: called after each line.

    Raises:
        BadInputError: a folder has no suitable fonts.
    """
    reader = PpOcr(judge_scripts=False).recognizer
    read, names = [], []
    for line in _training_lines(fonts, icons, count):
        read.append(_pooled(reader.odds_of(line.pixels)))
        names.append(line.script)
        on_line()
    write_model(read, names, reader.alphabet, to)
    model = ScriptModel(to, reader.alphabet)
    checks = []
    for script in LOCALES:
        many = (KNOWN_FACTOR if script == KNOWN else 1) * count // 2
        checks.append(_check(model, reader, script, render_lines(fonts, script, many, check=True, seed=1), on_line))
    digest = hashlib.sha256(to.read_bytes()).hexdigest()
    return TrainedScripts(str(fonts), str(icons), len(names), tuple(checks), to.name, digest)


def _training_lines(fonts: Path, icons: Path, count: int) -> Iterator[RenderedLine]:
    for script in LOCALES:
        yield from render_lines(fonts, script, (KNOWN_FACTOR if script == KNOWN else 1) * count, check=False, seed=1)
    yield from render_short(fonts, ICON_FACTOR * count, seed=1)
    yield from render_icons(icons, ICON_FACTOR * count, seed=1)


def _pooled(odds: Floats) -> NDArray[np.float16]:
    """The traits with all letters of the network: 75 KB."""
    return traits_of(odds, np.arange(odds.shape[1])).astype(np.float16)


def _check(
    model: ScriptModel, reader: LineRecognizer, script: str, lines: Iterator[RenderedLine], on_line: Callable[[], None]
) -> ScriptCheck:
    found = []
    for line in lines:
        odds = reader.odds_of(line.pixels)
        on_line()
        if len(odds) >= LEAST_STEPS:
            found.append(model.guess(odds).script)
    return ScriptCheck(script, len(found), sum(map(bool, found)), found.count(script))


def write_model(read: Sequence[NDArray[np.float16]], names: Sequence[str], alphabet: Sequence[str], path: Path) -> None:
    """Fits the model and writes the file that `ScriptModel` reads.

    Args:
        read: (2 C + 3,) traits of each line, with all C letters of the network.
        names: the class of each line.
        alphabet: the C letters.
    """
    every = np.stack(read)
    label = np.asarray([CLASSES.index(name) for name in names])
    columns = _choose_letters(every[:, : len(alphabet)].astype(np.float32), label, alphabet)
    rows = every[:, [*columns, *(columns + len(alphabet)), *range(2 * len(alphabet), every.shape[1])]].astype(
        np.float32
    )
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 0.05
    weights, bias = fit((rows - mean) / spread, label)
    np.savez_compressed(
        path,
        classes=np.asarray(CLASSES),
        letters=np.asarray("".join(alphabet[column] for column in columns[1:])),
        mean=mean.astype(np.float16),
        weights=(weights / spread[:, None]).astype(np.float16),
        bias=bias.astype(np.float32),
        limit=np.asarray(LIMIT),
    )


def _choose_letters(mean: Floats, label: NDArray[Any], alphabet: Sequence[str]) -> NDArray[np.intp]:
    """Columns of the blank and of LETTERS letters whose probabilities differ most between the classes."""
    of_class = np.stack([mean[label == number].mean(axis=0) for number in range(len(CLASSES))])
    differs = of_class.std(axis=0) / (mean.std(axis=0) + 0.3)
    order = [column for column in np.argsort(-differs) if column and len(alphabet[column]) == 1]
    return np.asarray([0, *order[:LETTERS]], np.intp)


def fit(rows: Floats, label: NDArray[Any]) -> tuple[Floats, Floats]:
    """Softmax regression by Adam (Kingma and Ba 2015); all classes weigh the same.

    Returns:
        (traits, classes) weights and (classes,) biases.
    """
    wanted = np.eye(len(CLASSES), dtype=np.float32)[label]
    weight = 1 / np.sqrt(np.bincount(label, minlength=len(CLASSES)))[label]
    weight = (weight / weight.sum())[:, None]
    solved = np.zeros((rows.shape[1] + 1, len(CLASSES)), np.float32)
    rows = np.concatenate([rows, np.ones((len(rows), 1), np.float32)], axis=1)
    first = second = np.zeros_like(solved)
    for step in range(1, STEPS + 1):
        logits = rows @ solved
        likely = np.exp(logits - logits.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        slope = rows.T @ ((likely - wanted) * weight) + DECAY * solved
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        rate = RATE * (1.05 - step / STEPS)
        solved -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-6)
    return solved[:-1].astype(np.float32), solved[-1].astype(np.float32)
