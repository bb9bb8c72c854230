"""The command for the tools that a page offers itself."""

from __future__ import annotations

import json
from typing import Any

from perception.cli.shell.context import Context
from perception.cli.shell.results import Result, json_value
from perception.errors import BadInputError
from perception.interaction.page_tools import call_report, list_report


async def page_tools(context: Context) -> Result:
    """Lists the page's tools, or calls one."""
    name = context.values["name"]
    arguments = _arguments(context.values["arguments"])
    session = context.session()
    if name is None:
        listed = await session.page.page_tools(timeout_s=context.left_s)
        return Result(list_report(session.state, listed), data=json_value(listed))
    done = await session.page.call_page_tool(name, arguments, timeout_s=context.left_s)
    report = call_report(session.state, done)
    context.keep(session)
    return Result(report, data=json_value(done))


def _arguments(text: str | None) -> dict[str, Any]:
    try:
        given = json.loads(text or "{}")
    except ValueError as exc:
        raise BadInputError(f"page-tools: ARGUMENTS is not valid JSON: {exc}") from exc
    if not isinstance(given, dict):
        raise BadInputError('page-tools: ARGUMENTS is not a JSON object: write {"name": value}')
    return given
