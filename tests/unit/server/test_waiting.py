"""Where a text that is waited for is found."""

from __future__ import annotations

import pytest

from perception.invisible import comparable
from perception.server.actions.waiting import _pattern_of


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        ("Saved", "All saved!", True),
        ("Saved", "Unsaved changes", False),
        ("3 items", "13 items", False),
        ("Order 5", "Order 57", False),
        ("order", "Your Orders", True),
        ("5.00", "€5.00", True),
        ("сохранено", "не сохранено", True),
        ("сохранено", "Несохранено", False),
        ("保存", "已保存", True),
        ("(a+b)", "f(a+b)", True),
    ],
)
def test_a_text_is_found_from_the_beginning_of_a_word(text: str, words: str, *, found: bool) -> None:
    assert bool(_pattern_of(text).search(comparable(words))) == found
