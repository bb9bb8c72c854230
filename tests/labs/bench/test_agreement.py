"""What agrees with the tree and what does not: shares and classes worked out by hand."""

from __future__ import annotations

import pytest

from perception.bench.report.report_model import Table
from perception.bench.scores import Tally
from perception.bench.suites.agreement.judgment import (
    DIFFERENCE_EXAMPLES,
    UNEXPLAINED,
    ComparedNode,
    NodeKind,
    PageNodes,
    count_words,
    explain,
    fold,
    judge,
)
from perception.bench.suites.agreement.report import agreement_report

SAME = ComparedNode("button", "Save", "button", "Save", listed=True)
SHOUTED = ComparedNode("link", "NEWS  \ue001today", "link", "News today", listed=True)
TOOLTIP = ComparedNode("button", "\ue002", "button", "Trash")
OTHER_ROLE = ComparedNode("button", "Menu", "menuitem", "Menu", listed=True)
OTHER_NAME = ComparedNode("heading", "Shop", "heading", "Store", listed=True)
CELL = ComparedNode("generic", "12", "generic", "")
PLAIN = ComparedNode("list", "", "list", "")

NO_WORDS = Tally(0, 0)


def page(*nodes: ComparedNode, name: str = "shop", words: Tally = NO_WORDS) -> PageNodes:
    return PageNodes(name, nodes, words)


@pytest.mark.parametrize(
    ("node", "kind"),
    [
        pytest.param(SAME, NodeKind.CONTROL, id="control"),
        pytest.param(ComparedNode("button", "", "button", ""), NodeKind.CONTROL, id="control-without-a-name"),
        pytest.param(ComparedNode("scrollbar", "", "scrollbar", ""), NodeKind.OTHER, id="a-scrollbar-is-the-browsers"),
        pytest.param(OTHER_NAME, NodeKind.CONTENT, id="heading"),
        pytest.param(ComparedNode("heading", "", "heading", ""), NodeKind.OTHER, id="heading-without-a-name"),
        pytest.param(ComparedNode("img", "\ue001", "img", ""), NodeKind.OTHER, id="a-glyph-is-no-name"),
        pytest.param(CELL, NodeKind.NAMELESS, id="a-name-on-a-role-without"),
    ],
)
def test_a_node_is_of_one_kind_by_what_the_tree_says(node: ComparedNode, kind: NodeKind) -> None:
    assert node.kind is kind


def test_shares_are_counted_node_by_node_and_kind_by_kind() -> None:
    found = judge([page(SAME, SHOUTED, TOOLTIP, OTHER_ROLE), page(OTHER_NAME, CELL, PLAIN, name="b")])
    assert found.pages == 2
    controls, content = found.kinds[NodeKind.CONTROL], found.kinds[NodeKind.CONTENT]
    assert (controls.of, controls.role, controls.name, controls.both) == (4, 3, 4, 3)
    assert (controls.listed, controls.ours_alone) == (3, 1)
    assert (content.of, content.role, content.name, content.both) == (1, 1, 0, 0)
    assert (found.kinds[NodeKind.NAMELESS].of, found.kinds[NodeKind.OTHER].of) == (1, 1)
    assert {role: each.of for role, each in found.roles.items()} == {"button": 3, "link": 1, "heading": 1}


def test_no_pages_agree_on_nothing() -> None:
    found = judge([])
    assert all(each.of == 0 for each in found.kinds.values())
    assert (found.roles, found.differences) == ({}, ())


@pytest.mark.parametrize("node", [SAME, SHOUTED, PLAIN], ids=["same", "case-and-glyph", "nameless"])
def test_what_agrees_is_in_no_class(node: ComparedNode) -> None:
    assert explain(node) is None


@pytest.mark.parametrize(
    ("node", "why"),
    [
        pytest.param(TOOLTIP, "a tooltip", id="only-ours-has-a-name"),
        pytest.param(ComparedNode("row", "", "row", "1 | Ann"), "by its cells", id="row"),
        pytest.param(ComparedNode("generic", "", "generic", "Card"), "only a pointer", id="pointer-target"),
        pytest.param(ComparedNode("figure", "", "figure", "Fig. 1"), "by its caption", id="figure"),
        pytest.param(ComparedNode("button", "a b", "button", "ab"), "the same letters", id="white-space"),
        pytest.param(
            ComparedNode("textbox", "Pin ••••", "textbox", "Pin"), "leaves the page in no form", id="password"
        ),
        pytest.param(ComparedNode("link", "one " * 90, "link", "one " * 89), "cut it off", id="cut"),
        pytest.param(ComparedNode("row", "Sort by age", "row", "Age"), "what its cells show", id="label-of-a-cell"),
        pytest.param(CELL, "listed by itself", id="text-of-a-generic"),
        pytest.param(
            ComparedNode("generic", "", "textbox", "", markup="<div contenteditable>"),
            "types into",
            id="contenteditable",
        ),
        pytest.param(ComparedNode("generic", "Cart", "img", "Cart"), "picture", id="picture"),
        pytest.param(OTHER_ROLE, UNEXPLAINED, id="another-role"),
        pytest.param(OTHER_NAME, UNEXPLAINED, id="another-name"),
    ],
)
def test_a_difference_has_its_reason_or_none(node: ComparedNode, why: str) -> None:
    found = explain(node)
    assert found is not None
    assert why in found[1]


def test_classes_of_differences_come_the_largest_first_with_an_example_from_each_of_a_few_pages() -> None:
    pages = [page(OTHER_NAME, OTHER_NAME, name=f"p{number}") for number in range(DIFFERENCE_EXAMPLES + 3)]
    found = judge([page(OTHER_ROLE), *pages])
    assert [each.nodes for each in found.differences] == [2 * (DIFFERENCE_EXAMPLES + 3), 1]
    assert [name for name, _ in found.differences[0].examples] == [
        f"p{number}" for number in range(DIFFERENCE_EXAMPLES)
    ]


def test_words_are_compared_and_not_how_they_are_set() -> None:
    assert fold(" Total   12  \n€ \ue001") == fold("TOTAL 12 €") != fold("total12 €")
    assert count_words(["One two", "two"]) == {"one": 1, "two": 2}


def table(tables: tuple[Table, ...], wanted: str) -> Table:
    return next(each for each in tables if each.id == wanted)


def test_the_report_says_shares_classes_examples_and_what_could_not_be_read() -> None:
    found = judge([page(SAME, OTHER_ROLE, OTHER_NAME, words=Tally(3, 4))])
    report = agreement_report(found, {"gone": "it does not answer"})
    assert report.summary == (
        "controls: role and name 50.00%, role 50.00%, name 100.00% of 2 nodes.",
        "named content: role and name 0.00%, role 100.00%, name 0.00% of 1 nodes.",
    )
    rows = {row[0]: row[1:] for row in table(report.tables, "agreement").rows}
    assert rows["controls"][:6] == (2, 0.5, 1.0, 0.5, 1.0, 0)
    assert rows["words of the text"][:5] == (4, None, None, None, 0.75)
    assert [row[2] for row in table(report.tables, "differences").rows] == [UNEXPLAINED, UNEXPLAINED]
    assert table(report.tables, "examples").rows[0][1:4] == ("shop", 'button "Menu"', 'menuitem "Menu"')
    assert report.skipped == ("gone: it does not answer",)
    assert report.facts == {"pages": "1"}
