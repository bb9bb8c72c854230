"""Lines in scripts that the recognition model does not read, and icons: recognized by what the model says of them.

The network gives every step of a line a probability for each of its letters. A line of Arabic gets other probabilities
than a line of Latin letters, even where it is read as some of these. A small model looks at the pooled probabilities of
a few hundred letters; the network runs once for both.

`perception bench run train_scripts` trains the model on rendered lines and writes its file.

Rule 1: in doubt a line is read: the model must be sure to call it unread.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from perception.types import UNREAD

MODEL = Path(__file__).with_name("scripts.npz")

KNOWN, ICON = "known", "icon"
"""Classes besides the unread scripts: lines that the recognition model reads, and drawings."""
UNREAD_SCRIPTS = ("Arabic", "Cyrillic", "Devanagari", "Hangul", "Hebrew", "Thai")

LEAST_STEPS = 12
"""Steps of the network, eight columns each of a line 48 px high, from which a line has enough letters to judge: its
crop is twice as wide as high. Less may be an icon."""
MAX_GAP = 0.9
"""Largest gap in a line that is called unread, in heights of its ink: words are closer, icons of a toolbar are not."""
LEAST_DOUBT = 0.5
"""Least probability of a script from which a line is doubtful: with less, it can more likely be read."""
CERTAIN, READ_WELL, STEPS_OF_LETTER = 0.995, 0.8, 5
"""A line that is less likely unread than the first, and read with the second at least, with a letter in so many steps,
is only doubtful. On 90 screenshots of `packages#train` that is 6 of the 27 lines called unread wrongly, most of the
others icons; of 931 lines called so rightly there and on composed pages 14, which the rest of their page settles."""
EPSILON = 1e-6
"""Added to probabilities before their logarithm."""


@dataclass(frozen=True, slots=True)
class ScriptGuess:
    """What a crop shows.

    Attributes:
        script: one of UNREAD_SCRIPTS if the line is in that script, for all that is known; "" if it can be read.
        sureness: probability of the unread scripts together, 0 to 1.
        text_odds: probability that the crop shows text and not a drawing, 0 to 1.
        doubtful: the script of a line that is too short, or not likely enough, to be called unread on its own.
    """

    script: str = ""
    sureness: float = 0.0
    text_odds: float = 1.0
    doubtful: str = ""


class ScriptModel:
    """The trained model for one recognition model.

    Args:
        path: the file that `perception bench run train_scripts` wrote.
        alphabet: letters of the recognition model's classes.
    """

    def __init__(self, path: Path, alphabet: tuple[str, ...]) -> None:
        with np.load(path) as file:
            self._classes = tuple(str(each) for each in file["classes"])
            self._columns = columns_of(alphabet, str(file["letters"]))
            self._mean, self._weights, self._bias = (
                file[name].astype(np.float32) for name in ("mean", "weights", "bias")
            )
            self._limit = float(file["limit"])

    def guess(self, odds: NDArray[np.float32]) -> ScriptGuess:
        """What a crop shows.

        Args:
            odds: (T, C) the recognition network's probabilities.
        """
        logits = (traits_of(odds, self._columns) - self._mean) @ self._weights + self._bias
        likely = np.exp(logits - logits.max())
        likely /= likely.sum()
        chance = dict(zip(self._classes, likely.tolist(), strict=True))
        text_odds = 1 - chance.get(ICON, 0.0)
        script = max(UNREAD_SCRIPTS, key=lambda name: chance.get(name, 0.0))
        foreign = sum(chance.get(name, 0.0) for name in UNREAD_SCRIPTS)
        if len(odds) < LEAST_STEPS or foreign < self._limit:
            return ScriptGuess("", foreign, text_odds, script if foreign >= LEAST_DOUBT else "")
        return ScriptGuess(script, foreign, text_odds)


def columns_of(alphabet: tuple[str, ...], letters: str) -> NDArray[np.intp]:
    """The classes of these letters, and of the blank, class 0, first."""
    place = {letter: index for index, letter in enumerate(alphabet)}
    return np.asarray([0, *(place[letter] for letter in letters)], np.intp)


def traits_of(odds: NDArray[np.float32], columns: NDArray[np.intp]) -> NDArray[np.float32]:
    """(2 K + 3,) the mean log probability of K classes where the network sees a letter, and the greatest; how sure the
    network is of its letters, and how much of the line has some.

    Args:
        odds: (T, C) probabilities.
        columns: (K,) classes.
    """
    some = np.log(odds[:, columns] + EPSILON)
    seen = 1 - odds[:, 0]
    total = float(seen.sum())
    mean = (some * seen[:, None]).sum(axis=0) / (total + 0.001)
    rest = [float(odds.max(axis=1).mean()), total / len(odds), min(len(odds), 64) / 64]
    return np.concatenate([mean, some.max(axis=0), np.asarray(rest)]).astype(np.float32)


def is_read_well(text: str, score: float, steps: int) -> bool:
    """Whether a reading speaks against an unread script: certain letters over the whole length of the line.

    Args:
        score: mean probability of the letters.
        steps: of the network in the line.
    """
    return score >= READ_WELL and STEPS_OF_LETTER * sum(letter.isalnum() for letter in text) >= steps


def has_wide_gap(ink: NDArray[np.uint8]) -> bool:
    """Whether the (H, W) ink of a line has a gap between two columns that no line of words has."""
    columns, rows = np.flatnonzero(ink.any(axis=0)), np.flatnonzero(ink.any(axis=1))
    return len(columns) > 1 and int(np.diff(columns).max()) > MAX_GAP * (rows[-1] - rows[0] + 1)


def unread_text(script: str) -> str:
    """What stands for a line that was not read."""
    return f"{UNREAD} ({script})"


@lru_cache(maxsize=4)
def load_scripts(alphabet: tuple[str, ...]) -> ScriptModel:
    """The model that comes with the package."""
    return ScriptModel(MODEL, alphabet)
