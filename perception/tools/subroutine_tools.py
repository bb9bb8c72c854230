"""Saved subroutines as tools of their own, with the parameters that they were recorded with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pydantic import ConfigDict

from perception.client import AsyncSubroutines
from perception.interaction.answers import Answer
from perception.tools.arguments import Arguments, Session
from perception.tools.native.managing import run_subroutine
from perception.tools.sessions import Connection
from perception.tools.tool import ACTS, Call, Tool

PREFIX = "run_"
"""Keeps their names apart from those of other tools."""

MAX_NAME = 64
"""Characters of a tool's name that hosts take."""

MAX_DESCRIPTION = 400


class SubroutineCall(Arguments):
    """The parameters of any subroutine; the service checks them against its schema."""

    model_config = ConfigDict(extra="allow")
    session: Session = None


async def subroutine_tools(connection: Connection) -> Sequence[Tool]:
    """A tool for each subroutine of the caller."""
    made = await AsyncSubroutines(connection.caller.client).tools()
    return [_tool_of(each) for each in made if len(PREFIX + each["name"]) <= MAX_NAME]


def _tool_of(made: Mapping[str, Any]) -> Tool:
    parameters = made["parameters"]
    given = dict(parameters.get("properties", {}))
    # A parameter of this name keeps it: the run is then in the connection's own session.
    properties = {"session": {"type": "string"}} | given
    schema = {"type": "object", "properties": properties}
    if required := parameters.get("required"):
        schema["required"] = required
    run = partial(_run, made["name"], "session" in given)
    return Tool(
        PREFIX + made["name"], made["description"][:MAX_DESCRIPTION], SubroutineCall, run, ACTS, own_schema=schema
    )


async def _run(name: str, keeps_session: bool, call: Call, given: SubroutineCall) -> Answer:
    parameters = dict(given.model_extra or {})
    if keeps_session and given.session is not None:
        return await run_subroutine(call, name, parameters | {"session": given.session}, None)
    return await run_subroutine(call, name, parameters, given.session)
