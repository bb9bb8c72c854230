"""What a subroutine does by hand: finds exactly what was recorded, acts on it by trusted input, waits for what comes.

Rule 1: an element is found by role and name. A selector finds what has no name, and tells several of the same name
apart; it never overrules a name.
Rule 2: not exactly one: nothing is done, and the error says what was there before and what is there now.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import msgspec

from perception.browser import navigate as nav
from perception.browser.cdp import CdpCallError
from perception.browser.hands import check_text, require_editable
from perception.browser.navigate import WaitUntil
from perception.browser.targets import Node
from perception.errors import (
    AmbiguousTargetError,
    BadSelectorError,
    DeadlineError,
    DriftError,
    NoMatchError,
    NotCheckableError,
    NotLoggedInError,
    PageChangingError,
    PerceptionError,
    StaleRefError,
)
from perception.server.deed import Deed
from perception.server.fields import checked_state, pick, require_checked
from perception.server.lists import choose
from perception.server.uploads import check_names, upload
from perception.subroutines.answers import looks_like_login, shown_url
from perception.subroutines.context import describe_target
from perception.subroutines.hosts import origin_of
from perception.subroutines.recording import Target
from perception.types import Capture, Element, Engine, Scope

APPEAR_SECONDS = 5.0
"""How long a step waits for its target: as long as a navigation is given to load after it has committed."""

POLL_SECONDS = 0.05

FRAME_SECONDS = 1.0
"""How long a frame may take to say which page it shows."""

SHOWN_ALIKE = 8
"""Elements of the same role that an error names."""


class SubroutineHands:
    """Acts for one run on one tab. `seen` are the words on the page before the last thing was done."""

    def __init__(self, deed: Deed, origin: str, upload_dir: Path | None) -> None:
        self._deed = deed
        self._origin = origin
        self._upload_dir = upload_dir
        self.seen: frozenset[tuple[str, str]] = frozenset()

    async def goto(self, path: str) -> None:
        """Opens a page of the origin, anew also where it is shown already.

        Raises:
            DriftError: it is not there any more.
            NotLoggedInError: it leads to a login.
        """
        url = urljoin(f"{self._origin}/", path)
        if origin_of(url) != self._origin:
            raise DriftError(
                f"{path[:120]!r} leads away from {self._origin}: a subroutine stays there",
                before=self._origin,
                after=origin_of(url),
            )
        link, budget = self._deed.tab.link, self._deed.budget
        is_same = urlsplit(link.url)._replace(fragment="") == urlsplit(url)._replace(fragment="")
        if is_same and link.url != url:
            await nav.navigate(link, url, WaitUntil.COMMIT, budget)  # a fragment alone loads nothing
        if is_same:
            await nav.reload(link, ignore_cache=False, wait=WaitUntil.SETTLED, budget=budget)
        else:
            await nav.navigate(link, url, WaitUntil.SETTLED, budget)
        await self._check_arrival(url)

    async def click(self, target: Target, *, count: int) -> None:
        aim = await self._deed.aim_at(await self.locate(target))
        await self._deed.hands.click(aim, button="left", count=count, modifiers=(), budget=self._deed.budget)
        await self._follow()

    async def type(self, target: Target, text: str, *, clear: bool, submit: bool) -> None:
        check_text(text)
        deed, node = self._deed, await self.locate(target)
        if not await pick(deed, node, text, submit=submit):
            aim = await deed.aim_at(node)
            assert aim.facts is not None  # an element was aimed at
            require_editable(aim.facts, node.shown_as)
            await deed.hands.focus(aim, deed.budget)
            await deed.hands.type_text(text, clear=clear, submit=submit, keystrokes=False, budget=deed.budget)
        if submit:
            await self._follow()

    async def select(self, target: Target, labels: Sequence[str]) -> None:
        await choose(self._deed, await self.locate(target), list(dict.fromkeys(labels)))
        await self._follow()

    async def check(self, target: Target, wanted: bool) -> None:
        """Makes a checkbox or radio button checked, or not; it is clicked only if need be."""
        deed, node = self._deed, await self.locate(target)
        try:
            is_so = await checked_state(deed, node) is wanted
        except NotCheckableError as exc:
            raise DriftError(
                f"{describe_target(target)} cannot be checked any more",
                before="something to check",
                after="something else",
            ) from exc
        if not is_so:
            await deed.hands.click(await deed.aim_at(node), button="left", count=1, modifiers=(), budget=deed.budget)
            await require_checked(deed, node, wanted)
            await self._follow()

    async def press(self, key: str, target: Target | None) -> None:
        deed = self._deed
        if target is not None:
            await deed.hands.focus_node(await self.locate(target), deed.budget)
        await deed.hands.press(key, deed.budget)
        await self._follow()

    async def upload(self, target: Target, names: Sequence[str]) -> None:
        paths = check_names(names, (), self._upload_dir)
        await upload(self._deed, await self.locate(target, hidden=True), paths, ())

    async def wait_for(self, target: Target) -> None:
        """Waits until at least one such element is shown."""
        share = self._deed.budget.share(APPEAR_SECONDS)
        while True:
            capture = await self._look()
            if capture is not None and _matches(capture.elements, target, hidden=False):
                return
            if share.spent():
                raise DriftError(
                    f"{describe_target(target)} was not shown within {APPEAR_SECONDS:g} s",
                    before=describe_target(target),
                    after=_alike(capture.elements if capture else (), target),
                )
            await asyncio.sleep(POLL_SECONDS)

    async def locate(self, target: Target, *, hidden: bool = False) -> Node:
        """The one element that a target means now; waited for.

        Raises:
            DriftError: there is none, or there are others than when it was recorded.
        """
        share = self._deed.budget.share(APPEAR_SECONDS)
        while True:
            found: list[Node] = []
            capture = await self._look()
            if capture is not None:
                found = await self._choose(capture, target, hidden=hidden)
                if len(found) == 1:
                    self.seen = words_of(capture)
                    return found[0]
            if share.spent():
                raise _drift(target, capture.elements if capture else (), len(found))
            await asyncio.sleep(POLL_SECONDS)

    async def news(self) -> tuple[str, ...]:
        """Words that came to the page since the last thing was done; those of alerts first."""
        capture = await self._look()
        if capture is None:
            return ()
        new = [each for each in capture.elements if each.visible and (each.role, each.name) not in self.seen]
        ordered = sorted((each for each in new if each.name), key=lambda each: each.role not in ("alert", "status"))
        told = tuple(dict.fromkeys(each.name for each in ordered if each.role in _TELLING))
        return told or await self._invalid()

    async def look(self) -> None:
        """Remembers what is shown now."""
        capture = await self._look()
        if capture is not None:
            self.seen = words_of(capture)

    async def _invalid(self) -> tuple[str, ...]:
        """What the browser itself has against fields of a form that it did not send."""
        link = self._deed.tab.link
        expression = (
            "JSON.stringify([...document.querySelectorAll('input:invalid, select:invalid, textarea:invalid')]"
            ".slice(0, 5).map((each) => each.validationMessage))"
        )
        reply = await link.evaluate(
            link.main_frame, expression, self._deed.budget, "reading the form", returnByValue=True
        )
        return tuple(msgspec.json.decode(reply["value"]))

    async def _look(self) -> Capture | None:
        """None while the page goes to another document."""
        try:
            return await self._deed.tab.looker.capture(
                engine=Engine.WALKER, scope=Scope.PAGE, with_pixels=False, budget=self._deed.budget
            )
        except (CdpCallError, PageChangingError):
            return None

    async def _choose(self, capture: Capture, target: Target, *, hidden: bool) -> list[Node]:
        """The element meant, alone in its list; several, or none, where that cannot be told."""
        link = self._deed.tab.link
        frames = await self._frames_of(target)
        nodes: list[Node] = []
        for each in _matches(capture.elements, target, hidden=hidden):
            frame = link.frame_of(each.node.loader) if each.node else None
            if each.node is not None and frame is not None and frame in frames:
                nodes.append(Node(frame, each.node.node, describe_target(target)))
        named = bool(target.name or target.text or target.placeholder)
        if named and len(nodes) == max(target.of, 1):
            return [nodes[target.nth if target.of > 1 else 0]]
        if not target.selector or (named and not nodes):
            return nodes
        chosen = await self._by_selector(target)
        if chosen is None:
            return nodes
        if named:
            return [each for each in nodes if (each.frame, each.number) == (chosen.frame, chosen.number)] or nodes
        facts = await self._deed.targets.look_at(chosen, self._deed.budget)
        return [chosen] if facts.role == target.role and not facts.name else []

    async def _frames_of(self, target: Target) -> frozenset[str]:
        """The frames that a target may be in: the top one, or those that show its page."""
        link = self._deed.tab.link
        if not target.frame:
            return frozenset((link.main_frame,))
        found = set()
        for frame in link.frames[1:]:
            with contextlib.suppress(CdpCallError, DeadlineError):  # it is gone, or hangs: it has no say
                reply = await link.evaluate(
                    frame,
                    "location.pathname",
                    self._deed.budget.share(FRAME_SECONDS),
                    "looking into frames",
                    returnByValue=True,
                )
                if reply.get("value") == target.frame:
                    found.add(frame)
        return frozenset(found)

    async def _by_selector(self, target: Target) -> Node | None:
        try:
            found = await self._deed.targets.find_selector(target.selector, self._deed.budget)
        except (NoMatchError, AmbiguousTargetError, BadSelectorError, StaleRefError):
            return None
        return Node(found.frame, found.number, describe_target(target))

    async def _follow(self) -> None:
        """Waits for the document that something done leads to."""
        await self._deed.result()
        self._deed = self._deed.again()

    async def _check_arrival(self, url: str) -> None:
        link, budget = self._deed.tab.link, self._deed.budget
        here = link.url
        if origin_of(here) != self._origin or urlsplit(here).path != urlsplit(url).path:
            if looks_like_login(here) or origin_of(here) != self._origin:
                raise NotLoggedInError(
                    f"{urlsplit(url).path} leads to {shown_url(here)}: log in there in this session, then run it again"
                )
            return
        status = await nav.http_status(link, budget)
        if status in (401, 403):
            raise NotLoggedInError(f"{urlsplit(url).path} answers {status}: log in in this session, then run it again")


_TELLING = frozenset(
    {"alert", "status", "text", "paragraph", "listitem", "heading", "dialog", "alertdialog", "log", "generic"}
)
"""Roles of what a page says; controls that came are no reason."""


def words_of(capture: Capture) -> frozenset[tuple[str, str]]:
    """What is shown, as roles and names."""
    return frozenset((each.role, each.name) for each in capture.elements if each.visible and each.name)


def _matches(elements: Sequence[Element], target: Target, *, hidden: bool) -> list[Element]:
    """All elements that go by a target's role and words, in their order."""
    return [
        each
        for each in elements
        if each.node is not None and (hidden or each.visible) and each.role == target.role and _is_called(each, target)
    ]


def _is_called(element: Element, target: Target) -> bool:
    if target.name:
        return _folded(element.name) == _folded(target.name)
    wanted = target.text or target.placeholder
    return bool(wanted) and _folded(wanted) in (_folded(element.name), _folded(element.text))


def _folded(text: str) -> str:
    """Whatever its spaces; case is a difference."""
    return " ".join(text.split())


def _alike(elements: Sequence[Element], target: Target) -> str:
    names = [each.name for each in elements if each.role == target.role and each.visible and each.name]
    told = ", ".join(f'"{name[:60]}"' for name in dict.fromkeys(names[:SHOWN_ALIKE]))
    return f"{target.role} {told}" if told else f"no {target.role}"


def _drift(target: Target, elements: Sequence[Element], count: int) -> PerceptionError:
    before = describe_target(target)
    if count:
        return DriftError(
            f"{count} elements are {target.role} {(target.name or target.selector)[:80]!r} now, and there "
            f"{'was 1' if target.of <= 1 else f'were {target.of}'} when it was recorded: nothing was done",
            before=before,
            after=f"{count} such elements",
        )
    return DriftError(
        f"{before} is not there any more: nothing was done", before=before, after=_alike(elements, target)
    )
