"""The protocol side: lists tools, calls them, reports progress, asks the user. On the official SDK."""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from perception.client.message_fields import suggestion
from perception.errors import BadInputError, PerceptionError
from perception.interaction.answers import Answer, ToolNames, error_answer
from perception.mcp.arguments import arguments_of
from perception.mcp.schema import schema_of
from perception.mcp.sessions import Connection
from perception.mcp.toolbox import Ask, Call, Hints, Tool

log = logging.getLogger(__name__)

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
MoreTools = Callable[[Connection], Awaitable[Sequence[Tool]]]


@dataclass(frozen=True, slots=True)
class Offer:
    """What a server offers.

    Attributes:
        tools: as of `toolbox.choose_tools`.
        instructions: for the model, on how to use them.
        names: of the tools that errors send a model to.
        more_tools: tools that depend on the caller; None for none.
        timeout_s: seconds for each call.
    """

    tools: Sequence[Tool]
    instructions: str
    names: ToolNames
    timeout_s: float
    more_tools: MoreTools | None = None


class _UserIsAsked(Exception):  # noqa: N818 - no error: the call goes on when the user has answered
    """Ends a call whose question the client puts to its user; it repeats the call with the answer."""


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
        self._tools = {each.name: each for each in offer.tools}
        self.schemas = {each.name: _schema_of(each) for each in offer.tools}

    async def list_tools(self, ctx: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        listed = [_wire_tool(each, self.schemas[each.name]) for each in self._offer.tools]
        if self._offer.more_tools:
            try:
                more = await self._offer.more_tools(await self._connection_of(ctx))
            except PerceptionError as exc:
                log.warning("the saved subroutines cannot be listed: %s", exc.reason)
                more = ()
            listed += [_wire_tool(each, _schema_of(each)) for each in more]
        return types.ListToolsResult(tools=listed)

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        try:
            return _wire_answer(await _reported(ctx, params.name[:80], self._answer(ctx, params)))
        except _UserIsAsked as exc:
            return types.InputRequiredResult(input_requests={_ANSWER: _question(str(exc))})

    async def _answer(self, ctx: Context, params: types.CallToolRequestParams) -> Answer:
        connection = None
        try:
            connection = await self._connection_of(ctx)
            tool = self._tools.get(params.name) or await self._find_more(params.name, connection)
            arguments = arguments_of(tool.arguments, params.arguments, tool.name)
            return await tool.run(Call(connection, self._offer.timeout_s, _ask_of(ctx, params)), arguments)
        except PerceptionError as exc:
            if connection is not None:
                connection.note_error(exc)
            return error_answer(exc, self._offer.names)
        except _UserIsAsked:
            raise
        except Exception:
            log.exception("the tool %s failed", params.name[:80])
            return Answer(f"INTERNAL: {params.name[:80]} failed here: look before you go on", is_error=True)

    async def _find_more(self, name: str, connection: Connection) -> Tool:
        """A tool that depends on the caller. Raises BadInputError for one that there is not."""
        more = await self._offer.more_tools(connection) if self._offer.more_tools else ()
        for each in more:
            if each.name == name:
                return each
        known = [*self._tools, *(each.name for each in more)]
        raise BadInputError(f"there is no tool {name[:80]!r}{suggestion(name, known)}; there are {', '.join(known)}")


def _schema_of(tool: Tool) -> dict[str, Any]:
    return tool.schema or schema_of(tool.arguments)


def _wire_tool(tool: Tool, schema: dict[str, Any]) -> types.Tool:
    return types.Tool(
        name=tool.name, description=tool.description, input_schema=schema, annotations=_annotations(tool.hints)
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
                raise _UserIsAsked(question)
        else:
            answered = await ctx.session.elicit_form(question, _FORM, ctx.request_id)
        if not isinstance(answered, types.ElicitResult) or answered.action != "accept":
            return None
        return str((answered.content or {}).get(_ANSWER, ""))

    return ask


def _question(text: str) -> types.ElicitRequest:
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=text, requested_schema=_FORM))
