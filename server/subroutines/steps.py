"""A subroutine's steps by input: finds exactly what was recorded, acts on it by trusted input, waits for the effect.

Rule: not exactly one element: nothing is done, and the error says what was there before and what is there now.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import urldefrag, urljoin, urlsplit

from perception.browser.input.aiming import Aim, TargetNode
from perception.browser.input.key_takers import require_editable
from perception.browser.input.text_entry import TextInput, check_text
from perception.browser.page import navigation as nav
from perception.browser.page.navigation import WaitUntil
from perception.errors import (
    DriftError,
    NotCheckableError,
    NotLoggedInError,
    StaleRefError,
)
from perception.geometry import Point
from perception.page_words import MAX_ADDRESS, page_words
from perception.server.actions.action_context import ActionContext
from perception.server.actions.effects import follow
from perception.server.actions.focus import focus_to_type
from perception.server.actions.forms import checked_state, pick, require_checked, watch_box
from perception.server.actions.resolve import aim_at
from perception.server.actions.select_option import select_options
from perception.server.actions.upload import check_names, upload
from perception.server.subroutines.matching import (
    describe_alike,
)
from perception.server.subroutines.target_finder import APPEAR_SECONDS, POLL_SECONDS, TargetFinder, words_of
from perception.subroutines.answers import looks_like_login, shown_url
from perception.subroutines.context_text import describe_target
from perception.subroutines.hosts import origin_of
from perception.subroutines.recording import Target
from perception.types import Capture

Result = TypeVar("Result")

_INVALID = (
    "JSON.stringify([...document.querySelectorAll('input:invalid, select:invalid, textarea:invalid')]"
    ".slice(0, 5).map((each) => each.validationMessage))"
)
"""The browser's own validation messages for a form that it did not send."""

_SPEAKING_ROLES = frozenset(
    {"alert", "status", "text", "paragraph", "listitem", "heading", "dialog", "alertdialog", "log", "generic"}
)
"""Roles of what a page says; controls that came are not a reason."""


class SubroutineSteps(TargetFinder):
    """Acts for one run on one tab."""

    def __init__(
        self,
        action: ActionContext,
        origin: str,
        upload_dir: Path | None,
        on_look: Callable[[Capture], None] | None = None,
    ) -> None:
        super().__init__(action, on_look)
        self._origin = origin
        self._upload_dir = upload_dir

    async def goto(self, path: str) -> None:
        """Requests a page of the origin with GET, also where it is shown already. It never reloads: where the page came
        of a form, that would send the form again.

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
        link, deadline = self._action.tab.link, self._action.deadline
        if urlsplit(url).fragment and urldefrag(link.url).url == urldefrag(url).url:
            # A move to a fragment requests nothing: the page is left first.
            await nav.navigate(link, "about:blank", WaitUntil.COMMIT, deadline)
        await nav.navigate(link, url, WaitUntil.SETTLED, deadline)
        await self._check_arrival(url)

    async def click(self, target: Target, *, count: int) -> None:
        await self._click(await self._aim(target), count, lambda: self._aim(target))
        await self._follow()

    async def _click(self, aim: Aim, count: int, again: Callable[[], Awaitable[Aim]]) -> Aim:
        """Clicks, and returns what got the click: where the page drew itself again as a field lost the focus to the
        press, the click reached nothing, and what is there now is clicked.

        Args:
            again: aims at it.
        """
        given, deadline = self._action.input, self._action.deadline
        await given.click(aim, button="left", count=count, modifiers=(), deadline=deadline)
        if count == 1 and (await given.press_outcome(aim, deadline)).was_lost_to_a_field:
            aim = await again()
            await self._action.input.click(aim, button="left", count=1, modifiers=(), deadline=deadline)
        return aim

    async def type(self, target: Target, text: str, *, clear: bool, submit: bool) -> None:
        check_text(text)
        if not await self._unless_replaced(target, partial(self._focus_to_type, text=text, submit=submit)):
            given = TextInput(text, clear=clear, submit=submit)
            await self._action.input.typing.type(given, self._action.deadline)
        if submit:
            await self._follow()

    async def _focus_to_type(self, node: TargetNode, text: str, submit: bool) -> bool:
        """Focuses a field. Returns whether its value was set, so that there is nothing left to type.

        Raises:
            StaleRefError: the page drew itself again as the field before lost the focus. Nothing was typed.
        """
        if await pick(self._action, node, text, submit=submit):
            return True
        aim = await aim_at(self._action, node)
        assert aim.facts is not None  # an element was aimed at
        require_editable(aim.facts, node.shown_as)
        await focus_to_type(self._action, aim)
        return False

    async def _unless_replaced(self, target: Target, act: Callable[[TargetNode], Awaitable[Result]]) -> Result:
        """Does something with an element. Where the page replaces the element before anything is done with it, it is
        done with what is there then."""
        try:
            return await act(await self.locate(target))
        except StaleRefError:
            return await act(await self.locate(target))

    async def _aim(self, target: Target) -> Aim:
        node = await self.locate(target)
        return await aim_at(self._action, node)

    async def hover(self, target: Target) -> None:
        """Moves the pointer to an element and leaves it there."""
        node = await self.locate(target, pointed=True)
        await self._action.input.hover(await aim_at(self._action, node), self._action.deadline)

    async def drag(self, target: Target, to: Target, at: tuple[float, float] | None) -> None:
        """Drags one element to another.

        Args:
            at: where in the other one it is dropped, as parts of its width and height; None for where a click goes.
        """
        end = await self.locate(to, pointed=True)
        await self._action.targets.reveal(end, self._action.deadline)
        start = await self.locate(target, pointed=True)
        action = self._action
        aim = await aim_at(action, start)

        async def find_end() -> Point:
            return await action.targets.place_of(end, action.deadline, at=at)

        await action.input.drag(aim, find_end, action.deadline)
        await self._follow()

    async def write(self, target: Target, text: str, *, clear: bool) -> None:
        """Types into an editor that takes the keys in a field which nobody sees."""
        check_text(text)
        node = await self.locate(target, hidden=True)
        action = self._action
        await action.input.focus_node(node, action.deadline)
        await action.input.typing.type(TextInput(text, clear=clear), action.deadline)

    async def select(self, target: Target, labels: Sequence[str]) -> None:
        wanted = list(dict.fromkeys(labels))
        await self._unless_replaced(target, lambda node: select_options(self._action, node, wanted))
        await self._follow()

    async def check(self, target: Target, wanted: bool) -> bool:
        """Makes a checkbox, radio button, switch or toggle button checked, or not. Returns whether it was clicked: only
        where its state differed."""
        node = await self.locate(target)
        action = self._action
        try:
            is_so = await checked_state(action, node) is wanted
        except NotCheckableError as exc:
            raise DriftError(
                f"{describe_target(target)} cannot be checked any more",
                before="something to check",
                after="something else",
            ) from exc
        if not is_so:
            is_only = await watch_box(action, node)
            aimed = await self._click(await aim_at(action, node), 1, lambda: self._aim(target))
            await require_checked(action, aimed, wanted, is_only=is_only)
            await self._follow()
        return not is_so

    async def press(self, key: str, target: Target | None) -> None:
        if target is not None:
            await self._unless_replaced(target, self._focus)
        await self._action.input.press(key, self._action.deadline)
        await self._follow()

    async def _focus(self, node: TargetNode) -> None:
        await self._action.input.focus_node(node, self._action.deadline)

    async def upload(self, target: Target, names: Sequence[str]) -> None:
        paths = await asyncio.to_thread(check_names, names, (), (), self._upload_dir)
        node = await self.locate(target, hidden=True)
        await upload(self._action, node, paths, ())

    async def wait_for(self, target: Target) -> None:
        """Waits until at least one such element is shown."""
        share = self._action.deadline.share(APPEAR_SECONDS)
        while True:
            capture = await self.capture()
            if capture is not None and await self._matches(capture, target, hidden=False):
                return
            if share.spent():
                raise DriftError(
                    f"{describe_target(target)} was not shown within {APPEAR_SECONDS:g} s",
                    before=describe_target(target),
                    after=describe_alike(capture.elements if capture else (), target),
                )
            await asyncio.sleep(POLL_SECONDS)

    async def find(self, target: Target) -> bool:
        """Whether such an element is shown now."""
        capture = await self.capture()
        return capture is not None and bool(await self._choose(capture, target, hidden=False))

    async def news(self) -> tuple[str, ...]:
        """Words that the page shows since the last step; those of alerts first."""
        capture = await self.capture()
        if capture is None:
            return ()
        new = [each for each in capture.elements if each.visible and (each.role, each.name) not in self.seen]
        ordered = sorted((each for each in new if each.name), key=lambda each: each.role not in ("alert", "status"))
        shown = tuple(dict.fromkeys(each.name for each in ordered if each.role in _SPEAKING_ROLES))
        return shown or await self.texts(_INVALID)

    async def look(self) -> None:
        """Remembers what is shown now."""
        capture = await self.capture()
        if capture is not None:
            self.seen = words_of(capture)

    async def _follow(self) -> None:
        """Waits for the document that a step leads to."""
        await follow(self._action)
        self._action = self._action.begin_next()

    async def _check_arrival(self, url: str) -> None:
        link, deadline = self._action.tab.link, self._action.deadline
        here = link.url
        if origin_of(here) != self._origin or urlsplit(here).path != urlsplit(url).path:
            if looks_like_login(here) or origin_of(here) != self._origin:
                led = page_words(shown_url(here), MAX_ADDRESS)
                raise NotLoggedInError(
                    f"{urlsplit(url).path} leads to {led}: log in there in this session, then run it again"
                )
            return
        status = await nav.http_status(link, deadline)
        if status in (401, 403):
            raise NotLoggedInError(f"{urlsplit(url).path} answers {status}: log in in this session, then run it again")
