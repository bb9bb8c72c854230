"""The tool about what pages ask of the network, and what they write to the console."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from perception.client import choices
from perception.errors import BadInputError
from perception.interaction.answers import Answer
from perception.interaction.network_report import console_report, request_report, requests_report
from perception.tools.arguments import AsChoice, InSession, Text
from perception.tools.tool import READS, Call, Tool


class NetworkArguments(InSession):
    show: Annotated[Literal["requests", "console"] | None, AsChoice] = None
    id: Text | None = None
    """of a request: all of it"""
    url: Text | None = None
    """part of it, or a glob"""
    failed: bool | None = None
    level: Annotated[choices.ConsoleMessageLevel | None, AsChoice] = None
    """of the console: at least"""
    since: Text | None = None
    """id: only what came after it"""
    limit: Annotated[int | None, Field(ge=1, le=500)] = None


LIMIT = 50
"""Lines of a list, by default."""

BODY_CHARACTERS = 4000
"""Characters of a body that are shown: a thousand tokens."""

_OF_REQUESTS = ("id", "url", "failed")


async def network(call: Call, given: NetworkArguments) -> Answer:
    """Lists requests, shows one, or lists the console."""
    state, limit = call.connection.session(given.session), given.limit or LIMIT
    if given.show == "console":
        wrong = [name for name in _OF_REQUESTS if getattr(given, name) is not None]
        if wrong:
            raise BadInputError(f"network: {wrong[0]} is for requests: leave it out, or show", field=wrong[0])
        messages = await state.page.console(min_level=given.level, since=given.since or "", timeout_s=call.timeout_s)
        return Answer(console_report(state, messages, limit))
    if given.level is not None:
        raise BadInputError('network: level is for the console: give show "console", or leave it out', field="level")
    if given.id is None:
        found = await state.page.requests(
            given.url or "", only_failed=bool(given.failed), since=given.since or "", timeout_s=call.timeout_s
        )
        return Answer(requests_report(state, found, limit))
    reply = await state.page.request(given.id, timeout_s=call.timeout_s)
    for name in ("request_body", "response_body"):
        body = getattr(reply, name) if reply.HasField(name) else None
        if body is not None and len(body.text) > BODY_CHARACTERS:
            body.text, body.truncated = body.text[:BODY_CHARACTERS], True
    return Answer(request_report(state, reply))


TOOLS = (
    Tool(
        "network",
        "Lists the last requests of the session's pages, or shows one with headers and bodies; or lists the console.",
        NetworkArguments,
        network,
        READS,
        is_default=False,
        session={"record_network": True, "record_console": True},
    ),
)
