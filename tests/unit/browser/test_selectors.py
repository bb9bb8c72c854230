"""Selectors with steps into shadow roots and frames, as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.browser.page.selector_syntax import join_for_playwright, join_frames, split_hops
from perception.errors import BadSelectorError


@pytest.mark.parametrize(
    ("selector", "hops"),
    [
        pytest.param("#a", ("#a",), id="none"),
        pytest.param("#a >>> #b", ("#a", "#b"), id="one"),
        pytest.param("#a>>>b  >>>  c > d", ("#a", "b", "c > d"), id="spaces"),
        pytest.param('[x=">>>"] >>> a', ('[x=">>>"]', "a"), id="in-a-string"),
        pytest.param("[x='a\\'>>>'] b", ("[x='a\\'>>>'] b",), id="escaped-quote"),
        pytest.param("[x=a\\]>>>b]", ("[x=a\\]>>>b]",), id="in-brackets"),
        pytest.param("a\\>>>b", ("a\\>>>b",), id="escaped-sign"),
        pytest.param('[x="open >>> end', ('[x="open >>> end',), id="open-string"),
        pytest.param("a:has(> b >>> c)", ("a:has(> b", "c)"), id="not-in-parentheses"),
    ],
)
def test_steps_are_split_where_they_are_no_part_of_css(selector: str, hops: tuple[str, ...]) -> None:
    assert split_hops(selector) == hops


@pytest.mark.parametrize("selector", ["", "  ", ">>> a", "a >>>", "a >>> >>> b", ">>>"])
def test_an_empty_step_is_refused(selector: str) -> None:
    with pytest.raises(BadSelectorError, match="empty"):
        split_hops(selector)


CSS = st.sampled_from(["#a", 'b[x="1 >>> 2"]', "c > d:nth-child(2 of e)", "li:has(> a)", "\\31 x", "[y='\"']"])


@given(st.lists(st.lists(CSS, min_size=1, max_size=3), min_size=1, max_size=3))
def test_what_is_joined_is_split_again(frames: list[list[str]]) -> None:
    assert split_hops(join_frames(frames)) == tuple(css for frame in frames for css in frame)


def test_playwright_enters_frames_by_a_step_of_its_own_and_shadow_roots_by_any() -> None:
    assert (
        join_for_playwright([["#host", "iframe"], ["#in"]]) == "#host >> iframe >> internal:control=enter-frame >> #in"
    )
    assert join_for_playwright([["#host"], []]) == ""
