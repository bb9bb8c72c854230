"""ActionService: everything that is done to a page, and what is run in it.

Every action goes the same way: request checked → target resolved → waited until actionable → dispatched → effects
collected (`perception.server.actions`) → answered.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from perception.errors import DialogOpenError
from perception.server.actions.action_context import DIFF_SETTLE_SECONDS, ActionContext, saying_input
from perception.server.actions.effects import ActionEffects, collect_effects, collect_interrupted
from perception.server.actions.idempotency import run_once
from perception.server.actions.scripts import ScriptOutcome
from perception.server.contract import rules_of_request
from perception.server.convert.actions import (
    action_result,
    answer_options,
    evaluate_response,
    scroll_response,
    wait_response,
)
from perception.server.convert.request_keys import request_key
from perception.server.services.action_plans import ActionPlans
from perception.server.services.batches import Batches
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
        self._plans = ActionPlans(service)
        self._batches = Batches(service, self._plans)

    async def Click(self, request: pb.ClickRequest, context: Any) -> pb.ClickResponse:  # noqa: N802
        return pb.ClickResponse(result=await self._perform_simple(request, context, self._plans.click(request)))

    async def Tap(self, request: pb.TapRequest, context: Any) -> pb.TapResponse:  # noqa: N802
        return pb.TapResponse(result=await self._perform_simple(request, context, self._plans.tap(request)))

    async def Hover(self, request: pb.HoverRequest, context: Any) -> pb.HoverResponse:  # noqa: N802
        return pb.HoverResponse(result=await self._perform_simple(request, context, self._plans.hover(request)))

    async def Drag(self, request: pb.DragRequest, context: Any) -> pb.DragResponse:  # noqa: N802
        return pb.DragResponse(result=await self._perform_simple(request, context, self._plans.drag(request)))

    async def TypeText(self, request: pb.TypeTextRequest, context: Any) -> pb.TypeTextResponse:  # noqa: N802
        act = self._plans.type_text(request)
        return pb.TypeTextResponse(result=await self._perform_simple(request, context, act))

    async def PressKey(self, request: pb.PressKeyRequest, context: Any) -> pb.PressKeyResponse:  # noqa: N802
        act = self._plans.press_key(request)
        return pb.PressKeyResponse(result=await self._perform_simple(request, context, act))

    async def SelectOption(self, request: pb.SelectOptionRequest, context: Any) -> pb.SelectOptionResponse:  # noqa: N802
        act = self._plans.select_option(request)
        return pb.SelectOptionResponse(result=await self._perform_simple(request, context, act))

    async def UploadFiles(self, request: pb.UploadFilesRequest, context: Any) -> pb.UploadFilesResponse:  # noqa: N802
        act = await self._plans.upload_files(request)
        session, done = await self._perform(request, context, act)
        return pb.UploadFilesResponse(result=action_result(done.effects, session.fence))

    async def WaitFor(self, request: pb.WaitForRequest, context: Any) -> pb.WaitForResponse:  # noqa: N802
        act = self._plans.wait_for(request)
        session, done = await self._perform(request, context, act)
        return wait_response(action_result(done.effects, session.fence), done.answer, session.browser.request_log)

    async def Evaluate(self, request: pb.EvaluateRequest, context: Any) -> pb.EvaluateResponse:  # noqa: N802
        session = self._service.sessions.get(request.session_id)
        act = self._plans.evaluate(request, session)
        deadline = self._service.deadline(context)

        async def run() -> ScriptOutcome:
            session.begin_action(tab.tab_id)
            outcome: ScriptOutcome = await act(ActionContext.begin(session, tab, self._service.pool, deadline))
            return outcome

        async with session.use_tab(request.tab_id, deadline, TabUse.ACT) as tab:
            outcome = await run_once(session.results, request_key(request), deadline, run)
        return evaluate_response(outcome)

    async def Scroll(self, request: pb.ScrollRequest, context: Any) -> pb.ScrollResponse:  # noqa: N802
        session, done = await self._perform(request, context, self._plans.scroll(request))
        return scroll_response(action_result(done.effects, session.fence), done.answer)

    async def Batch(self, request: pb.BatchRequest, context: Any) -> pb.BatchResponse:  # noqa: N802
        return await self._batches.run(request, self._service.deadline(context))

    async def _perform_simple(
        self, request: Any, context: Any, act: Callable[[ActionContext], Awaitable[None]]
    ) -> pb.ActionResult:
        """Performs an action that returns nothing but its effects."""
        session, done = await self._perform(request, context, act)
        return action_result(done.effects, session.fence)

    async def _perform(
        self, request: Any, context: Any, act: Callable[[ActionContext], Awaitable[Answer]]
    ) -> tuple[Session, _Performed[Answer]]:
        """Performs an action while holding the tab. A repeated request_id returns what the first request did.

        A dialog that the action opens ends it early, and is part of its effects.
        """
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        options, rules = request.action_options, rules_of_request(request)

        async def perform() -> _Performed[Answer]:
            if not isinstance(request, pb.WaitForRequest):
                session.begin_action(tab.tab_id)
            said = answer_options(options, 0.0 if rules.quiet else DIFF_SETTLE_SECONDS)
            action = ActionContext.begin(session, tab, self._service.pool, deadline, said)
            if not rules.beside_file_chooser:
                tab.link.file_choosers.check(tab.tab_id)
            with tab.hearing_console() as action.console_notes, saying_input(deadline):
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
