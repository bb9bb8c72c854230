"""The suite `reach`: what can be acted upon on pages of our own, and the ref that leads to each."""

# ruff: noqa: E501  pages read better unbroken

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote

import pytest

from perception.bench.suites.reach import run as reach
from perception.bench.suites.reach.judgment import (
    Effect,
    Finding,
    PageReach,
    ReachRun,
    RouteKind,
    Thing,
    count_reach,
    differences,
    is_empty,
    package_of,
    page_scores,
)
from perception.bench.suites.reach.report import reach_report
from perception.bench.suites.reach.run import run_reach
from perception.bench.suites.reach.survey import name_nodes

SHOP = """<!doctype html><meta charset=utf-8><title>shop</title>
<style>.list{display:none}.menu:hover .list{display:block}.card{cursor:pointer}[hidden]{display:none}</style>
<button onclick="out.textContent='saved'">Save</button><p id=out>Not yet</p>
<div class=card id=card>Card</div>
<div class=menu><span>Menu</span><div class=list>Offers</div></div>
<div id=zone ondrop="0" ondragover="0" style="width:90px;height:40px;border:1px dashed"></div>
<div ondblclick="out.textContent='twice'">Twice</div><div oncontextmenu="out.textContent='right'">Right</div>
<button id=gone hidden>Gone</button><button id=below style="position:absolute;left:500px;top:0">Below</button>
<div style="position:absolute;left:480px;top:0;width:200px;height:60px;background:#eee"></div>
<label><input type=checkbox> Agree</label><ul id=rows><li class=card>Row</li><li>Plain</li></ul><div id=host></div>
<iframe srcdoc="<button onclick='this.dataset.done=1'>Inner</button>"></iframe>
<script>card.addEventListener('click', () => out.textContent = 'card');
rows.addEventListener('click', event => out.textContent = event.target.textContent);
host.attachShadow({mode: 'open'}).innerHTML = '<button>Shadow</button>';
host.shadowRoot.addEventListener('click', () => 0);</script>"""

DECORATED = """<!doctype html><meta charset=utf-8><title>decorated</title><body onclick="0"><main onclick="0" style="height:900px">
<a href="#one">One</a></main></body>"""


@pytest.fixture(scope="module")
async def ran(site: str) -> ReachRun:
    pages = {name: f"{site}/html?body={quote(body)}" for name, body in (("shop", SHOP), ("decorated", DECORATED))}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reach, "PAGE_SECONDS", 500.0)  # a page takes half a minute on a quiet machine
        return await run_reach({**pages, "gone": "http://127.0.0.1:1/"}, {}, lambda _, __: None, tries=14)


def thing(ran: ReachRun, name: str, page: str = "shop") -> Thing:
    things = next(each.things for each in ran.pages if each.page == page)
    return next(each for each in things if name in (each.name, each.tag))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param("Save", "click", id="listener"),
        pytest.param("Card", "pointer", id="pointer"),
        pytest.param("Menu", "hover rule", id="what-a-hover-reveals"),
        pytest.param("Twice", "dblclick", id="double-click"),
        pytest.param("Right", "contextmenu", id="context-menu"),
        pytest.param("Row", "pointer", id="delegated"),
        pytest.param("Shadow", "focus", id="shadow-root"),
        pytest.param("Inner", "click", id="frame"),
        pytest.param("input", "peer", id="playwrights-ref"),
    ],
)
def test_what_can_be_acted_upon_is_found_and_has_a_ref(ran: ReachRun, name: str, kind: str) -> None:
    found = thing(ran, name)
    assert kind in found.kinds
    assert found.is_reached


@pytest.mark.parametrize("name", ["Save", "Card", "Menu", "Twice", "Right", "Row", "Shadow", "Inner", "input"])
def test_the_ref_does_what_a_real_mouse_does(ran: ReachRun, name: str) -> None:
    assert thing(ran, name).finding is Finding.SAME


@pytest.mark.parametrize(("name", "why"), [("Gone", "no area"), ("Below", "covered")])
def test_what_nobody_can_act_on_is_no_miss(ran: ReachRun, name: str, why: str) -> None:
    things = next(each.things for each in ran.pages if each.page == "shop")
    found = next((each for each in things if each.name == name), None)
    assert found is None or found.is_reached or found.why == why


def test_a_container_is_reached_through_what_it_holds(ran: ReachRun) -> None:
    found = thing(ran, "main", "decorated")
    assert found.route in (RouteKind.OWN, RouteKind.INSIDE)


def test_nothing_is_missed_on_plain_pages_and_a_page_that_cannot_be_opened_is_named(ran: ReachRun) -> None:
    assert [each.shown_as for page in ran.pages for each in page.things if each.is_missed] == []
    assert list(ran.failed) == ["gone"]


OWN = Thing("/0", "button", "", "Save", ("click",), RouteKind.OWN, "e1", finding=Finding.SAME)
MISSED = Thing("/1", "div", "tab", "Tab", ("pointer",), RouteKind.NONE, finding=Finding.ACTS, detail="focuses /1")


@pytest.mark.parametrize(
    ("found", "missed", "explained"),
    [
        pytest.param(OWN, 0, 0, id="own"),
        pytest.param(MISSED, 1, 0, id="acts"),
        pytest.param(replace(MISSED, finding=Finding.UNTRIED), 1, 0, id="not-tried"),
        pytest.param(replace(MISSED, finding=Finding.CHANGED), 1, 0, id="page-changed"),
        pytest.param(replace(MISSED, finding=Finding.NOTHING), 0, 1, id="does-nothing"),
        pytest.param(replace(MISSED, reason="covered", finding=Finding.UNTRIED), 0, 1, id="covered"),
    ],
)
def test_a_thing_without_a_ref_is_missed_unless_facts_explain_it(found: Thing, missed: int, explained: int) -> None:
    count = count_reach([PageReach("a", (found,))])
    assert (count.missed, count.explained) == (missed, explained)


def test_nothing_to_reach_is_reached_altogether() -> None:
    assert (count_reach([]).share, count_reach([]).of) == (1.0, 0)
    assert reach_report(ReachRun((), {}, "")).summary == ("There is nothing to reach.",)


NONE = Effect("u", 0, "", (), ())
CLICKED = Effect("u", 0, "/0", ("click", "mousedown"), tuple(f"/{number} class" for number in range(10)))


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        pytest.param(CLICKED, CLICKED, "", id="same"),
        pytest.param(CLICKED, replace(CLICKED, changed=CLICKED.changed[:9]), "", id="a-random-id"),
        pytest.param(replace(CLICKED, changed=()), CLICKED, "changed by ours only []", id="changes-nothing"),
        pytest.param(replace(CLICKED, heard=()), CLICKED, "click heard by the mouse only", id="beside-it"),
        pytest.param(replace(CLICKED, focus="/1"), CLICKED, "focus at /1", id="focus"),
        pytest.param(replace(CLICKED, url="v"), CLICKED, "ours ends at v", id="address"),
        pytest.param(replace(CLICKED, opened=1), CLICKED, "1 opened", id="opened"),
        pytest.param(replace(NONE, left=True), replace(NONE, left=True), "", id="both-left"),
    ],
)
def test_two_effects_are_the_same_or_what_differs_is_said(ours: Effect, theirs: Effect, said: str) -> None:
    found = "; ".join(differences(ours, theirs, "click"))
    assert bool(found) == bool(said)
    assert said in found


def test_an_effect_is_empty_only_if_nothing_can_be_seen_of_it() -> None:
    assert is_empty(replace(NONE, heard=("click",)), "u")
    for each in (CLICKED, replace(NONE, url="v"), replace(NONE, opened=1), replace(NONE, left=True)):
        assert not is_empty(each, "u")


@pytest.mark.parametrize(
    ("page", "package"),
    [("widgets--antd--0003", "antd"), ("admin-lte--forms", "admin-lte"), ("demo", "demo")],
)
def test_pages_are_grouped_by_package(page: str, package: str) -> None:
    assert package_of(page) == package


def test_the_report_has_packages_misses_and_other_effects() -> None:
    other = replace(OWN, finding=Finding.OTHER, detail="focus at none")
    run = ReachRun((PageReach("a--1", (OWN, MISSED)), PageReach("b--1", (other,), 3, ("cut",))), {"c": "why"}, "")
    report = reach_report(run)
    tables = {each.id: each for each in report.tables}
    assert report.summary[0].startswith("66.67% of 3 things on 2 pages have a ref (2)")
    assert [row[:6] for row in tables["packages"].rows] == [
        ("a", 1, 2, 1, 0, 1),
        ("b", 1, 1, 1, 0, 0),
        ("all", 2, 3, 2, 0, 1),
    ]
    assert tables["misses"].rows == (("a--1", '<div role=tab> "Tab" (pointer)', "it acts", "focuses /1", "/1"),)
    assert [row[-1] for row in tables["others"].rows] == ["focus at none"]
    assert report.skipped == ("c: why", "b--1: cut")
    assert [each.page for each in page_scores(run)] == ["a--1", "b--1"]


def test_elements_are_named_by_their_places_through_shadow_roots_and_frames() -> None:
    def node(number: int, **more: object) -> dict[str, object]:
        return {"backendNodeId": number, "nodeType": 1, **more}

    text = {"backendNodeId": 90, "nodeType": 3}
    secret = node(80, shadowRootType="user-agent", children=[node(81)])
    host = node(3, shadowRoots=[node(4, shadowRootType="closed", children=[node(5)]), secret])
    frame = node(6, frameId="inner", contentDocument=node(7, children=[node(8)]))
    named = name_nodes(node(1, children=[node(2, children=[text, host, frame])]), "top")
    assert named.paths == {
        1: "", 2: "/0", 3: "/0/0", 4: "/0/0/s", 5: "/0/0/s/0", 6: "/0/1", 7: "/0/1/d", 8: "/0/1/d/0",
    }  # fmt: skip
    assert named.frames == {"": "top", "/0/1/d": "inner"}
