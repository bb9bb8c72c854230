"""ActionService: everything that is done to a page, and what is run in it.

Every action goes the same way: request checked → target resolved → waited until actionable → dispatched → effects
collected (`perception.server.actions`) → answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from perception.browser.input.text_entry import check_text
from perception.browser.page.navigation import Settled
from perception.engine.request import Target
from perception.errors import BadInputError, DialogOpenError, EvaluateDisabledError
from perception.secrets import NamedSecret, mask_of
from perception.server.actions.action_context import DIFF_SETTLE_SECONDS, ActionContext
from perception.server.actions.effects import ActionEffects, collect_effects, collect_interrupted
from perception.server.actions.idempotency import run_once
from perception.server.actions.keyboard import TypeOptions, press_key, type_text
from perception.server.actions.pointer import Scrolled, click, drag, hover, scroll_by, scroll_into_view, tap
from perception.server.actions.resolve import resolve_node
from perception.server.actions.scripts import ScriptOutcome, run_script
from perception.server.actions.select_option import select_options
from perception.server.actions.upload import check_names, upload
from perception.server.actions.waiting import wait_for
from perception.server.auth.secret_origins import require_origin
from perception.server.convert.actions import (
    action_result,
    check_condition,
    check_scroll,
    click_options,
    decode_condition,
    diff_settle_s,
    diff_tokens,
    evaluate_response,
    file_contents,
    script_of,
    scroll_response,
    tap_hold_s,
    text_position,
    wait_response,
)
from perception.server.convert.request_keys import request_key
from perception.server.convert.targets import decode_target
from perception.server.rpc_call import principal
from perception.server.services.service_context import ServiceContext
from perception.server.sessions.session import Session, TabUse
from perception.v1 import action_service_pb2 as pb
from perception.v1.action_service_pb2_grpc import ActionServiceServicer

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class _Performed(Generic[Answer]):
    """An action that was performed.

    Attributes:
        effects: what it did.
        answer: what else the action returned; None where a dialog interrupted it.
    """

    effects: ActionEffects
    answer: Answer | None


class ActionRpcs(ActionServiceServicer):
    """See action_service.proto."""

    def __init__(self, service: ServiceContext) -> None:
        self._service = service

    async def Click(self, request: pb.ClickRequest, context: Any) -> pb.ClickResponse:  # noqa: N802
        options = click_options(request)

        async def act(action: ActionContext) -> None:
            await click(action, decode_target(request.target, action.session.snapshots), options)

        return pb.ClickResponse(result=await self._perform_simple(request, context, act))

    async def Tap(self, request: pb.TapRequest, context: Any) -> pb.TapResponse:  # noqa: N802
        hold_s = tap_hold_s(request)

        async def act(action: ActionContext) -> None:
            await tap(action, decode_target(request.target, action.session.snapshots), hold_s)

        return pb.TapResponse(result=await self._perform_simple(request, context, act))

    async def Hover(self, request: pb.HoverRequest, context: Any) -> pb.HoverResponse:  # noqa: N802
        async def act(action: ActionContext) -> None:
            await hover(action, decode_target(request.target, action.session.snapshots))

        return pb.HoverResponse(result=await self._perform_simple(request, context, act))

    async def Drag(self, request: pb.DragRequest, context: Any) -> pb.DragResponse:  # noqa: N802
        async def act(action: ActionContext) -> None:
            end = decode_target(request.to, action.session.snapshots)
            start = decode_target(getattr(request, "from"), action.session.snapshots)
            await drag(action, start, end)

        return pb.DragResponse(result=await self._perform_simple(request, context, act))

    async def TypeText(self, request: pb.TypeTextRequest, context: Any) -> pb.TypeTextResponse:  # noqa: N802
        secret = self._secret(request)
        text = request.text if secret is None else secret.value
        check_text(text)
        options = TypeOptions(
            clear=request.clear,
            submit=request.submit,
            keystrokes=request.keystrokes,
            position=text_position(request),
            shown_as="" if secret is None else mask_of(secret.name),
        )

        async def act(action: ActionContext) -> None:
            async def permit(frame: str) -> None:
                if secret is not None:
                    await require_origin(secret, action.tab.link, frame, action.deadline)
                    action.session.typed_secret = True

            await type_text(action, _optional_target(request, action.session), text, options, permit)

        return pb.TypeTextResponse(result=await self._perform_simple(request, context, act))

    async def PressKey(self, request: pb.PressKeyRequest, context: Any) -> pb.PressKeyResponse:  # noqa: N802
        if not request.key:
            raise BadInputError("no key: give one, such as Enter or Control+A", field="key")

        async def act(action: ActionContext) -> None:
            await press_key(action, _optional_target(request, action.session), request.key)

        return pb.PressKeyResponse(result=await self._perform_simple(request, context, act))

    async def SelectOption(self, request: pb.SelectOptionRequest, context: Any) -> pb.SelectOptionResponse:  # noqa: N802
        if not request.options:
            raise BadInputError("no option: give one by label or value", field="options")

        async def act(action: ActionContext) -> None:
            target = decode_target(request.target, action.session.snapshots)
            node = await resolve_node(action, target, "selecting")
            with action.stages.stage("act"):
                await select_options(action, node, list(dict.fromkeys(request.options)))

        return pb.SelectOptionResponse(result=await self._perform_simple(request, context, act))

    async def UploadFiles(self, request: pb.UploadFilesRequest, context: Any) -> pb.UploadFilesResponse:  # noqa: N802
        files = file_contents(request.files)
        folder = self._service.settings.upload_dir
        paths = await asyncio.to_thread(check_names, request.paths, files, request.upload_ids, folder)

        async def act(action: ActionContext) -> None:
            target = _optional_target(request, action.session)
            node = await resolve_node(action, target, "uploading") if target is not None else None
            streamed = [action.session.uploads.find(each) for each in request.upload_ids]
            with action.stages.stage("act"):
                await upload(action, node, paths, files, streamed)

        session, done = await self._perform(request, context, act, beside_chooser=True)
        return pb.UploadFilesResponse(result=action_result(done.effects, session.fence))

    async def WaitFor(self, request: pb.WaitForRequest, context: Any) -> pb.WaitForResponse:  # noqa: N802
        check_condition(request)

        async def act(action: ActionContext) -> Settled | None:
            condition = decode_condition(request, action.session.snapshots)
            with action.stages.stage("wait"):
                return await wait_for(action, condition)

        # The diff does not wait for the page to settle, too, unless that was asked for.
        session, done = await self._perform(request, context, act, settle_s=0.0, beside_chooser=True)
        return wait_response(action_result(done.effects, session.fence), done.answer)

    async def Evaluate(self, request: pb.EvaluateRequest, context: Any) -> pb.EvaluateResponse:  # noqa: N802
        session = self._service.sessions.get(request.session_id)
        if not session.options.allow_evaluate:
            raise EvaluateDisabledError(
                "this session runs no scripts: create one with options.allow_evaluate to have them run in its pages"
            )
        script = script_of(request)
        deadline = self._service.deadline(context)

        async def run() -> ScriptOutcome:
            return await run_script(session, tab, script, _optional_target(request, session), deadline)

        async with session.use_tab(request.tab_id, deadline, TabUse.ACT) as tab:
            outcome = await run_once(session.results, request_key(request), deadline, run)
        return evaluate_response(outcome)

    async def Scroll(self, request: pb.ScrollRequest, context: Any) -> pb.ScrollResponse:  # noqa: N802
        check_scroll(request)

        async def act(action: ActionContext) -> Scrolled:
            if request.delta_x or request.delta_y:
                target = _optional_target(request, action.session)
                return await scroll_by(action, target, request.delta_x, request.delta_y)
            return await scroll_into_view(action, decode_target(request.target, action.session.snapshots))

        session, done = await self._perform(request, context, act)
        return scroll_response(action_result(done.effects, session.fence), done.answer)

    def _secret(self, request: pb.TypeTextRequest) -> NamedSecret | None:
        """The secret that a request names; None for none. Raises UnknownSecretError, BadInputError."""
        if not request.secret:
            return None
        if request.text:
            raise BadInputError("both text and secret were given: give one of them", field="secret")
        return self._service.secret_store.take(request.secret, principal())

    async def _perform_simple(
        self, request: Any, context: Any, act: Callable[[ActionContext], Awaitable[None]]
    ) -> pb.ActionResult:
        """Performs an action that returns nothing but its effects."""
        session, done = await self._perform(request, context, act)
        return action_result(done.effects, session.fence)

    async def _perform(
        self,
        request: Any,
        context: Any,
        act: Callable[[ActionContext], Awaitable[Answer]],
        *,
        settle_s: float = DIFF_SETTLE_SECONDS,
        beside_chooser: bool = False,
    ) -> tuple[Session, _Performed[Answer]]:
        """Performs an action while holding the tab. A repeated request_id returns what the first request did.

        A dialog that the action opens ends it early, and is part of its effects.

        Args:
            settle_s: how long the diff waits for the page to come to rest, unless the request says otherwise.
            beside_chooser: it goes on while a file chooser is open. Input to the page does not.
        """
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        options = request.action_options

        async def perform() -> _Performed[Answer]:
            action = ActionContext.begin(
                session,
                tab,
                self._service.pool,
                deadline,
                with_diff=not options.skip_diff,
                settle_s=diff_settle_s(options, settle_s),
                diff_tokens=diff_tokens(options),
                always_settles=options.HasField("settle_timeout"),
            )
            if not beside_chooser:
                tab.link.file_choosers.check(tab.tab_id)
            with tab.hearing_console() as action.console_notes:
                try:
                    async with tab.link.dialogs.interrupting():
                        answer = await act(action)
                        return _Performed(await collect_effects(action), answer)
                except DialogOpenError:
                    if not deadline.dispatched:
                        raise
                    return _Performed(await collect_interrupted(action), None)

        async with session.use_tab(request.tab_id, deadline, TabUse.ACT) as tab:
            done = await run_once(session.results, request_key(request), deadline, perform)
        return session, done


def _optional_target(request: Any, session: Session) -> Target | None:
    """The target of a request that may have none. Raises as `decode_target`."""
    return decode_target(request.target, session.snapshots) if request.HasField("target") else None
