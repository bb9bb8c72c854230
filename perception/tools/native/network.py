"""The tool about what pages ask of the network, and what they write to the console."""

from __future__ import annotations

from perception.errors import BadInputError
from perception.interaction.answers import Answer
from perception.interaction.network_report import console_report, request_report, requests_report
from perception.tools.native import arguments as args
from perception.tools.tool import Call

LIMIT = 50
"""Lines of a list, by default."""

BODY_CHARACTERS = 4000
"""Of a body that is shown: a thousand tokens."""

_OF_REQUESTS = ("id", "url", "failed")


async def network(call: Call, given: args.NetworkArguments) -> Answer:
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
