"""Lines of text against lines of text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.bench.metrics.line_matching import LineCounts, count_lines, line_tallies, summarize_lines
from perception.bench.metrics.text_errors import Edits, TextErrors, count_errors, normalize_text
from perception.bench.scores import Tally
from perception.datasets.sample import TextLine
from perception.geometry import Box


def line(text: str, left: float = 0, top: float = 0, width: float = 0, height: float = 20) -> TextLine:
    """A line that is ten px wide for each letter, by default."""
    return TextLine(text, Box(left, top, left + (width or 10 * len(text)), top + height))


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        pytest.param("  a \t b\n", "a b", id="white space"),
        pytest.param("a\u00a0b\u3000c", "a b c", id="other spaces"),
        pytest.param("\uff21\uff11\uff1a", "A1:", id="full width"),
        pytest.param("\ufb01nd", "find", id="ligature"),
        pytest.param("e\u0301", "\u00e9", id="combining accent"),
        pytest.param("\ufe8e", "\u0627", id="Arabic presentation form"),
        pytest.param("\u2f08", "\u4eba", id="Kangxi radical"),
        pytest.param("co\u00adop\u200b\u200e", "coop", id="soft hyphen and zero widths"),
        pytest.param("\ue001 \uf015Home", "Home", id="icon font"),
        pytest.param("\u2764\ufe0f", "\u2764", id="variation selector"),
        pytest.param("Aa \u2018x\u2019 \u2013", "Aa \u2018x\u2019 \u2013", id="case, quotes and dashes stay"),
        pytest.param("", "", id="empty"),
    ],
)
def test_texts_are_compared_as_they_look(raw: str, normal: str) -> None:
    assert normalize_text(raw) == normal
    assert normalize_text(normal) == normal


@pytest.mark.parametrize(
    ("true", "read", "letters", "solid", "words", "solid_words"),
    [
        pytest.param("Save draft", "Save draft", 0, 0, 0, 0, id="the same"),
        pytest.param("Save draft", "Savedraft", 1, 0, 2, 0, id="a space missing"),
        pytest.param("Save draft", "Sa ve draft", 1, 0, 2, 0, id="a space too many"),
        pytest.param("Save draft", "Save drafl", 1, 1, 1, 1, id="a letter changed"),
        pytest.param("Save draft", "Savedrafl", 2, 1, 2, 1, id="a space missing and a letter changed"),
        pytest.param("Save draft", "Sawve draft", 1, 1, 1, 1, id="a letter in a word's midst"),
        pytest.param("Save draft", "Save my draft", 3, 2, 1, 1, id="a word too many"),
        pytest.param("Save draft", "Save", 6, 5, 1, 1, id="a word missing"),
        pytest.param("Save draft", "", 10, 9, 2, 2, id="nothing read"),
        pytest.param("Save", "Save draft now", 10, 8, 2, 1, id="more at the end"),
    ],
)
def test_errors_are_counted_by_letter_and_word_with_spaces_and_without(
    true: str, read: str, letters: int, solid: int, words: int, solid_words: int
) -> None:
    count, solid_count = len(true.split()), len(true.replace(" ", ""))
    assert count_errors([true], [read]) == TextErrors(
        Edits(letters, len(true)), Edits(solid, solid_count), Edits(words, count), Edits(solid_words, count)
    )


def test_lines_that_are_read_as_they_are_have_no_errors() -> None:
    truth = [line("Name", top=0), line("Email address", top=40)]
    summary = summarize_lines(count_lines(truth, list(reversed(truth))))
    assert (summary.line_recall, summary.exact_lines, summary.stray_pieces) == (1, 1, 0)
    assert summary.of_found_lines == summary.of_all_lines
    assert (summary.of_all_lines.cer, summary.of_all_lines.wer_without_spaces) == (0, 0)


def test_a_line_that_was_missed_is_deleted_in_one_figure_and_left_out_of_the_other() -> None:
    counts = count_lines([line("Name", top=0), line("Email", top=40)], [line("Nane", top=0)])
    assert (counts.lines, counts.found, counts.exact) == (2, 1, 0)
    assert counts.found_lines.letters == Edits(1, 4)
    assert counts.all_lines.letters == Edits(1 + 5, 4 + 5)
    assert counts.all_lines.words == Edits(2, 2)
    summary = summarize_lines(counts)
    assert (summary.line_recall, summary.of_found_lines.cer, summary.of_found_lines.wer) == (0.5, 0.25, 1)
    assert summary.of_all_lines.cer == pytest.approx(6 / 9)


def test_text_on_no_line_is_stray_and_no_error() -> None:
    counts = count_lines([line("Name")], [line("Name"), line("\u4e09 V", left=500, top=300)])
    assert (counts.pieces, counts.stray, counts.stray_letters) == (2, 1, 3)
    assert counts.all_lines.letters == Edits(0, 4)


def test_a_line_read_in_two_pieces_is_one_line() -> None:
    truth = [line("Quarterly revenue report", width=240)]
    found = [line("report", left=185, top=3), line("Quarterly revenue", top=2)]
    counts = count_lines(truth, found)
    assert (counts.found, counts.exact, counts.pieces) == (1, 1, 2)


def test_cells_of_a_row_read_as_one_piece_are_each_found() -> None:
    truth = [line("Total", left=0), line("12", left=200), line("in stock", left=400)]
    counts = count_lines(truth, [line("Total 12 in stock", width=480)])
    assert (counts.lines, counts.found, counts.exact) == (3, 3, 3)
    assert counts.found_lines.letters == Edits(0, len("Total 12 in stock"))


def test_a_piece_over_the_end_of_one_line_and_the_next_joins_the_three() -> None:
    truth = [line("Alpha beta", left=0), line("gamma", left=130)]
    found = [line("Alpha", left=0), line("beta gamma", left=60, width=120)]
    assert count_lines(truth, found).exact == 2


def test_rows_that_are_close_are_kept_apart() -> None:
    truth = [line(f"Row number {row}", top=18 * row, height=16) for row in range(6)]
    found = [line(f"Row number {row}", top=18 * row - 2, height=21) for row in range(6)]
    counts = count_lines(truth, found)
    assert (counts.exact, counts.pieces, counts.stray) == (6, 6, 0)


def test_a_piece_over_two_rows_is_compared_with_both() -> None:
    truth = [line("upper", top=0), line("lower", top=22)]
    counts = count_lines(truth, [line("upper lower", width=50, height=42)])
    assert (counts.found, counts.exact) == (2, 2)


@pytest.mark.parametrize(
    ("pieces", "found"),
    [
        pytest.param([(0, 49)], 0, id="just under half"),
        pytest.param([(0, 50)], 1, id="half"),
        pytest.param([(0, 30), (60, 90)], 1, id="two parts"),
        pytest.param([(0, 30), (0, 30)], 0, id="the same part twice"),
    ],
)
def test_a_line_is_found_when_pieces_cover_half_of_it(pieces: list[tuple[float, float]], found: int) -> None:
    truth = [TextLine("ten letters", Box(0, 0, 100, 20))]
    read = [TextLine("ten", Box(left, 0, right, 20)) for left, right in pieces]
    counts = count_lines(truth, read)
    assert counts.found == found
    assert counts.stray == 0


def test_a_row_that_runs_leftwards_is_put_together_from_the_right() -> None:
    words = ["\u0645\u0631\u062d\u0628\u0627", "\u0628\u0627\u0644\u0639\u0627\u0644\u0645"]
    truth = [line(" ".join(words), width=200)]
    found = [line(words[1], left=0, width=90), line(words[0], left=110, width=90)]
    assert count_lines(truth, found).exact == 1


def test_chinese_pieces_are_joined_without_a_space_and_korean_ones_with_one() -> None:
    chinese = count_lines(
        [line("\u6df1\u5733\u5e02\u653f\u5e9c")], [line("\u6df1\u5733\u5e02"), line("\u653f\u5e9c", left=30)]
    )
    assert chinese.exact == 1
    korean = count_lines([line("\uc548\ub155 \uc138\uacc4")], [line("\uc548\ub155"), line("\uc138\uacc4", left=30)])
    assert korean.exact == 1


def test_true_lines_that_touch_are_one_word_and_others_are_not() -> None:
    read = [line("Hello world!", width=120)]
    touching = [line("Hello ", left=0), line("world", left=60), line("!", left=110)]
    assert count_lines(touching, read).exact == 3
    apart = [line("Hello", left=0), line("world!", left=60)]
    assert count_lines(apart, read).exact == 2


def test_a_missing_space_is_an_error_with_spaces_only() -> None:
    counts = count_lines([line("Save draft")], [line("Savedraft", width=100)])
    assert (counts.exact, counts.exact_without_spaces) == (0, 1)
    tallies = line_tallies(counts)
    assert tallies["cer_found_lines"] == Tally(1, 10)
    assert tallies["cer_found_lines_without_spaces"] == Tally(0, 9)
    assert tallies["wer_all_lines"] == Tally(2, 2)
    assert tallies["wer_all_lines_without_spaces"] == Tally(0, 2)


def test_empty_lines_do_not_count() -> None:
    counts = count_lines([line("  "), line("\ue001", top=40), line("Name", top=80)], [line(" ", top=80, width=40)])
    assert (counts.lines, counts.pieces, counts.found) == (1, 0, 0)


@pytest.mark.parametrize("truth", [[], [line("Name")]])
def test_where_nothing_was_read_there_are_counts_and_no_rates_of_found_lines(truth: list[TextLine]) -> None:
    counts = count_lines(truth, [])
    assert (counts.found_lines, counts.stray) == (TextErrors(), 0)
    summary = summarize_lines(counts)
    assert summary.of_found_lines.cer is None
    assert summary.of_all_lines.cer == (1 if truth else None)
    assert summary.line_recall == (0 if truth else None)
    assert set(line_tallies(count_lines([], []))) == set()


def test_a_line_without_area_is_missed() -> None:
    counts = count_lines([TextLine("Name", Box(5, 5, 5, 25))], [line("Name")])
    assert (counts.found, counts.stray, counts.all_lines.letters) == (0, 1, Edits(4, 4))


words = st.text("abc \u4eba\u0627", min_size=1, max_size=6)
places = st.tuples(words, st.integers(0, 200), st.integers(0, 60), st.integers(0, 80), st.integers(0, 20))
some_lines = st.lists(places.map(lambda p: TextLine(p[0], Box(p[1], p[2], p[1] + p[3], p[2] + p[4]))), max_size=6)


@given(some_lines, some_lines)
def test_counts_are_consistent_for_any_text(truth: list[TextLine], found: list[TextLine]) -> None:
    counts = count_lines(truth, found)
    assert counts.exact <= counts.exact_without_spaces <= counts.found <= counts.lines <= len(truth)
    assert counts.stray <= counts.pieces <= len(found)
    letters = counts.all_lines.letters_without_spaces
    assert letters.of == sum(len(normalize_text(each.text).replace(" ", "")) for each in truth)
    assert count_lines(list(reversed(truth)), list(reversed(found))).found == counts.found


@given(st.lists(st.tuples(some_lines, some_lines), max_size=3))
def test_counts_add_up_in_any_order(images: list[tuple[list[TextLine], list[TextLine]]]) -> None:
    counts = [count_lines(*image) for image in images]
    total = sum(counts, LineCounts())
    assert total == sum(reversed(counts), LineCounts())
    assert total.images == len(images)


def test_a_dense_table_is_counted_whole() -> None:
    cells = [
        line(f"cell {row} {column}", left=120 * column, top=20 * row, height=16)
        for row in range(40)
        for column in range(10)
    ]
    random = np.random.default_rng(0)
    counts = count_lines(cells, [cells[at] for at in random.permutation(len(cells))])
    assert (counts.found, counts.exact, counts.all_lines.letters.edits) == (400, 400, 0)
