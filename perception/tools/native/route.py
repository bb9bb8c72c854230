"""The tool that blocks requests of pages, answers them in the server's place, and cuts the network off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from perception.errors import BadInputError
from perception.interaction.answers import Answer, lines
from perception.tools.arguments import Arguments, AsJson, AsList, InSession, Text
from perception.tools.tool import ACTS, Call, Tool
from perception.v1 import network_service_pb2 as pb

MAX_RULES = 100


class FixedAnswer(Arguments):
    url: Text
    body: Text = ""
    type: Text = "application/json"
    status: Annotated[int, Field(ge=200, le=599)] = 200


class RouteArguments(InSession):
    block: Annotated[list[Text] | None, AsList, Field(max_length=MAX_RULES)] = None
    """URLs: a part, or a glob of the whole; [] ends it"""
    answer: Annotated[list[Annotated[FixedAnswer, AsJson]] | None, AsList, Field(max_length=MAX_RULES)] = None
    """instead of the server; [] ends it"""
    offline: bool | None = None


async def route(call: Call, given: RouteArguments) -> Answer:
    """Sets what is given, in place of what it was, and says what applies."""
    page = call.connection.session(given.session).page
    rules = await page.network_rules(timeout_s=call.timeout_s)
    if given.block is not None or given.answer is not None:
        if any(map(_has_headers, rules)):  # their values may be masked here
            raise BadInputError("route: a program has set rules with headers for this session: set all of them there")
        rules = await page.set_network_rules(list(_rules(given, rules)), timeout_s=call.timeout_s)
    told = lines(*map(_line, rules)) or "no request is blocked or answered here"
    if given.offline is None:
        return Answer(told)
    await page.set_conditions(network={"offline": given.offline}, timeout_s=call.timeout_s)
    return Answer(lines(told, "the network is cut off" if given.offline else "the network is as before"))


def _rules(given: RouteArguments, now: list[pb.NetworkRule]) -> Iterator[pb.NetworkRule | dict[str, Any]]:
    """The rules to set: the kind that is not given stays."""
    renewed = {"block": given.block is not None, "answer": given.answer is not None}
    yield from (each for each in now if not renewed.get(each.WhichOneof("action") or "", False))
    for url in given.block or ():
        yield {"url_pattern": url, "block": {}}
    for each in given.answer or ():
        answer = {"status": each.status, "content_type": each.type, "body": each.body.encode()}
        yield {"url_pattern": each.url, "answer": answer}


def _has_headers(rule: pb.NetworkRule) -> bool:
    others = [each for each in rule.answer.headers if each.name.lower() != "content-type"]
    return rule.HasField("headers") or bool(others)


def _line(rule: pb.NetworkRule) -> str:
    where = rule.url_pattern or "any URL"
    if rule.HasField("answer"):
        return f"answered with {rule.answer.status or 200}, {len(rule.answer.body)} bytes: {where}"
    return f"{'blocked' if rule.HasField('block') else 'headers are changed'}: {where}"


TOOLS = (
    Tool(
        "route",
        "Blocks requests of the session's pages, answers them in the server's place, or cuts the network off. Without "
        "arguments says what applies.",
        RouteArguments,
        route,
        ACTS,
        is_default=False,
    ),
)
