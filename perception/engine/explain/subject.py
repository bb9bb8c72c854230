"""What an explanation is about: a node of the page, something that only vision sees, or a point."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass

import msgspec

from perception.browser.browser_session import Tab
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.input.aiming import TargetNode, Targets
from perception.deadline import Deadline
from perception.engine.request import Target
from perception.engine.target_lookup import find_node_at, find_target
from perception.errors import DeadlineError, NoMatchError, PageCrashedError, SessionLostError, StaleRefError
from perception.geometry import Point
from perception.ref_entries import VisionRef
from perception.refs import RefTable
from perception.types import NodeKey

PHASE = "explaining an element"

SEARCH_SECONDS = 2.0
"""How long one frame may take to search its text; chosen by hand. Frames that take longer are passed over."""


class HiddenBy(msgspec.Struct, frozen=True):
    """A style that keeps an element from being painted.

    Attributes:
        property, value: of CSS.
        on: the element that has it; empty for the element itself.
    """

    property: str
    value: str
    on: str


class WalkerExplanation(msgspec.Struct, frozen=True, rename="camel"):
    """What the walker decided about a node (api/explain_api.js). Boxes: left, top, right, bottom, CSS px of its frame.

    Attributes:
        number: of the element; that of the parent for a text node.
        shown_as: the element in words.
        not_walked: why the walker has no part for it; empty where it has.
        hidden_by: None where nothing hides it.
        opacity: with that of all that contains it.
        clipped: the part of its box that no scroller clips; None where nothing is left.
        viewport: of its frame.
        interactive: why it is a target for clicks; empty where it is not.
        listed: it has a row of its own.
        structure: it has a row that only a digest lists.
        silenced: an element around it says its content.
        secrecy: `password` or `private`; empty for neither.
        picture: why its pixels are unexplained; empty where they are not.
        speaker: number of the element around it that has a row; 0 for none.
        texts: numbers of its own text nodes.
        point: where a click lands on it, None for nowhere.
        blocker: what covers it; empty for nothing.
    """

    number: int
    shown_as: str
    tag: str
    role: str
    name: str
    masked: bool
    box: tuple[float, float, float, float]
    point: tuple[float, float] | None
    blocker: str
    in_viewport: bool
    disabled: bool
    states: tuple[str, ...]
    not_walked: str
    hidden_by: HiddenBy | None
    opacity: float
    clipped: tuple[float, float, float, float] | None
    viewport: tuple[float, float, float, float]
    inert: bool
    interactive: str
    listed: bool
    structure: bool
    silenced: bool
    secrecy: str
    picture: str
    speaker: int
    texts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """What is explained.

    Attributes:
        node: of the page; None for what only vision sees.
        walker: what the walker says of it; None without a node.
        vision: the ref of what only vision sees; None for a node.
        point: where was asked, CSS px of the viewport; None where no coordinate was.
    """

    node: NodeKey | None = None
    walker: WalkerExplanation | None = None
    vision: VisionRef | None = None
    point: Point | None = None

    def key(self, number: int) -> NodeKey:
        """Another node of the same document."""
        assert self.node is not None
        return NodeKey(self.node.loader, number)


async def find_subject(tab: Tab, refs: RefTable, target: Target | str, deadline: Deadline) -> Subject:
    """Finds what a target, or a text, names.

    Raises:
        As `find_target`; NoMatchError where no element has the text, or nothing is at the point.
    """
    if isinstance(target, str):
        return await _node_subject(tab, await _find_text(tab, target, deadline), deadline)
    found = await find_target(tab, refs, target, deadline)
    if isinstance(found, VisionRef):
        return Subject(vision=found)
    if isinstance(found, Point):
        await Targets(tab.link).aim_at_point(found, deadline)
        return await _node_subject(tab, await find_node_at(tab, found, deadline), deadline, found)
    return await _node_subject(tab, found, deadline)


async def _node_subject(tab: Tab, node: TargetNode, deadline: Deadline, point: Point | None = None) -> Subject:
    text = await tab.link.ask_text(node.frame, "explainElement", deadline, PHASE, node.number)
    facts = msgspec.json.decode(text, type=WalkerExplanation | None)
    if facts is None:
        raise StaleRefError(f"{node.shown_as} is gone: take a new snapshot")
    world = await tab.link.world(node.frame, deadline)
    return Subject(NodeKey(world.loader, facts.number), facts, point=point)


async def _find_text(tab: Tab, text: str, deadline: Deadline) -> TargetNode:
    """The element in any frame that says a text and least else."""

    async def search(frame: str) -> tuple[int, TargetNode] | None:
        share = deadline if frame == tab.link.main_frame else deadline.share(SEARCH_SECONDS)
        with contextlib.suppress(CdpCallError, DeadlineError, PageCrashedError, SessionLostError):
            found = await tab.link.ask(frame, "findText", share, PHASE, text)
            if found:
                return found["length"], TargetNode(frame, found["number"], f"the text {text!r}")
        return None

    found = [each for each in await asyncio.gather(*map(search, tab.link.frames)) if each is not None]
    deadline.check(PHASE)
    if not found:
        raise NoMatchError(
            f"no element has the text {text!r}, painted or not, and it is not a label, alternative text or title: "
            "it may be painted on a canvas; give its coordinate"
        )
    return min(found, key=lambda each: each[0])[1]
