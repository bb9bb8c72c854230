"""What a line of text says, read by the recognition network of PP-OCRv6.

Rule: the same pixels of a line are read once: the text is cached by the pixels, at any scroll position.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import groupby
from operator import mul

import cv2
import numpy as np
from numpy.typing import NDArray

from perception.deadline import Deadline
from perception.detectors.ctc_decode import CtcReading, TextPiece, decode, split, word_spans
from perception.detectors.line_images import line_image
from perception.detectors.scripts import (
    CERTAIN,
    ScriptGuess,
    has_wide_gap,
    is_read_well,
    load_scripts,
    unread_text,
)
from perception.detectors.text_lines import Line, Rect
from perception.detectors.text_networks import TextNetwork
from perception.types import DOUBTFUL, UNREAD, Pixels

MIN_SCORE = 0.5
"""The package's own default (`Global.text_score`)."""
RETRY_MAX_SCORE, RETRY_MIN_SCORE, RETRY_STRETCH = 0.85, 0.5, 1.3
"""A line with a score between these is read a second time, enlarged smoothly and stretched by this factor. Chosen by
hand; guarded by `tests/unit/detectors/test_ppocr.py`, as are the other thresholds without a figure."""
VERTICAL_MIN_HEIGHT = 48
"""Least height of a box that may be vertical text, px."""
LONE_SCORE = 0.95
"""Least score of a lone glyph that is a letter or digit: icons misread as one mostly have less."""
SURE_WORD, LEAST_READ = 0.9, 0.4
"""Least score of a word that is read in a line that is called unread, and the least share of the line's words, by
length, that such words are: the others alone are unread then."""
OWN_LETTERS = frozenset("DFGLQSZdfsvz")
"""Letters as which no Cyrillic letter is read: a word without them may be Cyrillic (`Bcero`)."""
SHORT_READING = 3
"""Most characters of a reading that may be an icon's."""
MIN_TEXT_ODDS, SURE_SCORE = 0.5, 0.995
"""Least probability that a short reading is text: with less, its score is multiplied by it, unless the score is as high
as the second. Of 246 short texts three are lost, of 73 icons read as letters 24; many others are drawn letters.
Signs (`×`) have a meaning as icons, too."""
CACHED_LINES = 8192
"""Lines whose text is cached, about 200 bytes each: 50 dense screens."""


class LineRecognizer:
    """Reads lines, several at once.

    Args:
        judge_scripts: whether lines in scripts that the network does not know are called unread.
        step: measures each use of the network.

    Attributes:
        alphabet: letters of the network's classes; the first is the blank.
    """

    def __init__(
        self, network: TextNetwork, *, judge_scripts: bool, step: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._network = network
        self._step = step
        self._lock = threading.Lock()
        self.alphabet = ("", *network.metadata("character").splitlines(), " ")
        self._scripts = load_scripts(self.alphabet) if judge_scripts else None
        self._known: OrderedDict[bytes, CtcReading] = OrderedDict()

    def read_line(
        self, pixels: Pixels, ink: NDArray[np.uint8], line: Line, deadline: Deadline
    ) -> list[tuple[Rect, TextPiece]]:
        """The pieces of a line with a sufficient score, with their boxes in the image. Raises DeadlineError.

        Args:
            ink: (H, W), of the image; see `find_ink`.
        """
        deadline.check("ocr")
        left, top, right, bottom = line.box
        if line.quad is not None:
            reading = self._read(_cut_out_turned(pixels, line.quad))
            pieces = [TextPiece(reading.text, reading.score, 0, right - left)] if reading.text else []
        elif bottom - top >= max(VERTICAL_MIN_HEIGHT, 1.5 * (right - left)):
            # Tall: a single narrow letter or vertical text. The direction with the best score is right.
            crop = pixels[top:bottom, left:right]
            turned = (self._read(np.ascontiguousarray(each)) for each in (crop, np.rot90(crop), np.rot90(crop, -1)))
            reading = max(turned, key=lambda reading: reading.score)
            pieces = [TextPiece(reading.text, reading.score, 0, right - left)] if reading.text else []
        else:
            reading = self._read(pixels[top:bottom, left:right])
            if reading.script and (runs := self._runs_of_words(pixels, ink, line.box)):
                return [each for run in runs for each in self.read_line(pixels, ink, run, deadline)]
            if reading.script and not has_wide_gap(ink[top:bottom, left:right]):
                return [
                    (line.box, TextPiece(unread_text(reading.script), reading.script_odds, 0, right - left, UNREAD))
                ]
            pieces = split(reading, ink[top:bottom, left:right])
        doubt = []
        if reading.doubtful and line.quad is None and not has_wide_gap(ink[top:bottom, left:right]):
            text = unread_text(reading.doubtful)
            doubt.append((line.box, TextPiece(text, reading.script_odds, 0, right - left, DOUBTFUL)))
        return doubt + [
            ((max(0, left + piece.left), top, min(ink.shape[1], left + piece.right), bottom), piece)
            for piece in pieces
            if piece.score >= MIN_SCORE and (not line.lone or _is_sure_letter(piece))
        ]

    def _runs_of_words(self, pixels: Pixels, ink: NDArray[np.uint8], box: Rect) -> list[Line]:
        """The words of a line, those in a row that can be read as one line, and the others; none if too
        little of the line can be read."""
        left, top, right, bottom = box
        words = word_spans(ink[top:bottom, left:right])
        crops = [pixels[top:bottom, left + first : left + last] for first, last in words]
        read = [_is_read(self._read(crop)) for crop in crops] if len(words) > 1 else []
        lengths = [last - first for first, last in words]
        if all(read) or sum(map(mul, lengths, read)) < LEAST_READ * sum(lengths):
            return []
        runs = [
            [span for span, _ in run] for _, run in groupby(zip(words, read, strict=True), key=lambda each: each[1])
        ]
        return [Line((left + run[0][0], top, left + run[-1][1], bottom)) for run in runs]

    def _read(self, crop: Pixels) -> CtcReading:
        crop = np.ascontiguousarray(crop)
        key = hashlib.blake2b(crop.data, digest_size=16, key=b"%d" % crop.shape[1]).digest()
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known
        with self._step():
            reading = self._read_uncached(crop)
        with self._lock:
            self._known[key] = reading
            if len(self._known) > CACHED_LINES:
                self._known.popitem(last=False)
        return reading

    def _read_uncached(self, crop: Pixels) -> CtcReading:
        odds = self.odds_of(crop)
        reading = decode(odds, self.alphabet, crop.shape[1])
        guess = self._scripts.guess(odds) if self._scripts is not None else ScriptGuess()
        if guess.script and guess.sureness < CERTAIN and is_read_well(reading.text, reading.score, len(odds)):
            guess = replace(guess, script="", doubtful=guess.script)
        if guess.script:
            return replace(reading, script=guess.script, script_odds=guess.sureness)
        # A crop that is not wider than high is probably an icon, which a second reading does not help.
        if RETRY_MIN_SCORE < reading.score < RETRY_MAX_SCORE and crop.shape[1] > crop.shape[0]:
            odds = self.odds_of(crop, RETRY_STRETCH, cv2.INTER_CUBIC)
            again = decode(odds, self.alphabet, crop.shape[1])
            reading = max(reading, again, key=lambda reading: reading.score)
        drawn = guess.text_odds < MIN_TEXT_ODDS and len(reading.text) <= SHORT_READING and reading.score < SURE_SCORE
        seen = guess.text_odds if drawn and _has_letter(reading) else 1.0
        return replace(reading, odds=reading.odds * seen, script_odds=guess.sureness, doubtful=guess.doubtful)

    def odds_of(self, crop: Pixels, stretch: float = 1.0, interpolation: int = cv2.INTER_LINEAR) -> NDArray[np.float32]:
        """(T, C) probability of each letter of `alphabet` in each step from left to right in the crop of a line."""
        return np.asarray(self._network.run(line_image(crop, stretch, interpolation))[0], np.float32)


def _is_read(reading: CtcReading) -> bool:
    """Whether a word is read with certainty: not one whose letters may be those of a script that cannot be read."""
    in_doubt = reading.script or reading.doubtful or reading.score < SURE_WORD
    return not in_doubt and (reading.text.isdecimal() or not OWN_LETTERS.isdisjoint(reading.text))


def _has_letter(reading: CtcReading) -> bool:
    return any(letter.isalnum() for letter in reading.letters)


def _is_sure_letter(piece: TextPiece) -> bool:
    return piece.score >= LONE_SCORE and piece.text.isascii() and piece.text.isalnum()


def _cut_out_turned(pixels: Pixels, quad: NDArray[np.float32]) -> Pixels:
    width = max(1, round(float(np.linalg.norm(quad[1] - quad[0]))))
    height = max(1, round(float(np.linalg.norm(quad[3] - quad[0]))))
    straight = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    turn = cv2.getPerspectiveTransform(np.ascontiguousarray(quad), straight)
    return np.asarray(cv2.warpPerspective(pixels, turn, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)
