"""Runs of alike lines: found, told by an example, opened by a ref, and never folded in the plain style."""

from __future__ import annotations

import pytest

from perception.geometry import Box
from perception.render.fold import find_runs
from perception.render.outline import outline
from perception.render.present import present
from perception.render.text import PagedText, render_page
from perception.types import Element, NodeKey, Reach, TextStyle, View


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


def test_what_is_in_view_and_says_what_the_examples_said_is_folded() -> None:
    days = [target("gridcell", "", number, near=True) for number in range(1, 43)]
    assert compact(days)[3:] == ["… 39 more alike, e4 to e42"]


def test_seven_alike_are_not_a_long_run() -> None:
    assert len(compact([target("link", f"Day {number}", number) for number in range(7)])) == 7


def test_the_plain_style_never_folds() -> None:
    elements = rows(40)
    assert render_page(elements).text.count("\n") == 120


def test_a_folded_text_still_serves_all_elements() -> None:
    elements = rows(40)
    page = render_page(elements, style=TextStyle.COMPACT)
    assert (len(page.shown), page.rest) == (120, 0)


def test_what_was_opened_by_its_ref_is_not_folded_again() -> None:
    assert len(compact(rows(40), unfolded=True)) == 120


def test_a_fold_says_what_to_open() -> None:
    table = Element("table", "Mails", Box(0, 0, 100, 900), node=NodeKey("L", 900), in_viewport=False)
    links = [target("link", f"Mail {number}", number, parent=0) for number in range(1, 41)]
    shown = present([table, *links], style=TextStyle.COMPACT, name_regions=lambda _, at: ["e99"] * len(at))
    assert shown.text.page(0).text.splitlines()[-1] == ' … 37 more alike, e4 to e40, in table "Mails" [ref=e99]'


@pytest.mark.parametrize(("count", "lines"), [(3, 3), (4, 1), (30, 1)])
def test_controls_that_one_thing_covers_are_told_in_one_line(count: int, lines: int) -> None:
    covered = [
        Element("link", f"Link {n}", Box(0, 0, 9, 9), ref=f"e{n}", interactive=True, blocker="e50", reach=Reach.COVERED)
        for n in range(1, count + 1)
    ]
    text = compact(covered)
    assert len(text) == lines
    assert lines > 1 or text == [f"… {count} covered by e50"]
