"""Controls whose fate is known: each is listed, offered and clicked as a person could, or not at all.

The pages of tests/pages/conformance say in their source what a person could do with each control (their README.md
has the words). Nothing of the service reads that.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import pytest

from perception.browser.browser_session import Tab
from perception.client import AsyncClient, AsyncPage
from perception.deadline import Deadline
from perception.server.app import Service
from perception.v1 import types_pb2 as pb
from tests.paths import PAGES

CONFORMANCE = PAGES / "conformance"

OPERABLE = frozenset(
    "button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox "
    "slider spinbutton switch tab textbox treeitem".split()
)

REACH = {
    "reachable": {pb.REACH_NOW},
    "scroll": {pb.REACH_SCROLL},
    "tucked": {pb.REACH_COVERED, pb.REACH_SCROLL},
    "covered": {pb.REACH_COVERED},
    "blocked": {pb.REACH_COVERED, pb.REACH_NEVER},
    "never": {pb.REACH_NEVER},
}
CLICKABLE = ("reachable", "scroll", "tucked")
LISTED = (*CLICKABLE, "covered", "disabled", "container")

OPENS_UNLISTED = frozenset({"combobox"})
"""Roles whose click may open something that a list does not say: the menu of a select."""


@dataclass(frozen=True, slots=True)
class Control:
    """One labeled control of a page, with what the page's source promises of it."""

    page: str
    case: str
    expect: str
    role: str
    name: str
    by: str
    states: tuple[str, ...]
    value: str | None
    options: tuple[str, ...]
    scroll: dict[str, float]

    @property
    def is_there(self) -> bool:
        """Whether it is surely in the document."""
        return self.expect in LISTED


class _Labels(HTMLParser):
    """Reads the labels in a page's source."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.page = page
        self.scale = 1.0
        self.controls: list[Control] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name.removeprefix("data-"): value or "" for name, value in attrs if name.startswith("data-")}
        if tag == "html":
            self.scale = float(given.get("scale", 1))
        self._read_frame(dict(attrs))
        if "case" not in given:
            return
        role, _, name = given.get("as", "").partition(" ")
        scroll = (part.split("=") for part in given.get("scroll", "").split())
        self.controls.append(
            Control(
                page=self.page,
                case=given["case"],
                expect=given.get("expect", "reachable"),
                role=role,
                name=json.loads(name) if name else "",
                by=given.get("by", ""),
                states=tuple(given.get("state", "").split()),
                value=given.get("value"),
                options=tuple(given["options"].split("|")) if "options" in given else (),
                scroll={side: float(left) for side, left in scroll},
            )
        )

    def _read_frame(self, attrs: dict[str, str | None]) -> None:
        """Labels of a frame whose document stands in an attribute, or in a file of the folder `parts`."""
        part = attrs.get("src") or attrs.get("data") or ""
        source = (CONFORMANCE / part).read_text(encoding="utf-8") if part.startswith("parts/") else attrs.get("srcdoc")
        if source:
            inner = _Labels(self.page)
            inner.feed(source)
            self.controls += inner.controls


def read_labels(page: str) -> _Labels:
    labels = _Labels(page)
    labels.feed((CONFORMANCE / page).read_text(encoding="utf-8"))
    return labels


LABELS = {path.name: read_labels(path.name) for path in sorted(CONFORMANCE.glob("*.html"))}
CONTROLS = [control for labels in LABELS.values() for control in labels.controls]


def controls(*expected: str) -> Any:
    chosen = [control for control in CONTROLS if control.expect in expected]
    return pytest.mark.parametrize(
        "control", [pytest.param(control, id=f"{control.page[:-5]}-{control.case}") for control in chosen]
    )


@dataclass(frozen=True, slots=True)
class Sight:
    """A page as it was listed. `nodes` are (frame, backend node id) by label."""

    elements: tuple[pb.Element, ...]
    nodes: dict[str, tuple[str, int]]

    def of(self, case: str) -> pb.Element | None:
        """The listed element that is the labeled control."""
        node = self.nodes[case]
        found = [each for each in self.elements if each.HasField("backend_node_id") and key(each) == node]
        assert len(found) < 2, f"{case} is listed {len(found)} times"
        return found[0] if found else None


def key(element: pb.Element) -> tuple[str, int]:
    return element.frame, element.backend_node_id


class Lab:
    """One session for each scale visits the pages. Each page is looked at once, and visited again only after a click
    that changed it (see `conftest.py`).
    """

    def __init__(self, service: Service, client: AsyncClient, site: str) -> None:
        self._service = service
        self._client = client
        self._site = site
        self._pages: dict[float, AsyncPage] = {}
        self._sights: dict[str, Sight] = {}
        self._ready: tuple[str, Sight] | None = None

    async def visit(self, name: str) -> Sight:
        """What is listed of a page that has just been loaded."""
        page = await self._session(name)
        await page.navigate(f"{self._site}/conformance/{name}", wait_until="load")
        nodes = await labeled_nodes(self.tab(page), {each.case for each in LABELS[name].controls if each.is_there})
        return Sight(await self.look(page), nodes)

    async def look(self, page: AsyncPage) -> tuple[pb.Element, ...]:
        async with asyncio.timeout(60):
            while (snapshot := await page.snapshot(mode="MODE_TEXT", scope="SCOPE_PAGE")).skipped:
                pass  # a frame that did not answer in time: this machine is busy
        return tuple(snapshot.elements)

    async def sight(self, name: str) -> Sight:
        """What is listed of a page that nobody has touched."""
        if name not in self._sights:
            self._sights[name] = await self.visit(name)
            self._ready = name, self._sights[name]
        return self._sights[name]

    async def clicked(self, control: Control) -> list[str]:
        """The labels of all that a click on the control's ref reaches, on a page that is laid out as it was loaded."""
        page = await self._session(control.page)
        if self._ready is None or self._ready[0] != control.page:
            self._ready = control.page, await self.visit(control.page)
        _, sight = self._ready
        element = sight.of(control.case)
        assert element is not None, f"{control.case} is not listed"
        assert element.ref, f"{control.case} has no ref"
        self._ready = None
        await page.click(element.ref, settle_timeout=0, skip_diff=True)
        took = await self._run(page, f"landed({control.case!r})")
        if element.role not in OPENS_UNLISTED:
            await self._run(page, "restore()")
            if same(await self.look(page), sight.elements):
                self._ready = control.page, sight
        return sorted(set(took.split(",")))

    async def _session(self, name: str) -> AsyncPage:
        scale = LABELS[name].scale
        if scale not in self._pages:
            viewport = pb.Viewport(width=1280, height=800, device_scale_factor=scale)
            self._pages[scale] = await self._client.open(viewport=viewport)
        return self._pages[scale]

    async def _run(self, page: AsyncPage, expression: str) -> str:
        """What an expression gives in the page's own world, where lab.js is."""
        answer = await self.tab(page).link.session.call(
            "Runtime.evaluate", Deadline.of(60), "asking the page", expression=expression, awaitPromise=True
        )
        return str(answer["result"].get("value", ""))

    def tab(self, page: AsyncPage) -> Tab:
        return self._service.context.sessions.get(page.session_id).browser.tab()

    async def close(self) -> None:
        await asyncio.gather(*(page.close() for page in self._pages.values()))


def same(elements: tuple[pb.Element, ...], others: tuple[pb.Element, ...]) -> bool:
    """Whether two lists of a page say the same of all but who has the focus, and what is checked or typed."""
    return [stateless(each) for each in elements] == [stateless(each) for each in others]


def stateless(element: pb.Element) -> pb.Element:
    kept = pb.Element()
    kept.CopyFrom(element)
    kept.ClearField("states")
    kept.ClearField("value")
    return kept


@pytest.fixture(scope="module")
async def lab(service: Service, client: AsyncClient, site: str) -> AsyncIterator[Lab]:
    lab = Lab(service, client, site)
    yield lab
    await lab.close()


async def labeled_nodes(tab: Tab, expected: set[str]) -> dict[str, tuple[str, int]]:
    """(Frame, backend node id) of every labeled element, by label; through frames and shadow roots of all kinds.

    Args:
        expected: labels that are waited for: our connection may hear of a frame after the page has loaded.
    """
    async with asyncio.timeout(60):
        while not expected <= (found := await _labeled_nodes(tab)).keys():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    return found


async def _labeled_nodes(tab: Tab) -> dict[str, tuple[str, int]]:
    link = tab.link
    found: dict[str, tuple[str, int]] = {}
    for frame in link.frames:
        parent = link.tree.parent_of(frame)
        if parent is not None and link.session_of(parent) is link.session_of(frame):
            continue  # its document comes with its parent's
        reply = await link.session_of(frame).call(
            "DOM.getDocument", Deadline.of(60), "reading the labels", depth=-1, pierce=True
        )
        collect(reply["root"], "" if frame == link.main_frame else frame, found)
    return found


def collect(node: dict[str, Any], frame: str, found: dict[str, tuple[str, int]]) -> None:
    attributes = node.get("attributes", [])
    names = dict(zip(attributes[::2], attributes[1::2], strict=True))
    if "data-case" in names:
        found[names["data-case"]] = frame, node["backendNodeId"]
    for child in (*node.get("children", ()), *node.get("shadowRoots", ())):
        collect(child, frame, found)
    if "contentDocument" in node:
        collect(node["contentDocument"], node["frameId"], found)


def test_labels_are_unique_and_known() -> None:
    labels = [control.case for control in CONTROLS]
    assert sorted(set(labels)) == sorted(labels)
    assert {control.expect for control in CONTROLS} <= {*REACH, "container", "hidden", "disabled", "plain"}
    assert {control.by for control in CONTROLS if control.by} <= set(labels)


@controls(*LISTED)
async def test_is_listed_by_its_role_and_name(lab: Lab, control: Control) -> None:
    element = (await lab.sight(control.page)).of(control.case)
    assert element is not None, f"{control.case} is not listed"
    if control.role:
        assert (element.role, element.name) == (control.role, control.name)
    assert set(control.states) <= set(element.states)
    if control.value is not None:
        assert element.value == control.value
    if control.options:
        assert tuple(element.options) == control.options
    for side, left in control.scroll.items():
        assert getattr(element.scrollable, side) == pytest.approx(left, abs=1.5)
    if control.expect == "disabled":
        assert "disabled" in element.states


@controls(*CLICKABLE)
async def test_a_click_on_its_ref_lands_on_it_alone(lab: Lab, control: Control) -> None:
    assert await lab.clicked(control) == [control.case]


@controls("reachable")
async def test_is_offered_as_reachable(lab: Lab, control: Control) -> None:
    element = (await lab.sight(control.page)).of(control.case)
    assert element is not None, f"{control.case} is not listed"
    assert (element.in_viewport, element.reachable) == (True, True)


@controls("scroll", "tucked", "covered", "blocked", "never")
async def test_is_not_offered_as_reachable(lab: Lab, control: Control) -> None:
    element = (await lab.sight(control.page)).of(control.case)
    assert element is None or not element.reachable


@controls(*REACH)
async def test_how_it_can_be_reached_is_reported(lab: Lab, control: Control) -> None:
    element = (await lab.sight(control.page)).of(control.case)
    if element is None:
        assert control.expect in ("blocked", "never"), f"{control.case} is not listed"
        return
    assert pb.Reach.Name(element.reach) in {pb.Reach.Name(reach) for reach in REACH[control.expect]}


@controls("covered")
async def test_what_covers_it_is_named(lab: Lab, control: Control) -> None:
    sight = await lab.sight(control.page)
    element = sight.of(control.case)
    assert element is not None, f"{control.case} is not listed"
    if control.by:
        blocker = sight.of(control.by)
        assert blocker is not None, f"{control.by} is not listed"
        assert element.covered_by == blocker.ref
    assert element.covered_by


@controls("hidden")
async def test_invisible_elements_are_not_listed(lab: Lab, control: Control) -> None:
    sight = await lab.sight(control.page)
    node = sight.nodes.get(control.case)
    assert node is None or node not in {key(each) for each in sight.elements if each.HasField("backend_node_id")}
    assert not control.name or control.name not in {each.name for each in sight.elements}


@controls("plain")
async def test_what_is_no_control_is_offered_as_none(lab: Lab, control: Control) -> None:
    element = (await lab.sight(control.page)).of(control.case)
    if element is not None:
        assert element.role not in OPERABLE
        assert "clickable" not in element.states
        assert element.reach == pb.REACH_UNSPECIFIED
