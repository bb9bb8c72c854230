"""Finds the one element that a selector or a CDP backend node id means, in all frames of a tab."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

from perception.browser.capture.listeners import adopt_closed_roots
from perception.browser.cdp.cdp_link import CdpCallError
from perception.browser.page.node_ids import backend_ids
from perception.browser.page.page_link import PageLink
from perception.browser.page.selector_syntax import split_hops
from perception.browser.page.target_types import TargetNode
from perception.deadline import Deadline
from perception.errors import (
    AmbiguousTargetError,
    BadSelectorError,
    DeadlineError,
    NoMatchError,
    PageCrashedError,
    SessionLostError,
)

Answer = TypeVar("Answer")

FIND_FRAME_SECONDS = 2.0
"""How long one frame is asked for an element; a hung one never answers. Chosen by hand."""

_NUMBER_IF_CONNECTED = (
    "function(node) { return node instanceof Element && node.isConnected && node.ownerDocument === document "
    "? Number(perceptionWalker.numberOf(node)) : 0; }"
)


class ElementFinder:
    """Finds elements on one tab."""

    def __init__(self, page: PageLink) -> None:
        self._page = page

    async def find_selector(self, selector: str, deadline: Deadline, *, frames: Collection[str] = ()) -> TargetNode:
        """The one element that a selector matches: in the document's own tree; if none, in its open shadow roots; if
        none, in frames. Each ` >>> ` is a step into the shadow root or frame of the element before it.

        Args:
            frames: ids of the frames to look in; empty for the order above.

        Raises:
            BadSelectorError: it is not valid CSS.
            NoMatchError: it matches nothing.
            AmbiguousTargetError: it matches several elements.
        """
        first, *rest = split_hops(selector)
        sought = _Sought(selector, first)
        if frames:
            found = [node for frame in frames for node in await self._matches(frame, None, sought, deadline)]
        else:
            found = await self._matches(self._page.main_frame, None, sought, deadline)
        if not found and not frames:
            replies = await self._of_frames(lambda frame, share: self._matches(frame, None, sought, share), deadline)
            found = [each for _, reply in replies for each in reply]
        node = sought.one_of(found)
        for css in rest:
            sought = _Sought(selector, css, sought)
            node = sought.one_of(await self._inside(node, sought, deadline))
        return node

    async def _inside(self, node: TargetNode, sought: _Sought, deadline: Deadline) -> list[TargetNode]:
        """What a selector matches in an element's frame or shadow root."""
        ids = await backend_ids(self._page, node.frame, [node.number], deadline)
        (inner,) = await self._page.worlds.frame_ids([ids[node.number]], node.frame, deadline) if ids else ("",)
        if inner in self._page.frames:
            return await self._matches(inner, None, sought, deadline)
        return await self._matches(node.frame, node.number, sought, deadline)

    async def _matches(self, frame: str, host: int | None, sought: _Sought, deadline: Deadline) -> list[TargetNode]:
        """What a selector matches in a frame's document, or in the shadow root of an element of it."""
        for attempt in (1, 2):
            reply = await self._page.ask(
                frame, "findBySelector", deadline, "looking for the selector", sought.css, host
            )
            if reply.get("error"):
                raise BadSelectorError(f"{sought} is not a valid CSS selector", field="target.selector")
            if host is None or not reply.get("rootless"):
                break
            if attempt == 2 or not await adopt_closed_roots(self._page, frame, deadline, host):
                raise NoMatchError(
                    f"{sought.before} is an element with neither a shadow root nor a frame: the step before >>> needs "
                    "one"
                )
        return [TargetNode(frame, number, f"selector {sought.whole!r}") for number in reply["numbers"]]

    async def find_backend_node(self, backend_id: int, deadline: Deadline) -> TargetNode:
        """The element with a CDP backend node id, in any frame.

        Raises:
            NoMatchError: there is none.
            AmbiguousTargetError: several frames have one, as each process counts its own nodes.
        """
        nodes = await self._of_frames(lambda frame, share: self._backend_node(frame, backend_id, share), deadline)
        found = [node for _, node in nodes if node]
        if not found:
            raise NoMatchError(f"no element with backend node id {backend_id} is on the page: take a new snapshot")
        if len(found) > 1:
            raise AmbiguousTargetError(
                f"{len(found)} frames have a node with backend id {backend_id}: use the element's ref",
                count=str(len(found)),
            )
        return found[0]

    async def _of_frames(
        self, ask: Callable[[str, Deadline], Awaitable[Answer]], deadline: Deadline
    ) -> list[tuple[str, Answer]]:
        """Asks every frame at once. The top document must answer; frames that are gone or hung are skipped."""

        async def one(frame: str) -> Answer | None:
            if frame == self._page.main_frame:
                return await ask(frame, deadline)
            with contextlib.suppress(CdpCallError, DeadlineError, PageCrashedError, SessionLostError):
                return await ask(frame, deadline.share(FIND_FRAME_SECONDS))
            return None

        frames = self._page.frames
        answers = await asyncio.gather(*map(one, frames))
        return [(frame, answer) for frame, answer in zip(frames, answers, strict=True) if answer is not None]

    async def _backend_node(self, frame: str, backend_id: int, deadline: Deadline) -> TargetNode | None:
        """The element, if it is one of this frame's document."""
        phase = "looking for the node"
        try:
            world = await self._page.world(frame, deadline)
            resolved = await world.session.call(
                "DOM.resolveNode", deadline, phase, backendNodeId=backend_id, executionContextId=world.context_id
            )
            handle = resolved["object"].get("objectId")
            if handle is None:
                return None  # a node that scripts cannot hold
            reply = await world.session.call(
                "Runtime.callFunctionOn",
                deadline,
                phase,
                functionDeclaration=_NUMBER_IF_CONNECTED,
                executionContextId=world.context_id,
                arguments=[{"objectId": handle}],
                returnByValue=True,
            )
        except CdpCallError:
            return None  # not a node of this frame
        number = int(reply["result"].get("value") or 0)
        return TargetNode(frame, number, f"node {backend_id}") if number else None


@dataclass(frozen=True, slots=True)
class _Sought:
    """The CSS that is looked for in one tree.

    Attributes:
        whole: the selector with all its steps.
        css: the CSS of this step.
        before: the step before; None for the first one.
    """

    whole: str
    css: str
    before: _Sought | None = None

    def one_of(self, found: list[TargetNode]) -> TargetNode:
        if not found:
            raise NoMatchError(f"{self} matches nothing on the page: take a snapshot to see what is there")
        if len(found) > 1:
            raise AmbiguousTargetError(
                f"{self} matches {len(found)} elements: make it match one, or use a ref", count=str(len(found))
            )
        return found[0]

    def __str__(self) -> str:
        return f"selector {self.whole!r}" if self.css == self.whole else f"{self.css!r} in selector {self.whole!r}"
