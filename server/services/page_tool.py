"""PageToolService: tools that pages offer themselves."""

from __future__ import annotations

import math
from typing import Any

from perception.deadline import Deadline
from perception.errors import BadInputError, PageToolsNotAllowedError
from perception.page_words import page_words
from perception.server.actions.action_context import ActionContext
from perception.server.actions.effects import ActionEffects, collect_effects
from perception.server.actions.idempotency import run_once
from perception.server.actions.page_tools import MAX_NAME, ToolOutput, call_page_tool, list_page_tools, origin_of
from perception.server.convert.actions import action_result, answer_options
from perception.server.convert.message_fields import seconds_of
from perception.server.convert.page_tools import call_response, list_response, tool_arguments
from perception.server.convert.request_keys import request_key
from perception.server.services.service_context import OfService
from perception.server.sessions.session import Session, TabUse
from perception.v1 import page_tool_service_pb2 as pb
from perception.v1.page_tool_service_pb2_grpc import PageToolServiceServicer

LIST_SECONDS = 5.0
"""How long a page may take to list its tools; it is as good as none where that takes longer. Chosen by hand."""


class PageToolRpcs(OfService, PageToolServiceServicer):
    """See page_tool_service.proto."""

    async def ListPageTools(self, request: pb.ListPageToolsRequest, context: Any) -> pb.ListPageToolsResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        async with session.use_tab(request.tab_id, deadline, TabUse.ACT) as tab:
            listed = await list_page_tools(tab, session.host.evaluator, LIST_SECONDS, deadline)
        return list_response(listed, is_allowed=_is_allowed(session, listed.origin), fence=session.fence)

    async def CallPageTool(self, request: pb.CallPageToolRequest, context: Any) -> pb.CallPageToolResponse:  # noqa: N802
        deadline = self._service.deadline(context)
        session = self._service.sessions.get(request.session_id)
        arguments, timeout_s = tool_arguments(request), seconds_of(request, "timeout", math.inf)
        if timeout_s <= 0:
            raise BadInputError("timeout is not over 0: leave it out for all that is left", field="timeout")
        answer = answer_options(request.action_options)

        async def run() -> tuple[ToolOutput, ActionEffects]:
            action = ActionContext.begin(session, tab, self._service.pool, deadline, answer)
            origin = await origin_of(tab, deadline)
            _require_allowed(session, origin)
            with tab.hearing_console() as action.console_notes, action.stages.stage("act"):
                output = await call_page_tool(
                    tab, session.host.evaluator, request.name, arguments, origin, timeout_s, _but_the_end(deadline)
                )
            return output, await collect_effects(action)

        async with session.use_tab(request.tab_id, deadline, TabUse.ACT) as tab:
            output, effects = await run_once(
                session.results, request_key(request), deadline, run, lambda done: len(done[0].text)
            )
        return call_response(output, action_result(effects, session.fence), session.fence)


def _but_the_end(deadline: Deadline) -> Deadline:
    """What a tool may take: the rest is for what it did."""
    return deadline.part(0.9)


def _is_allowed(session: Session, origin: str) -> bool:
    return any(each.holds(origin) for each in session.options.page_tool_origins)


def _require_allowed(session: Session, origin: str) -> None:
    """Raises PageToolsNotAllowedError where the session does not name the origin."""
    if not _is_allowed(session, origin):
        raise PageToolsNotAllowedError(
            f"tools of {page_words(origin, MAX_NAME)} may not be called in this session: create one whose "
            "page_tool_origins name this origin, if its pages are trusted with that; nothing was called"
        )
