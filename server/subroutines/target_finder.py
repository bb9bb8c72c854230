"""Finds exactly the element that was recorded.

Rule 1: an element is found by role and name. A selector finds elements without a name, and
distinguishes several of the same name; it never overrules a name. A position counts only where what is around it is as
recorded.
Rule 2: not exactly one: the error says what was there before and what is there now.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

import msgspec

from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.input.aiming import Aim, TargetNode
from perception.browser.page import navigation as nav
from perception.errors import (
    AmbiguousTargetError,
    BadSelectorError,
    DeadlineError,
    DriftError,
    NoMatchError,
    PageChangingError,
    StaleRefError,
    SubroutineBrokenError,
)
from perception.page_words import page_words
from perception.server.actions.action_context import ActionContext
from perception.server.subroutines.matching import drift_of, find_matches, pattern_test, texts_of
from perception.subroutines.context_text import describe_target
from perception.subroutines.neighbors import describe_near, doubt_about, folded, is_structural
from perception.subroutines.recording import Near, Target
from perception.types import Capture, Element, Engine, Scope

APPEAR_SECONDS = 5.0
"""How long a step waits for its target: as long as a navigation is given to load after it has committed."""

POLL_SECONDS = 0.05

LOADED_SECONDS = 0.5
"""How long a list may take to show more rows after it was scrolled."""

SCROLLED_SHARE = 0.9
"""Share of what a list shows that is scrolled at once."""

MAX_SCROLLS = 50
"""How often a list is scrolled to find a row."""

_LISTED = frozenset({"", "option", "listitem", "row", "treeitem", "gridcell", "cell", "link"})
"""Roles of what a list may have beyond what it shows."""

FRAME_SECONDS = 1.0
"""How long a frame may take to say which page it shows."""

MAX_PAGE_WORDS = 300
"""Characters of an error page in an error."""

_FRAME = (
    "JSON.stringify([location.pathname, ...(frameElement ? ['id', 'name', 'title'].map((each) => "
    "frameElement.getAttribute(each)).filter(Boolean) : [])])"
)
"""Path of a frame, then what its element is called."""


def words_of(capture: Capture) -> frozenset[tuple[str, str]]:
    """What is shown, as roles and names."""
    return frozenset((each.role, each.name) for each in capture.elements if each.visible and each.name)


class TargetFinder:
    """Finds elements for one run on one tab. `seen` are the words that the page showed before the last step.

    Args:
        on_look: called with each capture before a step.
    """

    def __init__(self, action: ActionContext, on_look: Callable[[Capture], None] | None = None) -> None:
        self._action = action
        self.seen: frozenset[tuple[str, str]] = frozenset()
        self._on_look = on_look
        self._doubt: tuple[str, str, str] | None = None

    async def locate(self, target: Target, *, hidden: bool = False, pointed: bool = False) -> TargetNode:
        """The one element that a target means now; waited for. A step that acts on it begins here.

        Args:
            hidden: also one that nobody sees.
            pointed: the pointer is only moved to it: it is not a control, and may be listed as something else or not at
                all.

        Raises:
            DriftError: there is none, or there are others than when it was recorded.
        """
        share = self._action.deadline.share(APPEAR_SECONDS)
        loading = self._action.deadline.share(LOADED_SECONDS)
        scrolls = MAX_SCROLLS if target.cell is not None or target.role in _LISTED else 0
        while True:
            found: list[TargetNode] = []
            self._doubt = None
            capture = await self.capture()
            if capture is not None:
                found = await self._choose(capture, target, hidden=hidden)
                if not found and pointed and not target.name:
                    found = await self._pointed_at(target)
                if len(found) == 1:
                    self.seen = words_of(capture)
                    if self._on_look is not None:
                        self._on_look(capture)
                    self._action = self._action.begin_next()
                    return found[0]
            if scrolls and loading.spent() and not found and capture is not None and await self._scroll_on(capture):
                scrolls -= 1
                loading = self._action.deadline.share(LOADED_SECONDS)
            elif share.spent() and loading.spent():
                if self._doubt is not None:
                    why, before, after = self._doubt
                    raise DriftError(
                        f"{describe_target(target)} was recorded without a name, and what is at its place now is not "
                        f"certainly the same ({why}): nothing was done",
                        before=before,
                        after=after,
                    )
                await self.require_page()
                elements = capture.elements if capture else ()
                placed = None if found else await self._renamed(elements, target)
                raise drift_of(target, elements, len(found), self._alerts(elements), placed)
            await asyncio.sleep(POLL_SECONDS)

    async def _renamed(self, elements: Sequence[Element], target: Target) -> Element | None:
        """What a target's selector finds of its role, where only the name differs; None where the time is over, too."""
        if not target.name or not target.selector:
            return None
        with contextlib.suppress(CdpCallError, DeadlineError):
            if (at := await self._by_selector(target)) is not None:
                frame_of = self._action.tab.link.tree.frame_of
                there = (each for each in elements if each.name and each.role == target.role and each.node is not None)
                return next(
                    (
                        each
                        for each in there
                        if each.node and (frame_of(each.node.loader), each.node.node) == (at.frame, at.number)
                    ),
                    None,
                )
        return None

    def _alerts(self, elements: Sequence[Element]) -> str:
        """What the page warns of since the last step."""
        new = [each for each in elements if each.visible and (each.role, each.name) not in self.seen]
        said = dict.fromkeys(each.name for each in new if each.role in ("alert", "alertdialog") and each.name)
        return page_words("; ".join(said), MAX_PAGE_WORDS) if said else ""

    async def _scroll_on(self, capture: Capture) -> bool:
        """Scrolls the largest list in view by what it shows, else the page. False where there is nothing below."""
        scroll, view = capture.scroll, capture.viewport
        boxes = [
            each.box.intersect(view.box) for each in capture.elements if each.scrollable and each.scrollable.down > 1
        ]
        inner = max((each for each in boxes if each is not None), key=lambda each: each.area, default=None)
        if inner is None and scroll.page_height - scroll.y - view.height <= 1:
            return False
        box = inner or view.box
        aim = Aim(box.center)
        await self._action.input.wheel(aim, 0, SCROLLED_SHARE * box.height, self._action.deadline)
        return True

    async def require_page(self) -> None:
        """Reports an error page as one, not as a page without the target. An application may show a page of its own
        with such a status: only what is missing on it is an error.

        Raises:
            DriftError: the page was answered with an error.
        """
        link, deadline = self._action.tab.link, self._action.deadline
        status = await nav.http_status(link, deadline)
        if status < 400:
            return
        capture = await self.capture()
        shown = [each.name for each in capture.elements if each.visible and each.name] if capture is not None else []
        said = "; ".join(dict.fromkeys(shown))
        path = page_words(urlsplit(link.url).path)
        what = "page not found" if status in (404, 410) else "the page is an error page"
        raise DriftError(
            f"{path} answers {status}: {what}{f' ({page_words(said, MAX_PAGE_WORDS)})' if said else ''}: nothing "
            "was done here",
            before="a page that could be used",
            after=f"status {status}",
        )

    async def texts(self, expression: str) -> tuple[str, ...]:
        """The texts that an expression gives as JSON; none while the page goes to another document."""
        link = self._action.tab.link
        try:
            reply = await link.evaluate(
                link.main_frame, expression, self._action.deadline, "reading the page's messages", returnByValue=True
            )
            return tuple(str(each) for each in msgspec.json.decode(reply["value"]))
        except (CdpCallError, PageChangingError, KeyError, TypeError, msgspec.DecodeError):
            return ()

    async def capture(self) -> Capture | None:
        """None while the page goes to another document."""
        try:
            return await self._action.tab.capturer.capture(
                engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, deadline=self._action.deadline
            )
        except (CdpCallError, PageChangingError):
            return None

    async def _matches(self, capture: Capture, target: Target, *, hidden: bool) -> list[Element]:
        """Elements by a target's words; regular expressions are tried in the page's process, where they cannot hang
        the service.

        Raises:
            SubroutineBrokenError: one of them is none.
        """
        link, fitting = self._action.tab.link, {}
        for field in target.patterns:
            test = pattern_test(getattr(target, field), texts_of(capture.elements))
            phase = "trying the script's regular expression"
            reply = await link.evaluate(link.main_frame, test, self._action.deadline, phase, returnByValue=True)
            texts = msgspec.json.decode(reply["value"])
            if texts is None:
                raise SubroutineBrokenError(f"{getattr(target, field)[:80]} is not a regular expression")
            fitting[field] = frozenset(texts)
        return find_matches(capture.elements, target, hidden=hidden, fitting=fitting)

    async def _choose(self, capture: Capture, target: Target, *, hidden: bool) -> list[TargetNode]:
        """The element meant, alone in its list; several, or none, where that is ambiguous."""
        link = self._action.tab.link
        frames = await self._frames_of(target)
        nodes: list[TargetNode] = []
        texts: set[TargetNode] = set()
        for each in await self._matches(capture, target, hidden=hidden):
            frame = link.tree.frame_of(each.node.loader) if each.node else None
            if each.node is not None and frame is not None and frame in frames:
                nodes.append(TargetNode(frame, each.node.node, describe_target(target)))
                texts |= {nodes[-1]} if each.role == "text" else set()
        if target.cell is not None:
            return await self._in_row(nodes, target)
        if target.href:
            return await self._leading_to(nodes, target.href)
        named = bool(target.name or target.text or target.placeholder)
        if named and len(nodes) == max(target.of, 1):
            node = nodes[target.nth if target.of > 1 else 0]
            return await self._around_text(node) if node in texts else [node]
        if not target.selector or (named and not nodes):
            return nodes
        chosen = await self._by_selector(target)
        if chosen is None:
            return nodes
        if named:
            if all((each.frame, each.number) != (chosen.frame, chosen.number) for each in nodes):
                return nodes
        else:
            facts = await self._action.targets.look_at(chosen, self._action.deadline)
            if target.role and (facts.role != target.role or facts.name):
                return []
        return [chosen] if await self._is_known_again(chosen, target) else []

    async def _around_text(self, node: TargetNode) -> list[TargetNode]:
        """The element that a text stands in: texts themselves cannot be acted on."""
        number = await self._action.tab.link.ask(
            node.frame, "elementOfText", self._action.deadline, "looking for the text's element", node.number
        )
        return [replace(node, number=number)] if number is not None else []

    async def _pointed_at(self, target: Target) -> list[TargetNode]:
        """An element without a name by its selector, role and what is around it."""
        chosen = await self._by_selector(target) if target.selector else None
        if chosen is None:
            return []
        facts = await self._action.targets.look_at(chosen, self._action.deadline)
        is_same = facts.role == target.role and folded(facts.name) in ("", folded(target.text))
        return [chosen] if is_same and await self._is_known_again(chosen, target) else []

    async def _in_row(self, nodes: Sequence[TargetNode], target: Target) -> list[TargetNode]:
        """Those that stand in a row with the target's cell: one where it is the only row and the only element."""
        assert target.cell is not None
        found: list[list[TargetNode]] = []
        for frame in dict.fromkeys(each.frame for each in nodes):
            numbers = [each.number for each in nodes if each.frame == frame]
            rows = await self._action.tab.link.ask(
                frame,
                "elementsInRow",
                self._action.deadline,
                "looking for the row",
                numbers,
                target.cell.column,
                target.cell.text,
            )
            found += [[each for each in nodes if each.frame == frame and each.number in row] for row in rows or ()]
        if len(found) == 1 and len(found[0]) == max(target.of, 1):
            return [found[0][target.nth if target.of > 1 else 0]]
        return [each for row in found for each in row]

    async def _leading_to(self, nodes: Sequence[TargetNode], href: str) -> list[TargetNode]:
        """The links that lead to an address."""
        link, deadline, found = self._action.tab.link, self._action.deadline, []
        for frame in dict.fromkeys(each.frame for each in nodes):
            numbers = [each.number for each in nodes if each.frame == frame]
            leading = await link.ask(frame, "linksTo", deadline, "looking for the link", numbers, href)
            found += [each for each in nodes if each.frame == frame and each.number in leading]
        return found

    async def _is_known_again(self, chosen: TargetNode, target: Target) -> bool:
        """Whether the element that a selector finds is the recorded one, also where the selector is a position."""
        if not is_structural(target.selector):
            return True
        link, deadline = self._action.tab.link, self._action.deadline
        found = await link.ask(chosen.frame, "neighborhood", deadline, "looking around the target", chosen.number)
        if found is None:
            return False
        now = msgspec.convert(found, Near)
        why = doubt_about(target.near, now)
        self._doubt = (why, describe_near(target.near), describe_near(now)) if why else None
        return not why

    async def _frames_of(self, target: Target) -> frozenset[str]:
        """The frames that a target may be in: the top one, or those that show its page."""
        link = self._action.tab.link
        if not target.frame:
            return frozenset((link.main_frame,))
        found: set[str] = set()
        named: set[str] = set()
        for frame in link.frames[1:]:
            with contextlib.suppress(CdpCallError, DeadlineError):  # frames that are gone or hung are skipped
                reply = await link.evaluate(
                    frame, _FRAME, self._action.deadline.share(FRAME_SECONDS), "looking into frames", returnByValue=True
                )
                path, *owner = msgspec.json.decode(reply["value"])
                if path == target.frame:
                    found.add(frame)
                    named |= {frame} if target.owner and target.owner in owner else set()
        return frozenset(named or found)

    async def _by_selector(self, target: Target) -> TargetNode | None:
        frames = await self._frames_of(target) if target.frame else ()
        if target.frame and not frames:
            return None
        try:
            found = await self._action.targets.find_selector(target.selector, self._action.deadline, frames=frames)
        except (NoMatchError, AmbiguousTargetError, BadSelectorError, StaleRefError):
            return None
        return TargetNode(found.frame, found.number, describe_target(target))
