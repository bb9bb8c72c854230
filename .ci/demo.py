"""Compares README's picture and excerpt of the demo page with what a look makes, or makes them again.

Rule 1: every line of the excerpt is a line of the text, word for word, in the same order and under the same parent. The
mark of a page's words is another number in each session, so the first and the last line only have to be such marks.
Rule 2: the picture has the same size, and nearly the same mean color in each square of 16 px: letters may be drawn
otherwise by another version of the fonts, boxes and labels may not be elsewhere.

Usage: demo.py check|refresh TEXT PICTURE README README_PICTURE
"""

import re
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

SQUARE = 16
"""Side of a square in px. A label of a ref is 13 px high."""

MOST_DIFFERENT = 24
"""Of 255. A label or a frame that moves by its width changes a square's color by 40 and more, letters that are drawn
otherwise by less than 10."""

_MARK = re.compile(r"</?untrusted-page \d+>")

_KEY = re.compile(r'- (?P<role>[^\s:\["]+)(?: (?P<name>"(?:[^"\\]|\\.)*"))?')
"""What a line keeps when its ref or position changes: role and name."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its indentation, and the index of the line that it is under, or -1."""

    words: str
    parent: int


def lines_of(text: str) -> list[Line]:
    """The lines of a text, with their parents."""
    lines: list[Line] = []
    above: list[tuple[int, int]] = []
    for number, line in enumerate(text.rstrip("\n").split("\n")):
        depth = len(line) - len(line.lstrip())
        while above and above[-1][0] >= depth:
            above.pop()
        lines.append(Line(line.strip(), above[-1][1] if above else -1))
        above.append((depth, number))
    return lines


def excerpt_of(readme: str) -> str:
    """The block of README that begins with the mark of a page's words."""
    found = re.search(r"```\n(<untrusted-page \d+>\n.*?\n</untrusted-page \d+>)\n```", readme, re.DOTALL)
    if not found:
        raise SystemExit("README has no block that begins with <untrusted-page …>")
    return found[1]


def key_of(words: str) -> str:
    """Role and name of a line; the line itself if it has none."""
    found = _KEY.match(words)
    return f"{found['role']} {found['name']}" if found else _MARK.sub("mark", words)


def words_of(words: str) -> str:
    """A line as it is compared: marks without their number."""
    return _MARK.sub("mark", words)


def place_lines(excerpt: Sequence[Line], made: Sequence[Line], form: Callable[[str], str]) -> list[int]:
    """For each line of an excerpt the index of the same line of what was made, in order; -1 for one that is not there.

    Args:
        form: two lines are the same if their forms are.
    """
    places: list[int] = []
    start = 0
    for line in excerpt:
        under = places[line.parent] if line.parent >= 0 else -1
        fitting = (at for at in range(start, len(made)) if form(made[at].words) == form(line.words))
        place = next((at for at in fitting if under < 0 or under in _ancestors(made, at)), -1)
        places.append(place)
        start = place + 1 if place >= 0 else start
    return places


def _ancestors(lines: Sequence[Line], at: int) -> set[int]:
    found: set[int] = set()
    while (at := lines[at].parent) >= 0:
        found.add(at)
    return found


def missing_lines(excerpt: str, text: str) -> list[str]:
    """The lines of an excerpt that the text does not have."""
    lines = lines_of(excerpt)
    places = place_lines(lines, lines_of(text), words_of)
    return [line.words for line, place in zip(lines, places, strict=True) if place < 0]


def refreshed(excerpt: str, text: str) -> tuple[str, list[str]]:
    """The excerpt with today's form of its lines, by role and name, and the lines that are no longer there."""
    lines, made = lines_of(excerpt), lines_of(text)
    kept, gone = [], []
    for old, line, place in zip(excerpt.split("\n"), lines, place_lines(lines, made, key_of), strict=True):
        if place < 0:
            gone.append(line.words)
        elif line.words.startswith("<"):
            kept.append(old)
        else:
            kept.append(old[: len(old) - len(old.lstrip())] + made[place].words)
    return "\n".join(kept), gone


def picture_difference(first: Path, second: Path) -> str:
    """How two pictures differ; empty if only in details."""
    a, b = (cv2.imread(str(each)) for each in (first, second))
    if a is None or b is None:
        return f"{first if a is None else second} is not a picture"
    if a.shape != b.shape:
        return f"{second} has {b.shape[1]} × {b.shape[0]} px, not {a.shape[1]} × {a.shape[0]}"
    size = a.shape[1] // SQUARE, a.shape[0] // SQUARE
    small = [cv2.resize(each, size, interpolation=cv2.INTER_AREA).astype(np.int32) for each in (a, b)]
    squares = int((np.abs(small[0] - small[1]).max(axis=2) > MOST_DIFFERENT).sum())
    return f"{squares} squares of {SQUARE} px have another color in {second}" if squares else ""


def main(task: str, text_file: str, picture: str, readme_file: str, shown_picture: str) -> int:
    """Checks, or makes again; returns the exit status."""
    text, readme = Path(text_file).read_text("utf-8"), Path(readme_file).read_text("utf-8")
    excerpt = excerpt_of(readme)
    if task == "refresh":
        new, gone = refreshed(excerpt, text)
        Path(readme_file).write_text(readme.replace(excerpt, new), "utf-8")
        shutil.copyfile(picture, shown_picture)
        for line in gone:
            print(f"dropped, since nothing has its role and name now: {line}")
        return 0
    wrong = [
        f"{readme_file} says what a look at the demo page does not: {line}" for line in missing_lines(excerpt, text)
    ]
    if differs := picture_difference(Path(picture), Path(shown_picture)):
        wrong.append(differs)
    if wrong:
        print("\n".join(wrong), "run '.ci/demo refresh', look at both, and commit them", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
