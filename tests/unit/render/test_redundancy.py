"""What lines leave to the lines beside them, and that no word is lost by it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perception.geometry import Box
from perception.render.text import PagedText, render_page
from perception.types import Element, Reach, TextStyle

BOX = Box(0, 0, 10, 10)


def control(role: str, name: str, ref: str, **more: object) -> Element:
    return replace(Element(role, name, BOX, ref=ref, interactive=True, reachable=True), **more)  # type: ignore[arg-type]


def text(name: str, left: float, top: float, **more: object) -> Element:
    return replace(Element("text", name, Box(left, top, left + 60, top + 20)), **more)  # type: ignore[arg-type]


def heading(name: str, level: int, **more: object) -> Element:
    return replace(Element("heading", name, BOX, states=(f"level={level}",)), **more)  # type: ignore[arg-type]


def lines_of(*elements: Element, style: TextStyle = TextStyle.ROLE_REF) -> list[str]:
    return render_page(elements, style=style).text.splitlines()


@pytest.mark.parametrize(
    ("elements", "lines"),
    [
        pytest.param([text("Users", 0, 0), text("2,500", 0, 20)], ['- text "Users" "2,500"'], id="below"),
        pytest.param([text("iOS", 0, 0), text("30%", 300, 4)], ['- text "iOS" "30%"'], id="in-one-row"),
        pytest.param([text("Ann", 300, 0), text("Bo", 0, 0)], ['- text "Ann" "Bo"'], id="from-right-to-left"),
        pytest.param(
            [text("Users", 0, 0), text("2,500", 0, 20), text("Orders", 100, 0), text("78", 100, 20)],
            ['- text "Users" "2,500"', '- text "Orders" "78"'],
            id="next-card",
        ),
        pytest.param([text("a", 0, 0), text("b", 0, 80)], ['- text "a"', '- text "b"'], id="far-below"),
        pytest.param(
            [text("So long " * 10, 0, 0), text("b", 0, 20)],
            [f'- text "{"So long " * 10}"', '- text "b"'],
            id="a-paragraph",
        ),
        pytest.param(
            [text("a", 0, 0), control("link", "Go", "e1"), text("b", 0, 20)],
            ['- text "a"', '- link "Go" [ref=e1]', '- text "b"'],
            id="a-control-between",
        ),
        pytest.param(
            [text("a", 0, 0), text("b", 0, 20, ref="v1")],
            ['- text "a"', '- text "b" [ref=v1]'],
            id="a-text-with-a-ref",
        ),
        pytest.param(
            [text("a", 0, 0), text("b", 0, 20, in_viewport=False)], ['- text "a"', '- text "b"'], id="out-of-view"
        ),
    ],
)
def test_short_texts_of_a_group_share_a_line(elements: list[Element], lines: list[str]) -> None:
    page = render_page(elements)
    assert page.text.splitlines() == lines
    assert page.shown == tuple(range(len(elements)))
    assert all(PagedText(elements).place_of(index).said_with == -1 for index in range(len(elements)))


@pytest.mark.parametrize(
    ("elements", "lines"),
    [
        pytest.param(
            [text("Country:", 0, 0), control("combobox", "Country", "e1")],
            ['- combobox "Country" [ref=e1]'],
            id="label",
        ),
        pytest.param(
            [control("checkbox", "Agree", "e1"), text("Agree", 0, 0)],
            ['- checkbox "Agree" [ref=e1]'],
            id="label-behind",
        ),
        pytest.param(
            [text("Country *", 0, 0), control("combobox", "Country", "e1")],
            ['- text "Country *"', '- combobox "Country" [ref=e1]'],
            id="label-that-says-more",
        ),
        pytest.param(
            [control("textbox", "Name", "e1"), text("Name", 0, 0)],
            ['- textbox "Name" [ref=e1]', '- text "Name"'],
            id="text-behind-a-textbox",
        ),
        pytest.param(
            [text("Name", 0, 0), control("textbox", "Name", "e1", visible=False)],
            ['- text "Name"', "- textbox [ref=e1] [unseen]"],
            id="label-of-what-nobody-sees",
        ),
        pytest.param(
            [control("generic", "Up", "e1", states=("clickable",)), control("button", "Up", "e2", parent=0)],
            ['- button "Up" [ref=e2]'],
            id="box-around-a-button",
        ),
        pytest.param(
            [control("generic", "Up", "e1", states=("clickable", "selected")), control("button", "Up", "e2", parent=0)],
            ['- generic "Up" [ref=e1] [selected]', '  - button "Up" [ref=e2]'],
            id="box-with-a-state",
        ),
        pytest.param(
            [heading("News", 2), control("link", "News", "e1", parent=0)],
            ['- heading "News" [level=2]', '  - link "News" [ref=e1]'],
            id="heading-that-is-a-link",
        ),
        pytest.param(
            [heading("News 3 new", 2), control("link", "News", "e1", parent=0)],
            ['- heading "News 3 new" [level=2]', '  - link "News" [ref=e1]'],
            id="heading-with-a-link",
        ),
    ],
)
def test_what_the_next_line_says_is_not_said_twice(elements: list[Element], lines: list[str]) -> None:
    page = render_page(elements)
    assert page.text.splitlines() == lines
    assert page.shown == tuple(range(len(elements)))


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        pytest.param("10 | 11", "- row", id="its-controls-say-all"),
        pytest.param(" | 10 | 11", "- row", id="an-empty-cell"),
        pytest.param("12 | 10 | 11", '- row "12 | 10 | 11"', id="a-cell-without-a-control"),
        pytest.param("11 | 10 | 11", '- row "11 | 10 | 11"', id="a-cell-that-says-the-same-as-a-control"),
    ],
)
def test_a_row_says_its_cells_unless_its_controls_say_each(cells: str, line: str) -> None:
    days = [control("button", day, f"e{day}", parent=0) for day in ("10", "11")]
    row = Element("row", "10 11", Box(0, 0, 90, 20), "", text=cells)
    assert render_page([row, *days]).text.splitlines()[0] == line


def test_a_dropped_label_is_said_by_its_field() -> None:
    elements = (control("link", "Home", "e1"), text("Name", 0, 0), control("textbox", "Name", "e2"))
    assert PagedText(elements).place_of(1).said_with == 2


def test_a_heading_that_is_a_link_is_one_in_the_compact_style() -> None:
    elements = (heading("News", 2), control("link", "News", "e1", parent=0))
    assert lines_of(*elements, style=TextStyle.COMPACT) == ["##", " e1 link News"]


def test_a_level_is_said_where_it_changes() -> None:
    elements = (heading("A", 1), heading("B", 2), control("button", "Go", "e1"), heading("C", 2), heading("D", 1))
    said = [line for line in lines_of(*elements) if "heading" in line]
    assert said == ['- heading "A" [level=1]', '- heading "B" [level=2]', '- heading "C"', '- heading "D" [level=1]']


def test_a_cover_is_named_at_the_first_control_under_it() -> None:
    covered = [control("button", f"B{n}", f"e{n}", reachable=False, blocker="e9", reach=Reach.COVERED) for n in "123"]
    free = control("button", "Free", "e4")
    other = control("button", "Other", "e5", reachable=False, blocker="e8", reach=Reach.COVERED)
    assert lines_of(covered[0], covered[1], free, covered[2], other) == [
        '- button "B1" [ref=e1] [covered by e9]',
        '- button "B2" [ref=e2] [covered]',
        '- button "Free" [ref=e4]',
        '- button "B3" [ref=e3] [covered]',
        '- button "Other" [ref=e5] [covered by e8]',
    ]


def test_a_page_of_a_token_budget_names_the_cover_on_each_line() -> None:
    covered = [control("button", f"B{n}", f"e{n}", reachable=False, blocker="e99") for n in range(1, 40)]
    lines = render_page(covered, max_tokens=120, page=1).text.splitlines()
    assert lines[0].endswith("[covered by e99]")


ROLES = ("generic", "button", "link", "textbox", "checkbox", "heading", "text", "row", "list", "img")


@st.composite
def pages(draw: st.DrawFn) -> list[Element]:
    elements: list[Element] = []
    for at in range(draw(st.integers(1, 12))):
        role = draw(st.sampled_from(ROLES))
        acts = role in ("generic", "button", "link", "textbox", "checkbox")
        name = draw(st.sampled_from(["one", "two", "one two", "three:", ""]))
        parent = draw(st.integers(-1, at - 1))
        states = ("clickable",) if role == "generic" else ("level=2",) if role == "heading" else ()
        place = Box(0, 20 * at, 50, 20 * at + 20)
        elements.append(
            Element(role, name, place, f"e{at}" * acts, states=states, interactive=acts, reachable=acts, parent=parent)
        )
    return elements


@given(pages(), st.sampled_from(list(TextStyle)))
def test_no_word_is_lost(elements: list[Element], style: TextStyle) -> None:
    said = render_page(elements, style=style).text
    for element in elements:
        assert all(word in said for word in element.name.rstrip(":").split())
