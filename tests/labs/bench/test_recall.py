"""Which of the tree's controls a list names, by its text."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from perception.bench.looks.control_recall import fold_name, listed_pairs, reachable_controls, recall_of
from perception.bench.looks.look_output import LookOutput
from perception.bench.looks.look_score import LookMeasure, score_look
from perception.bench.looks.peer_lists import seen_of
from perception.bench.scores import Tally
from perception.datasets.sample import AxNode, PeerView, Sample, TruthElement
from perception.geometry import Box
from perception.render.text import render_page
from perception.types import Element, Viewport

BOX = Box(10, 10, 90, 40)


def sample(*controls: tuple[str, str, bool | None], **options: Any) -> Sample:
    """A page of such controls: role, name, whether a click reaches it."""
    truth = tuple(
        TruthElement(role, name, BOX, True, reachable, backend_node_id=at)
        for at, (role, name, reachable) in enumerate(controls)
    )
    ax = tuple(AxNode(at, role, name, BOX, True) for at, (role, name, _) in enumerate(controls))
    given = {"complete": True, "truth": truth, "ax": ax, **options}
    return Sample("a@1", "test", "g", "a", "0", Viewport(400, 300), **given)


def ours(text: str) -> LookOutput:
    return LookOutput("a@1", "id", "page", text=text)


def peer(name: str, text: str) -> LookOutput:
    return seen_of(PeerView(name, "1", text, (1, 1)), "a@1", "id")


TWO = sample(("button", "Save", True), ("link", "Home", True))


def test_controls_are_those_of_the_tree_that_a_click_reaches_and_that_have_a_name() -> None:
    page = sample(
        ("button", "Save", True),
        ("button", "Covered", False),
        ("button", "Below", None),
        ("button", "", True),
        ("button", "\uf1b0", True),
        ("link", "  Two \n words ", True),
    )
    assert reachable_controls(page) == [("button", "save"), ("link", "two words")]


def test_of_two_frames_nodes_with_one_id_each_has_its_own_fate() -> None:
    page = sample(("button", "Save", True), ("link", "Home", False))
    nodes = tuple(AxNode(0, each.role, each.name, BOX, True) for each in page.ax)
    truth = tuple(
        TruthElement(each.role, each.name, BOX, True, each.reachable, backend_node_id=0) for each in page.truth
    )
    assert reachable_controls(sample(ax=nodes, truth=truth)) == [("button", "save")]


@pytest.mark.parametrize(
    ("text", "pairs", "names"),
    [
        ('- button "Save" [ref=e1]\n- link "Home" [ref=e2]\n', 2, 2),
        ('- heading "Page"\n  - button "SAVE" [ref=e1]: "x"\n    - link "home"\n', 2, 2),
        ('- button "Save"\n- text "Home"\n', 1, 2),
        ('- button "Save as" [ref=e1]\n', 0, 0),
        ("", 0, 0),
    ],
    ids=["all", "nested", "another-role", "another-name", "empty"],
)
def test_a_control_is_found_where_a_line_has_its_role_and_name(text: str, pairs: int, names: int) -> None:
    found = recall_of(TWO, ours(text))
    assert found is not None
    assert (found.pairs, found.names) == (Tally(pairs, 2), Tally(names, 2))


def test_of_several_alike_a_list_must_have_as_many() -> None:
    three = sample(*[("button", "Delete", True)] * 3)
    found = recall_of(three, ours('- button "Delete" [ref=e1]\n- button "Delete" [ref=e2]\n'))
    assert found is not None
    assert found.pairs == Tally(2, 3)
    assert [miss.why for miss in found.misses] == ["fewer of this role and name"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('- generic "Save"\n- text "Save"\n', "as generic, text"),
        ('- button "Save all"\n', "another name, in part the same"),
        ('- button "Send"\n', "not listed by this name"),
    ],
)
def test_a_miss_says_what_the_list_has_instead(text: str, why: str) -> None:
    found = recall_of(sample(("button", "Save", True)), ours(text))
    assert found is not None
    assert [(miss.role, miss.name, miss.why) for miss in found.misses] == [("button", "save", why)]


@pytest.mark.parametrize(
    "look",
    [
        peer("playwright", '- button "Save" [ref=e1]\n- \'link "Home" [ref=e2]\':\n  - text: Home'),
        peer("agent-browser", '- PopUpButton "Save" [ref=e1]\n- link "Home" [ref=e2]'),
        peer("agent-browser -i -c", '- button "Save" [ref=e1]\n- link "Home" [ref=e2]'),
    ],
    ids=lambda look: look.who,
)
def test_peers_are_judged_by_the_same_text_without_boxes(look: LookOutput) -> None:
    found = recall_of(TWO, look)
    assert found is not None
    assert found.pairs == Tally(2, 2)


def test_a_text_of_another_form_is_not_judged() -> None:
    assert listed_pairs(ours("e1 button Save\ne2 link Home\n")) is None
    assert recall_of(TWO, ours("main: 2 links, 1 button\n")) is None


def test_a_sample_without_such_controls_is_not_judged() -> None:
    assert recall_of(sample(("button", "Save", False)), ours('- button "Save"\n')) is None
    assert LookMeasure.FOUND not in score_look(sample(complete=False), ours("")).tallies


def test_scores_have_both_shares() -> None:
    found = score_look(TWO, ours('- button "Save" [ref=e1]\n- text "Home"\n')).tallies
    assert (found[LookMeasure.FOUND], found[LookMeasure.FOUND_BY_NAME]) == (Tally(1, 2), Tally(2, 2))


NAMES = ('a "quoted" name', "a: b", "back\\slash", "[ref=e1]", "日本語 العربية 🎉", "- dash")


def test_our_own_text_is_read_as_it_is_written() -> None:
    elements = tuple(Element("button", name, BOX, ref=f"e{at}", interactive=True) for at, name in enumerate(NAMES))
    assert listed_pairs(ours(render_page(elements).text)) == Counter(("button", fold_name(name)) for name in NAMES)


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("  A \n B ", "a b"),
        ("\uf1b0 Go", "go"),
        ("/api\u200b/x", "/api/x"),
        ("\uf1b0", ""),
        ("STRASSE ß", "strasse ss"),
    ],
)
def test_names_are_compared_without_invisible_characters(name: str, folded: str) -> None:
    assert fold_name(name) == folded
