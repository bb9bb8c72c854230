"""Regions and digests: every control counted once, each region listed with the ref that opens it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from perception.geometry import Box
from perception.refs import RefTable
from perception.render.digest import NameRegions
from perception.render.page_regions import HOLDERS, REGION_PAGE, find_regions, is_listed_control
from perception.render.present import present
from perception.render.tokens import count_tokens
from perception.types import Element, NodeKey, Opaque, Reach, TextStyle, View

BOX = Box(0, 0, 200, 100)

ROLES = sorted({*HOLDERS, "dialog", "canvas", "iframe", "heading", "row", "text", "link", "button", "checkbox"})


def holder(role: str, name: str = "", parent: int = -1, node: int = 0) -> Element:
    return Element(role, name, BOX, parent=parent, node=NodeKey("L", node) if node else None)


def controls(role: str, count: int, parent: int = -1) -> list[Element]:
    return [
        Element(role, f"{role} {n}", BOX, ref=f"e{n}", interactive=True, reachable=True, parent=parent)
        for n in range(count)
    ]


def numbered() -> NameRegions:
    table = RefTable()
    return lambda elements, indices: table.assign_regions("t", elements, indices)


def digest_of(elements: Sequence[Element], style: TextStyle = TextStyle.ROLE_REF) -> str:
    return present(elements, view=View.DIGEST, style=style, name_regions=numbered()).text.page(0).text


@st.composite
def pages(draw: st.DrawFn) -> list[Element]:
    elements: list[Element] = []
    for at in range(draw(st.integers(0, 60))):
        role = draw(st.sampled_from(ROLES))
        elements.append(
            Element(
                role,
                draw(st.sampled_from(["", "Users", "a b c", "x" * 300])),
                BOX,
                parent=draw(st.integers(max(-1, at - 5), at - 1)),
                interactive=role in ("link", "button", "checkbox") or draw(st.booleans()),
                reach=draw(st.sampled_from([Reach.NOW, Reach.SCROLL, Reach.NEVER])),
                node=NodeKey("L", at + 1),
                states=draw(st.sampled_from([(), ("level=1",), ("level=3",)])),
                opaque=Opaque.CANVAS if role == "canvas" else None,
            )
        )
    return elements


@given(pages())
def test_regions_hold_every_element_once(elements: list[Element]) -> None:
    regions = find_regions(elements)
    assert sorted(index for region in regions for index in region.members) == list(range(len(elements)))
    assert all(region.parent < number for number, region in enumerate(regions))


@given(pages())
def test_every_control_is_counted_in_exactly_one_line(elements: list[Element]) -> None:
    listed = present(elements, view=View.DIGEST, name_regions=numbered()).listed
    counted = 0
    for region in listed:
        amounts = [part for part in region.text.split(", ") if part and not re.fullmatch(r"\d+ (words|rows?)", part)]
        counted += sum(int(part.split()[0]) for part in amounts)
    clickable_rows = sum(is_listed_control(element) and element.role == "row" for element in elements)
    others = sum(is_listed_control(element) for element in elements) - clickable_rows
    rows_among_others = sum(element.role == "row" and not is_listed_control(element) for element in elements)
    assert others <= counted <= others + rows_among_others + clickable_rows


def test_regions_are_listed_with_kind_label_ref_and_counts() -> None:
    elements = [
        holder("navigation", "Main", node=1),
        *controls("link", 12, parent=0),
        holder("form", node=2),
        holder("heading", "Sign in", parent=13),
        *controls("textbox", 3, parent=13),
        *controls("button", 2, parent=13),
        holder("table", "Users", node=3),
        *[holder("row", f"User {n}", parent=20) for n in range(40)],
        holder("canvas", "Sales", node=4),
    ]
    assert digest_of(elements) == (
        '- navigation "Main" [ref=e1]: 12 links\n'
        '- form "Sign in" [ref=e2]: 3 fields, 2 buttons\n'
        '- table "Users" [ref=e3]: 40 rows\n'
        '- canvas "Sales" [ref=e4]\n'
    )
    assert digest_of(elements, TextStyle.COMPACT).splitlines()[:2] == [
        "e1 navigation Main: 12 links",
        "e2 form Sign in: 3 fields, 2 buttons",
    ]


def test_a_page_without_landmarks_is_divided_at_its_headings() -> None:
    elements: list[Element] = []
    for number, name in enumerate(["Folders", "Labels", "Inbox"], 1):
        elements += [holder("heading", name, node=number), *controls("link", 4)]
    assert digest_of(elements).splitlines() == [
        f'- heading "{name}" [ref=e{number}]: 4 links' for number, name in enumerate(["Folders", "Labels", "Inbox"], 1)
    ]


def test_elements_in_no_region_are_counted_for_the_page() -> None:
    assert digest_of([*controls("link", 2), *controls("button", 1)]) == ('- page "link 0, link 1": 2 links, 1 button\n')


def test_equal_lines_of_regions_are_one_after_the_first() -> None:
    elements: list[Element] = []
    for number, name in enumerate(["Ann", "Chat", "Chat", "Chat"], 1):
        elements += [holder("heading", name, node=number), *controls("link", 4)]
    assert digest_of(elements).splitlines() == [
        '- heading "Ann" [ref=e1]: 4 links',
        '- heading "Chat" [ref=e2]: 4 links',
        "… 2 more alike, e3 to e4",
    ]


def test_many_similar_regions_are_counted_in_the_region_around_them() -> None:
    elements = [holder("main", "Shop", node=1)]
    for number in range(20):
        elements.append(holder("article", f"Shoe {number}", parent=0, node=number + 2))
        elements += controls("button", 5, parent=len(elements) - 1)
    assert digest_of(elements) == '- main "Shop" [ref=e1]: 100 buttons\n'


def test_a_table_is_labeled_by_the_heading_above_it() -> None:
    rows = [holder("row", f"{n} | x", parent=2) for n in range(9)]
    elements = [holder("heading", "Prices"), *controls("link", 1), holder("table", node=1), *rows]
    assert '- table "Prices" [ref=e1]: 9 rows\n' in digest_of(elements)


def test_refs_of_regions_stay_when_what_is_in_them_changes() -> None:
    name_regions = numbered()
    before = [holder("navigation", node=1), *controls("link", 3, parent=0), holder("heading", "Inbox (3)", node=7)]
    after = [holder("banner", "New", node=9), *controls("link", 3, parent=0)]
    after += [replace(before[0], parent=-1), *controls("link", 9, parent=4)]

    def refs(elements: Sequence[Element]) -> dict[NodeKey | None, str]:
        listed = present(elements, view=View.DIGEST, name_regions=name_regions).listed
        return {element.node: element.ref for element in listed}

    assert refs(after)[NodeKey("L", 1)] == refs(before)[NodeKey("L", 1)]


def test_a_heading_that_counts_keeps_its_ref_and_it_resolves() -> None:
    table = RefTable()
    (first,) = table.assign_regions("t", [holder("heading", "Inbox (3)", node=1)], [0])
    (second,) = table.assign_regions("t", [holder("heading", "Inbox (4)", node=1)], [0])
    (other,) = table.assign_regions("t", [holder("table", "Inbox (4)", node=1)], [0])
    assert first == second != other


def test_regions_get_no_ref_if_no_text_names_them() -> None:
    table = RefTable()
    elements = table.assign("t", [holder("navigation", "Main", node=1), *controls("link", 5, parent=0)])
    present(elements, name_regions=lambda *_: [][1])
    assert elements[0].ref == ""


def test_nothing_is_no_regions() -> None:
    assert find_regions(()) == ()
    assert digest_of(()) == ""
    assert REGION_PAGE not in {region.at for region in find_regions([holder("main"), *controls("link", 9, parent=0)])}


def test_a_dialog_is_listed_with_what_it_covers() -> None:
    covered = [
        replace(each, reachable=False, reach=Reach.COVERED, blocker="e99") for each in controls("link", 5, parent=0)
    ]
    elements = [
        holder("navigation", "Main", node=1),
        *covered,
        replace(holder("dialog", "Delete?", node=2), states=("modal",)),
        *controls("button", 2, parent=6),
    ]
    assert digest_of(elements) == (
        '- navigation "Main" [ref=e1]: 5 links [covered by e99]\n- dialog "Delete?" [ref=e2]: 2 buttons [modal]\n'
    )


@given(pages(), st.integers(24, 120))
def test_digests_keep_to_a_budget_too(elements: list[Element], max_tokens: int) -> None:
    text = present(elements, view=View.DIGEST, max_tokens=max_tokens, name_regions=numbered()).text
    page = text.page(0)
    assert count_tokens(page.text) == page.token_count <= max_tokens
