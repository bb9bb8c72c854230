"""The protocol side: lists tools, calls them, reports progress, asks the user. On the official SDK."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from typing import Any

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from perception.interaction.answers import Answer
from perception.tools.offer import Offer, all_tools, answer_call
from perception.tools.sessions import Connection
from perception.tools.tool import Ask, Hints, PendingQuestion, Tool

PROGRESS_SECONDS = 3.0
"""Between two reports of a call that takes long. Hosts give up after 60 s without an answer, unless they hear of it."""

_ANSWER = "answer"
"""The key of the question to the user, and of the field in its form."""

_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {_ANSWER: {"type": "string", "title": "Answer"}},
    "required": [_ANSWER],
}

Context = ServerRequestContext[Any, Any]
ConnectionOf = Callable[[Context], Awaitable[Connection]]


def make_server(offer: Offer, connection_of: ConnectionOf) -> Server[Any]:
    """A server of the SDK for any transport.

    Args:
        offer: the tools.
        connection_of: finds the sessions of the client that calls.
    """
    handlers = _Handlers(offer, connection_of)
    return Server(
        "perception",
        version=version("perception-service"),
        instructions=offer.instructions,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        get_tool_input_schema=handlers.schemas.get,
    )


class _Handlers:
    """What the server does with requests.

    Attributes:
        schemas: of the tools that are the same for all callers, by name.
    """

    def __init__(self, offer: Offer, connection_of: ConnectionOf) -> None:
        self._offer = offer
        self._connection_of = connection_of
        self.schemas = {each.name: each.schema for each in offer.tools}

    async def list_tools(self, ctx: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        tools = await all_tools(self._offer, partial(self._connection_of, ctx))
        return types.ListToolsResult(tools=[_wire_tool(each) for each in tools])

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        connect = partial(self._connection_of, ctx)
        answering = answer_call(self._offer, connect, params.name, params.arguments, _ask_of(ctx, params))
        try:
            return _wire_answer(await _reported(ctx, params.name[:80], answering))
        except PendingQuestion as exc:
            return types.InputRequiredResult(input_requests={_ANSWER: _question(str(exc))})


def _wire_tool(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name, description=tool.description, input_schema=tool.schema, annotations=_annotations(tool.hints)
    )


def _annotations(hints: Hints) -> types.ToolAnnotations:
    return types.ToolAnnotations(
        read_only_hint=hints.read_only,
        destructive_hint=hints.destructive,
        idempotent_hint=hints.idempotent,
        open_world_hint=hints.open_world,
    )


def _wire_answer(answer: Answer) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(text=answer.text.rstrip("\n"))]
    if answer.image:
        data = base64.b64encode(answer.image).decode("ascii")
        content.append(types.ImageContent(data=data, mime_type=answer.mime_type))
    return types.CallToolResult(content=content, is_error=answer.is_error)


async def _reported(ctx: Context, tool: str, answering: Coroutine[Any, Any, Answer]) -> Answer:
    """The answer of a call; while it takes long, clients that asked for it hear that it goes on.

    The call is a task of its own: gRPC answers a cancellation with a CancelledError of its own, which the SDK would not
    know as that of one request, and would end the whole connection by.
    """
    task = asyncio.ensure_future(answering)
    waited = 0.0
    try:
        while not (await asyncio.wait({task}, timeout=PROGRESS_SECONDS))[0]:
            waited += PROGRESS_SECONDS
            with suppress(Exception):  # a client that is gone hears no reports
                await ctx.session.report_progress(waited, message=f"{tool}: {waited:g} s")
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())


def _ask_of(ctx: Context, params: types.CallToolRequestParams) -> Ask | None:
    """How this client's user is asked; None where the client does not offer it."""
    capability = types.ClientCapabilities(elicitation=types.ElicitationCapability())
    if not ctx.session.check_client_capability(capability):
        return None

    async def ask(question: str) -> str | None:
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            answered = (params.input_responses or {}).get(_ANSWER)
            if answered is None:
                raise PendingQuestion(question)
        else:
            answered = await ctx.session.elicit_form(question, _FORM, ctx.request_id)
        if not isinstance(answered, types.ElicitResult) or answered.action != "accept":
            return None
        return str((answered.content or {}).get(_ANSWER, ""))

    return ask


def _question(text: str) -> types.ElicitRequest:
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=text, requested_schema=_FORM))
