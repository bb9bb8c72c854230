"""ActionService: clicking, typing, keys, scrolling."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from perception.browser import navigate as nav
from perception.browser.hands import Hands, check_text, require_editable
from perception.browser.session import Tab
from perception.browser.targets import Aim, Node, Targets
from perception.budget import Budget
from perception.errors import (
    BadInputError,
    CalledOffError,
    DeadlineError,
    PerceptionError,
    SessionLostError,
)
from perception.geometry import Point
from perception.pipeline import Stages
from perception.refs import VisionRef
from perception.server.convert import known, scroll_message, timing_messages
from perception.server.services.base import Rooms, tab_message
from perception.server.sessions import Session
from perception.server.targeting import find_target
from perception.v1 import action_service_pb2 as pb
from perception.v1 import types_pb2
from perception.v1.action_service_pb2_grpc import ActionServiceServicer

Response = TypeVar("Response")

BUTTONS = {
    pb.MOUSE_BUTTON_UNSPECIFIED: "left",
    pb.MOUSE_BUTTON_LEFT: "left",
    pb.MOUSE_BUTTON_RIGHT: "right",
    pb.MOUSE_BUTTON_MIDDLE: "middle",
}
MODIFIERS = {
    pb.MODIFIER_ALT: "Alt",
    pb.MODIFIER_CONTROL: "Control",
    pb.MODIFIER_META: "Meta",
    pb.MODIFIER_SHIFT: "Shift",
}
MAX_CLICKS = 3
"""A triple click is the most that means anything to a browser."""

MAX_WHEEL = 100_000
"""CSS px in one call; a page is scrolled further by several."""


AFTERMATH_SECONDS = 1.0
"""How long an answer waits for a busy page, or for a window that was announced, to tell what an action did."""


class Deed:
    """One action on one tab: its target found, its result gathered."""

    def __init__(self, session: Session, tab: Tab, budget: Budget) -> None:
        self.session = session
        self.tab = tab
        self.hands = Hands(tab)
        self.targets = Targets(tab.link)
        self.budget = budget
        self.stages = Stages()
        self.point: Point | None = None
        tab.link.navigating = False  # what an earlier action began and called off is not this one's
        self._commits = tab.link.commits
        self._windows = tab.link.windows_opened
        self._tabs = {known.tab_id for known in session.browser.tabs}

    async def find(self, target: types_pb2.Target) -> Node | VisionRef | Point:
        """What a target names, without touching it."""
        return await find_target(self.session, self.tab, target, self.budget)

    async def aim(self, target: types_pb2.Target) -> Aim:
        """Where input for a target goes, made sure of."""
        found = await self.find(target)
        if isinstance(found, Node):
            aim = await self.targets.aim_at(found, self.budget)
        elif isinstance(found, VisionRef):
            scroll, _, _ = await self.targets.scroll_state(self.budget)
            aim = await self.targets.aim_at_vision(found, scroll, self.budget)
        else:
            aim = await self.targets.aim_at_point(found, self.budget)
        self.point = aim.point
        return aim

    async def result(self) -> pb.ActionResult:
        """What came of it: navigation followed, new tabs attached."""
        await self._hear_events()
        navigated = await nav.follow_navigation(self.tab.link, self._commits, self.budget)
        browser = self.session.browser
        windows = self.tab.link.windows_opened - self._windows
        await browser.wait_for_tabs(len(self._tabs) + windows if windows else 0, self.budget.share(AFTERMATH_SECONDS))
        opened = [tab for tab in browser.tabs if tab.tab_id not in self._tabs]
        is_open = any(tab is self.tab for tab in browser.tabs)
        where = await tab_message(self.tab, browser.selected, self.budget) if is_open else types_pb2.Tab()
        return pb.ActionResult(
            tab_id=self.tab.tab_id,
            url=where.url,
            navigated=navigated,
            point=types_pb2.Point(x=self.point.x, y=self.point.y) if self.point else None,
            new_tabs=[await tab_message(tab, browser.selected, self.budget) for tab in opened],
            timings=timing_messages(self.stages.timings_ms),
        )

    async def _hear_events(self) -> None:
        """One question to the page after the input: its answer comes after the events that the input caused. A page
        that has no time to answer has other news for the next call."""
        with contextlib.suppress(DeadlineError, SessionLostError):
            await self.tab.looker.place(self.budget.share(AFTERMATH_SECONDS))


class ActionRpcs(ActionServiceServicer):
    """See action_service.proto."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    async def Click(self, request: pb.ClickRequest, context: Any) -> pb.ClickResponse:  # noqa: N802
        if not 0 <= request.click_count <= MAX_CLICKS:
            raise BadInputError(f"click_count {request.click_count} is not in 1 to {MAX_CLICKS}", field="click_count")
        modifiers = [known(MODIFIERS, key, "modifiers") for key in request.modifiers]
        button = known(BUTTONS, request.button, "button")

        async def act(deed: Deed) -> pb.ClickResponse:
            aim = await deed.aim(request.target)
            with deed.stages.stage("act"):
                await deed.hands.click(
                    aim,
                    button=button,
                    count=request.click_count or 1,
                    modifiers=modifiers,
                    budget=deed.budget,
                )
            return pb.ClickResponse(result=await deed.result())

        return await self._once("Click", request, context, act)

    async def TypeText(self, request: pb.TypeTextRequest, context: Any) -> pb.TypeTextResponse:  # noqa: N802
        check_text(request.text)

        async def act(deed: Deed) -> pb.TypeTextResponse:
            with deed.stages.stage("act"):
                if request.HasField("target"):
                    aim = await deed.aim(request.target)
                    if aim.node is not None and aim.facts is not None:
                        require_editable(aim.facts, aim.node.shown_as)
                    await deed.hands.focus(aim, deed.budget)
                await deed.hands.type_text(
                    request.text,
                    clear=request.clear,
                    submit=request.submit,
                    keystrokes=request.keystrokes,
                    budget=deed.budget,
                )
            return pb.TypeTextResponse(result=await deed.result())

        return await self._once("TypeText", request, context, act)

    async def PressKey(self, request: pb.PressKeyRequest, context: Any) -> pb.PressKeyResponse:  # noqa: N802
        if not request.key:
            raise BadInputError("no key: give one, such as Enter or Control+A", field="key")

        async def act(deed: Deed) -> pb.PressKeyResponse:
            with deed.stages.stage("act"):
                if request.HasField("target"):
                    await deed.hands.focus(await deed.aim(request.target), deed.budget)
                await deed.hands.press(request.key, deed.budget)
            return pb.PressKeyResponse(result=await deed.result())

        return await self._once("PressKey", request, context, act)

    async def Scroll(self, request: pb.ScrollRequest, context: Any) -> pb.ScrollResponse:  # noqa: N802
        if not (abs(request.delta_x) <= MAX_WHEEL and abs(request.delta_y) <= MAX_WHEEL):
            raise BadInputError(f"a delta is over {MAX_WHEEL} CSS px: scroll in several steps", field="delta_y")
        has_delta = bool(request.delta_x or request.delta_y)
        if not has_delta and not request.HasField("target"):
            raise BadInputError("nothing to do: give a delta, or a target to bring into view", field="target")

        async def act(deed: Deed) -> pb.ScrollResponse:
            with deed.stages.stage("act"):
                before, width, height = await deed.targets.scroll_state(deed.budget)
                moved = await self._scroll(deed, request, has_delta, Point(width / 2, height / 2))
            scroll, _, _ = await deed.targets.scroll_state(deed.budget)
            return pb.ScrollResponse(
                result=await deed.result(), scroll=scroll_message(scroll), moved=moved or scroll != before
            )

        return await self._once("Scroll", request, context, act)

    async def _scroll(self, deed: Deed, request: pb.ScrollRequest, has_delta: bool, middle: Point) -> bool:
        if has_delta:
            aim = await deed.aim(request.target) if request.HasField("target") else Aim(middle)
            return await deed.hands.wheel(aim, request.delta_x, request.delta_y, deed.budget)
        found = await deed.find(request.target)
        if not isinstance(found, Node):
            raise BadInputError(
                "only an element can be brought into view: give a ref or selector, or a delta", field="target"
            )
        await deed.targets.reveal(found, deed.budget)
        return False

    async def _once(
        self, method: str, request: Any, context: Any, act: Callable[[Deed], Awaitable[Response]]
    ) -> Response:
        """Does it with the tab to itself; a request_id that was seen before gets what it got then."""
        budget = self._rooms.budget(context)
        session = self._rooms.sessions.get(request.session_id)
        key = (method, request.request_id)
        async with session.use_tab(request.tab_id, budget) as tab:
            known = session.results.get(key) if request.request_id else None
            if isinstance(known, PerceptionError):
                raise known
            if known is not None:
                return known  # type: ignore[no-any-return]  # what `act` returned then
            try:
                result = await act(Deed(session, tab, budget))
            except PerceptionError as error:
                if request.request_id and budget.dispatched:
                    session.remember(key, error)
                raise
            except asyncio.CancelledError:
                if request.request_id and budget.dispatched:
                    session.remember(key, CalledOffError(f"{method} was called off after its input had been sent"))
                raise
            if request.request_id:
                session.remember(key, result)
            return result
