"""Decoding probabilities to words, without a model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from perception.detectors.ctc_decode import CtcReading, decode, split

ALPHABET = ("", "a", "b", "c", " ")


def odds_of(steps: list[int]) -> NDArray[np.float32]:
    odds = np.full((len(steps), len(ALPHABET)), 0.02, np.float32)
    odds[np.arange(len(steps)), steps] = 0.92
    return odds


def crop(*letters: int, width: int = 200) -> NDArray[np.uint8]:
    """Ink of 6 px wide, 12 px high letters that begin at those columns."""
    ink = np.zeros((20, width), np.uint8)
    for left in letters:
        ink[4:16, left : left + 6] = 1
    return ink


def reading(text: str, *at: int) -> CtcReading:
    return CtcReading(tuple(text), np.array([left + 3.0 for left in at]), np.full(len(text), 0.9, np.float32))


def test_repeats_are_one_letter_and_a_gap_parts_two() -> None:
    read = decode(odds_of([0, 1, 1, 0, 1, 2, 2, 0]), ALPHABET, 80)
    assert read.text == "aab"
    assert read.at.tolist() == [20.0, 45.0, 60.0]
    assert abs(read.score - 0.92) < 1e-6


def test_nothing_read_is_no_piece() -> None:
    read = decode(odds_of([0, 0, 0]), ALPHABET, 80)
    assert (read.text, read.score, split(read, crop())) == ("", 0.0, [])


def test_letters_of_a_word_stay_together() -> None:
    (piece,) = split(reading("abcab", 10, 18, 26, 34, 42), crop(10, 18, 26, 34, 42))
    assert (piece.text, piece.left, piece.right) == ("abcab", 10 - 5, 48 + 5)


def test_a_space_that_was_left_out_is_put_back() -> None:
    (piece,) = split(reading("abab", 10, 18, 32, 40), crop(10, 18, 32, 40))
    assert piece.text == "ab ab"


def test_spaced_out_letters_are_not_torn_apart() -> None:
    (piece,) = split(reading("abc", 10, 24, 38), crop(10, 24, 38))
    assert piece.text == "abc"


def test_a_wide_gap_makes_two_pieces_with_their_own_places() -> None:
    first, second = split(reading("abab", 10, 18, 80, 88), crop(10, 18, 80, 88))
    assert (first.text, second.text) == ("ab", "ab")
    assert first.right == 24 + 5
    assert 73 <= second.left <= 75


def test_what_was_not_read_between_two_words_parts_them() -> None:
    ink = crop(10, 18, 56, 64)
    ink[4:16, 32:48] = 1  # a radio button
    first, second = split(reading("abab", 10, 18, 56, 64), ink)
    assert (first.text, second.text) == ("ab", "ab")


def test_an_icon_before_the_text_is_not_in_its_box() -> None:
    ink = crop(40, 48)
    ink[2:18, 4:22] = 1
    (piece,) = split(reading("ab", 40, 48), ink)
    assert piece.left >= 40 - 5
