"""Matches lines of text that were read with true lines. Pure; any one frame.

Readers split lines that the page does not split, and join lines that are separate on the page (the cells of a table
row). So texts are compared in *runs*: true lines and read pieces that overlap, directly or through others, each side
joined in reading order.

Rule 1: a true line is found if the pieces on it cover half of its area. Figures "of found lines" exclude the others;
figures "of all lines" count them as deleted.
Rule 2: pieces that overlap no true line are counted as stray and are in no error rate: a picture may contain words that
no page's truth has.
Rule 3: texts are compared in the form of `normalize_text`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from perception.bench.metrics.text_errors import Edits, TextErrors, count_errors, normalize_text, unspaced
from perception.bench.scores import Tally
from perception.datasets.sample import TextLine
from perception.geometry import Box, Boxes, stack

LEAST_COVER = 0.5
"""Share of a true line's area that pieces must cover for it to be found."""
LEAST_SHARED = 0.5
"""Overlap as a share of the lower height, and of the lesser of height and width, that joins a line and a piece.
Adjacent lines overlap less: a reader's box is about a quarter of a line too large."""
TOUCHING_LINES = 0.1
"""As a share of a line's height: two true lines with a smaller gap are one word (`Hello<b>!</b>`). A space is a quarter
of an em in common fonts, a fifth of a line's height."""


@dataclass(frozen=True, slots=True)
class LineCounts:
    """Counts of one image, or their sum over images; `LineCounts()` is the sum of none.

    Attributes:
        lines: true lines with text.
        found: how many of these were found.
        exact, exact_without_spaces: how many of these are in runs that were read exactly.
        pieces: read pieces with text.
        stray, stray_letters: those of them that overlap no true line.
        found_lines: errors in the lines that were found.
        missed_lines: the others, counted as deleted.
    """

    images: int = 0
    lines: int = 0
    found: int = 0
    exact: int = 0
    exact_without_spaces: int = 0
    pieces: int = 0
    stray: int = 0
    stray_letters: int = 0
    found_lines: TextErrors = field(default=TextErrors())
    missed_lines: TextErrors = field(default=TextErrors())

    @property
    def all_lines(self) -> TextErrors:
        return self.found_lines + self.missed_lines

    def __add__(self, other: LineCounts) -> LineCounts:
        return LineCounts(
            self.images + other.images,
            self.lines + other.lines,
            self.found + other.found,
            self.exact + other.exact,
            self.exact_without_spaces + other.exact_without_spaces,
            self.pieces + other.pieces,
            self.stray + other.stray,
            self.stray_letters + other.stray_letters,
            self.found_lines + other.found_lines,
            self.missed_lines + other.missed_lines,
        )


@dataclass(frozen=True, slots=True)
class ErrorRates:
    """CER and WER; None without text."""

    cer: float | None
    cer_without_spaces: float | None
    wer: float | None
    wer_without_spaces: float | None


@dataclass(frozen=True, slots=True)
class LineSummary:
    """Shares of all true lines, of pieces, and error rates; None if the denominator is 0."""

    images: int
    lines: int
    pieces: int
    line_recall: float | None
    exact_lines: float | None
    exact_lines_without_spaces: float | None
    stray_pieces: float | None
    of_found_lines: ErrorRates
    of_all_lines: ErrorRates


@dataclass(frozen=True, slots=True)
class LineRun:
    """True lines and the read pieces that overlap them, as indices in reading order."""

    truth: tuple[int, ...]
    found: tuple[int, ...]
    truth_text: str
    found_text: str


def count_lines(truth: Sequence[TextLine], found: Sequence[TextLine]) -> LineCounts:
    """One image's counts. Either side may be empty."""
    truth, found = _say_something(truth), _say_something(found)
    on = lies_on(_boxes(truth), _boxes(found))
    is_found = covered(_boxes(truth), _boxes(found), on)
    runs = list(join_runs(truth, found, on & is_found[:, None]))
    missed = [normalize_text(line.text) for line, hit in zip(truth, is_found.tolist(), strict=True) if not hit]
    exact = [run for run in runs if run.truth_text == run.found_text]
    exact_without = [run for run in runs if unspaced(run.truth_text) == unspaced(run.found_text)]
    stray = [normalize_text(found[at].text) for at in np.flatnonzero(on.sum(axis=0) == 0)]
    return LineCounts(
        images=1,
        lines=len(truth),
        found=int(is_found.sum()),
        exact=sum(len(run.truth) for run in exact),
        exact_without_spaces=sum(len(run.truth) for run in exact_without),
        pieces=len(found),
        stray=len(stray),
        stray_letters=sum(map(len, stray)),
        found_lines=count_errors([run.truth_text for run in runs], [run.found_text for run in runs]),
        missed_lines=count_errors(missed, [""] * len(missed)),
    )


def lies_on(truth: Boxes, found: Boxes) -> NDArray[np.bool_]:
    """(M, N) whether a true line and a piece are in one row and overlap.

    They must share half of the lower height and, horizontally, half of the narrower width or half a line's height,
    about a letter.
    """
    left_top = np.maximum(truth[:, None, :2], found[None, :, :2])
    right_bottom = np.minimum(truth[:, None, 2:], found[None, :, 2:])
    across, down = np.moveaxis(right_bottom - left_top, 2, 0)
    width, height = np.moveaxis(np.minimum(_sides(truth)[:, None], _sides(found)[None]), 2, 0)
    enough = (down >= LEAST_SHARED * height) & (across >= LEAST_SHARED * np.minimum(width, height))
    return np.asarray((down > 0) & (across > 0) & enough)


def covered(truth: Boxes, found: Boxes, on: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(M,) whether the pieces on a line cover half of it together; overlapping pieces count once."""
    shares = [_covered_share(box, found[pieces]) for box, pieces in zip(truth, on, strict=True)]
    return np.asarray(np.asarray(shares, np.float64) >= LEAST_COVER)


def join_runs(truth: Sequence[TextLine], found: Sequence[TextLine], on: NDArray[np.bool_]) -> Iterator[LineRun]:
    """The groups connected by `on` (M, N), each side in reading order: rows downwards, and within a row from left to
    right, or from right to left if most of the true letters are of a right-to-left script (Unicode's bidirectional
    classes R and AL).

    Lines and pieces without overlap are in no run. The texts keep their inner order, which is the logical one.
    """
    for lines, pieces in _components(on):
        leftwards = _runs_leftwards("".join(truth[at].text for at in lines))
        truth_rows = _rows([truth[at].box for at in lines], leftwards)
        found_rows = _rows([found[at].box for at in pieces], leftwards)
        truth_order = [[lines[at] for at in row] for row in truth_rows]
        found_order = [[pieces[at] for at in row] for row in found_rows]
        yield LineRun(
            tuple(at for row in truth_order for at in row),
            tuple(at for row in found_order for at in row),
            _join([[truth[at] for at in row] for row in truth_order], TOUCHING_LINES),
            # A reader's boxes are too large for this decision; it splits at gaps only.
            _join([[found[at] for at in row] for row in found_order], -np.inf),
        )


def summarize_lines(counts: LineCounts) -> LineSummary:
    """The shares and rates from counts."""
    return LineSummary(
        images=counts.images,
        lines=counts.lines,
        pieces=counts.pieces,
        line_recall=_rate(counts.found, counts.lines),
        exact_lines=_rate(counts.exact, counts.lines),
        exact_lines_without_spaces=_rate(counts.exact_without_spaces, counts.lines),
        stray_pieces=_rate(counts.stray, counts.pieces),
        of_found_lines=_rates(counts.found_lines),
        of_all_lines=_rates(counts.all_lines),
    )


def line_tallies(counts: LineCounts) -> dict[str, Tally]:
    """The measures by name, for scores and their statistics; measures that do not apply are absent. Error rates are
    edits `of` the true text's length: less is better."""
    tallies = {
        "line_recall": Tally(counts.found, counts.lines),
        "exact_lines": Tally(counts.exact, counts.lines),
        "exact_lines_without_spaces": Tally(counts.exact_without_spaces, counts.lines),
        "stray_pieces": Tally(counts.stray, counts.pieces),
    }
    for which, reading in (("found", counts.found_lines), ("all", counts.all_lines)):
        tallies |= {
            f"cer_{which}_lines": _tally(reading.letters),
            f"cer_{which}_lines_without_spaces": _tally(reading.letters_without_spaces),
            f"wer_{which}_lines": _tally(reading.words),
            f"wer_{which}_lines_without_spaces": _tally(reading.words_without_spaces),
        }
    return {name: tally for name, tally in tallies.items() if tally.of}


def _say_something(lines: Iterable[TextLine]) -> list[TextLine]:
    """Texts keep the white space at their ends: where two lines touch, it shows whether a space is between them."""
    return [line for line in lines if normalize_text(line.text)]


def _boxes(lines: Iterable[TextLine]) -> Boxes:
    return stack(line.box for line in lines)


def _sides(boxes: Boxes) -> Boxes:
    """(N, 2) width and height."""
    return np.asarray(boxes[:, 2:] - boxes[:, :2], np.float32)


def _covered_share(box: NDArray[np.float32], pieces: Boxes) -> float:
    """Uses the grid into which the pieces' sides divide the box."""
    inside = np.concatenate(
        [np.clip(pieces[:, :2], box[:2], box[2:]), np.clip(pieces[:, 2:], box[:2], box[2:])], axis=1
    )
    across, down = np.unique(inside[:, 0::2]), np.unique(inside[:, 1::2])
    if len(across) < 2 or len(down) < 2:
        return 0.0
    left_top = np.stack(np.meshgrid(across[:-1], down[:-1]), axis=-1)[..., None, :]
    hit = ((inside[:, :2] <= left_top) & (left_top < inside[:, 2:])).all(axis=-1).any(axis=-1)
    cells = np.diff(down)[:, None] * np.diff(across)[None, :]
    return float(cells[hit].sum() / ((box[2] - box[0]) * (box[3] - box[1])))


def _components(on: NDArray[np.bool_]) -> Iterator[tuple[list[int], list[int]]]:
    """Connected lines and pieces, if there are both, in the order of their first lines."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = len(on)
    lines, pieces = np.nonzero(on)
    size = sum(on.shape)
    graph = coo_array((np.ones(len(lines), np.int8), (lines, count + pieces)), shape=(size, size))
    label = connected_components(graph, directed=False)[1] if size else np.zeros(0, np.int32)
    for each in dict.fromkeys(label[lines].tolist()):
        members = np.flatnonzero(label == each)
        yield members[members < count].tolist(), (members[members >= count] - count).tolist()


def _runs_leftwards(text: str) -> bool:
    classes = [unicodedata.bidirectional(letter) for letter in text]
    return sum(each in ("R", "AL") for each in classes) > classes.count("L")


def _rows(boxes: Sequence[Box], leftwards: bool) -> list[list[int]]:
    """Indices by row, the upper first. Boxes are in one row if they share half the height of the lower one."""
    rows: list[tuple[float, float, list[int]]] = []
    for at in sorted(range(len(boxes)), key=lambda at: boxes[at].center.y):
        box = boxes[at]
        top, bottom, members = rows[-1] if rows else (0.0, 0.0, [])
        shared = min(bottom, box.bottom) - max(top, box.top)
        if members and shared >= 0.5 * min(bottom - top, box.height):
            members.append(at)
            rows[-1] = (min(top, box.top), max(bottom, box.bottom), members)
        else:
            rows.append((box.top, box.bottom, [at]))
    return [sorted(members, key=lambda at: -boxes[at].right if leftwards else boxes[at].left) for *_, members in rows]


def _join(rows: Sequence[Sequence[TextLine]], touching: float) -> str:
    """One normalized text of lines in rows; `_space` determines the separators."""
    text = ""
    for row in rows:
        for before, line in zip([None, *row], row, strict=False):
            text += _space(text, before, line, touching) + line.text
    return normalize_text(text)


def _space(text: str, before: TextLine | None, line: TextLine, touching: float) -> str:
    """A space, but not between letters of a script without spaces, nor between lines of a row whose distance is less
    than `touching` line heights. `before` is the line before it in its row."""
    if not text or (_is_east_asian(text[-1]) and _is_east_asian(line.text[0])):
        return ""
    if before is None:
        return " "
    gap = max(line.box.left - before.box.right, before.box.left - line.box.right)
    return " " if gap >= touching * line.box.height else ""


def _is_east_asian(letter: str) -> bool:
    """Chinese or Japanese: wide or full-width, and not Hangul, which is written with spaces."""
    wide = unicodedata.east_asian_width(letter) in ("W", "F")
    return wide and not unicodedata.name(letter, "").startswith("HANGUL")


def _rates(reading: TextErrors) -> ErrorRates:
    return ErrorRates(
        cer=_rate(reading.letters.edits, reading.letters.of),
        cer_without_spaces=_rate(reading.letters_without_spaces.edits, reading.letters_without_spaces.of),
        wer=_rate(reading.words.edits, reading.words.of),
        wer_without_spaces=_rate(reading.words_without_spaces.edits, reading.words_without_spaces.of),
    )


def _rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _tally(edits: Edits) -> Tally:
    return Tally(edits.edits, edits.of)
