"""Real clicks on pages of our own: what the probe hears of each, and what a whole run makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

import pytest

from perception.bench.pages.click_probe import ClickProbe, Heard, Held, landing_of, say_heard
from perception.bench.pages.page_visits import spread, usual_pages
from perception.bench.suites.clicks.click_speed import TIMED_CLICKS, ClickSide
from perception.bench.suites.clicks.run import LANDED, ClickEnding, ClicksRun, TargetKind, run_clicks
from perception.browser.browser_session import BrowserSession, Tab
from perception.browser.page.navigation import WaitUntil, navigate
from perception.datasets.sources.arrival import arrive
from perception.datasets.sources.manifest import PageSpec
from perception.datasets.sources.page_actions import parse_actions
from perception.deadline import Deadline

THIEF = (
    "<button onmouseover=\"document.getElementById('thief').style.display = 'block'\">Buy</button>"
    "<div id=thief style='display:none;position:fixed;inset:0'></div>"
)

CLOSED = (
    "<x-box id=host style='display:block'><span>Slotted</span></x-box>"
    "<script>host.attachShadow({mode: 'closed'}).innerHTML = "
    "'<button style=\"width:100%\"><slot></slot> <b>deep</b></button><i></i>'</script>"
)

OPEN = CLOSED.replace("closed", "open")

LABELS = (
    "<label for=box><span>Agree</span> <a href=#terms>terms</a></label><input id=box type=checkbox>"
    "<table><tr><td id=cell>Row <button>Delete</button></td></tr></table>"
)

PAINTED_BOXES = "".join(
    f"<div style='position:relative;width:30px;height:30px;background:#ccc'><input type=checkbox aria-label={name} "
    "style='position:absolute;inset:-20%;width:140%;height:140%;opacity:0'><ins style='position:absolute;inset:-20%' "
    f'onclick="{script}"></ins></div><p>Text</p>'
    for name, script in (("Live", "const box = this.previousElementSibling; box.checked = !box.checked"), ("Dead", "1"))
)
"""As iCheck paints them: an element over the box takes the click, and a script changes the box. One changes nothing."""


def address(site: str, body: str) -> str:
    return f"{site}/html?body={quote('<!doctype html><meta charset=utf-8><body>' + body)}"


class Probed:
    """A page with a probe, and the node of it that clicks are meant for."""

    def __init__(self, tab: Tab, probe: ClickProbe, held: Held) -> None:
        self.page = tab.page
        self.probe = probe
        self.held = held

    async def click_at(self, script: str) -> list[Heard]:
        """Clicks the middle of the element that a script gives."""
        middle = "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]"
        x, y = await self.page.evaluate(f"() => {{ const e = {script}; {middle}; }}")
        await self.page.mouse.click(x, y)
        return await self.probe.judge(self.held)


async def probed(browser: BrowserSession, url: str, *path: str) -> Probed:
    """Opens a page; meant is the first node by each name below the one before (see `find`)."""
    tab = browser.tab()
    probe = await ClickProbe.of(tab.page)
    await navigate(tab.link, url, WaitUntil.SETTLED, Deadline.of(20))
    await arrive(tab, Deadline.of(20))
    await probe.arm()
    tree = (await probe.main.send("DOM.getDocument", {"depth": -1, "pierce": True}))["root"]
    held = await probe.hold("", find(tree, path))
    assert held is not None
    return Probed(tab, probe, held)


def find(node: dict[str, Any], path: Sequence[str]) -> int:
    for name in path:
        node = next(each for each in below(node) if each["nodeName"] == name)
    return int(node["backendNodeId"])


def below(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for each in (*node.get("shadowRoots", ()), *node.get("children", ())):
        yield each
        yield from below(each)


@pytest.mark.parametrize(
    ("body", "path", "clicked", "landing"),
    [
        pytest.param("<button>Go</button>", ["BUTTON"], "document.querySelector('button')", "on", id="itself"),
        pytest.param("<button><b>Go</b></button>", ["BUTTON"], "document.querySelector('b')", "on", id="descendant"),
        pytest.param("<b>No</b><br><button>Go</button>", ["BUTTON"], "document.querySelector('b')", "", id="neighbour"),
        pytest.param(LABELS, ["INPUT"], "document.querySelector('span')", "label", id="label-of-a-box"),
        pytest.param(LABELS, ["INPUT"], "document.querySelector('a')", "", id="link-in-the-label-of-a-box"),
        pytest.param(LABELS, ["LABEL"], "document.querySelector('input')", "label", id="box-of-a-label"),
        pytest.param(LABELS, ["TD"], "document.querySelector('button')", "inside", id="control-inside"),
        pytest.param(CLOSED, ["X-BOX", "BUTTON"], "document.querySelector('#host')", "on", id="closed-shadow-root"),
        pytest.param(
            CLOSED, ["X-BOX", "I"], "document.querySelector('#host')", "", id="neighbor-in-a-closed-shadow-root"
        ),
        pytest.param(OPEN, ["X-BOX", "BUTTON"], "document.querySelector('#host')", "on", id="open-shadow-root"),
        pytest.param(OPEN, ["X-BOX", "SPAN"], "document.querySelector('#host')", "on", id="slotted"),
    ],
)
async def test_a_click_lands_on_what_it_hits_and_on_nothing_else(
    browser: BrowserSession, site: str, body: str, path: list[str], clicked: str, landing: str
) -> None:
    page = await probed(browser, address(site, body), *path)
    heard = await page.click_at(clicked)
    assert [each.type for each in heard] == ["pointerdown", "mousedown", "click"]
    assert landing_of(heard) == landing


async def test_what_steals_a_click_when_the_pointer_comes_is_named(browser: BrowserSession, site: str) -> None:
    page = await probed(browser, address(site, THIEF), "BUTTON")
    heard = await page.click_at("document.querySelector('button')")
    assert landing_of(heard) == ""
    assert say_heard(heard) == "hit div#thief"


async def test_a_click_by_script_does_not_count(browser: BrowserSession, site: str) -> None:
    page = await probed(browser, address(site, "<button>Go</button>"), "BUTTON")
    await page.page.evaluate("() => document.querySelector('button').click()")
    heard = await page.probe.judge(page.held)
    assert (landing_of(heard), say_heard(heard)) == ("", "heard only click")
    assert say_heard(await page.probe.judge(page.held)) == "no event reached the page"


async def test_a_page_does_nothing_once_it_is_armed(browser: BrowserSession, site: str) -> None:
    body = (
        "<form action=/form.html><button onpointerdown='said.push(1)' onclick='said.push(2)'>Go</button>"
        "<select><option>A<option>B</select></form>"
        "<script>said = []; addEventListener('mousedown', () => said.push(3), true)</script>"
    )
    page = await probed(browser, address(site, body), "BUTTON")
    before = page.page.url
    assert landing_of(await page.click_at("document.querySelector('button')")) == "on"
    await page.click_at("document.querySelector('select')")
    script = "() => [said.length, document.querySelector('select').matches(':open'), document.activeElement.tagName]"
    assert await page.page.evaluate(script) == [0, False, "BODY"]
    assert page.page.url == before


Run = tuple[ClicksRun, list[tuple[str, str]]]


@pytest.fixture(scope="module")
async def ran(site: str, other_site: str) -> Run:
    told: list[tuple[str, str]] = []
    frame = address(site, "<p>Here</p><button>In the frame</button>")
    pages = {
        "plain": address(
            site, "<button>One</button> <a href=#two>Two</a> <button disabled>Three</button>" + LABELS + CLOSED
        ),
        "thief": address(site, THIEF),
        "boxes": address(site, PAINTED_BOXES),
        "frames": address(other_site, f"<button>Outside</button><iframe src='{frame}' title=Inner></iframe>"),
        "gone": "http://127.0.0.1:9/",
    }
    known = {"plain": PageSpec("plain", "/", "test", origin="site", actions=parse_actions([["press", "Tab"]]))}
    return await run_clicks(pages, known, lambda page, why: told.append((page, why)), timed=1), told


def trials(run: Run, page: str, way: TargetKind) -> dict[str, ClickEnding]:
    own = [each for each in run[0].trials if (each.page, each.way) == (page, way)]
    return {each.element.split(" ", 1)[1]: each.ending for each in own}


async def test_a_page_that_does_not_open_costs_itself_alone(ran: Run) -> None:
    found, told = ran
    assert list(found.failed) == ["gone"]
    assert [(page, bool(why)) for page, why in told] == [
        ("plain", False),
        ("thief", False),
        ("boxes", False),
        ("frames", False),
        ("gone", True),
    ]


@pytest.mark.parametrize("way", TargetKind)
async def test_all_that_a_page_lists_is_clicked_and_lands(ran: Run, way: TargetKind) -> None:
    found = trials(ran, "plain", way)
    assert set(found.values()) <= LANDED
    assert {'button "One"', 'link "Two"', 'link "terms"', 'button "Delete"'} <= set(found)
    assert 'button "Slotted deep"' in found


async def test_what_cannot_be_clicked_a_way_is_counted_with_its_reason(ran: Run) -> None:
    skipped = ran[0].skipped
    assert {(way, why.split(":")[0]) for way, why in ((each.way, each.why) for each in skipped)} == {
        (way, "disabled") for way in TargetKind
    }


@pytest.mark.parametrize("way", TargetKind)
async def test_frames_of_another_process_are_recorded_too(ran: Run, way: TargetKind) -> None:
    found = trials(ran, "frames", way)
    assert found['button "In the frame"'] is ClickEnding.ON
    assert found['button "Outside"'] is ClickEnding.ON
    assert {ending for element, ending in found.items() if element.startswith("iframe")} <= {ClickEnding.INSIDE}


async def test_a_stolen_click_is_no_landing(ran: Run) -> None:
    assert not LANDED & set(trials(ran, "thief", TargetKind.REF).values())


async def test_a_box_that_changes_is_landed_on_whatever_takes_the_click(ran: Run) -> None:
    found = trials(ran, "boxes", TargetKind.REF)
    assert (found['checkbox "Live"'], found.get('checkbox "Dead"', ClickEnding.GONE) in LANDED) == (
        ClickEnding.TOGGLED,
        False,
    )


async def test_both_sides_are_timed_alike_on_the_first_page(ran: Run) -> None:
    times = ran[0].times
    assert {each.page for each in times} == {"plain"}
    for element in {each.element for each in times}:
        for side in ClickSide:
            assert len([each for each in times if (each.element, each.side) == (element, side)]) == TIMED_CLICKS
    assert all(each.answered > 0 for each in times)


def test_a_spread_is_even_and_from_the_first_on() -> None:
    assert spread([*range(10)], 4) == [0, 2, 5, 7]
    assert spread([1, 2], 4) == [1, 2]
    assert spread([], 4) == []


def test_usual_pages_are_one_of_each_project_before_a_second_of_any() -> None:
    pages = [PageSpec(name, "/", "test", origin="site") for name in ("a--1", "a--2", "a--3", "b--1", "c--1", "c--2")]
    assert usual_pages(pages) == ["a--1", "b--1", "c--1", "a--2", "c--2", "a--3"]
