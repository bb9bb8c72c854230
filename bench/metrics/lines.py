"""Lines of text that were read against lines that are there. Pure; any one frame.

Readers cut a line where the page does not, and join what the page keeps apart (the cells of a table's row). So texts
are compared in *runs*: the true lines and the read pieces that lie on one another, directly or by way of others, each
side put together in reading order.

Rule 1: a true line is found when the pieces that lie on it cover half of its area. Figures "of found lines" leave the
others out; figures "of all lines" count them as wholly deleted.
Rule 2: pieces that lie on no true line are counted as stray and are in no error rate: a picture may hold words that no
page's truth knows.
Rule 3: texts are compared as `normalize_text` gives them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from perception.bench.metrics.text import Edits, Reading, count_errors, normalize_text, unspaced
from perception.bench.seen import Tally
from perception.datasets.sample import TextLine
from perception.geometry import Box, Boxes, stack

LEAST_COVER = 0.5
"""Share of a true line's area that pieces must cover for it to be found."""
LEAST_SHARED = 0.5
"""Of the lower height, and of the lesser of height and width, for a line and a piece to belong together. What lies
beside or below overlaps less: a reader's box is about a quarter of a line too large."""
TOUCHING = 0.1
"""Of a line's height: two true lines with less between them are one word (`Hello<b>!</b>`). A space is a quarter of an
em in common fonts, a fifth of a line's height."""


@dataclass(frozen=True, slots=True)
class LineCounts:
    """Counts of one image, or their sum over images; `LineCounts()` is the sum of none.

    Attributes:
        lines: true lines that say something.
        found: of these, what was found.
        exact, exact_without_spaces: of these, lines of runs that read exactly as they are.
        pieces: read pieces that say something.
        stray, stray_letters: of these, what lies on no true line.
        found_lines: errors in the lines that were found.
        missed_lines: the others, wholly deleted.
    """

    images: int = 0
    lines: int = 0
    found: int = 0
    exact: int = 0
    exact_without_spaces: int = 0
    pieces: int = 0
    stray: int = 0
    stray_letters: int = 0
    found_lines: Reading = field(default=Reading())
    missed_lines: Reading = field(default=Reading())

    @property
    def all_lines(self) -> Reading:
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
    """CER and WER; None where there is no text."""

    cer: float | None
    cer_without_spaces: float | None
    wer: float | None
    wer_without_spaces: float | None


@dataclass(frozen=True, slots=True)
class LineSummary:
    """Shares of all true lines, of pieces, and error rates; None where there is nothing to take a share of."""

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
class Run:
    """True lines and the read pieces that lie on them, as indices in reading order."""

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
    """(M, N) whether a true line and a piece are of one row and share some of it.

    That is half of the lower one's height, and across either half of the narrower one or half a line's height, about a
    letter.
    """
    left_top = np.maximum(truth[:, None, :2], found[None, :, :2])
    right_bottom = np.minimum(truth[:, None, 2:], found[None, :, 2:])
    across, down = np.moveaxis(right_bottom - left_top, 2, 0)
    width, height = np.moveaxis(np.minimum(_sides(truth)[:, None], _sides(found)[None]), 2, 0)
    enough = (down >= LEAST_SHARED * height) & (across >= LEAST_SHARED * np.minimum(width, height))
    return np.asarray((down > 0) & (across > 0) & enough)


def covered(truth: Boxes, found: Boxes, on: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(M,) whether the pieces that lie on a line cover half of it together; where they overlap counts once."""
    shares = [_covered_share(box, found[pieces]) for box, pieces in zip(truth, on, strict=True)]
    return np.asarray(np.asarray(shares, np.float64) >= LEAST_COVER)


def join_runs(truth: Sequence[TextLine], found: Sequence[TextLine], on: NDArray[np.bool_]) -> Iterator[Run]:
    """What hangs together by `on` (M, N), each side in reading order: rows downwards, and along a row rightwards, or
    leftwards where most of the true letters are of a script that runs so (Unicode's bidirectional classes R and AL).

    Lines and pieces that nothing lies on are in no run. The texts keep their inner order, which is the logical one.
    """
    for lines, pieces in _components(on):
        leftwards = _runs_leftwards("".join(truth[at].text for at in lines))
        truth_rows = _rows([truth[at].box for at in lines], leftwards)
        found_rows = _rows([found[at].box for at in pieces], leftwards)
        truth_order = [[lines[at] for at in row] for row in truth_rows]
        found_order = [[pieces[at] for at in row] for row in found_rows]
        yield Run(
            tuple(at for row in truth_order for at in row),
            tuple(at for row in found_order for at in row),
            _join([[truth[at] for at in row] for row in truth_order], TOUCHING),
            # A reader's boxes are too large to tell by; it cuts at gaps only.
            _join([[found[at] for at in row] for row in found_order], -np.inf),
        )


def summarise_lines(counts: LineCounts) -> LineSummary:
    """The shares and rates that counts come to."""
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
    """The measures by name, for scores and their statistics; what does not apply is absent. Error rates are edits `of`
    the true text's length: less is better."""
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
    """Texts keep the white space at their ends: where two lines touch, it tells whether a space is between them."""
    return [line for line in lines if normalize_text(line.text)]


def _boxes(lines: Iterable[TextLine]) -> Boxes:
    return stack(line.box for line in lines)


def _sides(boxes: Boxes) -> Boxes:
    """(N, 2) width and height."""
    return np.asarray(boxes[:, 2:] - boxes[:, :2], np.float32)


def _covered_share(box: NDArray[np.float32], pieces: Boxes) -> float:
    """By the grid that the pieces' sides cut the box into."""
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
    """Lines and pieces that hang together, where there are both, in the order of their first lines."""
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
    """Indices by row, the upper first. Boxes are of one row that share half the height of the lower one."""
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
    """One normalized text of lines in rows; see `_space` for what goes between them."""
    text = ""
    for row in rows:
        for before, line in zip([None, *row], row, strict=False):
            text += _space(text, before, line, touching) + line.text
    return normalize_text(text)


def _space(text: str, before: TextLine | None, line: TextLine, touching: float) -> str:
    """A space, but not between letters of a script that has none, nor between lines of a row that touch: less than
    `touching` line heights apart. `before` is the line before it in its row."""
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


def _rates(reading: Reading) -> ErrorRates:
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
