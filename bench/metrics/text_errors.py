"""Compares read text with the true text: by letter and by word, with spaces and without. Pure.

Rule 1: texts are compared in the form of `normalize_text`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from perception.bench.extras import METRIC_LIBRARIES, require

if TYPE_CHECKING:
    from jiwer import AlignmentChunk, CharacterOutput, WordOutput


@dataclass(frozen=True, slots=True)
class Edits:
    """Insertions, deletions and substitutions that turn the true text into the read one; may exceed the true text's
    length `of`."""

    edits: int = 0
    of: int = 0

    def __add__(self, other: Edits) -> Edits:
        return Edits(self.edits + other.edits, self.of + other.of)


@dataclass(frozen=True, slots=True)
class TextErrors:
    """How well text was read, by letter (a code point) and by word (between spaces).

    `words_without_spaces` are the true text's words. A word is wrong if one of its letters is changed or missing or
    something is inserted in it; insertions between words are added. A missing or additional space is not an error. In a
    script without spaces (Chinese, Japanese, Thai), a word is as long as the line: use letters.
    """

    letters: Edits = Edits()
    letters_without_spaces: Edits = Edits()
    words: Edits = Edits()
    words_without_spaces: Edits = Edits()

    def __add__(self, other: TextErrors) -> TextErrors:
        return TextErrors(
            self.letters + other.letters,
            self.letters_without_spaces + other.letters_without_spaces,
            self.words + other.words,
            self.words_without_spaces + other.words_without_spaces,
        )


def normalize_text(text: str) -> str:
    """The text in normalized form: NFKC, without invisible characters, white space as single spaces.

    NFKC unifies letters that look alike, so that pixel readers are not penalized for them: full-width and half-width
    forms, ligatures, Kangxi radicals, Arabic presentation forms, composed and combining accents, the no-break space. As
    a side effect, a superscript 2 equals a 2. Letter case, punctuation and kinds of quotation marks are kept. Removed
    are control and format characters (soft hyphen, zero width and direction marks), private use (icon fonts) and
    variation selectors.
    """
    folded = unicodedata.normalize("NFKC", text)
    return " ".join("".join(letter for letter in folded if letter.isspace() or not _is_unseen(letter)).split())


def unspaced(text: str) -> str:
    """A normalized text without its spaces."""
    return text.replace(" ", "")


def count_errors(references: Sequence[str], readings: Sequence[str]) -> TextErrors:
    """Errors of normalized texts against their references, which must not be empty, by jiwer's alignments."""
    require("counting errors of reading", METRIC_LIBRARIES)
    import jiwer

    if not references:
        return TextErrors()
    words = jiwer.process_words(list(references), list(readings))
    letters = jiwer.process_characters(list(references), list(readings))
    solid = jiwer.process_characters([*map(unspaced, references)], [*map(unspaced, readings)])
    wrong = sum(
        _wrong_words(reference.split(), alignment)
        for reference, alignment in zip(references, solid.alignments, strict=True)
    )
    return TextErrors(
        letters=_edits(letters),
        letters_without_spaces=_edits(solid),
        words=_edits(words),
        words_without_spaces=Edits(wrong, words.hits + words.substitutions + words.deletions),
    )


def _is_unseen(letter: str) -> bool:
    return unicodedata.category(letter).startswith("C") or "\ufe00" <= letter <= "\ufe0f"


def _wrong_words(words: Sequence[str], alignment: Iterable[AlignmentChunk]) -> int:
    """Errors of words whose letters are aligned without spaces: words that an edit touches, and insertions between
    two."""
    owner = np.repeat(np.arange(len(words)), [len(word) for word in words])
    wrong: set[int] = set()
    between = 0
    for chunk in alignment:
        start = chunk.ref_start_idx
        if chunk.type in ("substitute", "delete"):
            wrong.update(owner[start : chunk.ref_end_idx].tolist())
        elif chunk.type == "insert" and 0 < start < len(owner) and owner[start - 1] == owner[start]:
            wrong.add(int(owner[start]))
        elif chunk.type == "insert":
            between += 1
    return len(wrong) + between


def _edits(output: WordOutput | CharacterOutput) -> Edits:
    length = output.hits + output.substitutions + output.deletions
    return Edits(output.substitutions + output.deletions + output.insertions, length)
