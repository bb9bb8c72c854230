"""Runs of similar lines: found, shown by an example, opened by a ref; the plain style folds only the nameless."""

from __future__ import annotations

import pytest

from perception.geometry import Box
from perception.render.fold import find_runs
from perception.render.outline import outline
from perception.render.present import present
from perception.render.text import PagedText, render_page
from perception.types import Element, NodeKey, Reach, TextStyle, View, replace_fields


def target(role: str, name: str, number: int, *, top: float = 0, parent: int = -1, near: bool = False) -> Element:
    return Element(
        role,
        name,
        Box(0, top, 10, top + 10),
        ref=f"e{number}",
        interactive=True,
        in_viewport=near,
        reachable=near,
        parent=parent,
        node=NodeKey("L", number),
    )


def rows(count: int, *, near: bool = False) -> list[Element]:
    """A checkbox and two links for each row, all side by side in the list."""
    found = []
    for row in range(count):
        for column, (role, name) in enumerate([("checkbox", ""), ("link", f"Mail {row}"), ("link", "Delete")]):
            found.append(target(role, name, row * 3 + column + 1, top=row * 20, near=near))
    return found


def compact(elements: list[Element], **more: bool) -> list[str]:
    return PagedText(elements, style=TextStyle.COMPACT, **more).page(0).text.splitlines()


def test_rows_out_of_view_are_folded_after_three_examples() -> None:
    lines = compact(rows(40))
    assert lines[6:9] == ["e7 checkbox", "e8 link Mail 2", "e9 link Delete"]
    assert lines[9:] == ["… 37 more alike, e10 to e120"]


def test_units_begin_where_rows_do_though_the_shape_began_to_repeat_before() -> None:
    odd = [target("link", "Odd", 201), target("link", "One", 202)]
    elements = [*odd, *rows(20)]
    units = find_runs(outline(elements, TextStyle.COMPACT, View.FULL))
    assert units[0].run == units[1].run == -1
    assert units[2] == units[3] == units[4] != units[5]


def test_what_is_in_view_and_has_a_name_of_its_own_is_not_folded() -> None:
    assert len(compact(rows(40, near=True))) == 120


def text(words: str, *, parent: int = -1) -> Element:
    return Element("text", words, Box(0, 2000, 90, 2010), in_viewport=False, parent=parent)


def test_texts_out_of_view_with_words_or_numbers_of_their_own_are_not_folded() -> None:
    fees = [Element("paragraph", f"Fee {n}: {n * 7} EUR", Box(0, n, 9, n + 9), in_viewport=False) for n in range(40)]
    assert len(compact(fees)) == 40
    priced = [each for n in range(40) for each in (text(f"Fee {n}"), target("button", "Buy", n + 1))]
    assert len(compact(priced)) == 80


def test_texts_out_of_view_that_repeat_the_examples_are_folded() -> None:
    priced = [each for n in range(40) for each in (text("Free"), target("button", f"Buy {n}", n + 1))]
    assert compact(priced)[6:] == ["… 37 more alike, e4 to e40"]


def test_visible_elements_like_the_examples_are_folded() -> None:
    days = [target("gridcell", "", number, near=True) for number in range(1, 43)]
    assert compact(days)[3:] == ["… 39 more alike, e4 to e42"]


def test_seven_alike_are_not_a_long_run() -> None:
    assert len(compact([target("link", f"Day {number}", number) for number in range(7)])) == 7


def test_the_plain_style_folds_nothing_that_has_a_name() -> None:
    elements = rows(40)
    assert render_page(elements).text.count("\n") == 120


def regions(count: int, *, near: bool = True, hint: str = "map1_{:02}") -> list[Element]:
    """A map's regions: nameless, clickable, distinguished by an id only."""
    found = [target("graphics-symbol", "", number, near=near) for number in range(1, count + 1)]
    return [replace_fields(each, states=("clickable",), hint=hint.format(at)) for at, each in enumerate(found)]


@pytest.mark.parametrize("near", [True, False])
@pytest.mark.parametrize("max_tokens", [0, 300])
def test_both_styles_fold_the_nameless(near: bool, max_tokens: int) -> None:
    elements = regions(52, near=near)
    plain = render_page(elements, max_tokens)
    assert plain.text.splitlines()[2:] == [
        '- graphics-symbol [ref=e3] [clickable] [hint="map1_02"]',
        "… 49 more alike, e4 to e52",
    ]
    assert compact(elements)[-1] == "… 49 more alike, e4 to e52"
    assert plain.token_count < 95
    assert (len(plain.shown), plain.rest) == (52, 0)


def test_the_nameless_that_were_opened_by_their_ref_are_listed() -> None:
    assert PagedText(regions(52), unfolded=True).page(0).text.count("\n") == 52


@pytest.mark.parametrize(
    "own",
    [
        pytest.param({"name": "Texas"}, id="name"),
        pytest.param({"value": "3"}, id="value"),
        pytest.param({"text": "TX"}, id="text"),
        pytest.param({"states": ("clickable", "selected")}, id="state"),
        pytest.param({"states": ("clickable", "focused")}, id="focus"),
        pytest.param({"hint": "icon-trash"}, id="hint"),
        pytest.param({"hint": "map1_31 #000000"}, id="color"),
        pytest.param({"ref": "v3"}, id="seen-by-vision"),
        pytest.param({"options": ("a", "b")}, id="options"),
    ],
)
def test_elements_with_text_of_their_own_are_listed_among_the_nameless(own: dict[str, object]) -> None:
    elements = regions(52)
    elements[30] = replace_fields(elements[30], **own)
    lines = render_page(elements).text.splitlines()
    assert [line[0] for line in lines] == [*"---", "…", "-", "…"]
    assert lines[3] == "… 27 more alike, e4 to e30"


def test_a_run_that_begins_with_others_is_folded_by_what_most_are_like() -> None:
    elements = regions(25, hint="#dddddd")
    elements[:4] = [replace_fields(each, name=name, hint="") for each, name in zip(elements, "abcd", strict=False)]
    elements[17] = replace_fields(elements[17], hint="#000000")
    lines = render_page(elements).text.splitlines()
    assert [line[0] for line in lines] == [*"-------", "…", "-", "…"]
    assert '[hint="#000000"]' in lines[8]


def test_buttons_with_different_icons_are_listed() -> None:
    icons = "bold italic underline strike quote code list table link image undo redo".split()
    buttons = [replace_fields(each, hint=icon) for each, icon in zip(regions(12), icons, strict=True)]
    assert render_page(buttons).text.count("\n") == 12


def test_a_folded_text_still_serves_all_elements() -> None:
    elements = rows(40)
    page = render_page(elements, style=TextStyle.COMPACT)
    assert (len(page.shown), page.rest) == (120, 0)


def test_what_was_opened_by_its_ref_is_not_folded_again() -> None:
    assert len(compact(rows(40), unfolded=True)) == 120


def test_a_fold_has_a_ref_to_open() -> None:
    table = Element("table", "Mails", Box(0, 0, 100, 900), node=NodeKey("L", 900), in_viewport=False)
    links = [target("link", f"Mail {number}", number, parent=0) for number in range(1, 41)]
    shown = present([table, *links], style=TextStyle.COMPACT, name_regions=lambda _, at: ["e99"] * len(at))
    assert shown.text.page(0).text.splitlines()[-1] == ' … 37 more alike, e4 to e40, in table "Mails" [ref=e99]'


@pytest.mark.parametrize(("count", "lines"), [(3, 3), (4, 1), (30, 1)])
def test_controls_under_one_cover_are_folded_to_one_line(count: int, lines: int) -> None:
    covered = [
        Element("link", f"Link {n}", Box(0, 0, 9, 9), ref=f"e{n}", interactive=True, blocker="e50", reach=Reach.COVERED)
        for n in range(1, count + 1)
    ]
    text = compact(covered)
    assert len(text) == lines
    assert lines > 1 or text == [f"… {count} covered by e50"]
