from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.bench.looks.grounding_policy import WORTH_A_CLICK, Choice, choose
from perception.bench.looks.look_output import ListedElement, LookOutput
from perception.geometry import Box


def listed(
    ref: str, role: str, name: str, x: float, y: float, w: float = 80, h: float = 24, *, text: str = "", value: str = ""
) -> ListedElement:
    acts = role not in ("text", "heading", "row")
    return ListedElement(ref, role, name, Box(x, y, x + w, y + h), acts, acts, text=text, value=value)


PAGE = (
    listed("close", "button", "Close", 900, 10, 24),
    listed("save", "button", "Save", 10, 10),
    listed("save as", "button", "Save as…", 100, 10),
    listed("saved", "link", "Save", 200, 10),
    listed("updates", "link", "Daily New Updates", 10, 60),
    listed("news", "link", "News", 100, 60),
    listed("email label", "text", "Email", 10, 100),
    listed("email", "textbox", "", 10, 126, 200),
    listed("search label", "text", "Search", 300, 100),
    listed("right icon", "button", "", 384, 100, 24),
    listed("left icon", "button", "", 272, 100, 24),
    listed("agree", "checkbox", "I agree", 10, 200, 16, 16),
    listed("order 16", "text", "Order 16", 10, 300),
    listed("docs 16", "link", "Docs", 300, 300),
    listed("delete 16", "button", "Delete", 400, 300),
    listed("order 17", "text", "Order 17", 10, 340),
    listed("docs 17", "link", "Docs", 300, 340),
    listed("delete 17", "button", "Delete", 400, 340),
    listed("close ja", "button", "閉じる", 500, 10),
    listed("save de", "button", "Speichern unter", 600, 10),
    listed("docs ar", "link", "الوثائق", 700, 10),
    listed("cart", "button", "Add to cart", 700, 60),
    listed("login", "link", "Log in", 800, 60),
    listed("country", "combobox", "Country", 10, 400, value="Norway"),
    listed("sheet", "canvas", "", 10, 500, 800, 300),
    listed("read", "button", "", 10, 450, text="Zoom out"),
)


def page(*elements: ListedElement) -> LookOutput:
    return LookOutput("page@1", "id", "x", elements)


SEEN = page(*PAGE)


def chosen(instruction: str, seen: LookOutput = SEEN) -> str:
    choice = choose(instruction, seen)
    return choice.element.ref if choice is not None else ""


@pytest.mark.parametrize(
    ("instruction", "ref"),
    [
        ('click "Save"', "save"),
        ('click the button "Save"', "save"),
        ('click the link "Save"', "saved"),
        ("click the link 'Save'", "saved"),
        ("click the link “Save”", "saved"),
        ('click "save AS"', "save as"),
        ("open the link named Docs", "docs 16"),
        ('open the link named Docs in the row "Order 17"', "docs 17"),
        ('click the link "Docs" in the row of "Order 17"', "docs 17"),
        ('click the "Delete" button next to "Order 17"', "delete 17"),
        ('click the button "Delete" to the right of "Order 17"', "delete 17"),
        ('the icon to the left of "Search"', "left icon"),
        ('the icon right of "Search"', "right icon"),
        ("click the icon to the left of Search", "left icon"),
        ('type into the field below "Email"', "email"),
        ('type "a@b.co" into the field below "Email"', "email"),
        ('the button above "News"', "save as"),
        ('check "I agree"', "agree"),
        ("tick the checkbox", "agree"),
        ('2nd "Delete"', "delete 17"),
        ('click the last "Delete" button', "delete 17"),
        ('click the first "Docs" link', "docs 16"),
        ('select "Norway"', "country"),
        ('click the drop-down list "Country"', "country"),
        ('click "Zoom out"', "read"),
        ("close the window", "close"),
        ("view daily new updates", "updates"),
        ("log in", "login"),
        ("add this item to my shopping cart", "cart"),
        ("「閉じる」をクリック", "close ja"),
        ("ウィンドウを閉じる", "close ja"),
        ("auf Speichern unter klicken", "save de"),
        ("Klicken Sie auf „Speichern unter“", "save de"),
        ("cliquez sur « News »", "news"),
        ("انقر على «الوثائق»", "docs ar"),
        ("click the button “Delte”", "delete 16"),
    ],
)
def test_an_instruction_finds_what_a_person_would_mean(instruction: str, ref: str) -> None:
    assert chosen(instruction) == ref


@pytest.mark.parametrize(
    "instruction",
    [
        pytest.param("", id="empty"),
        pytest.param("   ", id="blank"),
        pytest.param("click", id="a-verb"),
        pytest.param("please click on the", id="no-thing"),
        pytest.param("xyzzy plugh", id="nothing-like-it"),
        pytest.param('click "Frobnicate"', id="a-name-that-is-not-there"),
        pytest.param('5th "Delete"', id="more-than-there-are"),
        pytest.param('the icon to the left of "Frobnicate"', id="a-place-that-is-not-there"),
        pytest.param('click ""', id="empty-quotes"),
    ],
)
def test_what_is_not_listed_is_not_clicked(instruction: str) -> None:
    assert choose(instruction, SEEN) is None


def test_an_empty_list_has_nothing_to_choose() -> None:
    assert choose('click "Save"', page()) is None


def test_the_click_goes_where_the_list_says_else_to_the_middle() -> None:
    at = replace(PAGE[1], point=(12.0, 14.0))
    assert choose('click "Save"', page(PAGE[1])) == Choice(PAGE[1], (50.0, 22.0), 1.0)
    assert choose('click "Save"', page(at)) == Choice(at, (12.0, 14.0), 1.0)


def test_what_can_be_acted_on_comes_before_what_cannot() -> None:
    covered = replace(PAGE[1], ref="covered", reachable=False)
    words = replace(PAGE[1], ref="words", role="text", interactive=False, reachable=False)
    below = replace(PAGE[1], ref="below", in_viewport=False)
    assert chosen('click "Save"', page(covered, words, below, PAGE[1])) == "save"
    assert chosen('click "Save"', page(covered)) == "covered"


def test_of_alike_elements_the_one_listed_first_is_chosen() -> None:
    twin = replace(PAGE[1], ref="twin", box=Box(500, 500, 580, 524))
    assert chosen('click "Save"', page(PAGE[1], twin)) == "save"
    assert chosen('click "Save"', page(twin, PAGE[1])) == "twin"


def test_what_has_no_place_is_not_chosen() -> None:
    nowhere = replace(PAGE[1], ref="nowhere", box=None)
    assert choose('click "Save"', page(nowhere)) is None
    assert chosen('click "Save"', page(nowhere, PAGE[1])) == "save"
    assert chosen('2nd "Save"', page(nowhere, PAGE[1], PAGE[3])) == "saved"


def test_an_element_with_a_point_and_no_box_is_chosen_by_name_and_not_by_place() -> None:
    bare = page(*(replace(each, box=None, point=(5.0, 5.0)) for each in PAGE))
    assert chosen('click the button "Save"', bare) == "save"
    assert chosen('the icon to the left of "Search"', bare) == ""


@pytest.mark.parametrize(
    ("wanted", "named", "is_found"),
    [
        pytest.param("November 5, 2026", "November 21, 2026", False, id="another-day"),
        pytest.param("Order 1234567", "Order 1234568", False, id="another-order"),
        pytest.param("November 5, 2026", "Novenber 5 2026", True, id="a-misread-month"),
    ],
)
def test_words_may_be_misread_and_numbers_may_not(wanted: str, named: str, is_found: bool) -> None:
    choice = choose(f'click the button "{wanted}"', page(listed("it", "button", named, 0, 0)))
    assert (choice is not None) is is_found


@pytest.mark.parametrize("role", ["text", "img", "generic"])
def test_a_painted_button_that_is_listed_as_something_else_is_found(role: str) -> None:
    painted = replace(PAGE[1], ref="painted", role=role)
    assert chosen('click the button "Save"', page(PAGE[4], painted)) == "painted"
    assert chosen('click the button "Save"', page(painted, PAGE[1])) == "save"


TEXTS = st.one_of(
    st.text(max_size=40), st.sampled_from(["Save", "Delete", "2nd", 'the row "Order 17"', "left of", '"', "icon"])
)


@given(st.lists(TEXTS, max_size=5).map(" ".join), st.lists(st.sampled_from(PAGE), max_size=8, unique=True))
def test_any_words_give_a_listed_element_or_nothing(instruction: str, elements: list[ListedElement]) -> None:
    choice = choose(instruction, page(*elements))
    assert choice == choose(instruction, page(*elements))
    if choice is not None:
        assert choice.element in elements
        assert 0 < choice.score <= 1


@given(st.permutations(PAGE))
def test_the_order_of_the_list_matters_only_among_equals(elements: list[ListedElement]) -> None:
    assert chosen('click the button "Delete" in the row "Order 17"', page(*elements)) == "delete 17"
    assert chosen("close the window", page(*elements)) == "close"


def test_nothing_below_the_bar_is_clicked() -> None:
    choice = choose("close the window", SEEN)
    assert choice is not None
    assert choice.score >= WORTH_A_CLICK
