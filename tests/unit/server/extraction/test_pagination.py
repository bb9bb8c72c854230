"""Answers that are served in pages, and what continues them."""

from __future__ import annotations

import pytest

from perception.errors import BadInputError, UnknownCursorError
from perception.server.extraction.pagination import KEPT, PagedAnswers, PagedContent


def content(title: str = "A", tab_id: str = "t1") -> PagedContent:
    return PagedContent(tab_id, "https://a.example/", title, ("a", "b"), 2, 50, 0.0)


@pytest.fixture
def answers() -> PagedAnswers[PagedContent]:
    return PagedAnswers("c", "cursor")


def test_a_cursor_is_an_answer_and_a_number(answers: PagedAnswers[PagedContent]) -> None:
    ids = [answers.keep(content(title)) for title in ("A", "B")]
    assert ids == ["c1", "c2"]
    assert answers.find("c2.17") == ("c2", 17, content("B"))


@pytest.mark.parametrize("cursor", ["", "c1", "c1.", "c1.x", "c1.-1", "x1.1", "c1.1234567890", "c1.1.1"])
def test_what_is_no_cursor_is_bad_input(answers: PagedAnswers[PagedContent], cursor: str) -> None:
    answers.keep(content())
    with pytest.raises(BadInputError, match="is not a cursor: use the next_cursor") as caught:
        answers.find(cursor)
    assert caught.value.field == "cursor"


def test_the_oldest_answer_goes_first(answers: PagedAnswers[PagedContent]) -> None:
    ids = [answers.keep(content()) for _ in range(KEPT + 1)]
    with pytest.raises(UnknownCursorError, match=f"keeps its last {KEPT} answers"):
        answers.find(f"{ids[0]}.1")
    assert answers.find(f"{ids[1]}.1")[0] == ids[1]


def test_answers_go_with_their_tab(answers: PagedAnswers[PagedContent]) -> None:
    gone, there = answers.keep(content(tab_id="t1")), answers.keep(content(tab_id="t2"))
    answers.drop_tab("t1")
    with pytest.raises(UnknownCursorError, match=gone):
        answers.find(f"{gone}.1")
    assert answers.find(f"{there}.1")[0] == there
