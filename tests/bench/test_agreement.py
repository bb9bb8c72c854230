"""The walker and the peers against the accessibility tree: shares worked out by hand on a tiny sample."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from perception.bench.agreement import ALIKE, WALKER, Agreement, AgreementReport
from perception.bench.lists import agreement_report
from perception.bench.report.model import Estimate, Table
from perception.bench.seen import Seen, SeenElement, Tally
from perception.datasets.sample import AxNode, PeerView, Sample
from perception.datasets.store import Row, Store
from perception.errors import BadInputError
from perception.geometry import Box
from perception.images import encode_png
from perception.types import Capture, Element, Scroll, Viewport

SAVE, MENU, NEWS, TITLE, FAR = (Box(x, 10, x + 40, 30) for x in (10, 60, 110, 160, 900))

TREE = (
    AxNode(1, "button", "Save", SAVE, True),
    AxNode(2, "button", "Menu", MENU, True),
    AxNode(3, "link", "News  today", NEWS, True),
    AxNode(4, "heading", "Shop", TITLE, False),
    AxNode(5, "button", "Out of view", FAR, True),
    AxNode(6, "button", "Without a size", Box(10, 10, 10, 10), True),
)

LISTED = (
    Element("button", "Save", SAVE, backend_node_id=1, interactive=True),
    Element("menuitem", "Menu", MENU, backend_node_id=2, interactive=True),
    Element("link", "News \ue001today", NEWS, backend_node_id=3, interactive=False),
    Element("heading", "Store", TITLE, backend_node_id=4),
    Element("generic", "Card", Box(10, 50, 90, 90), backend_node_id=7, interactive=True),
    Element("button", "Far", FAR, backend_node_id=5, interactive=True, in_viewport=False),
)
"""Of the tree's four nodes in view: one has another role, one another name; an icon's glyph and a space do not count.
The card is a control that the tree does not have."""


def sample(*elements: Element, name: str = "shop@1", ax: tuple[AxNode, ...] = TREE) -> Sample:
    viewport = Viewport(400, 300)
    capture = Capture("u", "t", "l", viewport, Scroll(), elements)
    return Sample(name, "test", "g", name.split("@")[0], "", viewport, ax=ax, capture=capture)


def tallies(*elements: Element, ax: tuple[AxNode, ...] = TREE) -> dict[str, Tally]:
    found = AgreementReport()
    found.add(sample(*elements, ax=ax), [])
    (score,) = found.scores[WALKER]
    return dict(score.tallies)


def test_the_walkers_shares_are_counted_node_by_node_in_view() -> None:
    assert tallies(*LISTED) == {
        Agreement.LISTED: Tally(3, 3),
        Agreement.INTERACTIVE: Tally(2, 3),
        Agreement.ROLES: Tally(3, 4),
        Agreement.NAMES: Tally(3, 4),
        Agreement.PAIRS: Tally(2, 3),
        Agreement.EXTRA: Tally(1, 1),
    }


def test_an_empty_list_agrees_with_nothing_and_adds_nothing() -> None:
    assert tallies() == {Agreement.LISTED: Tally(0, 3), Agreement.PAIRS: Tally(0, 3), Agreement.EXTRA: Tally(0, 1)}


def test_another_frames_node_of_the_same_id_is_not_the_same_node() -> None:
    other = replace(LISTED[0], box=Box(200, 200, 240, 220))
    assert tallies(other, ax=TREE[:1])[Agreement.LISTED] == Tally(0, 1)
    both = tallies(other, LISTED[0], ax=TREE[:1])
    assert (both[Agreement.LISTED], both[Agreement.EXTRA]) == (Tally(1, 1), Tally(1, 1))


def test_where_they_differ_is_shown_with_both_words() -> None:
    found = AgreementReport()
    found.add(sample(*LISTED[1:]), [])
    assert found.roles == {("button", "menuitem"): 1}
    assert [(each.what, each.tree, each.walker) for each in found.examples] == [
        ("role", 'button "Menu"', 'menuitem "Menu"'),
        ("name of heading", "Shop", "Store"),
        ("not listed", 'button "Save"', ""),
    ]


def test_of_one_kind_on_one_page_only_a_few_are_shown_and_all_are_counted() -> None:
    found = AgreementReport()
    for shape in range(9):
        found.add(sample(*LISTED, name=f"shop@{shape}"), [])
    assert found.roles == {("button", "menuitem"): 9}
    assert sum(each.what == "role" for each in found.examples) == ALIKE


def test_a_peer_is_held_to_the_controls_by_role_and_name_each_once() -> None:
    def said(role: str, name: str) -> SeenElement:
        return SeenElement("e1", role, name, None, True, True)

    peer = Seen("shop@1", "", "peer", (said("button", "Save"), said("button", " Save"), said("link", "News today")))
    found = AgreementReport()
    twice = (*TREE, AxNode(8, "button", "Save", Box(10, 200, 50, 220), True))
    found.add(sample(ax=twice), [peer, replace(peer, who="blind", elements=())])
    assert found.scores["peer"][0].tallies == {Agreement.PAIRS: Tally(3, 4)}
    assert found.scores["blind"][0].tallies == {Agreement.PAIRS: Tally(0, 4)}


@pytest.mark.parametrize("dull", [sample(*LISTED, ax=()), replace(sample(*LISTED), capture=None)])
def test_what_has_no_tree_or_no_capture_says_nothing(dull: Sample) -> None:
    found = AgreementReport()
    found.add(dull, [])
    assert found.scores == {}


def keep(home: Path, *samples: Sample) -> None:
    store = Store(home)
    image = store.put_image(encode_png(np.full((300, 400, 3), 255, np.uint8)))
    for each in samples:
        kept = replace(each, image_sha256=image)
        store.dataset("pages").add(Row(kept.name, store.put(kept), "key"))


def table(tables: tuple[Table, ...], wanted: str) -> Table:
    return next(each for each in tables if each.id == wanted)


def test_the_report_of_a_stored_data_set_has_these_shares_for_the_walker_and_each_peer(tmp_path: Path) -> None:
    text = '- button "Save" [ref=e1] [box=10,10,40,20]\n- link "News today" [ref=e2] [box=110,10,40,20]'
    peer = PeerView("playwright", "1", text, (5.0, 4.0))
    perfect = sample(*(Element(n.role, n.name, n.box, backend_node_id=n.backend_node_id) for n in TREE), name="b@1")
    image = replace(sample(name="image.png"), capture=None, ax=())
    keep(tmp_path, replace(sample(*LISTED), peers=(peer,)), perfect, image)
    report = agreement_report(["pages"], tmp_path, {"cores": "2"}, limit=0, command="perception bench run agreement")
    shares = {row[0]: row[1:] for row in table(report.tables, "agreement").rows}
    walker, playwright = shares[WALKER], shares["playwright"]
    titles = [each.title for each in table(report.tables, "agreement").columns[2:]]
    assert titles == [str(each) for each in Agreement]
    assert walker[0] == 2
    values = [each.value for each in walker[1:] if isinstance(each, Estimate)]
    assert values == [6 / 6, 2 / 6, 7 / 8, 7 / 8, 5 / 6, 0.5]
    assert [playwright[0], *playwright[1:5], playwright[6]] == [1, None, None, None, None, None]
    assert isinstance(playwright[5], Estimate)
    assert playwright[5].value == 2 / 3
    assert table(report.tables, "roles").rows == (("button", "menuitem", 1),)
    assert ("shop@1", "name of heading", "Shop", "Store") in table(report.tables, "examples").rows
    assert report.summary[0].startswith(f"{WALKER}: {Agreement.ROLES} 87.5%; {Agreement.NAMES} 87.5%")
    assert report.facts["cores"] == "2"
    limited = agreement_report(["pages"], tmp_path, {}, limit=1, command="")
    assert table(limited.tables, "agreement").rows[0][1] == 1


def test_a_data_set_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no data set 'pages', and no such folder: built are none"):
        agreement_report(["pages"], tmp_path, {}, limit=0, command="")
