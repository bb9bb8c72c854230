"""Markdown in pieces."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.errors import BadInputError
from perception.extract import check_chunk_budget, split_markdown
from perception.extract.chunks import MIN_CHUNK_TOKENS
from perception.render.tokens import count_tokens

WORDS = st.lists(
    st.sampled_from("alpha beta, gamma. delta! 日本語の文。 `code` [link](/x) x".split()), min_size=1, max_size=40
)
TEXT = WORDS.map(" ".join)
LONG = st.integers(100, 900).map(lambda count: "y" * count)
ITEMS = st.lists(TEXT, min_size=1, max_size=8).map(
    lambda items: "\n".join(f"{'  ' * (i % 3)}- {each}" for i, each in enumerate(items))
)


def as_table(rows: list[list[str]]) -> str:
    return "\n".join(("| a | b |", "| --- | --- |", *(f"| {one} | {other} |" for one, other in rows)))


def as_code(lines: list[str]) -> str:
    return "\n".join(("````python", *lines, "````"))


TABLES = st.lists(st.lists(TEXT, min_size=2, max_size=2), max_size=12).map(as_table)
CODE = st.lists(st.one_of(TEXT, st.just(""), st.just("```")), max_size=15).map(as_code)
BLOCKS = st.one_of(
    TEXT, TEXT.map(lambda text: f"## {text}"), ITEMS, TABLES, CODE, LONG, TEXT.map(lambda text: f"> {text}")
)
DOCUMENTS = st.lists(BLOCKS, max_size=8).map("\n\n".join)


def said(markdown: str) -> str:
    """All that is said, without what tables and code say again in each piece."""
    lines = [each for each in markdown.split("\n") if not re.match(r"[ >]*(````|\| a \| b \||\|( --- \|)+$)", each)]
    return "".join("".join(lines).split())


@given(DOCUMENTS, st.integers(MIN_CHUNK_TOKENS, 400))
def test_pieces_are_within_the_budget_and_together_contain_everything_once(document: str, budget: int) -> None:
    chunks = split_markdown(document, budget)
    assert all(count_tokens(each) <= budget for each in chunks)
    assert "".join(map(said, chunks)) == said(document)


@given(DOCUMENTS, st.integers(MIN_CHUNK_TOKENS, 400))
def test_every_fence_that_is_opened_in_a_piece_is_closed_in_it(document: str, budget: int) -> None:
    for chunk in split_markdown(document, budget):
        assert sum(line.startswith("````") for line in chunk.split("\n")) % 2 == 0


@given(DOCUMENTS)
def test_without_a_budget_all_is_one_piece(document: str) -> None:
    assert split_markdown(document, 0) == [document]


def test_a_continued_table_repeats_its_header() -> None:
    table = as_table([[f"row {i}", "words " * 5 + "end"] for i in range(40)])
    chunks = split_markdown(f"Before.\n\n{table}\n\nAfter.", 120)
    assert len(chunks) > 3
    assert all(each.startswith("| a | b |\n| --- | --- |\n| row") for each in chunks[1:-1])
    assert chunks[-1].endswith("|\n\nAfter.")


def test_code_that_goes_on_is_closed_and_opened_again_with_its_language() -> None:
    code = as_code([f"print({i}, 'some words that cost')" for i in range(60)])
    chunks = split_markdown(code, 150)
    assert len(chunks) > 3
    assert all(each.startswith("````python\nprint(") and each.endswith("')\n````") for each in chunks)


def test_code_in_a_list_item_keeps_its_indentation() -> None:
    code = "\n".join(("- Run:", "", "  ```sh", *(f"  echo {i} and more words" for i in range(60)), "  ```"))
    chunks = split_markdown(code, 100)
    assert all(each.startswith("  ```sh\n  echo") for each in chunks[1:])
    assert all(each.endswith("\n  ```") for each in chunks)


def test_a_piece_ends_between_blocks_and_a_heading_goes_with_what_follows() -> None:
    document = "\n\n".join(f"## Part {i}\n\n{'Some words of it. ' * 12}".strip() for i in range(6))
    chunks = split_markdown(document, 75)
    assert [each.split("\n")[0] for each in chunks] == [f"## Part {i}" for i in range(6)]


def test_a_long_paragraph_is_parted_between_sentences() -> None:
    chunks = split_markdown("One sentence with several words in it. " * 40, 100)
    assert len(chunks) > 2
    assert all(each.endswith("it.") for each in chunks)


def test_a_row_larger_than_the_budget_is_written_without_its_table() -> None:
    table = as_table([["small", "row"], ["x" * 5, "many words in one cell " * 60], ["last", "row"]])
    chunks = split_markdown(table, 100)
    assert all(count_tokens(each) <= 100 for each in chunks)
    assert chunks[-1].endswith("| a | b |\n| --- | --- |\n| last | row |")


@pytest.mark.parametrize("budget", [-1, 1, MIN_CHUNK_TOKENS - 1])
def test_a_budget_that_no_piece_can_keep_is_refused(budget: int) -> None:
    with pytest.raises(BadInputError, match="max_tokens is") as caught:
        check_chunk_budget(budget)
    assert caught.value.field == "max_tokens"


def test_an_empty_page_is_one_empty_piece() -> None:
    assert split_markdown("", MIN_CHUNK_TOKENS) == [""]
