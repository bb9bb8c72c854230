"""A token budget: never exceeded, nothing lost, nothing repeated, and the rest reported."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.errors import BadInputError
from perception.geometry import Box
from perception.render.redundancy import is_beyond_use
from perception.render.text import PagedText, TextPage, render_page
from perception.render.token_budget import MIN_TOKENS
from perception.render.tokens import count_tokens
from perception.types import Element, Reach, TextStyle, View

BOX = Box(0, 0, 10, 10)

ROLES = "button link text heading row dialog menuitemcheckbox generic combobox separator status canvas"

NAMES = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["", "Save", "x" * 50_000, "漢字" * 400, 'a "b": [c]\n- button', "/", "\u202eevil", "👩‍👩‍👧‍👦" * 90]
    ),
)


@st.composite
def element_lists(draw: st.DrawFn) -> list[Element]:
    """Trees of up to 40 elements, some of them a long run of alike ones."""
    elements: list[Element] = []
    for at in range(draw(st.integers(0, 25))):
        role = draw(st.sampled_from(ROLES.split()))
        near = draw(st.booleans())
        acts = draw(st.booleans())
        elements.append(
            Element(
                role,
                draw(NAMES),
                BOX,
                ref=f"e{draw(st.sampled_from([1, 10_000, 10_000_000])) + at}" if acts else "",
                value=draw(st.sampled_from(["", "on", "v" * 3000])),
                interactive=acts,
                in_viewport=near,
                reachable=near,
                visible=draw(st.booleans()),
                parent=draw(st.integers(-1, at - 1)),
                states=draw(st.sampled_from([(), ("disabled",), ("focused",), ("level=1",)])),
                reach=draw(st.sampled_from(list(Reach))),
                options=draw(st.sampled_from([(), ("S", "M", "L" * 200)])),
            )
        )
    parent = draw(st.integers(-1, len(elements) - 1))
    for number in range(draw(st.integers(0, 15))):
        elements.append(Element("link", f"Item {number}", BOX, ref=f"e9{number}", interactive=True, parent=parent))
    return elements


def pages_of(text: PagedText) -> list[TextPage]:
    pages = [text.page(0)]
    while pages[-1].rest:
        pages.append(text.page(len(pages)))
    return pages


@given(element_lists(), st.integers(MIN_TOKENS, 300), st.sampled_from(list(TextStyle)), st.sampled_from(list(View)))
def test_no_page_exceeds_its_budget_and_pages_hold_everything_once(
    elements: list[Element], max_tokens: int, style: TextStyle, view: View
) -> None:
    places = [f'table "T{index % 3}" [ref=e7{index % 3}]' if index % 4 else "" for index in range(len(elements))]
    text = PagedText(elements, max_tokens=max_tokens, style=style, view=view, places=places)
    pages = pages_of(text)
    for page in pages:
        assert page.token_count == count_tokens(page.text) <= max_tokens
    assert sorted(index for page in pages for index in page.shown) == list(range(len(elements)))
    left = len(elements)
    for page in pages:
        left -= len(page.shown)
        assert page.rest == left
    assert text.page(len(pages)).shown == ()


@given(element_lists(), st.integers(MIN_TOKENS, 200))
def test_each_page_has_the_refs_that_are_on_it_and_says_how_many_are_left(
    elements: list[Element], max_tokens: int
) -> None:
    for page in pages_of(PagedText(elements, max_tokens=max_tokens)):
        lines = [line for line in page.text.splitlines() if not line.startswith("…")]
        said = [found[1] for line in lines if (found := re.search(r" \[ref=(e\d+)\]", line))]
        on_page = [elements[index] for index in page.shown if elements[index].ref]
        assert len(set(said)) == len(said)
        assert set(said) <= {element.ref for element in on_page}
        # A generic target may be the inside of a control that says the same, or the box around one.
        usable = [element for element in on_page if not is_beyond_use(element)]
        assert set(said) >= {element.ref for element in usable if element.role != "generic"}
        counted = sum(int(count) for count in re.findall(r"^… (\d+) more", page.text, re.MULTILINE))
        assert counted == page.rest


def buttons(count: int, **more: object) -> list[Element]:
    button = replace(Element("button", "", BOX, interactive=True, reachable=True), **more)  # type: ignore[arg-type]
    return [replace(button, name=f"Choice {number}", ref=f"e{number}") for number in range(1, count + 1)]


def test_what_fits_is_served_whole_on_one_page() -> None:
    elements = buttons(6)
    whole = render_page(elements)
    assert render_page(elements, whole.token_count) == whole


@pytest.mark.parametrize("max_tokens", [-1, 1, MIN_TOKENS - 1])
def test_a_budget_that_no_page_can_keep_is_refused_in_one_line(max_tokens: int) -> None:
    with pytest.raises(BadInputError, match="max_tokens is") as caught:
        render_page(buttons(1), max_tokens)
    assert "\n" not in str(caught.value)
    assert caught.value.field == "options.max_tokens"


def test_the_first_page_holds_what_can_be_acted_on_before_text() -> None:
    prose = [Element("text", f"Paragraph {number} of many words", BOX) for number in range(20)]
    text = render_page([*prose, *buttons(3)], 50).text
    assert text.count("button") == 3
    assert "Paragraph" not in text


@pytest.mark.parametrize(
    ("later", "why"),
    [
        pytest.param({"in_viewport": False, "reachable": False}, "out of view", id="out-of-view"),
        pytest.param({"reachable": False, "blocker": "e99"}, "covered", id="covered"),
        pytest.param({"states": ("disabled",)}, "disabled", id="disabled"),
    ],
)
def test_what_can_be_clicked_now_comes_before_what_is(later: dict[str, object], why: str) -> None:
    first, second = buttons(2, **later), [Element("link", "Now", BOX, ref="e50", interactive=True, reachable=True)]
    text = render_page([*first, *second], 26).text
    assert "Now" in text, why
    assert text.endswith("… 2 more\n")


def test_one_of_each_kind_comes_before_the_thirtieth_of_one() -> None:
    elements = [*buttons(30), Element("searchbox", "Find", BOX, ref="e40", interactive=True, reachable=True)]
    text = render_page(elements, 80).text
    assert "Find" in text
    assert "Choice 1" in text


@pytest.mark.parametrize("around", ["navigation", "banner", "contentinfo", "complementary"])
def test_controls_of_the_content_come_before_those_that_are_on_every_page(around: str) -> None:
    menu = [Element(around, "", BOX), *(replace(each, parent=0) for each in buttons(12))]
    delete = Element("link", "Delete", BOX, ref="e50", interactive=True, reachable=True, parent=13)
    text = render_page([*menu, Element("main", "", BOX), delete], 60).text
    assert "Delete" in text
    assert "Choice 1" in text


def test_what_is_near_the_focus_comes_first() -> None:
    elements = buttons(7)
    elements += [Element("textbox", "Here", BOX, ref="e60", interactive=True, reachable=True, states=("focused",))]
    elements += [Element("button", f"Far {number}", BOX, ref=f"e7{number}", interactive=True) for number in range(5)]
    text = render_page([*buttons(40), *elements], 60).text
    assert "Here" in text
    assert "Choice 5" in text
    assert "Choice 1" not in text


def test_lines_are_under_their_containers_on_every_page() -> None:
    table = Element("table", "Users", BOX)
    rows = [Element("link", f"User {n}", BOX, ref=f"e{n}", interactive=True, parent=0) for n in range(30)]
    pages = pages_of(PagedText([table, *rows], max_tokens=80))
    assert len(pages) > 3
    assert pages[0].text.startswith('- table "Users"\n  - link')
    assert all(page.text.startswith('- table "Users" …\n  - link') for page in pages[1:])


def test_a_line_over_the_budget_is_shortened_and_marked() -> None:
    long = Element("button", "word " * 80, BOX, ref="e1", interactive=True, reachable=True)
    page = render_page([long, *buttons(3)], 40)
    assert page.text.startswith('- button "word word')
    assert '…" [ref=e1]' in page.text
    assert page.shown == (0,)


def test_the_rest_is_counted_by_place_where_there_is_room() -> None:
    elements = buttons(60)
    places = ['table "Users" [ref=e70]'] * 50 + [""] * 10
    text = PagedText(elements, max_tokens=300, places=places).page(0).text
    counts = re.findall(r"^… (\d+) more(?: in (.*)| elsewhere)?$", text, re.MULTILINE)
    assert counts[0][1] == 'table "Users" [ref=e70]'
    assert sum(int(count) for count, _ in counts) == 60 - text.count("- button")
    small = PagedText(elements, max_tokens=40, places=places).page(0).text
    assert re.search(r"^… \d+ more$", small, re.MULTILINE)
