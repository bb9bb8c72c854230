"""Ranking: what fits better comes first, exact before alike, and what cannot be clicked last of equals."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.geometry import Box
from perception.search.find import Question, RankedElement, find_elements
from perception.search.query import read_query
from perception.search.text_similarity import likeness
from perception.types import Element, Reach, Scroll, Viewport

VIEWPORT = Viewport(1000, 800)
SCROLL = Scroll(0, 0, 1000, 2000)


def control(role: str, name: str, x: float, y: float, **given: object) -> Element:
    box = Box(x, y, x + 60, y + 20)
    return Element(role, name, **{"box": box, "interactive": True, "reachable": True, **given})  # type: ignore[arg-type]


def words(said: str, x: float, y: float, role: str = "text", **given: object) -> Element:
    return control(role, said, x, y, interactive=False, reachable=False, **given)


def find(elements: list[Element], query: str = "", **asked: object) -> list[RankedElement]:
    return find_elements(elements, Question(query, **asked), VIEWPORT, SCROLL)  # type: ignore[arg-type]


def best(elements: list[Element], query: str) -> int:
    return find(elements, query)[0].index


@pytest.mark.parametrize(
    ("closer", "further", "asked"),
    [
        pytest.param("Save", "Save as", "Save", id="exact-before-longer"),
        pytest.param("Save", "save", "Save", id="the-same-case-first"),
        pytest.param("Save draft", "Draft to save", "Save draft", id="order-of-words"),
        pytest.param("Submit", "Summit", "Submit", id="exact-before-alike"),
        pytest.param("Submit", "Subset", "Sumbit", id="one-slip-before-two"),
        pytest.param("E-Mail", "Mail", "email", id="joined-words"),
        pytest.param("Café", "Cafeteria", "cafe", id="accents"),
        pytest.param("STRASSE", "Strand", "Straße", id="case-folding"),
        pytest.param("保存する", "削除する", "保存", id="japanese-part"),
        pytest.param("Search…", "Research", "search", id="edges-do-not-count"),
        pytest.param("حفظ", "حذف", "حفظ", id="arabic"),
    ],
)
def test_of_two_names_the_closer_one_wins(closer: str, further: str, asked: str) -> None:
    assert likeness(asked, closer) > likeness(asked, further)
    elements = [control("button", further, 0, 0), control("button", closer, 0, 40)]
    assert best(elements, asked) == 1


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        pytest.param("Save", "Print", id="other-word"),
        pytest.param("ok", "on", id="short-words"),
        pytest.param("", "Save", id="nothing-asked"),
        pytest.param("Save", "", id="nothing-said"),
        pytest.param("…", "***", id="no-letters"),
    ],
)
def test_words_that_have_nothing_in_common_are_not_alike(asked: str, said: str) -> None:
    assert likeness(asked, said) == 0


@given(st.text(max_size=30), st.text(max_size=30))
def test_likeness_is_between_0_and_1_and_is_1_only_for_the_same(one: str, other: str) -> None:
    score = likeness(one, other)
    assert 0 <= score <= 1
    assert (score == 1) == (bool(one) and one == other)


def test_a_control_comes_before_the_text_that_names_it() -> None:
    assert best([words("Email", 0, 0), control("textbox", "Email", 70, 0)], "Email") == 1


def test_what_can_be_clicked_comes_before_what_is_covered_and_that_before_what_never_can() -> None:
    never = control("button", "Save", 0, 0, reachable=False, reach=Reach.NEVER)
    covered = control("button", "Save", 0, 40, reachable=False, reach=Reach.COVERED, blocker="e9")
    now = control("button", "Save", 0, 80)
    found = find([never, covered, now], "Save")
    assert [match.index for match in found] == [2, 1, 0]
    assert "covered by e9" in found[1].reason


def test_the_asked_role_comes_first_and_another_is_far_behind() -> None:
    elements = [control("checkbox", "Archive", 0, 0), control("button", "Archive", 0, 40)]
    found = find(elements, "the Archive button")
    assert [match.index for match in found] == [1, 0]
    assert found[1].score < 0.7 < found[0].score


@pytest.mark.parametrize(
    ("query", "index"),
    [
        pytest.param("Edit right of Alice", 1, id="right"),
        pytest.param("Edit left of Alice", 0, id="left"),
        pytest.param("Edit below Alice", 3, id="below"),
        pytest.param("Edit above Alice", 4, id="above"),
        pytest.param("Edit next to Bob", 6, id="next-to"),
        pytest.param("Edit for Bob", 6, id="for"),
        pytest.param("second Edit", 1, id="second"),
        pytest.param("last Edit", 6, id="last"),
        pytest.param("Edit at the bottom right", 6, id="corner"),
    ],
)
def test_place_distinguishes_elements_of_one_name(query: str, index: int) -> None:
    elements = [
        control("button", "Edit", 300, 400),
        control("button", "Edit", 500, 400),
        words("Alice", 400, 400),
        control("button", "Edit", 400, 440),
        control("button", "Edit", 400, 360),
        words("Bob", 800, 700),
        control("button", "Edit", 880, 700),
    ]
    assert best(elements, query) == index


def test_a_table_a_section_and_a_row_hold_what_is_in_them() -> None:
    elements = [
        words("Users", 0, 0, role="table", box=Box(0, 0, 500, 200)),
        words("Alice | Delete", 0, 20, role="row", parent=0, box=Box(0, 20, 500, 40)),
        control("button", "Delete", 400, 20, parent=1),
        words("Orders", 0, 300, role="heading", states=("level=2",)),
        control("button", "Delete", 400, 320),
    ]
    assert best(elements, "Delete in the Users table") == 2
    assert best(elements, "Delete in the row of Alice") == 2
    assert best(elements, "Delete in the Orders section") == 4


ROWS = [
    words(text.replace(" | ", " "), 0, 20 * line, role="row", text=text)
    for line, text in enumerate(["Product | Price", "Router | 129.00", "Wireless router | 199.00", "Total | each | 3"])
]


@pytest.mark.parametrize("known", [False, True], ids=["by-place", "by-row"])
@pytest.mark.parametrize(
    ("text_x", "control_x"), [(0, 100), (100, 0), (0, 300)], ids=["text-first", "text-last", "far-apart"]
)
def test_a_control_of_another_record_is_not_under_the_text_of_one(known: bool, text_x: int, control_x: int) -> None:
    elements = []
    for at, name in enumerate(("Ana", "Ben", "Cem")):
        row = {"row": name} if known else {}
        pair = [words(name, text_x, 40 * at), control("button", "More", control_x, 40 * at, **row)]
        elements += pair if text_x < control_x else pair[::-1]
    buttons = [index for index, each in enumerate(elements) if each.interactive]
    for name, index in zip(("Ana", "Ben", "Cem"), buttons, strict=True):
        found = find(elements, f"More of {name}")
        assert found[0].index == index
        assert [each.index for each in found if name in each.reason and each.index in buttons] == [index]
        assert all(each.score < 0.5 for each in found[1:])


def test_a_text_still_heads_what_has_no_twin_nearer_to_it() -> None:
    elements = [words("Billing", 0, 0), control("button", "Save", 0, 40), control("textbox", "Street", 0, 80)]
    elements += [words("Shipping", 0, 160), control("button", "Save", 0, 200), control("textbox", "Street", 0, 240)]
    for said, index in (("Save of Billing", 1), ("Street of Billing", 2), ("Save of Shipping", 4)):
        found = find(elements, said)
        assert (found[0].index, "under text" in found[0].reason) == (index, True)


@pytest.mark.parametrize(
    ("query", "index", "said"),
    [
        pytest.param("Router price", 1, "its 'Price' is '129.00'", id="row-and-column"),
        pytest.param("the price of the wireless router", 2, "its 'Price' is '199.00'", id="sentence"),
        pytest.param("129.00", 1, "", id="cell"),
        pytest.param("Price", 0, "", id="column-alone"),
        pytest.param("Total each", 3, "", id="words-of-one-row"),
    ],
)
def test_a_row_is_found_by_what_it_says_and_what_its_column_is_called(query: str, index: int, said: str) -> None:
    found = find(ROWS, query)[0]
    assert found.index == index
    assert said in found.reason


def test_words_that_are_in_no_row_are_found_in_no_column() -> None:
    assert find(ROWS, "Lamp price") == []


def test_a_field_without_a_name_goes_by_the_words_beside_it() -> None:
    elements = [words("Amount", 0, 0), control("textbox", "", 70, 0), control("textbox", "", 70, 200)]
    (match,) = [each for each in find(elements, "Amount field") if each.index == 1]
    assert "words beside it 'Amount'" in match.reason


def test_an_icon_is_small_and_has_no_words() -> None:
    wide = control("button", "", 0, 0, box=Box(0, 0, 300, 20))
    small = control("button", "", 400, 0, box=Box(400, 0, 424, 24))
    assert best([wide, small], "icon") == 1


def test_a_place_that_is_not_on_the_page_is_reported_and_halves_the_score() -> None:
    (match,) = find([control("button", "Save", 0, 0)], "Save next to Nowhere")
    assert match.score <= 0.5
    assert "nothing is called 'Nowhere'" in match.reason


@pytest.mark.parametrize(
    "name", ["Next to me", "First class", "Open settings", "Top right", "Link in bio", "2nd 'best'"]
)
def test_a_name_that_reads_like_a_place_is_found_by_its_own_words(name: str) -> None:
    elements = [control("button", "me", 0, 0), control("link", name, 0, 40), control("button", "settings", 0, 80)]
    found = find(elements, name)[0]
    assert (found.index, found.score) == (1, 1.0)


def test_fields_are_all_to_be_met() -> None:
    elements = [control("button", "Save", 0, 0), control("link", "Save", 0, 40), control("button", "Print", 0, 80)]
    assert [match.index for match in find(elements, role="button", name="Save")] == [0]
    assert [match.index for match in find(elements, role="BUTTON")] == [0, 2]
    assert find(elements, role="slider") == []


def test_text_is_found_at_any_position() -> None:
    elements = [control("textbox", "Note", 0, 0, value="call Alice back"), words("Alice Smith", 0, 40)]
    assert {match.index for match in find(elements, text="alice")} == {0, 1}


@given(
    st.lists(st.tuples(st.sampled_from(("button", "link", "text")), st.text(max_size=12)), max_size=12),
    st.text(max_size=40),
)
def test_any_query_gives_a_ranked_list_within_the_limit(given_elements: list[tuple[str, str]], query: str) -> None:
    elements = [control(role, name, 10.0 * at, 5.0 * at) for at, (role, name) in enumerate(given_elements)]
    found = find(elements, query, limit=5) if query.strip() else []
    scores = [match.score for match in found]
    assert len(found) <= 5
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


@given(st.integers(0, 30))
def test_more_of_the_page_does_not_change_what_is_exact(others: int) -> None:
    elements = [control("button", f"Item {at}", 0, 10.0 * at) for at in range(others)]
    assert best([*elements, control("button", "Pay now", 500, 0)], "Pay now") == others


def test_no_element_is_no_match() -> None:
    assert find([], "Save") == []
    assert read_query("   ") == ()


def test_only_elements_at_the_point_are_ranked_innermost_first() -> None:
    elements = [control("link", "Outer", 0, 0), control("button", "Inner", 0, 0), control("button", "Other", 0, 0)]
    found = find_elements(elements, Question(), VIEWPORT, SCROLL, {1: 0, 0: 1})
    assert [match.index for match in found] == [1, 0]
    assert replace(found[0], reason="") == RankedElement(1, 1.0, "")
