"""ActionService: everything that is done to a page, and what is run in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from perception.browser.hands import check_text, require_editable
from perception.browser.targets import Aim, Node
from perception.errors import (
    BadInputError,
    DialogOpenError,
    EvaluateDisabledError,
)
from perception.geometry import Point
from perception.named_secrets import NamedSecret, mask_of
from perception.server.calls import principal
from perception.server.convert import known, scroll_message, settle_message
from perception.server.deed import Deed
from perception.server.fields import is_checked, pick, require_checked
from perception.server.lists import choose
from perception.server.once import remembered
from perception.server.scripts import check_script, evaluate
from perception.server.services.base import Rooms
from perception.server.uploads import check_names, upload
from perception.server.vault import require_origin
from perception.server.waiting import check_wait, wait_for
from perception.v1 import action_service_pb2 as pb
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
            wanted = request.checked if request.HasField("checked") else None
            if wanted is not None and await is_checked(deed, request.target) is wanted:
                deed.notes.append("it had that state already: it was not clicked")
                return pb.ClickResponse(result=await deed.result())
            aim = await deed.aim(request.target)
            with deed.stages.stage("act"):
                await deed.hands.click(
                    aim,
                    button=button,
                    count=request.click_count or 1,
                    modifiers=modifiers,
                    budget=deed.budget,
                )
            if wanted is not None and aim.node is not None:
                await require_checked(deed, aim.node, wanted)
            return pb.ClickResponse(result=await deed.result())

        return await self._once(request, context, pb.ClickResponse, act)

    async def Hover(self, request: pb.HoverRequest, context: Any) -> pb.HoverResponse:  # noqa: N802
        async def act(deed: Deed) -> pb.HoverResponse:
            aim = await deed.aim(request.target)
            with deed.stages.stage("act"):
                await deed.hands.hover(aim, deed.budget)
            return pb.HoverResponse(result=await deed.result())

        return await self._once(request, context, pb.HoverResponse, act)

    async def Drag(self, request: pb.DragRequest, context: Any) -> pb.DragResponse:  # noqa: N802
        start_target = getattr(request, "from")

        async def act(deed: Deed) -> pb.DragResponse:
            end = await deed.find(request.to)
            await deed.aim_at(end)  # before the button is down: it has to be there, and come into view
            aim = await deed.aim(start_target)
            with deed.stages.stage("act"):

                async def find_end() -> Point:
                    return await deed.targets.place_of(end, deed.budget)

                deed.point = await deed.hands.drag(aim, find_end, deed.budget)
            return pb.DragResponse(result=await deed.result())

        return await self._once(request, context, pb.DragResponse, act)

    async def TypeText(self, request: pb.TypeTextRequest, context: Any) -> pb.TypeTextResponse:  # noqa: N802
        secret = self._secret(request)
        text = request.text if secret is None else secret.value
        told = "" if secret is None else mask_of(secret.name)
        check_text(text)

        async def act(deed: Deed) -> pb.TypeTextResponse:
            async def permit(frame: str) -> None:
                if secret is not None:
                    await require_origin(secret, deed.tab.link, frame, deed.budget)
                    deed.session.typed_secret = True

            with deed.stages.stage("act"):
                if request.HasField("target"):
                    found = await deed.find(request.target)
                    if isinstance(found, Node):
                        await permit(found.frame)
                    if (
                        isinstance(found, Node)
                        and not request.keystrokes
                        and await pick(deed, found, text, submit=request.submit, told=told)
                    ):
                        return pb.TypeTextResponse(result=await deed.result())
                    aim = await deed.aim_at(found)
                    if aim.node is not None and aim.facts is not None:
                        require_editable(aim.facts, aim.node.shown_as)
                    await deed.hands.focus(aim, deed.budget)
                await deed.hands.type_text(
                    text,
                    clear=request.clear,
                    submit=request.submit,
                    keystrokes=request.keystrokes,
                    budget=deed.budget,
                    permit=permit,
                )
            return pb.TypeTextResponse(result=await deed.result())

        return await self._once(request, context, pb.TypeTextResponse, act)

    async def PressKey(self, request: pb.PressKeyRequest, context: Any) -> pb.PressKeyResponse:  # noqa: N802
        if not request.key:
            raise BadInputError("no key: give one, such as Enter or Control+A", field="key")

        async def act(deed: Deed) -> pb.PressKeyResponse:
            with deed.stages.stage("act"):
                if request.HasField("target"):
                    found = await deed.find(request.target)
                    if isinstance(found, Node):  # a click might do what the key is meant to
                        await deed.hands.focus_node(found, deed.budget)
                    else:
                        await deed.hands.focus(await deed.aim_at(found), deed.budget)
                await deed.hands.press(request.key, deed.budget)
            return pb.PressKeyResponse(result=await deed.result())

        return await self._once(request, context, pb.PressKeyResponse, act)

    async def SelectOption(self, request: pb.SelectOptionRequest, context: Any) -> pb.SelectOptionResponse:  # noqa: N802
        if not request.options:
            raise BadInputError("no option: give one by label or value", field="options")

        async def act(deed: Deed) -> pb.SelectOptionResponse:
            node = await deed.find_node(request.target, "selecting")
            with deed.stages.stage("act"):
                await choose(deed, node, list(dict.fromkeys(request.options)))
            return pb.SelectOptionResponse(result=await deed.result())

        return await self._once(request, context, pb.SelectOptionResponse, act)

    async def UploadFiles(self, request: pb.UploadFilesRequest, context: Any) -> pb.UploadFilesResponse:  # noqa: N802
        paths = check_names(request.paths, request.files, self._rooms.settings.upload_dir)

        async def act(deed: Deed) -> pb.UploadFilesResponse:
            node = await deed.find_node(request.target, "uploading")
            with deed.stages.stage("act"):
                await upload(deed, node, paths, request.files)
            return pb.UploadFilesResponse(result=await deed.result())

        return await self._once(request, context, pb.UploadFilesResponse, act)

    async def WaitFor(self, request: pb.WaitForRequest, context: Any) -> pb.WaitForResponse:  # noqa: N802
        check_wait(request)

        async def act(deed: Deed) -> pb.WaitForResponse:
            if not request.action_options.HasField("settle_timeout"):
                deed.settle_s = 0.0  # it has been waited for
            with deed.stages.stage("wait"):
                settled = await wait_for(deed, request)
            response = pb.WaitForResponse(result=await deed.result())
            if settled is not None:
                response.settle.CopyFrom(settle_message(settled))
            return response

        return await self._once(request, context, pb.WaitForResponse, act)

    async def Evaluate(self, request: pb.EvaluateRequest, context: Any) -> pb.EvaluateResponse:  # noqa: N802
        session = self._rooms.sessions.get(request.session_id)
        if not session.options.allow_evaluate:
            raise EvaluateDisabledError(
                "this session runs no scripts: create one with options.allow_evaluate to have them run in its pages"
            )
        check_script(request)
        budget = self._rooms.budget(context)

        async def run() -> pb.EvaluateResponse:
            return await evaluate(session, tab, request, budget)

        async with session.use_tab(request.tab_id, budget) as tab:
            return await remembered(session, "Evaluate", request.request_id, budget, run)

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

        return await self._once(request, context, pb.ScrollResponse, act)

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

    def _secret(self, request: pb.TypeTextRequest) -> NamedSecret | None:
        """The one that a request names; None for none. Raises UnknownSecretError, BadInputError."""
        if not request.secret:
            return None
        if request.text:
            raise BadInputError("both text and secret were given: give one of them", field="secret")
        return self._rooms.vault.take(request.secret, principal())

    async def _once(
        self,
        request: Any,
        context: Any,
        response: Callable[..., Response],
        act: Callable[[Deed], Awaitable[Response]],
    ) -> Response:
        """Does it with the tab to itself; a request_id that was seen before gets what it got then. A dialog that opens
        on account of it ends it early, and is a part of its result."""
        budget = self._rooms.budget(context)
        session = self._rooms.sessions.get(request.session_id)
        deed: Deed | None = None

        async def do() -> Response:
            nonlocal deed
            deed = Deed(session, tab, self._rooms.pool, request.action_options, budget)
            try:
                async with tab.link.dialogs.interrupting():
                    return await act(deed)
            except DialogOpenError:
                if not budget.dispatched:
                    raise
                return response(result=await deed.interrupted())

        async with session.use_tab(request.tab_id, budget) as tab:
            method = type(request).DESCRIPTOR.name
            return await remembered(session, method, getattr(request, "request_id", ""), budget, do)
